// One item: loads what is to be judged, lets its kind fill the form, and sends the decision.
import { onKey, post } from "/static/studio.js";
import { BoxEditor } from "/static/box_editor.js";

const holder = document.getElementById("review");
const address = `/review/items/${holder.dataset.item}`;
const message = document.getElementById("message");

export function say(text) {
  message.textContent = text;
  message.hidden = !text;
}

const data = await (await fetch(`${address}/data`)).json();
const { start } = await import(`/static/review_kind_${data.kind}.js`);

/** What a kind gets: the item, the form, and an editor of boxes made with its options. */
const view = {
  data,
  words: data.words,
  say,
  panel: document.querySelector(".panel"),
  find: (id) => document.getElementById(id),
  decision: data.decision?.rejected ? data.proposal : (data.decision ?? data.proposal),
  decided: data.decision !== null && !data.decision.rejected,
  editor: (options) => new BoxEditor(document.getElementById("canvas"), document.getElementById("box"), options),
  show: (editor, at) => {
    const step = data.steps[at];
    const others = data.others.filter((each) => each.page === at);
    return editor.show({ ...step, point: step.action?.point ?? null, others });
  },
  answer: (name) => {
    const chosen = document.querySelector(`input[name=${name}]:checked`);
    return chosen === null ? null : chosen.value === "yes";
  },
  choose: (name, value) => {
    for (const each of document.querySelectorAll(`input[name=${name}]`)) {
      each.checked = value !== null && value !== undefined && (each.value === "yes") === value;
    }
  },
};
if (data.decision?.rejected) document.getElementById("reason").value = data.decision.rejected;
const kind = start(view);
const { editor } = kind;

async function send(decision) {
  if (!holder.dataset.mine) return;
  say("");
  try {
    const answer = await post(`${address}/decision`, decision);
    location.assign(answer.next);
  } catch (error) {
    say(error.message);
  }
}

function save() {
  try {
    send(kind.collect());
  } catch (error) {
    say(error.message);
  }
}

const reason = document.getElementById("reason");
document.getElementById("save").addEventListener("click", save);
document.getElementById("reject").addEventListener("submit", (event) => {
  event.preventDefault();
  if (reason.value.trim()) send({ rejected: reason.value.trim() });
  else say(data.words.reason);
});
const undo = () =>
  post("/review/undo")
    .then((answer) => location.assign(answer.next))
    .catch((error) => say(error.message));
document.getElementById("undo").addEventListener("click", undo);

const snap = () => say(editor.snap() ? "" : data.words["no-element"]);
document.getElementById("snap")?.addEventListener("click", snap);
document.getElementById("clear")?.addEventListener("click", () => editor.box && (editor.box = null));
onKey("s", snap);
onKey("x", () => editor.box && (editor.box = null));
onKey("b", () => document.querySelector("#box input")?.focus());
const outlines = document.getElementById("outlines");
const turn = () => {
  editor.outlines = !editor.outlines;
  outlines.setAttribute("aria-pressed", editor.outlines);
  editor.draw();
};
outlines.addEventListener("click", turn);
onKey("e", turn);
for (const each of document.querySelectorAll("[data-zoom]"))
  each.addEventListener("click", () => editor.larger(Number(each.dataset.zoom)));
onKey("+", () => editor.larger(1.25));
onKey("-", () => editor.larger(0.8));
onKey("r", () => reason.focus());
onKey("u", undo);
onKey("y", () => kind.yes?.());
onKey("n", () => kind.no?.());
onKey("ArrowLeft", () => kind.go?.(-1));
onKey("ArrowRight", () => kind.go?.(1));
document.addEventListener("keydown", (event) => {
  const target = event.target;
  if (event.key === "Escape" && target.matches("input, textarea, select")) target.blur();
  if (event.key !== "Enter" || target.matches("button, a, textarea, #reason, [type=file], dialog *")) return;
  event.preventDefault();
  target.dispatchEvent(new Event("change", { bubbles: true }));
  save();
});
setInterval(() => holder.dataset.mine && post(`${address}/renew`).catch(() => {}), 5 * 60 * 1000);
holder.dataset.ready = "yes";
