// Rows of lists.
import { childOf, h, icon, keyOf, lead, target, touchable } from "/page/core.js";
import { clamp } from "/page/flow.js";

// A row is said once, here, and drawn by each kit's `line`: {w, lead, title, sub, value, badge, tail, chevron, role,
// extra} and, for touch targets of their own beside it, `before` and `after`.
export const cell = (w, k) => {
  const tick = childOf(w, "tick");
  const knob = childOf(w, "knob");
  return k.line(
    {
      w,
      lead: lead(w),
      title: w.text,
      sub: w.sub,
      value: w.value,
      badge: w.badge,
      chevron: Boolean(w.tap && !w.emoji && !knob && !tick),
      before:
        tick &&
        h(
          "div",
          {
            key: keyOf(tick),
            class: "p-tick",
            "aria-label": tick.text,
            ...target(tick, "checkbox", { "aria-checked": String(tick.value === true) }),
          },
          [k.box(tick.value === true)],
        ),
      after: knob && k.toggle(knob),
    },
    k,
  );
};
export const switchRow = (w, k) => k.line({ w: still(w), lead: lead(w), title: w.text, sub: w.sub, tail: k.toggle(w) }, k);
export const check = (w, k) =>
  k.line(
    {
      w,
      lead: [k.box(w.value === true), lead(w)],
      title: w.text,
      sub: w.sub,
      value: w.badge,
      role: "checkbox",
      extra: { "aria-checked": String(w.value === true) },
    },
    k,
  );
export const choice = (w, k) =>
  k.line(
    {
      w,
      lead: lead(w),
      title: w.text,
      sub: w.sub,
      tail: k.mark(w.value === true),
      role: "radio",
      extra: { "aria-checked": String(w.value === true) },
    },
    k,
  );
export const entry = (w, k) => k.line({ w, lead: lead(w), title: w.text, value: w.value || w.sub, faint: !w.value, chevron: true }, k);
export const stepper = (w, k) => (w.text ? k.line({ w: still(w), title: w.text, tail: k.steps(w) }, k) : k.steps(w));

// The row itself is no target where only a control on it is.
const still = (w) => ({ kind: w.kind, id: "", key: w.id, style: w.style });
const rowKey = (spec) => `${spec.w.kind}:${spec.w.id || spec.w.key || spec.title}`;

// A row's outer element: itself the target, or a plain box around several.
export function frameOf(spec, kind, inner) {
  const attrs = target(spec.w, spec.role || "button", spec.extra);
  const fixed = [`p-kind-${spec.w.kind}`, { "p-fixed": !touchable(spec.w) }];
  if (!spec.before && !spec.after) return h("div", { key: rowKey(spec), class: [kind, fixed], ...attrs }, inner);
  return h("div", { key: rowKey(spec), class: [kind, fixed, "p-split"] }, [
    spec.before,
    h("div", { class: "p-main", ...attrs }, inner),
    spec.after,
  ]);
}

export const badge = (text) => (text ? h("span", { class: "p-badge" }, text) : null);

export function line(spec) {
  const { w, title, sub, value, tail } = spec;
  return frameOf(
    spec,
    ["p-line", w.style && `p-${w.style}`],
    [
      spec.lead,
      h("span", { class: "p-line-text" }, [
        h("span", { class: ["p-line-title", clamp(title)] }, title),
        sub ? h("span", { class: ["p-line-sub", clamp(sub, 13)] }, sub) : null,
      ]),
      value ? h("span", { class: ["p-line-value", { "p-faint": spec.faint }] }, value) : null,
      badge(spec.badge),
      tail,
      spec.chevron ? icon("chevron-right", 18, { class: "p-icon p-chevron" }) : null,
    ],
  );
}
