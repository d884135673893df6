// The plain look: a drawing of every widget from which each kit takes what it has no better one for. System dialogs
// and the launcher are drawn with it as it is.
import { childOf, h, icon, iconButton, ink, keyOf, pic, press, say, target } from "/page/core.js";
import { bar, foot, tabbar } from "/page/frame.js";
import { draw, flow, measure } from "/page/flow.js";
import { badge, cell, check, choice, entry, line, stepper, switchRow } from "/page/rows.js";

// -- controls ----------------------------------------------------------------------------------------------------------
const toggle = (w) =>
  h(
    "button",
    {
      key: keyOf(w),
      class: ["p-toggle", { "p-on": w.value === true }],
      "aria-label": w.text,
      ...press(w, { role: "switch", "aria-checked": String(w.value === true) }),
    },
    [h("i")],
  );
const box = (on) => h("span", { class: ["p-box", { "p-on": on }] }, on ? [icon("check", 16, { "stroke-width": 3 })] : []);
const mark = (on) => h("span", { class: ["p-mark", { "p-on": on }] });
const button = (w) =>
  h("button", { key: keyOf(w), class: ["p-button", `p-button-${w.style || "primary"}`], ...press(w) }, [
    w.icon ? icon(w.icon, 18) : null,
    h("span", w.text),
  ]);
const step = (w, name, sign) =>
  h("button", { key: sign, class: `p-step p-step-${sign}`, "aria-label": say(name), ...press(w) }, [icon(sign, 18)]);
const steps = (w) =>
  h("span", { class: "p-steps" }, [
    step(childOf(w, "minus"), "less", "minus"),
    h("span", { class: "p-steps-value" }, String(w.value)),
    step(childOf(w, "plus"), "more", "plus"),
  ]);

const chip = (w) =>
  h(
    "button",
    { key: keyOf(w), class: ["p-chip", { "p-on": w.value === true }], ...press(w, { "aria-pressed": String(w.value === true) }) },
    w.text,
  );
const chips = (w, k) =>
  h(
    "div",
    { class: "p-chips" },
    w.children.map((child) => k.chip(child, k)),
  );
const tab = (w) =>
  h(
    "button",
    {
      key: keyOf(w),
      class: ["p-tab", { "p-on": w.value === true }],
      ...press(w, { role: "tab", "aria-selected": String(w.value === true) }),
    },
    [h("span", w.text)],
  );
// Tabs share the width equally while their words fit; else each gets what it needs. None is ever out of sight.
export const crowded = (w) =>
  Math.max(...w.children.map((child) => measure(child.text))) * 16 + 12 > 344 / w.children.length ? "p-many" : "";
const segments = (w, k) =>
  h(
    "div",
    { class: ["p-segments", crowded(w)], role: "tablist" },
    w.children.map((child) => k.tab(child, k)),
  );

export function control(w, kind) {
  const number = w.style === "number";
  const shared = {
    key: keyOf(w),
    class: kind,
    "data-w": w.id,
    placeholder: w.sub,
    "aria-label": w.text || w.sub,
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: "false",
  };
  if (w.style === "long") return h("textarea", { ...shared, rows: 3 });
  return h("input", {
    ...shared,
    type: w.style === "password" ? "password" : "text",
    inputmode: number ? "decimal" : null,
    enterkeyhint: w.style === "search" ? "search" : null,
  });
}
export function clear(w) {
  const made = childOf(w, "clear");
  return made
    ? h("button", { key: "clear", class: "p-clear", "aria-label": say("clear"), ...press(made) }, [
        h("i", [icon("x", 12, { "stroke-width": 3 })]),
      ])
    : null;
}
const field = (w, k) => (w.style === "search" ? k.search(w, k) : k.input(w, k));
const input = (w) =>
  h("div", { key: keyOf(w), class: ["p-line", "p-field", "p-fixed", { "p-field-long": w.style === "long" }] }, [
    w.text ? h("span", { class: "p-field-label" }, w.text) : null,
    h("span", { class: "p-field-box" }, [control(w, "p-input"), clear(w)]),
  ]);
const search = (w) => h("div", { key: keyOf(w), class: "p-search" }, [icon("search", 18), control(w, "p-input"), clear(w)]);

// -- pictures and cards ------------------------------------------------------------------------------------------------
const tile = (w, k) => {
  const face = w.emoji
    ? pic(w.emoji, w.tint, "p-pic-tile")
    : h("span", { class: "p-tile-face", style: w.tint ? { background: w.tint, color: ink(w.tint) } : null }, [
        icon(w.icon || "circle", 26),
      ]);
  return h("div", { key: keyOf(w), class: "p-tile", ...target(w) }, [
    h("span", { class: "p-tile-hold" }, [face, k.badge(w.badge)]),
    h("span", { class: "p-tile-text" }, w.text),
  ]);
};
const grid = (w, k) =>
  h(
    "div",
    { class: ["p-grid", `p-grid-${w.value || 2}`], style: { "--n": w.value || 2 } },
    w.children.map((child, at) => (child.kind === "card" ? k.card(child, k, true) : draw(child, k, at))),
  );

// Room that controls take at a card's foot, so that its price keeps clear of them.
const ROOM = { stepper: 116, icon_button: 44, button: 88, chip: 64 };
const card = (w, k, tall = false) => {
  const inside = (w.children || []).map((child) =>
    child.kind === "stepper" && !child.value && !childOf(child, "minus")?.tap ? { ...child, style: "bare" } : child,
  );
  const room = inside.reduce((sum, child) => sum + (child.style === "bare" ? 44 : ROOM[child.kind] || 96), 0);
  const below = room + measure(w.value || "") * 17 > (tall ? 138 : 210) || inside.some((child) => !ROOM[child.kind]);
  const price = w.value ? h("span", { class: "p-price", style: below ? null : { "margin-right": `${room}px` } }, w.value) : null;
  const main = h("div", { class: "p-card-main", ...target(w) }, [
    w.emoji
      ? h("span", { class: "p-card-pic" }, [pic(w.emoji, w.tint, "p-pic-fill"), w.badge ? h("span", { class: "p-ribbon" }, w.badge) : null])
      : null,
    h("span", { class: "p-card-text" }, [
      h("span", { class: "p-card-title" }, w.text),
      !w.emoji && w.badge ? k.badge(w.badge) : null,
      w.sub ? h("span", { class: "p-card-sub" }, w.sub) : null,
      price || (inside.length && !below ? h("span", { class: "p-price" }, "\u00a0") : null),
    ]),
  ]);
  const controls = inside.length
    ? h(
        "div",
        { class: ["p-card-controls", below ? "p-below" : "p-beside"] },
        inside.map((child, at) =>
          child.style === "bare"
            ? h("span", { class: "p-steps p-first" }, [step(childOf(child, "plus"), "more", "plus")])
            : draw(child, k, at),
        ),
      )
    : null;
  return h("div", { key: keyOf(w), class: ["p-card", tall ? "p-card-tall" : "p-card-wide"] }, [main, controls]);
};

// -- months and wheels -------------------------------------------------------------------------------------------------
const turn = (w, name, side) =>
  h("button", { class: "p-icon-button", "aria-label": say(name), ...press(w) }, [icon(`chevron-${side}`, 20)]);
const day = (w) => {
  const style = w.style || "";
  const kind = ["p-day", { "p-on": w.value === true, "p-today": style.includes("today") }];
  return h("button", { key: w.text, class: kind, ...press(w, { role: "gridcell", "aria-selected": String(w.value === true) }) }, [
    h("span", w.text),
    style.includes("dot") ? h("i") : null,
  ]);
};
const month = (w, k) => {
  const days = w.children.filter((child) => child.kind === "day");
  return h("div", { class: "p-month" }, [
    h("div", { class: "p-month-head" }, [
      turn(childOf(w, "earlier"), "earlier", "left"),
      h("span", { class: "p-month-title" }, w.text),
      turn(childOf(w, "later"), "later", "right"),
    ]),
    h(
      "div",
      { class: "p-week" },
      say("days")
        .split(" ")
        .map((name) => h("span", name)),
    ),
    h(
      "div",
      { class: "p-days", role: "grid" },
      [...Array(w.value || 0).keys()].map((at) => h("span", { key: `empty${at}` })).concat(days.map((child) => k.day(child, k))),
    ),
  ]);
};
export const optionKind = (w) => ["p-option", { "p-on": w.value === true, "p-long": measure(w.text) > 4.2 }];
const option = (w) =>
  h("button", { key: keyOf(w), class: optionKind(w), ...press(w, { role: "option", "aria-selected": String(w.value === true) }) }, w.text);
const wheel = (w, k) =>
  h("div", { class: "p-wheel-hold" }, [
    h(
      "div",
      { class: "p-wheel", role: "listbox" },
      w.children.map((child) => k.option(child, k)),
    ),
  ]);

// -- things to look at -------------------------------------------------------------------------------------------------
const text = (w) => h("div", { class: ["p-text", `p-text-${w.style || "body"}`] }, w.text);
// Which of several pages is shown: `value` of `badge`.
const dots = (w) =>
  h(
    "div",
    { class: "p-dots" },
    [...Array(Number(w.badge) || 0).keys()].map((at) => h("i", { class: { "p-on": at === (w.value || 0) } })),
  );
const picture = (w) => h("div", { class: ["p-picture", { "p-tall": w.style === "tall" }] }, [pic(w.emoji, w.tint, "p-pic-fill")]);
const banner = (w) =>
  h("div", { class: "p-strip", style: w.tint ? { "--c": w.tint } : null, ...target(w) }, [
    w.emoji ? h("span", { class: "p-strip-emoji" }, w.emoji) : null,
    h("span", { class: "p-strip-words" }, [
      h("span", { class: "p-strip-text" }, w.text),
      w.sub ? h("span", { class: "p-strip-sub" }, w.sub) : null,
    ]),
    w.tap ? icon("chevron-right", 18) : null,
  ]);
const bubble = (w) =>
  h("div", { class: ["p-bubble", { "p-mine": w.value === true }] }, [
    w.emoji ? pic(w.emoji, w.tint, "p-pic-face") : null,
    h("div", { class: "p-bubble-side" }, [
      w.badge ? h("span", { class: "p-bubble-who" }, w.badge) : null,
      h("div", { class: "p-bubble-text", ...target(w) }, w.text),
      w.sub ? h("span", { class: "p-bubble-at" }, w.sub) : null,
    ]),
  ]);
export const share = (w) => Math.round(Math.min(1, Math.max(0, w.value || 0)) * 1000) / 10;
const track = (w) => h("div", { class: "p-track" }, [h("i", { style: { width: `${share(w)}%` } })]);
const progress = (w, k) =>
  h("div", { class: "p-progress", role: "progressbar", "aria-valuenow": share(w) }, [
    k.track(w),
    w.text || w.sub ? h("div", { class: "p-progress-ends" }, [h("span", w.text), h("span", w.sub)]) : null,
  ]);
const empty = (w) =>
  h("div", { class: "p-empty" }, [h("span", { class: "p-empty-emoji" }, w.emoji || "🫙"), h("span", { class: "p-empty-text" }, w.text)]);

// -- groups ------------------------------------------------------------------------------------------------------------
const heading = (words) => h("div", { class: "p-heading", role: "heading", "aria-level": 2 }, words);
const group = (rows) => h("div", { class: "p-group" }, rows);
const panel = (inner) => h("div", { class: "p-panel" }, inner);
const section = (w, k) => h("section", { class: "p-section" }, [w.text ? k.heading(w.text) : null, ...flow(w.children || [], k, true)]);
const row = (w, k) => {
  const grows = w.children.some((child) => child.kind === "field");
  const fits = (child) => (child.kind === "field" && w.children.length > 1 ? "p-foot-field" : grows ? "p-narrow" : "");
  return h(
    "div",
    { class: ["p-row", { "p-row-typed": grows && w.children.length > 1 }] },
    w.children.map((child, at) =>
      h("div", { key: keyOf(child, at), class: ["p-row-part", fits(child)] }, [
        child.kind === "card" ? k.card(child, k, true) : draw(child, k, at),
      ]),
    ),
  );
};

// -- sheets and dialogs ------------------------------------------------------------------------------------------------
const titled = (page, k) =>
  page.title || page.actions?.length
    ? h("div", { class: "p-layer-head" }, [
        h("div", { class: "p-layer-title", role: "heading", "aria-level": 1 }, page.title),
        ...(page.actions || []).map((w) => iconButton(w)),
      ])
    : null;
const dialog = (page, k, inner) =>
  h("div", { class: "p-dialog", role: "dialog", "aria-label": page.title }, [titled(page, k), ...inner(), foot(page, k)]);
const sheet = (page, k, inner) =>
  h("div", { class: "p-sheet", role: "dialog", "aria-label": page.title }, [titled(page, k), ...inner(), foot(page, k)]);
const toast = (words) => h("div", { class: "p-toast" }, words);

export const base = {
  name: "base",
  sheet,
  dialog,
  toast,
  bar,
  tabbar,
  foot,
  titled,
  heading,
  group,
  panel,
  section,
  row,
  line,
  badge,
  cell,
  switch: switchRow,
  check,
  choice,
  entry,
  stepper,
  steps,
  toggle,
  box,
  mark,
  button,
  icon_button: (w) => iconButton(w),
  chip,
  chips,
  tab,
  segments,
  field,
  input,
  search,
  tile,
  grid,
  card,
  month,
  day,
  wheel,
  option,
  text,
  dots,
  picture,
  banner,
  bubble,
  progress,
  track,
  empty,
};
