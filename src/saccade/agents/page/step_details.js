// The details of one step: problems first, then what the model thought and did, then time and tokens.

const opened = new Set();

function section(title, ...children) {
  const body = children.flat().filter(Boolean);
  return body.length ? make("section", "fact", make("h2", "", title), ...body) : null;
}

function prose(text) {
  return text ? make("p", "prose", text) : null;
}

function list(lines) {
  return lines && lines.length ? make("ul", "lines", ...lines.map((line) => make("li", "", line))) : null;
}

function callout(tone, title, ...texts) {
  return make("div", `callout ${tone}`, make("strong", "", title), ...texts.filter(Boolean).map(prose));
}

function callouts(row, detail) {
  const notes = [];
  const marked = (mark) => row.marks.includes(mark);
  if (marked("error")) notes.push(callout("bad", say("error-said"), detail.error));
  if (marked("refused")) notes.push(callout("bad", say("refused-said"), detail.approval?.why));
  if (marked("unreadable")) notes.push(callout("bad", say("unreadable-said"), detail.problem));
  if (marked("wrong")) {
    const rather = say("rather", truthWords(row, detail).join(say("or")));
    notes.push(callout("bad", say("wrong-said", say("by-rule", RUN.profile)), rather));
  }
  if (marked("repaired")) notes.push(callout("mild", say("repaired-said"), (detail.repairs ?? []).join("\n")));
  if (marked("asked")) notes.push(callout("mild", say("asked-said"), detail.asked));
  if (marked("person")) notes.push(callout("mild", say("person-said")));
  if (marked("edited")) {
    const before = detail.edited_from;
    notes.push(callout("mild", say("edited-said"), actionWords(before, before.target, row.screen)));
  }
  if (detail.hint) notes.push(callout("mild", say("hint-said"), detail.hint));
  const last = ["answer", "terminate"].includes(row.action?.type);
  if (row.action && !detail.acted && !last && !marked("refused") && !marked("error")) {
    if (detail.approval) notes.push(callout("mild", say("idle-said")));
  }
  return notes;
}

function actionFact({ action, target, screen }) {
  if (!action) return null;
  const words = make("p", "deed-words", actionWords(action, target, screen));
  return section(say("action"), words, make("code", "json", visible(action)));
}

// Elements as a numbered list; hovering over one highlights it on the screenshot.
function elementList(elements, kind, screen) {
  if (!elements || !elements.length) return null;
  const items = elements.map((element, at) => {
    const said = [element.text || element.seen, element.caption].filter(Boolean).join(": ");
    const name = make("span", "", said || element.type || `#${element.id}`);
    const item = make("li", "", make("span", `label ${kind}`, String(at + 1)), name);
    item.addEventListener("pointerenter", () => point(element, screen));
    item.addEventListener("pointerleave", () => point(null));
    return item;
  });
  return make("ol", "elements", ...items);
}

function meter(value, most, className = "") {
  const fill = make("span", `fill ${value < 0 ? "minus" : ""}`);
  fill.style.width = `${Math.min(100, (100 * Math.abs(value)) / most)}%`;
  return make("span", `meter ${className}`, fill);
}

function candidateRow(candidate, at, chosen, screen, most) {
  const name = make("td", "letter", LETTERS[at] ?? String(at + 1));
  const words = make("td", "", make("span", "", actionWords(candidate.action, candidate.target, screen)));
  if (chosen) words.append(make("span", "mark chosen", say("chosen")));
  if (candidate.thought) words.append(make("span", "aside", candidate.thought));
  const probability = make("td", "figure", `${Math.round((candidate.probability ?? 1) * 100)} %`);
  const score = make("td", "figure");
  if (candidate.score === undefined || candidate.score === null) score.append(say("unscored"));
  else score.append(candidate.score.toFixed(2), meter(candidate.score, most));
  return make("tr", chosen ? "chosen" : "", name, words, probability, score);
}

function candidatesFact(row, detail) {
  const candidates = detail.candidates ?? [];
  if (!candidates.length) return null;
  const most = Math.max(1, ...candidates.map(({ score }) => Math.abs(score ?? 0)));
  const head = ["", say("candidate"), say("probability"), say("score")].map((title) => make("th", "", title));
  const chosen = detail.chosen ?? 0;
  const rows = candidates.map((candidate, at) => candidateRow(candidate, at, at === chosen, row.screen, most));
  const table = make("table", "candidates", make("thead", "", make("tr", "", ...head)), make("tbody", "", ...rows));
  return section(say("candidates"), table, prose(detail.choice));
}

function approvalFact({ approval }) {
  if (!approval) return null;
  const [tone, word] = approval.allowed ? ["right", "allowed"] : ["refused", "not-allowed"];
  const parts = [sayIfKnown(approval.by ?? "sandbox", "by-")];
  if (approval.risk) parts.push(`${say("risk")}: ${sayIfKnown(approval.risk)}`);
  if (approval.rule) parts.push(`${say("rule")}: ${approval.rule}`);
  const head = make("p", "prose", make("span", `mark ${tone}`, say(word)), " ", parts.join(" · "));
  return section(say("approval"), head, approval.allowed ? prose(approval.why) : null);
}

function rewardsFact({ rewards }) {
  const { total: sum, ...named } = rewards ?? {};
  const parts = Object.entries(named);
  if (!parts.length) return null;
  const most = Math.max(1, ...parts.map(([, value]) => Math.abs(value)));
  const rows = parts.map(([name, value]) =>
    make("li", "", make("span", "name", name), meter(value, most, "wide"), make("span", "figure", rounded(value))));
  const whole = sum === undefined ? null : prose(say("total", rounded(sum)));
  return section(say("rewards"), make("ul", "rewards", ...rows), whole);
}

function truthWords(row, detail) {
  return [...new Set((detail.truth ?? []).map((truth) => actionWords(truth, truth.target, row.screen)))];
}

function truthFact(row, detail) {
  const truths = truthWords(row, detail);
  if (!truths.length) return null;
  const verdict = row.right ? "right" : "wrong";
  const rule = make("p", "aside", make("span", `mark ${verdict}`, say(verdict)), " ", say("by-rule", RUN.profile));
  return section(say("truth"), list(truths), row.right === null ? null : rule);
}

function spentFact(row, detail) {
  const spent = spending(row);
  const used = PARTS.filter((name) => spent[name] > 0);
  const bar = make("div", "spent", ...pieces(spent));
  const times = used.map((name) => make("span", `key-to ${name}`, `${say(`time-${name}`)} ${seconds(spent[name])}`));
  const usage = detail.usage ?? {};
  const figures = [];
  if (usage.input || usage.output) figures.push(say("token-line", count(usage.input ?? 0), count(usage.output ?? 0)));
  if (usage.cost) figures.push(money(usage.cost));
  if (usage.calls > 1) figures.push(say("calls", usage.calls));
  if (usage.retries) figures.push(say("retries", usage.retries));
  const first = row.seconds?.first_token;
  if (first !== undefined && first !== null) figures.push(say("first-token", seconds(first)));
  const whole = total(spent);
  const title = whole ? `${say("spent")}: ${seconds(whole)}` : say("spent");
  return section(title, whole ? [bar, make("p", "legend", ...times)] : [], prose(figures.join(" · ")));
}

function worldFact(detail) {
  const said = [];
  if (detail.reward) said.push(say("world-reward", rounded(detail.reward)));
  if (detail.done) said.push(say("done"));
  return section(say("world-section"), prose(said.join(" · ")));
}

// -- folds ------------------------------------------------------------------------------------------------------------

// The content of a fold is created when it is opened; folds stay open from step to step.
function fold(name, title, fill) {
  const node = make("details", "fold", make("summary", "", title));
  const body = () => node.children.length > 1 || node.append(...fill().filter(Boolean));
  if (opened.has(name)) {
    node.open = true;
    body();
  }
  node.addEventListener("toggle", () => {
    if (node.open) opened.add(name);
    else opened.delete(name);
    if (node.open) body();
  });
  return node;
}

function raw(text, title = "") {
  return make("div", "raw-part", title ? make("h3", "", title) : null, make("pre", "raw", text));
}

function folds(row, detail) {
  const answers = detail.outputs?.length ? detail.outputs : detail.output ? [detail.output] : [];
  const made = [];
  if (answers.length) {
    const many = answers.length > 1;
    const title = many ? `${say("answers-many")} (${answers.length})` : say("answers");
    made.push(fold("answers", title, () => answers.map((text, at) => raw(text, many ? String(at + 1) : ""))));
  }
  if (detail.prompt?.length) {
    made.push(fold("prompt", say("prompt"), () => detail.prompt.map(([role, text]) => raw(text, sayIfKnown(role)))));
  }
  if (detail.history?.length || detail.context) {
    made.push(fold("before", say("before"), () => [
      detail.context ? raw(detail.context, say("context")) : null,
      detail.history?.length ? raw(detail.history.join("\n"), say("history")) : null,
    ]));
  }
  if (detail.elements?.length) {
    const title = `${say("elements")} (${detail.elements.length})`;
    made.push(fold("elements", title, () => [elementTable(detail.elements, row.screen)]));
  }
  return made.length ? make("div", "folds", ...made) : null;
}

function elementTable(elements, screen) {
  const rows = elements.map((element) => {
    const said = [element.text, element.caption].filter(Boolean).join(": ");
    const cells = [element.id, element.type ?? "", said, element.state ?? ""];
    const node = make("tr", "", ...cells.map((cell) => make("td", "", String(cell))));
    node.addEventListener("pointerenter", () => point(element, screen));
    node.addEventListener("pointerleave", () => point(null));
    return node;
  });
  return make("table", "every", make("tbody", "", ...rows));
}

function fillPanel(row, detail) {
  const facts = [
    ...callouts(row, detail),
    section(say("step-instruction"), prose(detail.step_instruction)),
    actionFact(row),
    section(say("think"), prose(detail.thought)),
    section(say("plan"), prose(detail.plan)),
    section(say("running-summary"), prose(detail.summary)),
    section(say("named"), elementList(detail.named, "named", row.screen)),
    candidatesFact(row, detail),
    truthFact(row, detail),
    section(say("key"), elementList(detail.key_elements, "key", row.screen)),
    approvalFact(detail),
    rewardsFact(detail),
    worldFact(detail),
    section(say("events"), list(detail.events)),
    section(say("notes"), list(detail.notes)),
    spentFact(row, detail),
    folds(row, detail),
  ];
  $("panel").replaceChildren(...facts.filter(Boolean));
}
