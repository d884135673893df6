// WeUI: the look of WeChat's own pages, by its classes. Lists run from edge to edge, bars are grey.
import { base, clear, control, crowded, optionKind, share } from "/page/base.js";
import { childOf, h, icon, iconButton, keyOf, press, say, target } from "/page/core.js";
import { backButton, foot, sides } from "/page/frame.js";
import { clamp, measure } from "/page/flow.js";
import { frameOf } from "/page/rows.js";

const badge = (text) => (text ? h("span", { class: "weui-badge" }, text) : null);
// WeUI draws a control's state beside an element that says it: no real input, which a tap would change by itself.
const state = (kind, on) => h("span", { class: kind, "aria-checked": String(on), "aria-hidden": "true" });

// -- rows --------------------------------------------------------------------------------------------------------------
function line(spec) {
  const { w, title, sub, value } = spec;
  const leads = [spec.lead].flat().filter(Boolean);
  const end = [value ? h("span", { class: ["p-value", { "p-faint": spec.faint }] }, value) : null, badge(spec.badge), spec.tail].filter(
    Boolean,
  );
  return frameOf(
    spec,
    ["weui-cell", { "weui-cell_access": spec.chevron }, w.style && `p-${w.style}`],
    [
      leads.length ? h("div", { class: "weui-cell__hd" }, leads) : null,
      h("div", { class: "weui-cell__bd" }, [
        h("div", { class: `p-weui-title ${clamp(title, 17)}` }, title),
        sub ? h("div", { class: `weui-cell__desc ${clamp(sub, 13)}` }, sub) : null,
      ]),
      end.length || spec.chevron ? h("div", { class: "weui-cell__ft" }, end) : null,
    ],
  );
}
const toggle = (w) =>
  h(
    "div",
    {
      key: keyOf(w),
      class: "weui-switch-cp p-toggle-hold",
      "aria-label": w.text,
      ...target(w, "switch", { "aria-checked": String(w.value === true) }),
    },
    [state("weui-switch-cp__input", w.value === true), h("div", { class: "weui-switch-cp__box" })],
  );
const box = (on) => h("span", { class: ["p-weui-check", { "p-on": on }] }, on ? [icon("check", 14, { "stroke-width": 3 })] : []);
const mark = (on) =>
  h("span", { class: "weui-cells_radio p-weui-radio" }, [state("weui-check", on), h("i", { class: "weui-icon-checked" })]);

// -- controls ----------------------------------------------------------------------------------------------------------
const STYLES = { primary: "weui-btn_primary", plain: "weui-btn_default", danger: "weui-btn_warn" };
const button = (w) =>
  h("button", { key: keyOf(w), class: `weui-btn ${STYLES[w.style || "primary"]}`, ...press(w) }, [
    w.icon ? icon(w.icon, 18) : null,
    h("span", w.text),
  ]);
const step = (w, name, sign) =>
  h("button", { key: sign, class: "p-step", "aria-label": say(name), ...press(w || {}) }, [
    h("i", [icon(sign, 16, { "stroke-width": 2.5 })]),
  ]);
const steps = (w) =>
  h("span", { class: "p-steps p-weui-steps" }, [
    step(childOf(w, "minus"), "less", "minus"),
    h("span", { class: "p-steps-value" }, String(w.value)),
    step(childOf(w, "plus"), "more", "plus"),
  ]);
const tab = (w) => {
  const on = w.value === true;
  return h(
    "div",
    { key: keyOf(w), class: ["weui-navbar__item", { "weui-bar__item_on": on }], ...target(w, "tab", { "aria-selected": String(on) }) },
    [h("span", w.text)],
  );
};
const segments = (w, k) =>
  h(
    "div",
    { class: ["weui-navbar", crowded(w)], role: "tablist" },
    w.children.map((child) => k.tab(child, k)),
  );

const input = (w) => {
  const long = w.style === "long";
  return h("div", { key: keyOf(w), class: ["weui-cell", "p-weui-field", "p-fixed", { "p-field-long": long }] }, [
    w.text ? h("div", { class: "weui-cell__hd" }, [h("span", { class: "weui-label" }, w.text)]) : null,
    h("div", { class: "weui-cell__bd" }, [control(w, long ? "weui-textarea" : "weui-input")]),
    clear(w),
  ]);
};
const search = (w) =>
  h("div", { key: keyOf(w), class: "weui-search-bar weui-search-bar_focusing" }, [
    h("div", { class: "weui-search-bar__form" }, [
      h("div", { class: "weui-search-bar__box" }, [h("i", { class: "weui-icon-search" }), control(w, "weui-search-bar__input"), clear(w)]),
    ]),
  ]);

const option = (w) =>
  h(
    "button",
    {
      key: keyOf(w),
      class: ["weui-picker__item", ...optionKind(w)],
      ...press(w, { role: "option", "aria-selected": String(w.value === true) }),
    },
    w.text,
  );
const track = (w) =>
  h("div", { class: "weui-progress" }, [
    h("div", { class: "weui-progress__bar" }, [h("div", { class: "weui-progress__inner-bar", style: { width: `${share(w)}%` } })]),
  ]);

// -- groups and bars ---------------------------------------------------------------------------------------------------
const heading = (words) => h("div", { class: "weui-cells__title", role: "heading", "aria-level": 2 }, words);
const group = (rows) => h("div", { class: "weui-cells p-group" }, rows);
const panel = (inner) => h("div", { class: "weui-panel p-panel" }, inner);

function bar(page, k, depth) {
  const room = sides(page, depth);
  return h("div", { class: "p-bar" }, [
    h("div", { class: "p-bar-side", style: { width: `${room.left}px` } }, depth > 1 ? [backButton("", [icon("chevron-left", 26)])] : []),
    h("div", { class: ["p-bar-title", { "p-long": room.long }], role: "heading", "aria-level": 1 }, page.title),
    h(
      "div",
      { class: "p-bar-side p-bar-end", style: { width: `${room.right}px` } },
      (page.actions || []).map((w) => iconButton(w)),
    ),
  ]);
}
function tabbar(tabs) {
  const one = (w) => {
    const on = w.value === true;
    return h(
      "div",
      { key: keyOf(w), class: ["weui-tabbar__item", { "weui-bar__item_on": on }], ...target(w, "tab", { "aria-selected": String(on) }) },
      [h("span", { class: "p-tile-hold" }, [icon(w.icon, 25), badge(w.badge)]), h("p", { class: "weui-tabbar__label" }, w.text)],
    );
  };
  return h("div", { class: "weui-tabbar", role: "tablist" }, tabs.map(one));
}

// -- layers ------------------------------------------------------------------------------------------------------------
const sheet = (page, k, inner) =>
  h("div", { class: "weui-half-screen-dialog p-sheet", role: "dialog", "aria-label": page.title }, [
    page.title || page.actions?.length
      ? h("div", { class: "weui-half-screen-dialog__hd p-layer-head" }, [
          h("strong", { class: "weui-half-screen-dialog__title p-layer-title", role: "heading", "aria-level": 1 }, page.title),
          ...(page.actions || []).map((w) => iconButton(w)),
        ])
      : null,
    ...inner(),
    foot(page, k),
  ]);

const LINKS = { primary: "weui-dialog__btn_primary", plain: "weui-dialog__btn_default", danger: "weui-dialog__btn_warn" };
function dialog(page, k, inner) {
  const buttons = page.foot || [];
  const plain = buttons.length > 0 && buttons.every((w) => w.kind === "button");
  const stacked = buttons.length > 2 || buttons.some((w) => measure(w.text) * 18 > 320 / buttons.length - 24);
  const one = (w) => h("button", { key: keyOf(w), class: `weui-dialog__btn ${LINKS[w.style || "primary"]}`, ...press(w) }, w.text);
  return h("div", { class: ["weui-dialog", "p-dialog", { "weui-dialog_btn-wrap": stacked }], role: "dialog", "aria-label": page.title }, [
    page.actions?.length
      ? k.titled(page, k)
      : page.title
        ? h("div", { class: "weui-dialog__hd" }, [
            h("strong", { class: "weui-dialog__title", role: "heading", "aria-level": 1 }, page.title),
          ])
        : null,
    ...inner(),
    plain ? h("div", { class: "weui-dialog__ft" }, buttons.map(one)) : foot(page, k),
  ]);
}
const toast = (words) => h("div", { class: "weui-toast weui-toast_text" }, [h("p", { class: "weui-toast__content" }, words)]);

export const weui = {
  ...base,
  name: "weui",
  family: "weui",
  badge,
  line,
  toggle,
  box,
  mark,
  button,
  steps,
  tab,
  segments,
  input,
  search,
  option,
  track,
  heading,
  group,
  panel,
  bar,
  tabbar,
  sheet,
  dialog,
  toast,
};
