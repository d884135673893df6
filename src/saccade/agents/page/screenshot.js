// The screenshot of a step and what is drawn on it. Positions are shares of the screen, so they hold at any display
// size.

const LAYERS = ["action", "named", "truth", "all"];
const SETS = [
  { action: true, named: true, truth: true, all: false },
  { action: true, named: true, truth: true, all: true },
  { action: true, named: false, truth: false, all: false },
  { action: false, named: false, truth: false, all: false },
];
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

function onScreen(node, [x, y], [width, height]) {
  node.style.left = `${(100 * x) / width}%`;
  node.style.top = `${(100 * y) / height}%`;
  return node;
}

// A box with its label in a corner: left for what the model named, right for the truth, so that both can be read.
function boxNode(kind, box, screen, label = "") {
  const [x0, y0, x1, y1] = box;
  const node = onScreen(make("div", `box ${kind}`), [x0, y0], screen);
  if (x1 - x0 < 1 && y1 - y0 < 1) node.classList.add("dot");
  else {
    node.style.width = `${(100 * (x1 - x0)) / screen[0]}%`;
    node.style.height = `${(100 * (y1 - y0)) / screen[1]}%`;
  }
  if (y0 < screen[1] * 0.03) node.classList.add("inside");
  if (label) node.append(make("span", "label", label));
  return node;
}

function spot(className, point, screen, ...children) {
  return onScreen(make("div", `spot ${className}`, ...children), point, screen);
}

// The path of a finger. Lengths are shares of the width: the aspect ratio is fixed, so the angle holds at any size.
function trail(className, start, end, screen) {
  const [dx, dy] = [end[0] - start[0], end[1] - start[1]];
  const node = onScreen(make("div", `trail ${className}`), start, screen);
  node.style.width = `${(100 * Math.hypot(dx, dy)) / screen[0]}%`;
  node.style.transform = `translateY(-50%) rotate(${Math.atan2(dy, dx)}rad)`;
  return node;
}

// Start and end of a swipe; one that has only a direction is drawn through the middle.
function way(action, screen) {
  if (action.start && action.end) return [action.start, action.end];
  const [width, height] = screen;
  const [cx, cy] = action.start ?? [width / 2, height / 2];
  const [across, down] = [width * 0.25, height * 0.15];
  const reach = { up: [0, -down], down: [0, down], left: [-across, 0], right: [across, 0] };
  const [dx, dy] = reach[action.direction] ?? [0, 0];
  return action.start ? [[cx, cy], [cx + 2 * dx, cy + 2 * dy]] : [[cx - dx, cy - dy], [cx + dx, cy + dy]];
}

function drawAction(row, detail) {
  const { action, screen } = row;
  if (!action) return [];
  const drawn = [];
  const state = row.marks.includes("refused") ? "refused" : row.marks.includes("wrong") ? "off" : "";
  if (detail.hit) drawn.push(boxNode("hit", detail.hit.box, screen));
  if (action.type === "swipe" || action.type === "drag") {
    const [start, end] = way(action, screen);
    drawn.push(trail(`${state} ${action.start ? "" : "nominal"}`, start, end, screen));
    drawn.push(spot(`begin ${state}`, start, screen));
  } else if (action.point && action.type !== "type") {
    drawn.push(spot(`tap ${action.type} ${state}`, action.point, screen));
  } else if (action.type === "type" && (action.point || detail.hit)) {
    drawn.push(typed(action, detail, screen, state));
  } else drawn.push(make("div", `deed ${state}`, actionWords(action, row.target, screen)));
  if (action.type === "select") drawn.push(typed(action, detail, screen, state));
  return drawn;
}

// The typed text at the focused element: below it, or above it near the end of the screen.
function typed(action, detail, screen, state) {
  const box = detail.hit ? detail.hit.box : [...action.point, ...action.point];
  const below = box[3] < screen[1] * 0.85;
  const left = Math.min(Math.max(box[0], screen[0] * 0.02), screen[0] * 0.4);
  const node = spot(`typed ${state} ${below ? "" : "above"}`, [left, below ? box[3] : box[1]], screen);
  node.append(make("span", "text", action.text ?? ""), make("span", "caret"));
  return node;
}

function drawCandidates(row, detail) {
  const candidates = detail.candidates ?? [];
  return candidates.flatMap(({ action }, at) => {
    const chosen = at === (detail.chosen ?? 0);
    if (chosen || !action.point) return [];
    return [spot("ghost", action.point, row.screen, LETTERS[at] ?? "")];
  });
}

function drawTruth(row, detail) {
  const keys = detail.key_elements ?? [];
  const drawn = keys.map((element, at) => boxNode("key", element.box, row.screen, String(at + 1)));
  for (const truth of detail.truth ?? []) {
    if (truth.box) drawn.push(boxNode("truth", truth.box, row.screen));
    else if (truth.point) drawn.push(spot("goal", truth.point, row.screen));
    else if (truth.start && truth.end) drawn.push(trail("goal", truth.start, truth.end, row.screen));
  }
  return drawn;
}

function draw(row, detail, layers) {
  const drawn = [];
  if (layers.all) drawn.push(...(detail.elements ?? []).map((element) => boxNode("any", element.box, row.screen)));
  if (layers.truth) drawn.push(...drawTruth(row, detail));
  if (layers.named) {
    drawn.push(...(detail.named ?? []).map((element, at) => boxNode("named", element.box, row.screen, String(at + 1))));
  }
  if (layers.action) drawn.push(...drawCandidates(row, detail), ...drawAction(row, detail));
  $("overlay").replaceChildren(...drawn);
}

// -- element under the pointer ----------------------------------------------------------------------------------------

// The smallest element at a point; on equal area, named and key elements come before the others.
function under([x, y], detail) {
  const known = [
    ...(detail.named ?? []).map((element, at) => ({ element, label: `${say("layer-named")} ${at + 1}` })),
    ...(detail.key_elements ?? []).map((element, at) => ({ element, label: `${say("key")} ${at + 1}` })),
    ...(detail.elements ?? []).map((element) => ({ element, label: "" })),
  ];
  const inside = known.filter(({ element: { box } }) => box[0] <= x && x <= box[2] && box[1] <= y && y <= box[3]);
  const area = ({ element: { box } }) => (box[2] - box[0]) * (box[3] - box[1]);
  return inside.sort((a, b) => area(a) - area(b))[0] ?? null;
}

function tip(where, title, ...lines) {
  const node = $("tip");
  const shown = lines.filter(Boolean).map((line) => make("span", "line", oneLine(line, 200)));
  node.replaceChildren(make("strong", "", oneLine(title, 200)), ...shown);
  node.hidden = false;
  const { width, height } = node.getBoundingClientRect();
  node.style.left = `${Math.max(4, Math.min(where.clientX + 14, innerWidth - width - 8))}px`;
  node.style.top = `${where.clientY + 18 + height > innerHeight ? where.clientY - height - 10 : where.clientY + 18}px`;
}

function point(element, screen) {
  $("overlay").querySelectorAll(".pointed").forEach((node) => node.remove());
  if (element) $("overlay").append(boxNode("pointed", element.box, screen));
}

function unpoint() {
  point(null);
  $("tip").hidden = true;
}

function hover(event, row, detail) {
  const frame = $("overlay").getBoundingClientRect();
  const at = [
    ((event.clientX - frame.left) / frame.width) * row.screen[0],
    ((event.clientY - frame.top) / frame.height) * row.screen[1],
  ];
  const found = under(at, detail);
  if (!found) return unpoint();
  const { element, label } = found;
  point(element, row.screen);
  const said = element.text || element.seen || element.caption || element.type || `#${element.id}`;
  const kind = [label, element.type, element.state, `#${element.id}`].filter(Boolean).join(" · ");
  return tip(event, said, element.caption === said ? "" : element.caption, kind);
}
