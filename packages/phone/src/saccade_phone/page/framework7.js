// Framework7: its markup in its iOS and Material looks. Its sheets follow `input:checked`, so controls hold a hidden
// input; none of them is inside a label, since a tap must not change what Python has not answered yet.
import { base, clear, control, crowded, optionKind, share } from "/page/base.js";
import { childOf, h, icon, iconButton, keyOf, pic, press, say, target } from "/page/core.js";
import { backButton, foot, sides } from "/page/frame.js";
import { clamp, measure } from "/page/flow.js";
import { frameOf } from "/page/rows.js";

const badge = (text) => (text ? h("span", { class: "badge" }, text) : null);
const state = (type, on) => h("input", { type, checked: on, tabindex: -1, "aria-hidden": "true" });
const dressed = (made, kind) => ((made.props.class = `${made.props.class || ""} ${kind}`), made);

// -- rows --------------------------------------------------------------------------------------------------------------
function line(spec) {
  const { w, title, sub, value } = spec;
  const leads = [spec.lead].flat().filter(Boolean);
  const made = frameOf(
    spec,
    ["item-content", { "item-link": spec.chevron }, w.style && `p-${w.style}`],
    [
      leads.length ? h("div", { class: "item-media" }, leads) : null,
      h("div", { class: "item-inner" }, [
        h("div", { class: "item-title" }, [
          h("span", { class: clamp(title) }, title),
          sub ? h("div", { class: `item-footer ${clamp(sub, 13)}` }, sub) : null,
        ]),
        value || spec.badge || spec.tail
          ? h("div", { class: ["item-after", { "p-faint": spec.faint }] }, [value ? h("span", value) : null, badge(spec.badge), spec.tail])
          : null,
      ]),
    ],
  );
  return h("li", { key: made.key }, [made]);
}
const toggle = (w) =>
  h(
    "div",
    { key: keyOf(w), class: "p-toggle-hold", "aria-label": w.text, ...target(w, "switch", { "aria-checked": String(w.value === true) }) },
    [h("div", { class: "toggle" }, [state("checkbox", w.value === true), h("span", { class: "toggle-icon" })])],
  );
const box = (on) => h("div", { class: "checkbox" }, [state("checkbox", on), h("i", { class: "icon-checkbox" })]);
const mark = (on) => h("div", { class: "radio" }, [state("radio", on), h("i", { class: "icon-radio" })]);

// -- controls ----------------------------------------------------------------------------------------------------------
const FILLS = { primary: "button-fill", plain: "button-tonal", danger: "button-fill p-danger" };
const button = (w) =>
  h("button", { key: keyOf(w), class: `button button-large button-round ${FILLS[w.style || "primary"]}`, ...press(w) }, [
    w.icon ? icon(w.icon, 18) : null,
    h("span", w.text),
  ]);
const step = (w, name, side) => h("button", { key: side, class: `stepper-button-${side}`, "aria-label": say(name), ...press(w || {}) });
const steps = (w) =>
  h("div", { class: "stepper stepper-round" }, [
    step(childOf(w, "minus"), "less", "minus"),
    h("div", { class: "stepper-value" }, String(w.value)),
    step(childOf(w, "plus"), "more", "plus"),
  ]);
const chip = (w) =>
  h("button", { key: keyOf(w), class: ["chip", { "p-on": w.value === true }], ...press(w, { "aria-pressed": String(w.value === true) }) }, [
    h("span", { class: "chip-label" }, w.text),
  ]);

// iOS has segments, Material tabs; more of them than fit scroll sideways in both.
const tabOf = (w, kind, on) =>
  h(
    "button",
    { key: keyOf(w), class: [kind, { [on]: w.value === true }], ...press(w, { role: "tab", "aria-selected": String(w.value === true) }) },
    [h("span", w.text)],
  );
const segmented = (w) =>
  h("div", { class: "segmented segmented-strong", role: "tablist" }, [
    ...w.children.map((child) => tabOf(child, "button", "button-active")),
    h("span", { class: "segmented-highlight" }),
  ]);
const segments = (ios) => (w) => {
  if (ios && !crowded(w)) return segmented(w);
  return h(
    "div",
    { class: ["tabbar", "p-f7-tabs", crowded(w)], role: "tablist" },
    w.children.map((child) => tabOf(child, "tab-link", "tab-link-active")),
  );
};

const input = (w) => {
  const label = w.text ? h("div", { class: "item-title item-label" }, w.text) : null;
  const content = h("div", { class: ["item-content", "item-input", { "p-field-long": w.style === "long" }] }, [
    h("div", { class: "item-inner" }, [label, h("div", { class: "item-input-wrap" }, [control(w, ""), clear(w)])]),
  ]);
  return h("li", { key: keyOf(w) }, [content]);
};
const search = (w) =>
  h("div", { key: keyOf(w), class: "searchbar" }, [
    h("div", { class: "searchbar-inner" }, [
      h("div", { class: "searchbar-input-wrap" }, [control(w, ""), h("i", { class: "searchbar-icon" }), clear(w)]),
    ]),
  ]);

// -- days, wheels, words -----------------------------------------------------------------------------------------------
const day = (w) => {
  const style = w.style || "";
  const kind = ["calendar-day", "p-day", { "calendar-day-selected": w.value === true, "calendar-day-today": style.includes("today") }];
  return h("button", { key: w.text, class: kind, ...press(w, { role: "gridcell", "aria-selected": String(w.value === true) }) }, [
    h("span", { class: "calendar-day-number" }, w.text),
    style.includes("dot") ? h("i") : null,
  ]);
};
const option = (w) =>
  h(
    "button",
    {
      key: keyOf(w),
      class: ["picker-item", { "picker-item-selected": w.value === true }, ...optionKind(w)],
      ...press(w, { role: "option", "aria-selected": String(w.value === true) }),
    },
    [h("span", w.text)],
  );
const bubble = (w) =>
  h(
    "div",
    { class: ["message", w.value === true ? "message-sent" : "message-received", "message-first", "message-last", "message-tail"] },
    [
      w.emoji ? h("div", { class: "message-avatar" }, [pic(w.emoji, w.tint, "p-pic-face")]) : null,
      h("div", { class: "message-content" }, [
        w.badge ? h("div", { class: "message-name" }, w.badge) : null,
        h("div", { class: "message-bubble", ...target(w) }, [h("div", { class: "message-text" }, w.text)]),
        w.sub ? h("div", { class: "message-footer" }, w.sub) : null,
      ]),
    ],
  );
const track = (w) => h("span", { class: "progressbar" }, [h("span", { style: { transform: `translate3d(${share(w) - 100}%, 0, 0)` } })]);
const card = (w, k, tall) => dressed(base.card(w, k, tall), "card");

// -- groups and bars ---------------------------------------------------------------------------------------------------
const heading = (words) => h("div", { class: "block-title", role: "heading", "aria-level": 2 }, words);
// Rows beside each other (`row`) stand in a list item of their own.
const group = (rows) =>
  h("div", { class: "list list-strong inset list-dividers p-group" }, [
    h(
      "ul",
      rows.map((made) => (made?.type === "li" ? made : h("li", { key: made?.key }, [made]))),
    ),
  ]);
const panel = (inner) => h("div", { class: "block block-strong inset p-panel" }, inner);

function bar(page, k, depth) {
  const ios = k.theme === "ios";
  const actions = page.actions || [];
  const room = sides(page, depth);
  const back =
    depth > 1 ? h("div", { class: "left" }, [backButton("link", [icon(ios ? "chevron-left" : "arrow-left", ios ? 26 : 24)])]) : null;
  const balance = (wide) => (ios && wide > 0 ? h("div", { class: "p-balance", style: { width: `${wide}px` } }) : null);
  const [left, right] = [depth > 1 ? 40 : 0, actions.length * 40];
  const even = room.left === room.right;
  return h("div", { class: "navbar" }, [
    h("div", { class: "navbar-bg" }),
    h("div", { class: "navbar-inner" }, [
      back,
      even ? balance(right - left) : null,
      h("div", { class: ["title", "p-bar-title", { "p-long": room.long }], role: "heading", "aria-level": 1 }, page.title),
      even ? balance(left - right) : null,
      actions.length
        ? h(
            "div",
            { class: "right" },
            actions.map((w) => iconButton(w, "link")),
          )
        : null,
    ]),
  ]);
}
function tabbar(tabs, k) {
  const one = (w) => {
    const on = w.value === true;
    return h(
      "button",
      { key: keyOf(w), class: ["tab-link", { "tab-link-active": on }], ...press(w, { role: "tab", "aria-selected": String(on) }) },
      [h("i", { class: "icon" }, [icon(w.icon, 24), badge(w.badge)]), h("span", { class: "tabbar-label" }, w.text)],
    );
  };
  const links = tabs.map(one);
  return h("div", { class: "toolbar tabbar tabbar-icons toolbar-bottom", role: "tablist" }, [
    h("div", { class: "toolbar-inner" }, k.theme === "ios" ? [h("div", { class: "toolbar-pane" }, links)] : links),
  ]);
}

// -- layers ------------------------------------------------------------------------------------------------------------
const sheet = (page, k, inner) =>
  h("div", { class: "sheet-modal p-sheet", role: "dialog", "aria-label": page.title }, [
    h("div", { class: "sheet-modal-inner" }, [k.titled(page, k), ...inner(), foot(page, k)]),
  ]);

function dialog(page, k, inner) {
  const buttons = page.foot || [];
  const plain = buttons.length > 0 && buttons.every((w) => w.kind === "button");
  const stacked = buttons.length > 2 || buttons.some((w) => measure(w.text) * 17 > 260 / buttons.length - 32);
  const one = (w) =>
    h(
      "button",
      {
        key: keyOf(w),
        class: ["dialog-button", { "dialog-button-strong": w.style !== "plain", "p-flat-danger": w.style === "danger" }],
        ...press(w),
      },
      w.text,
    );
  return h("div", { class: ["dialog", "p-dialog", { "dialog-buttons-vertical": stacked }], role: "dialog", "aria-label": page.title }, [
    page.actions?.length
      ? k.titled(page, k)
      : page.title
        ? h("div", { class: "dialog-title", role: "heading", "aria-level": 1 }, page.title)
        : null,
    ...inner(),
    plain ? h("div", { class: "dialog-buttons" }, buttons.map(one)) : foot(page, k),
  ]);
}
const toast = (words) =>
  h("div", { class: "toast p-f7-toast" }, [h("div", { class: "toast-content" }, [h("div", { class: "toast-text" }, words)])]);

export const framework7 = (theme) => ({
  ...base,
  name: "f7",
  theme,
  family: "framework7",
  rootKind: theme,
  badge,
  line,
  toggle,
  box,
  mark,
  button,
  steps,
  chip,
  segments: segments(theme === "ios"),
  input,
  search,
  day,
  option,
  bubble,
  track,
  card,
  heading,
  group,
  panel,
  bar,
  tabbar,
  sheet,
  dialog,
  toast,
});
