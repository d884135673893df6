// A live run: the state comes as a stream of events, commands go back one by one.

import { onKey, post } from "./studio.js";
import { LiveScreen } from "./live_screen.js";

const root = document.getElementById("live");
const address = `/live/${root.dataset.id}`;
const language = root.dataset.language;
const [phases, outcomes, texts] = ["phases", "outcomes", "texts"].map((name) => JSON.parse(root.dataset[name]));
const byId = (id) => document.getElementById(id);
let state = { phase: "starting", actions: [], rows: [] };
let edited = ""; // the proposal that the field for editing was filled from

const screen = new LiveScreen({ onAction: act, onPoint: setPoint, onElement: (point) => act({ type: "click", point }) });

// -- commands ---------------------------------------------------------------------------------------------------------

async function send(command) {
  try {
    await post(`${address}/command`, command);
    return true;
  } catch (error) {
    showTrouble(error.message);
    return false;
  }
}

function act(action, more = {}) {
  return send({ do: "act", action, ...more });
}

function showTrouble(text) {
  byId("trouble").hidden = !text;
  byId("trouble").textContent = text;
}

for (const button of root.querySelectorAll("[data-do]")) {
  button.addEventListener("click", () => send({ do: button.dataset.do }));
}
for (const button of root.querySelectorAll("[data-answer]")) {
  button.addEventListener("click", () => answer(button.dataset.answer));
}
for (const button of root.querySelectorAll("[data-key]")) {
  button.addEventListener("click", () => act({ type: "press", key: button.dataset.key }));
}
for (const button of root.querySelectorAll("[data-swipe]")) {
  button.addEventListener("click", () => act({ type: "swipe", direction: button.dataset.swipe }));
}
root.querySelector("[data-wait]").addEventListener("click", () => act({ type: "wait", seconds: 1 }));

function answer(said) {
  if (state.question) send({ do: "answer", answer: said, question: state.question.number });
}

function onSubmit(id, handle) {
  byId(id)?.addEventListener("submit", async (event) => {
    event.preventDefault();
    await handle();
  });
}

onSubmit("edit", () => {
  let action;
  try {
    action = JSON.parse(byId("action").value);
  } catch (error) {
    return showTrouble(`JSON: ${error.message}`);
  }
  return send({ do: "edit", action });
});

onSubmit("type", async () => {
  const [text, submit, secret] = [byId("text"), byId("submit"), byId("secret")];
  if (!text.value) return;
  const action = { type: "type", text: text.value };
  if (submit.checked) action.submit = true;
  if (await act(action, secret.checked ? { secret: true } : {})) text.value = "";
});
byId("secret").addEventListener("change", () => {
  byId("text").type = byId("secret").checked ? "password" : "text";
});

onSubmit("press", async () => {
  if (byId("key").value && (await act({ type: "press", key: byId("key").value }))) byId("key").value = "";
});

onSubmit("open", async () => {
  const text = byId("place").value;
  const type = state.actions.includes("open_url") && (text.includes(".") || !state.actions.includes("open_app"));
  if (text && (await act({ type: type ? "open_url" : "open_app", text }))) byId("place").value = "";
});

onSubmit("finish", () => {
  const [how, said] = [byId("how").value, byId("said").value];
  const action = how === "answer" ? { type: "answer", text: said } : { type: "terminate", status: how };
  if (how !== "answer" && said) action.text = said;
  if (!state.record) return act(action);
  return send({ do: "finish", action, text: byId("task").value, succeeded: byId("succeeded").checked });
});

onSubmit("hint", () => tell("hint"));
onSubmit("instruction", () => tell("instruction"));

async function tell(what) {
  const field = byId(`${what}-text`);
  if (field.value.trim() && (await send({ do: what, text: field.value }))) field.value = "";
}

/** While a proposal waits, a click on the screen sets the point of the action that is being edited. */
function setPoint(point) {
  let action = {};
  try {
    action = JSON.parse(byId("action").value);
  } catch {
    action = {};
  }
  if (!action.type || !("point" in action)) action = { type: "click" };
  byId("action").value = JSON.stringify({ ...action, point });
  screen.mark({ point });
}

// -- the state --------------------------------------------------------------------------------------------------------

function show(name, text) {
  for (const node of root.querySelectorAll(`[data-show="${name}"]`)) node.textContent = text ?? "";
}

function inLanguage(words) {
  return words?.[language] ?? "";
}

function render() {
  const running = state.phase !== "ended";
  const when = { taken: state.taken && running, paused: state.phase === "paused", running };
  for (const node of root.querySelectorAll("[data-when]")) node.hidden = !when[node.dataset.when];
  for (const node of root.querySelectorAll("[data-can]")) node.hidden = !state.actions.includes(node.dataset.can);
  byId("open").hidden = !state.actions.includes("open_app") && !state.actions.includes("open_url");
  for (const option of byId("tool").options) {
    option.hidden = option.value !== "touch" && !state.actions.includes(option.value);
  }
  const possible = {
    pause: running && !state.paused && !state.taken,
    resume: running && state.paused && !state.taken,
    take_over: running && !state.taken,
    hand_back: running && state.taken,
    stop: running,
    step: when.paused,
    again: when.paused,
    decline: true,
    look: true,
  };
  for (const node of root.querySelectorAll("[data-do]")) node.hidden = !possible[node.dataset.do];
  byId("phase").textContent = phases[state.phase];
  byId("phase").dataset.phase = state.phase;
  show("instruction", state.instruction);
  show("place", state.place);
  show("steps", state.steps ? `(${state.steps})` : "");
  showTrouble(state.error || state.trouble);
  renderProposal();
  renderAsking();
  renderSteps();
  renderEnd(running);
  screen.show(address, state);
  if (state.record && !byId("task").value && state.instruction) byId("task").value = state.instruction;
}

function renderProposal() {
  const box = byId("proposal");
  if (!box) return;
  const waits = state.phase === "paused";
  box.hidden = (!state.proposal && !waits) || state.phase === "request";
  show("words", state.proposal ? inLanguage(state.words) : texts.no_action);
  show("thought", state.thought);
  const text = state.proposal ? JSON.stringify(state.proposal) : "";
  const key = `${state.steps} ${text}`;
  if (waits && key !== edited) {
    edited = key;
    byId("action").value = text;
  }
}

function renderAsking() {
  const asked = state.question;
  byId("question").hidden = !asked;
  if (asked) {
    const values = { ...asked, wants: inLanguage(asked.words), risk: inLanguage(asked.risk) };
    for (const node of root.querySelectorAll("[data-question]")) {
      node.textContent = values[node.dataset.question] ?? "";
      node.parentElement.hidden = !node.textContent;
    }
  }
  byId("request").hidden = !state.request;
  show("request", state.request);
  tick();
}

function tick() {
  const left = Math.max(0, Math.ceil(state.until - Date.now() / 1000));
  byId("left").hidden = !state.until;
  byId("left").textContent = texts.left.replace("{seconds}", left);
}
setInterval(tick, 1000);

function renderSteps() {
  const list = byId("steps");
  list.replaceChildren(
    ...state.rows.map((row) => {
      const item = document.createElement("li");
      item.value = row.step + 1;
      const add = (className, text) => {
        if (!text) return;
        const node = document.createElement("span");
        node.className = className;
        node.textContent = text;
        item.append(node, " ");
      };
      add(`tag ${row.by}`, texts[`by.${row.by}`]);
      add("", inLanguage(row.words) || texts.no_action);
      add("tag", row.edited ? texts.edited : "");
      add("warn", row.asked ? `${texts.asked}: ${row.asked}` : "");
      add("bad", row.trouble);
      return item;
    }),
  );
  list.scrollTop = list.scrollHeight;
}

function renderEnd(running) {
  byId("ended").hidden = running || !state.outcome;
  byId("run-page").hidden = running || !state.steps;
  byId("records").hidden = running || !state.record || !state.outcome;
  if (!state.outcome) return;
  show("outcome", outcomes[state.outcome.status]);
  show("reason", [state.outcome.reason, state.outcome.answer].filter(Boolean).join(" · "));
  byId("records").textContent = state.records ? texts.records.replace("{count}", state.records) : texts.no_records;
}

// -- events and keys --------------------------------------------------------------------------------------------------

const events = new EventSource(`${address}/events`);
events.addEventListener("message", (event) => {
  state = JSON.parse(event.data);
  render();
  if (state.phase === "ended") events.close();
});

const press = (name) => {
  const button = [...root.querySelectorAll(`[data-do="${name}"]`)].find((node) => node.offsetParent !== null);
  button?.click();
};
const focus = (id) => byId(id)?.focus();

onKey("p", () => press(state.paused ? "resume" : "pause"));
onKey("s", () => press("step"));
onKey("a", () => press("again"));
onKey("t", () => press(state.taken ? "hand_back" : "take_over"));
onKey("x", () => press("stop"));
onKey("e", () => focus("action"));
onKey("h", () => focus("hint-text"));
onKey("i", () => focus("text"));
onKey("y", () => answer("yes"));
onKey("n", () => answer("no"));
onKey("l", () => press("look"));
onKey("o", () => byId("boxes").click());
