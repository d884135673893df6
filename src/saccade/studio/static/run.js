// The page of a run: moving between steps without loading the page anew, and following a run that goes on.

import { onKey, post } from "/static/studio.js";
import { centreAll, watchZoom, ZOOM_KEYS } from "/static/zoom.js";

const run = document.getElementById("run");
const base = `/runs/${run.dataset.run}`;
const steps = () => document.getElementById("steps");
const current = () => Number(document.getElementById("step").dataset.step ?? 0);
const count = () => Number(steps().dataset.count);

// Read a part of the page anew, unless it is not wanted any more when it comes.
async function part(address, id, still = () => true) {
  const answer = await fetch(address);
  if (!answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const node = page.getElementById(id);
  if (node && still()) document.getElementById(id).replaceWith(document.adoptNode(node));
}

let wanted = current();

async function go(position, fresh = false) {
  wanted = Math.max(0, Math.min(position, count() - 1));
  const here = wanted;
  const still = () => here === wanted; // no later key
  const size = Number(steps().dataset.size);
  const first = here - (here % size);
  if (fresh || first !== Number(steps().dataset.first)) {
    await part(`${base}/steps?step=${here}`, "steps", still);
  }
  const facts = document.querySelector(".facts");
  const open = [...(facts?.querySelectorAll("details") ?? [])].map((each) => each.open);
  await part(`${base}/steps/${here}`, "step", still);
  if (!still()) return;
  for (const link of document.querySelectorAll("#steps a[aria-current]")) link.removeAttribute("aria-current");
  const link = document.querySelector(`#steps a[data-step="${here}"]`);
  link?.setAttribute("aria-current", "step");
  link?.scrollIntoView({ block: "nearest" });
  document.querySelectorAll(".facts details").forEach((each, at) => {
    if (open[at] !== undefined) each.open = open[at];
  });
  centreAll();
  history.replaceState(null, "", `${base}?step=${here}`);
}

async function problem() {
  const { step } = await (await fetch(`${base}/problem?after=${current()}`)).json();
  if (step !== null) go(step);
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("#steps a[data-step]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  go(Number(link.dataset.step));
});
document.addEventListener("change", (event) => {
  if (event.target.matches("[data-pages]")) go(Number(event.target.value));
});

const unfollow = (move) => () => {
  const follow = document.getElementById("follow");
  if (follow) follow.checked = false;
  move();
};
onKey("ArrowLeft", unfollow(() => go(wanted - 1)));
onKey("ArrowRight", unfollow(() => go(wanted + 1)));
onKey("Home", unfollow(() => go(0)));
onKey("End", unfollow(() => go(Infinity)));
onKey("e", unfollow(problem));
for (const [key, act] of Object.entries(ZOOM_KEYS)) onKey(key, act);

watchZoom();
document.querySelector("#steps a[aria-current]")?.scrollIntoView({ block: "nearest" });

const toReview = document.getElementById("to-review");
toReview.addEventListener("click", async () => {
  const said = document.getElementById("review-said");
  toReview.disabled = true;
  try {
    const { added, known } = await post("/review/add", { kind: "trajectory", run: run.dataset.run });
    said.textContent = added + known ? toReview.dataset.done : toReview.dataset.nothing;
  } catch (error) {
    said.textContent = error.message;
    toReview.disabled = false;
  }
});

// A run that goes on: each new step is announced; the head and the list are read anew.
if (run.dataset.status === "running") {
  const news = new EventSource(`${base}/events`);
  news.addEventListener("message", async (event) => {
    const { steps: there, status } = JSON.parse(event.data);
    if (status !== "running") news.close();
    if (there === count() && status === "running") return;
    steps().dataset.count = String(there);
    await part(base, "head");
    const follows = document.getElementById("follow")?.checked;
    await go(follows ? there - 1 : wanted, true);
  });
  addEventListener("pagehide", () => news.close());
}
