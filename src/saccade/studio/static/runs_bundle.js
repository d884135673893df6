// The static site: the list of runs filtered in the browser, and the keys of a step's page. It is joined with zoom.js to
// one classic script, because browsers load neither modules nor JSON from a disk.

const SHOWN = 200;
const table = document.getElementById("runs");
const all = [];
let shown = SHOWN;

const searched = () => document.querySelector("[data-search]").value.trim().toLowerCase();

function fits(run) {
  const chosen = [...document.querySelectorAll("[data-filter]")].every((each) => !each.value || run[each.dataset.filter] === each.value);
  return chosen && (!searched() || `${run.instruction}\n${run.answer}`.toLowerCase().includes(searched()));
}

function cell(text, name = "") {
  const node = document.createElement("td");
  node.className = name;
  node.textContent = text;
  return node;
}

function row(run) {
  const node = document.createElement("tr");
  const link = document.createElement("a");
  link.href = `runs/${run.id}/1.html`;
  link.textContent = run.instruction || run.id;
  const named = cell("", "instruction");
  named.append(link);
  node.append(cell(run.when, "moment"), named, cell(run.word, run.tone), cell(run.model), cell(run.paradigm), cell(run.app));
  node.append(...["steps", "problems", "tokens", "cost", "seconds"].map((name) => cell(run[name], "number")));
  return node;
}

function showRuns() {
  const found = all.filter(fits);
  table.tBodies[0].replaceChildren(...found.slice(0, shown).map(row));
  document.getElementById("count").textContent = table.dataset.countText.replace("#", found.length.toLocaleString("en-US"));
  document.getElementById("more").hidden = found.length <= shown;
}

function fillChoices() {
  for (const select of document.querySelectorAll("[data-filter]")) {
    const values = [...new Set(all.map((run) => run[select.dataset.filter]).filter(Boolean))].sort();
    select.append(...values.map((value) => new Option(value, value)));
  }
}

function load(page) {
  if (page > Number(table.dataset.pages)) return fillChoices();
  const script = document.createElement("script");
  script.src = `data/runs-${page}.js`;
  script.addEventListener("load", () => load(page + 1));
  document.head.append(script);
  return undefined;
}

if (table) {
  window.saccadeRuns = (rows) => {
    all.push(...rows);
    showRuns();
  };
  document.getElementById("filters").addEventListener("input", () => {
    shown = SHOWN;
    showRuns();
  });
  document.getElementById("more").addEventListener("click", () => {
    shown += SHOWN;
    showRuns();
  });
  load(1);
}

const follow = (name) => () => document.querySelector(`a[rel=${name}]`)?.click();
const acts = { ...ZOOM_KEYS, ArrowLeft: follow("prev"), ArrowRight: follow("next") };
document.addEventListener("keydown", (event) => {
  if (event.target.closest("input, textarea, select") || event.ctrlKey || event.metaKey || event.altKey) return;
  if (!Object.hasOwn(acts, event.key)) return;
  event.preventDefault();
  acts[event.key]();
});
watchZoom();
document.querySelector("#steps a[aria-current]")?.scrollIntoView({ block: "nearest" });
