// What every kit needs: icons, pictures, touch targets, colours, words.
import ICONS from "/page/icons.js";

export const { render: mount, nextTick } = window.Vue;

// Vue puts a comment into the page for each child that is not there; long lists are drawn faster without.
const make = window.Vue.h;
export function h(type, props, children) {
  if (props === null || typeof props !== "object" || Array.isArray(props)) return make(type, null, dense(props));
  return children === undefined ? make(type, props) : make(type, props, dense(children));
}
const dense = (children) => (Array.isArray(children) ? children.flat().filter(Boolean) : children);

// -- pictures ----------------------------------------------------------------------------------------------------------
const LINES = { fill: "none", stroke: "currentColor", "stroke-width": "2", "stroke-linecap": "round", "stroke-linejoin": "round" };

export function icon(name, size = 22, extra = {}) {
  let inner = ICONS[name];
  if (inner === undefined) {
    console.error(`phone: there is no icon named "${name}"`);
    inner = '<circle cx="12" cy="12" r="9" />';
  }
  return h("svg", {
    ...LINES,
    viewBox: "0 0 24 24",
    width: size,
    height: size,
    class: "p-icon",
    "aria-hidden": "true",
    innerHTML: inner,
    ...extra,
  });
}

// An emoji stands on a soft gradient of its tint; without one, of the app's.
export const pic = (emoji, tint, kind = "") => h("span", { class: ["p-pic", kind], style: tint ? { "--c": tint } : null }, emoji);

// What stands at a row's start: a picture, an icon on a coloured square, or a bare icon.
export function lead(w, size = "") {
  if (w.emoji) return pic(w.emoji, w.tint, size || "p-pic-row");
  if (w.icon && w.tint) return h("span", { class: "p-square", style: { background: w.tint, color: ink(w.tint) } }, icon(w.icon, 18));
  if (w.icon) return h("span", { class: "p-lead" }, icon(w.icon, 22));
  return null;
}

// -- touch targets -----------------------------------------------------------------------------------------------------
export const touchable = (w) => Boolean(w.id && (w.tap || w.hold));

// Attributes of the element that takes a widget's touch; none where nothing happens.
export function target(w, role = "button", extra = {}) {
  if (!touchable(w)) return {};
  return { "data-w": w.id, role, tabindex: 0, ...extra };
}

// The same for a real button, which is disabled where nothing happens.
export const press = (w, extra = {}) => ({ type: "button", ...(touchable(w) ? { "data-w": w.id } : { disabled: true }), ...extra });

// A picture to tap: its label is read out only.
export const iconButton = (w, kind = "", size = 22) =>
  h("button", { key: keyOf(w), class: ["p-icon-button", kind], "aria-label": w.text, ...press(w) }, [icon(w.icon, size)]);

export const keyOf = (w, at = 0) => (w.id ? `${w.kind}:${w.id}` : `${w.kind}#${at}`);
export const childOf = (w, kind) => (w.children || []).find((child) => child.kind === kind);

// -- words -------------------------------------------------------------------------------------------------------------
const WORDS = {
  back: ["Back", "返回"],
  home: ["Home", "主屏幕"],
  recents: ["Recent apps", "最近任务"],
  close: ["Close", "关闭"],
  clear: ["Clear", "清除"],
  less: ["Decrease", "减少"],
  more: ["Increase", "增加"],
  earlier: ["Previous month", "上个月"],
  later: ["Next month", "下个月"],
  days: ["Mo Tu We Th Fr Sa Su", "一 二 三 四 五 六 日"],
};
export const place = { language: "en" };
export const say = (name) => WORDS[name][place.language === "zh" ? 1 : 0];

// -- colours -----------------------------------------------------------------------------------------------------------
const rgb = (hex) => {
  const digits = hex.length === 4 ? [...hex.slice(1)].map((d) => d + d).join("") : hex.slice(1);
  return [0, 2, 4].map((at) => parseInt(digits.slice(at, at + 2), 16));
};
const hexOf = (parts) => "#" + parts.map((part) => Math.round(part).toString(16).padStart(2, "0")).join("");
const luminance = (hex) => {
  const [r, g, b] = rgb(hex).map((part) => (part <= 10 ? part / 3294 : ((part / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const contrast = (a, b) => {
  const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
};
export const blend = (a, b, share) => hexOf(rgb(a).map((part, at) => part + (rgb(b)[at] - part) * share));

// White on all but light colours, as apps do it; see `tints` for those between.
export const ink = (hex) => (/^#/.test(hex) && contrast(hex, "#ffffff") < 1.8 ? "#1d1d1f" : "#ffffff");

// The tint, moved away from what it stands on until it can be told from it.
export function readable(tint, ground, least) {
  const away = luminance(ground) > 0.4 ? "#000000" : "#ffffff";
  let colour = tint;
  for (let step = 1; step <= 12 && contrast(colour, ground) < least; step++) colour = blend(tint, away, step / 14);
  return colour;
}

export function tints(tint, dark) {
  const base = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.test(tint || "") ? tint : "#1989fa";
  const surface = dark ? "#1c1c1e" : "#ffffff";
  const light = contrast(base, "#ffffff");
  const fill = light < 1.8 ? readable(base, surface, 1.3) : light < 2.8 ? readable(base, "#ffffff", 2.8) : readable(base, surface, 2.2);
  return {
    "--tint": fill,
    "--tint-rgb": rgb(fill).join(", "),
    "--on-tint": ink(fill),
    "--accent": readable(base, surface, dark ? 4.6 : 3.6),
    "--soft": blend(surface, fill, dark ? 0.26 : 0.12),
  };
}
