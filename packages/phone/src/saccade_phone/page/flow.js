// How widgets that follow one another are laid out: rows join into lists, words and small controls into panels.
import { h, keyOf } from "/page/core.js";

// About how wide a text is, in its own font's size.
export function measure(words) {
  let wide = 0;
  for (const letter of words || "")
    wide += letter.codePointAt(0) > 0x2e7f ? 1 : /[A-Zmw@%]/.test(letter) ? 0.7 : /[ilj.,:;' |]/.test(letter) ? 0.28 : 0.53;
  return wide;
}

// Texts that may need more than two lines are cut at the second; the others are spared what that costs to lay out.
export const clamp = (words, size = 16) => (measure(words) * size > 270 ? "p-clamp" : "p-short");

export function draw(w, k, at = 0) {
  const how = k[w.kind];
  if (!how) {
    console.error(`phone: there is no widget of the kind "${w.kind}"`);
    return null;
  }
  const made = how(w, k);
  if (made && made.key == null) made.key = keyOf(w, at);
  return made;
}

const ROWS = new Set(["cell", "switch", "check", "choice", "entry"]);
const PROSE = new Set(["text", "picture", "progress", "stepper", "icon_button", "chips", "chip"]);
const LIGHT = new Set(["quiet", "title", "big"]);

function sortOf(w) {
  if (ROWS.has(w.kind) || (w.kind === "stepper" && w.text) || (w.kind === "field" && w.style !== "search")) return "rows";
  if (w.kind === "picture" && w.style === "tall") return "bare";
  if (PROSE.has(w.kind)) return "prose";
  if (w.kind === "bubble") return "thread";
  if (w.kind === "dots") return "prose";
  if (w.kind === "row" && w.children.length) {
    // A field beside its button is a line of its own.
    if (w.children.length > 1 && w.children.some((child) => child.kind === "field") && w.children.some((child) => child.kind !== "field"))
      return "bare";
    const sorts = new Set(w.children.map(sortOf));
    if (w.children.some((child) => child.kind === "wheel")) return "wheels";
    return sorts.size === 1 ? [...sorts][0] : sorts.has("bare") ? "bare" : "prose";
  }
  return w.kind === "wheel" ? "wheels" : "bare";
}

// Hints, headings and big figures stand on the ground itself; a text to read, or controls, on a panel.
const grounded = (w, inSection) =>
  (w.kind === "text" && LIGHT.has(w.style)) ||
  (!inSection && w.kind === "chips") ||
  w.kind === "icon_button" ||
  w.kind === "dots" ||
  (w.kind === "row" && w.children.every((child) => grounded(child, inSection)));

export function flow(widgets, k, inSection = false) {
  const runs = [];
  for (const [at, w] of widgets.entries()) {
    const sort = sortOf(w);
    const last = runs[runs.length - 1];
    const made = { w, at };
    if (last && last.sort === sort && sort !== "bare") last.items.push(made);
    else runs.push({ sort, items: [made] });
  }
  return runs.map((run, place) => {
    const inner = run.items.map(({ w, at }) => draw(w, k, at));
    const key = `${run.sort}${place}`;
    const made =
      run.sort === "rows"
        ? k.group(inner, k)
        : run.sort === "bare"
          ? h("div", { class: ["p-bare", `p-bare-${run.items[0].w.kind}`] }, inner)
          : run.sort === "thread"
            ? h("div", { class: "p-thread" }, inner)
            : run.items.every(({ w }) => grounded(w, inSection))
              ? h("div", { class: "p-ground" }, inner)
              : k.panel(inner, k);
    made.key = key;
    return made;
  });
}
