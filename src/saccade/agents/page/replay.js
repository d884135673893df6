// The replay page: current position, navigation, and the header.

const RUN = JSON.parse($("run").textContent);
const PAUSE = 1300;

const attempts = RUN.attempts.map((attempt, at) => (
  { ...attempt, rows: RUN.steps.filter((row) => row.attempt === at) }
));
const now = { attempt: 0, at: 0, set: 0, layers: { ...SETS[0] }, timer: 0 };

function rows() {
  return attempts[now.attempt]?.rows ?? [];
}

function currentRow() {
  return rows()[now.at] ?? null;
}

// -- showing ----------------------------------------------------------------------------------------------------------

function showStep() {
  const row = currentRow();
  $("counter").textContent = row ? say("of-steps", now.at + 1, rows().length) : say("no-steps");
  for (const [id, off] of [["first", now.at <= 0], ["previous", now.at <= 0],
    ["last", now.at >= rows().length - 1], ["next", now.at >= rows().length - 1], ["play", rows().length < 2]]) {
    $(id).disabled = off;
  }
  markCurrent(now.at);
  unpoint();
  $("panel").scrollTop = 0;
  if (!row) {
    for (const node of $("layers").children) node.disabled = true;
    return showNothing(say("no-steps"));
  }
  showPicture(row);
  withDetail(row.index, (detail) => {
    if (row !== currentRow()) return;
    showDetail(row, detail);
  });
  return undefined;
}

function showDetail(row, detail) {
  $("where").textContent = detail.app || detail.url || "";
  const truths = [...(detail.key_elements ?? []), ...(detail.truth ?? [])];
  const found = { named: detail.named, truth: truths, all: detail.elements };
  for (const node of $("layers").children) {
    const layer = node.dataset.layer;
    node.disabled = layer === "action" ? !row.action : !found[layer]?.length;
    node.setAttribute("aria-pressed", String(now.layers[layer]));
  }
  draw(row, detail, now.layers);
  centre();
  fillPanel(row, detail);
  if (row.picture === null) showNothing(detail.lost || say("no-picture"));
}

function showPicture(row) {
  const [width, height] = row.screen;
  const [frame, shot] = [$("frame"), $("shot")];
  frame.style.setProperty("--ratio", String(width / height));
  frame.style.setProperty("--natural", `${width}px`);
  $("nothing").hidden = true;
  $("overlay").replaceChildren();
  if (row.picture === null) return shot.removeAttribute("src");
  shot.alt = say("alt", now.at + 1, actionWords(row.action, row.target, row.screen));
  return withPicture(row.picture, (url) => {
    if (row === currentRow() && shot.src !== url) shot.src = url;
  });
}

function showNothing(why) {
  $("shot").removeAttribute("src");
  $("shot").alt = "";
  $("nothing").textContent = why;
  $("nothing").hidden = false;
}

function showAttempt() {
  fillAttempts(attempts, now.attempt, (at) => go(at, 0));
  fillStrip(rows(), (at) => go(now.attempt, at));
}

// -- the head ---------------------------------------------------------------------------------------------------------

function firstTrouble() {
  for (const [at, attempt] of attempts.entries()) {
    const step = attempt.rows.findIndex(troubleOf);
    if (step >= 0) return { at, step, row: attempt.rows[step] };
  }
  return null;
}

function showOutcome() {
  const { outcome } = RUN;
  badge($("badge"), outcome);
  const said = [];
  if (outcome?.reason) said.push(make("span", "", outcome.reason));
  if (outcome) said.push(make("span", "aside", say("ended", sayIfKnown(outcome.ended_by, "end-"))));
  if (RUN.judged_by_world) said.push(make("span", "aside", say("judged-by-world")));
  if (RUN.weighting) said.push(make("span", "aside", say("weighting", RUN.weighting)));
  if (outcome?.answer) {
    said.push(make("span", "", make("strong", "", `${say("answer")} `), oneLine(outcome.answer, 400)));
  }
  const trouble = firstTrouble();
  if (trouble) {
    const text = say("first-trouble", trouble.step + 1, say(troubleOf(trouble.row)));
    said.push(button("pill jump", () => go(trouble.at, trouble.step), text));
  }
  $("outcome").replaceChildren(...said);
}

function pairs(entries) {
  return entries.filter(([, value]) => value !== "" && value !== null && value !== undefined)
    .map(([title, value]) => make("div", "", make("dt", "", title), make("dd", "", String(value))));
}

function showHead() {
  document.documentElement.lang = language === "zh" ? "zh-CN" : "en";
  $("instruction").textContent = RUN.instruction;
  showOutcome();
  const { input = 0, output = 0, cost = 0 } = RUN.usage;
  $("summary").replaceChildren(...pairs([
    [say("world"), RUN.world], [say("paradigm"), RUN.paradigm], [say("model"), RUN.model],
    [say("count"), RUN.steps.length - Number(RUN.unfinished)], [say("time"), RUN.seconds ? seconds(RUN.seconds) : ""],
    [say("tokens"), input + output ? thousands(input + output) : ""], [say("cost"), cost ? money(cost) : ""],
  ]));
  $("trouble").replaceChildren(...(RUN.trouble.length
    ? [make("p", "trouble", say("lines-lost", RUN.trouble.join("; ")))] : []));
  const settings = Object.entries(RUN.settings)
    .map(([key, value]) => [key, typeof value === "string" ? value : JSON.stringify(value)]);
  $("settings").replaceChildren(...pairs([
    [say("id"), RUN.id], [say("started"), RUN.started], [say("resumed"), RUN.resumed || ""], ...settings,
    [say("versions"), Object.entries(RUN.versions).map(([name, version]) => `${name} ${version}`).join(", ")],
  ]));
}

const KEYS = [
  ["← →", "key-arrows"], ["↑ ↓  [ ]", "key-attempts"], ["Home End", "key-ends"], ["Space", "key-space"],
  ["e", "key-trouble"], ["l", "key-layers"], ["z", "key-zoom"], ["t", "key-language"], ["?", "key-help"],
];

function showWords() {
  for (const node of document.querySelectorAll("[data-word]")) node.textContent = say(node.dataset.word);
  for (const node of document.querySelectorAll("[data-label]")) node.ariaLabel = say(node.dataset.label);
  $("language").textContent = say("switch");
  $("language").setAttribute("aria-label", say("switch-label"));
  $("keys").replaceChildren(...pairs(KEYS.map(([keys, word]) => [keys, say(word)])));
  $("layers").replaceChildren(...LAYERS.map((layer) => {
    const turn = () => setLayers({ ...now.layers, [layer]: !now.layers[layer] });
    const node = button(`pill layer ${layer}`, turn, say(`layer-${layer}`));
    node.dataset.layer = layer;
    return node;
  }));
}

function setLanguage(chosen) {
  language = chosen;
  showWords();
  showHead();
  showAttempt();
  showStep();
  showPlaying();
}

// -- moving -----------------------------------------------------------------------------------------------------------

function hash() {
  return attempts.length > 1 ? `#${now.attempt + 1}.${now.at + 1}` : `#${now.at + 1}`;
}

// `#3` is step 3; `#2.3` is step 3 of the second attempt.
function readHash() {
  const found = /^#(?:(\d{1,6})\.)?(\d{1,6})$/.exec(location.hash);
  return found ? [Number(found[1] ?? 1) - 1, Number(found[2]) - 1] : null;
}

function clamp(value, most) {
  return Math.max(0, Math.min(value, most));
}

function go(attempt, at) {
  const before = now.attempt;
  now.attempt = clamp(attempt, Math.max(0, attempts.length - 1));
  now.at = clamp(at, Math.max(0, rows().length - 1));
  if (now.attempt !== before) showAttempt();
  showStep();
  if (location.hash !== hash()) history.replaceState(null, "", hash());
}

function goToTrouble() {
  const all = attempts.flatMap((attempt, at) => attempt.rows.map((row, step) => ({ at, step, row })));
  const here = all.findIndex(({ at, step }) => at === now.attempt && step === now.at);
  const found = [...all.slice(here + 1), ...all.slice(0, here + 1)].find(({ row }) => troubleOf(row));
  if (found) go(found.at, found.step);
}

function setLayers(layers) {
  now.layers = layers;
  const row = currentRow();
  if (row) withDetail(row.index, (detail) => showDetail(row, detail));
}

function nextLayers() {
  now.set = (now.set + 1) % SETS.length;
  setLayers({ ...SETS[now.set] });
}

function showPlaying() {
  $("play").classList.toggle("playing", now.timer !== 0);
  $("play").setAttribute("aria-label", say(now.timer ? "pause" : "play"));
}

function stop() {
  clearInterval(now.timer);
  now.timer = 0;
  showPlaying();
}

function play() {
  if (now.timer) return stop();
  if (rows().length < 2) return undefined;
  if (now.at >= rows().length - 1) go(now.attempt, 0);
  now.timer = setInterval(() => {
    go(now.attempt, now.at + 1);
    if (now.at >= rows().length - 1) stop();
  }, PAUSE);
  return showPlaying();
}

function zoom() {
  const large = $("stage").classList.toggle("large");
  $("zoom").setAttribute("aria-pressed", String(large));
  centre();
}

// Scrolls a screenshot that is larger than its container to the place of the action.
function centre() {
  const room = $("room");
  const deed = $("overlay").querySelector(".tap, .begin, .hit, .typed");
  if (!deed) return;
  const [inner, outer] = [deed.getBoundingClientRect(), room.getBoundingClientRect()];
  room.scrollTop += inner.top + inner.height / 2 - outer.top - outer.height / 2;
  room.scrollLeft += inner.left + inner.width / 2 - outer.left - outer.width / 2;
}

function byHand(move) {
  return () => {
    stop();
    move();
  };
}

const ACTS = {
  ArrowLeft: byHand(() => go(now.attempt, now.at - 1)),
  ArrowRight: byHand(() => go(now.attempt, now.at + 1)),
  Home: byHand(() => go(now.attempt, 0)),
  End: byHand(() => go(now.attempt, Infinity)),
  "[": byHand(() => go(now.attempt - 1, 0)),
  "]": byHand(() => go(now.attempt + 1, 0)),
  e: byHand(goToTrouble),
  " ": play,
  l: nextLayers,
  z: zoom,
  t: () => setLanguage(language === "zh" ? "en" : "zh"),
  "?": () => $("help").showModal(),
};

// The handler for a key, or null if the focused element needs the key itself.
function wanted(event) {
  const { activeElement: focused } = document;
  if (document.querySelector("dialog[open]") || event.ctrlKey || event.metaKey || event.altKey) return null;
  if (event.key === " " && focused?.closest("button, summary")) return null;
  if (event.key === "ArrowUp" || event.key === "ArrowDown") {
    if (attempts.length < 2 || focused?.closest("#panel, #judgement, .strip")) return null;
    return ACTS[event.key === "ArrowUp" ? "[" : "]"];
  }
  return Object.hasOwn(ACTS, event.key) ? ACTS[event.key] : null;
}

function listen() {
  addEventListener("keydown", (event) => {
    const act = wanted(event);
    if (!act) return;
    event.preventDefault();
    act();
  });
  addEventListener("hashchange", () => {
    const place = readHash();
    if (place && location.hash !== hash()) go(...place);
  });
  // A mouse click does not move the focus, so that the space bar still means play.
  addEventListener("click", (event) => {
    const pressed = event.detail > 0 && event.target.closest("button");
    if (pressed && !pressed.closest("dialog")) pressed.blur();
  });
  const over = (event) => {
    const row = currentRow();
    if (row) withDetail(row.index, (detail) => hover(event, row, detail));
  };
  $("frame").addEventListener("pointermove", over);
  $("frame").addEventListener("pointerdown", over);
  $("frame").addEventListener("pointerleave", unpoint);
  const moves = {
    first: "Home", previous: "ArrowLeft", next: "ArrowRight", last: "End", play: " ", zoom: "z", language: "t",
  };
  for (const [id, key] of Object.entries(moves)) $(id).addEventListener("click", () => ACTS[key]());
  $("help-open").addEventListener("click", () => $("help").showModal());
  $("about-open").addEventListener("click", () => $("about").showModal());
}

listen();
language = RUN.language || (navigator.language.startsWith("zh") ? "zh" : "en");
[now.attempt, now.at] = readHash() ?? [0, 0];
now.attempt = clamp(now.attempt, Math.max(0, attempts.length - 1));
now.at = clamp(now.at, Math.max(0, rows().length - 1));
setLanguage(language);
