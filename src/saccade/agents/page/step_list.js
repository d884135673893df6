// The list of steps, the timeline below it, and the attempts above it.

const PARTS = ["model", "world", "elements", "person", "loop"];
const TROUBLES = ["error", "refused", "unreadable", "wrong"];

// How the seconds of a step divide up; the rest is the loop's own.
function spending(row) {
  const given = row.seconds ?? {};
  const spent = Object.fromEntries(PARTS.map((name) => [name, given[name] ?? 0]));
  const claimed = spent.model + spent.world + spent.elements + spent.person;
  spent.loop = Math.max(0, (given.total ?? claimed) - claimed);
  return Object.fromEntries(PARTS.map((name) => [name, spent[name] < 0.0005 ? 0 : spent[name]]));
}

function total(spent) {
  return PARTS.reduce((sum, name) => sum + spent[name], 0);
}

// Bars in proportion to the seconds. Flex-grow values that sum to less than 1 would leave a gap, hence the factor.
function pieces(spent) {
  return PARTS.filter((name) => spent[name] > 0).map((name) => {
    const piece = make("span", `piece ${name}`);
    piece.style.flexGrow = (1000 * spent[name]) / total(spent);
    return piece;
  });
}

function troubleOf(row) {
  return row.marks.find((mark) => TROUBLES.includes(mark));
}

// Screenshots are decoded only for the visible steps.
const watcher = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    watcher.unobserve(target);
    withPicture(Number(target.dataset.picture), (url) => {
      if (url) target.src = url;
    });
  }
}, { rootMargin: "200px" });

function thumbnail(row) {
  if (row.picture === null) return make("span", "thumb none");
  const image = make("img", row.screen[0] > row.screen[1] ? "thumb wide" : "thumb");
  image.alt = "";
  image.decoding = "async";
  image.dataset.picture = row.picture;
  watcher.observe(image);
  return image;
}

function stepNode(row, at, open) {
  const words = make("span", "words", actionWords(row.action, row.target, row.screen));
  const marks = row.marks.map((mark) => make("span", `mark ${mark}`, say(mark)));
  const said = make("span", "said", words, make("span", "marks", ...marks));
  return make("li", "", button("step", open, make("span", "number", String(at + 1)), thumbnail(row), said));
}

function fillStrip(rows, open) {
  $("strip").replaceChildren(...rows.map((row, at) => stepNode(row, at, () => open(at))));
  fillTimeline(rows, open);
}

function column(row, at, longest, open) {
  const spent = spending(row);
  const bar = make("div", "bar-of-time");
  bar.style.height = `${Math.max(3, (100 * total(spent)) / longest)}%`;
  bar.append(...pieces(spent));
  const node = make("div", "column", make("div", `flag ${troubleOf(row) ?? ""}`), make("div", "rise", bar));
  node.addEventListener("click", () => open(at));
  node.addEventListener("pointermove", (event) => {
    const used = PARTS.filter((name) => spent[name] > 0);
    const times = used.map((name) => `${say(`time-${name}`)} ${seconds(spent[name])}`);
    tip(event, `${at + 1}. ${actionWords(row.action, row.target, row.screen)}`, times.join(" · "));
  });
  node.addEventListener("pointerleave", unpoint);
  return node;
}

function fillTimeline(rows, open) {
  const longest = Math.max(...rows.map((row) => total(spending(row))), 0.001);
  $("timeline").replaceChildren(...rows.map((row, at) => column(row, at, longest, open)));
  $("timeline").classList.toggle("dense", rows.length > 100);
  const used = PARTS.filter((name) => rows.some((row) => spending(row)[name] > 0));
  $("legend").replaceChildren(...used.map((name) => make("span", `key-to ${name}`, say(`time-${name}`))));
}

function markCurrent(at) {
  const steps = $("strip").querySelectorAll(".step");
  steps.forEach((node, index) => {
    if (index === at) node.setAttribute("aria-current", "step");
    else node.removeAttribute("aria-current");
  });
  [...$("timeline").children].forEach((node, index) => node.classList.toggle("current", index === at));
  if (steps[at]) bringIntoView(steps[at], $("strip").parentElement);
}

// Scrolls the list alone: `scrollIntoView` would also move the page on a narrow screen.
function bringIntoView(node, list) {
  const [inner, outer] = [node.getBoundingClientRect(), list.getBoundingClientRect()];
  if (inner.top < outer.top || inner.bottom > outer.bottom) {
    list.scrollTop += inner.top - outer.top - (outer.height - inner.height) / 2;
  }
  if (inner.left < outer.left || inner.right > outer.right) {
    list.scrollLeft += inner.left - outer.left - (outer.width - inner.width) / 2;
  }
}

// -- attempts ---------------------------------------------------------------------------------------------------------

function statusOf(outcome) {
  return outcome ? outcome.status : "unfinished";
}

function badge(node, outcome) {
  node.className = `badge ${statusOf(outcome).replace(" ", "-")}`;
  node.textContent = sayIfKnown(statusOf(outcome));
  return node;
}

// A verdict that repeats the outcome's reason is shown once.
function judgementLines({ outcome, judged, verdict, reflection }) {
  const lines = [];
  if (outcome?.reason) lines.push(make("p", "", outcome.reason));
  if (verdict && verdict !== outcome?.reason) {
    const says = judged === undefined ? "" : `${say(judged ? "judged-yes" : "judged-no")}: `;
    lines.push(make("p", "", make("strong", "", `${say("verdict")} `), says, verdict));
  }
  if (reflection) lines.push(make("p", "", make("strong", "", `${say("reflection")} `), reflection));
  return lines;
}

function fillAttempts(attempts, current, open) {
  const told = ({ outcome, verdict, reflection }) => reflection || (verdict && verdict !== outcome?.reason);
  $("attempts").hidden = attempts.length < 2 && !attempts.some(told);
  $("tabs").replaceChildren(...attempts.map((attempt, at) => {
    const node = button("tab", () => open(at), say("attempt", at + 1), badge(make("span"), attempt.outcome));
    if (at === current) node.setAttribute("aria-current", "true");
    return node;
  }));
  const lines = judgementLines(attempts[current] ?? {});
  $("judgement").replaceChildren(...lines);
  $("judgement").hidden = lines.length === 0;
}
