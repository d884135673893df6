// Vant: its components where they take our ids and stay still, else its markup. (Its cells, bars and fields listen for
// clicks even where nothing is to be tapped, which would make buttons of them to whoever reads the page.)
import { base, clear, control, crowded, optionKind, share } from "/page/base.js";
import { h, icon, iconButton, keyOf, press, say, target } from "/page/core.js";
import { backButton, foot, sides } from "/page/frame.js";
import { clamp, measure } from "/page/flow.js";
import { frameOf } from "/page/rows.js";

const { Button, Empty, Progress, Tabbar, TabbarItem, Tag } = window.vant;
const glyph = (name, kind = "") => h("i", { class: `van-badge__wrapper van-icon van-icon-${name} ${kind}` });

const badge = (text) => (text ? h("div", { class: "van-badge" }, text) : null);

function line(spec) {
  const { w, title, sub, value } = spec;
  const kind = [
    "van-cell",
    "van-cell--center",
    w.style && `p-${w.style}`,
    { "van-cell--clickable": w.id && w.tap && !spec.before && !spec.after },
  ];
  return frameOf(spec, kind, [
    spec.lead,
    h("div", { class: "van-cell__title" }, [
      h("span", { class: clamp(title) }, title),
      sub ? h("div", { class: `van-cell__label ${clamp(sub, 12)}` }, sub) : null,
    ]),
    value ? h("div", { class: ["van-cell__value", { "p-faint": spec.faint }] }, value) : null,
    badge(spec.badge),
    spec.tail,
    spec.chevron ? glyph("arrow", "van-cell__right-icon p-chevron") : null,
  ]);
}

// The switch keeps its look; what takes the touch is as large as a finger.
const toggle = (w) => {
  const on = w.value === true;
  return h("div", { key: keyOf(w), class: "p-toggle-hold", "aria-label": w.text, ...target(w, "switch", { "aria-checked": String(on) }) }, [
    h("div", { class: ["van-switch", { "van-switch--on": on }] }, [h("div", { class: "van-switch__node" })]),
  ]);
};
const box = (on) =>
  h("div", { class: ["van-checkbox__icon", "van-checkbox__icon--round", { "van-checkbox__icon--checked": on }] }, [glyph("success")]);
const mark = (on) =>
  h("div", { class: ["van-radio__icon", "van-radio__icon--round", { "van-radio__icon--checked": on }] }, [glyph("success")]);

const TYPES = { primary: { type: "primary" }, plain: { type: "primary", plain: true }, danger: { type: "danger" } };
const button = (w) =>
  h(
    Button,
    {
      key: keyOf(w),
      block: true,
      round: true,
      ...TYPES[w.style || "primary"],
      ...press(w),
      ...TYPES[w.style || "primary"],
      nativeType: "button",
    },
    { default: () => w.text, ...(w.icon ? { icon: () => icon(w.icon, 18) } : {}) },
  );

const step = (w, name, side) =>
  h("button", {
    key: side,
    class: [`van-stepper__${side}`, { [`van-stepper__${side}--disabled`]: !w?.tap }],
    "aria-label": say(name),
    ...press(w || {}),
  });
const steps = (w) => {
  const [minus, plus] = ["minus", "plus"].map((kind) => w.children.find((child) => child.kind === kind));
  return h("div", { class: "van-stepper" }, [
    step(minus, "less", "minus"),
    h("span", { class: "van-stepper__input" }, String(w.value)),
    step(plus, "more", "plus"),
  ]);
};

const chip = (w) => {
  const on = w.value === true;
  return h(
    Tag,
    {
      key: keyOf(w),
      class: "p-vant-chip",
      round: true,
      size: "large",
      type: on ? "primary" : "default",
      role: "button",
      tabindex: 0,
      "aria-pressed": String(on),
      "aria-disabled": w.tap ? null : "true",
      "data-w": w.id || null,
    },
    () => w.text,
  );
};
const tab = (w) => {
  const on = w.value === true;
  return h(
    "div",
    {
      key: keyOf(w),
      class: ["van-tab", "van-tab--line", { "van-tab--active": on }],
      role: "tab",
      tabindex: 0,
      "aria-selected": String(on),
      "data-w": w.id || null,
    },
    [h("span", { class: "van-tab__text" }, w.text)],
  );
};
const segments = (w, k) =>
  h("div", { class: "van-tabs van-tabs--line" }, [
    h("div", { class: "van-tabs__wrap" }, [
      h(
        "div",
        { class: ["van-tabs__nav", "van-tabs__nav--line", crowded(w)], role: "tablist" },
        w.children.map((child) => k.tab(child, k)),
      ),
    ]),
  ]);

const input = (w) =>
  h("div", { key: keyOf(w), class: ["van-cell", "van-field", "p-fixed", { "p-field-long": w.style === "long" }] }, [
    w.text ? h("div", { class: ["van-cell__title", "van-field__label", { "van-field__label--top": w.style === "long" }] }, w.text) : null,
    h("div", { class: "van-cell__value van-field__value" }, [
      h("div", { class: "van-field__body" }, [control(w, "van-field__control"), clear(w)]),
    ]),
  ]);
const search = (w) =>
  h("div", { key: keyOf(w), class: "van-search" }, [
    h("div", { class: "van-search__content van-search__content--round" }, [
      h("div", { class: "van-cell van-field van-search__field" }, [
        h("div", { class: "van-field__left-icon" }, [glyph("search")]),
        h("div", { class: "van-cell__value van-field__value" }, [
          h("div", { class: "van-field__body" }, [control(w, "van-field__control"), clear(w)]),
        ]),
      ]),
    ]),
  ]);

const option = (w) =>
  h(
    "button",
    {
      key: keyOf(w),
      class: ["van-picker-column__item", ...optionKind(w)],
      ...press(w, { role: "option", "aria-selected": String(w.value === true) }),
    },
    w.text,
  );
const track = (w) => h(Progress, { percentage: share(w), showPivot: false, strokeWidth: 5 });
const empty = (w) =>
  h(Empty, { description: w.text, imageSize: "72" }, { image: () => h("span", { class: "p-empty-emoji" }, w.emoji || "🫙") });

const heading = (words) => h("div", { class: "van-cell-group__title p-heading", role: "heading", "aria-level": 2 }, words);
const group = (rows) => h("div", { class: "van-cell-group van-cell-group--inset p-group" }, rows);

function bar(page, k, depth) {
  const room = sides(page, depth);
  return h("div", { class: "van-nav-bar van-hairline--bottom" }, [
    h("div", { class: "van-nav-bar__content" }, [
      h(
        "div",
        { class: "van-nav-bar__left", style: { width: `${room.left}px` } },
        depth > 1 ? [backButton("", [glyph("arrow-left", "van-nav-bar__arrow")])] : [],
      ),
      h("div", { class: ["van-nav-bar__title", "p-bar-title", { "p-long": room.long }], role: "heading", "aria-level": 1 }, page.title),
      h(
        "div",
        { class: "van-nav-bar__right", style: { width: `${room.right}px` } },
        (page.actions || []).map((w) => iconButton(w)),
      ),
    ]),
  ]);
}
const tabbar = (tabs) =>
  h(
    Tabbar,
    { modelValue: tabs.findIndex((w) => w.value === true), fixed: false, safeAreaInsetBottom: false, class: "van-hairline--top" },
    () =>
      tabs.map((w) =>
        h(
          TabbarItem,
          { key: keyOf(w), badge: w.badge || undefined, "data-w": w.id },
          { icon: () => icon(w.icon, 22), default: () => w.text },
        ),
      ),
  );

// -- layers ------------------------------------------------------------------------------------------------------------
const sheet = (page, k, inner) =>
  h("div", { class: "van-popup van-popup--round van-popup--bottom van-action-sheet p-sheet", role: "dialog", "aria-label": page.title }, [
    k.titled(page, k),
    ...inner(),
    foot(page, k),
  ]);

// Vant's dialogs end in two flat halves; other feet than plain buttons are drawn as elsewhere.
function dialog(page, k, inner) {
  const buttons = page.foot || [];
  const flat =
    buttons.length > 0 &&
    buttons.length < 3 &&
    buttons.every((w) => w.kind === "button" && measure(w.text) * 17 < 300 / buttons.length - 16);
  const half = (w) =>
    h(
      Button,
      {
        key: keyOf(w),
        size: "large",
        class: w.style === "plain" ? "van-dialog__cancel" : ["van-dialog__confirm", `p-flat-${w.style || "primary"}`],
        ...press(w),
        type: "default",
      },
      () => w.text,
    );
  return h("div", { class: "van-popup van-popup--center van-dialog p-dialog", role: "dialog", "aria-label": page.title }, [
    page.actions?.length
      ? k.titled(page, k)
      : page.title
        ? h("div", { class: "van-dialog__header", role: "heading", "aria-level": 1 }, page.title)
        : null,
    h("div", { class: "van-dialog__content p-dialog-content" }, inner()),
    flat ? h("div", { class: "van-hairline--top van-dialog__footer" }, buttons.map(half)) : foot(page, k),
  ]);
}
const toast = (words) =>
  h("div", { class: "van-popup van-popup--center van-toast van-toast--text p-vant-toast" }, [
    h("div", { class: "van-toast__text" }, words),
  ]);

export const vant = {
  ...base,
  name: "vant",
  family: "vant",
  darkKind: "van-theme-dark",
  badge,
  line,
  toggle,
  box,
  mark,
  button,
  steps,
  chip,
  tab,
  segments,
  input,
  search,
  option,
  track,
  empty,
  heading,
  group,
  bar,
  tabbar,
  sheet,
  dialog,
  toast,
};
