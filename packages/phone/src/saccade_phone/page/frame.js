// The parts of a screen around its body: title bar, tab bar, foot, the phone's own bars, layers over the page.
import { h, icon, iconButton, keyOf, place, press, say } from "/page/core.js";
import { draw, flow, measure } from "/page/flow.js";

// -- an app's own parts ------------------------------------------------------------------------------------------------
export const backButton = (kind = "", inner = [icon("arrow-left", 22)]) =>
  h("button", { class: ["p-icon-button", "p-back", kind], type: "button", "data-w": "bar:back", "aria-label": say("back") }, inner);

// The title stays in the middle while it fits between two equally wide sides; a long one takes what room there is.
export function sides(page, depth) {
  const right = (page.actions || []).length * 40 + 8;
  const left = depth > 1 ? 48 : 8;
  const wide = Math.max(left, right);
  const even = measure(page.title) * 18 < 344 - 2 * wide;
  return { left: even ? wide : left, right: even ? wide : right, long: measure(page.title) * 17.5 > 344 - left - right };
}

export function bar(page, k, depth) {
  const room = sides(page, depth);
  return h("div", { class: "p-bar" }, [
    h("div", { class: "p-bar-side", style: { width: `${depth > 1 ? 48 : 16}px` } }, depth > 1 ? [backButton()] : []),
    h("div", { class: ["p-bar-title", { "p-long": room.long }], role: "heading", "aria-level": 1 }, page.title),
    h(
      "div",
      { class: "p-bar-side p-bar-end" },
      (page.actions || []).map((w) => iconButton(w)),
    ),
  ]);
}

export function tabbar(tabs, k) {
  const one = (w) => {
    const on = w.value === true;
    return h(
      "button",
      { key: keyOf(w), class: ["p-tab-item", { "p-on": on }], ...press(w, { role: "tab", "aria-selected": String(on) }) },
      [h("span", { class: "p-tile-hold" }, [icon(w.icon, 22), k.badge(w.badge)]), h("span", w.text)],
    );
  };
  return h("div", { class: "p-tabbar", role: "tablist" }, tabs.map(one));
}

// Small things in a foot stand side by side (a price and a button, a field and its sender), wide ones below each other.
const INLINE = new Set(["button", "icon_button", "text", "field", "stepper", "chip"]);
export function foot(page, k) {
  if (!page.foot?.length) return null;
  const runs = [];
  for (const [at, w] of page.foot.entries()) {
    const inline = INLINE.has(w.kind);
    const last = runs[runs.length - 1];
    if (w.kind === "row" && w.children.every((child) => INLINE.has(child.kind))) {
      runs.push({ inline: true, items: w.children.map((child, place) => [child, `${at}.${place}`]), full: true });
      continue;
    }
    if (inline && last?.inline && !last.full && last.items.length < 4) last.items.push([w, at]);
    else runs.push({ inline, items: [[w, at]] });
  }
  // Two or more buttons whose words do not fit beside each other go one below the other.
  const tight = (items) =>
    items.every(([w]) => w.kind === "button") &&
    items.some(([w]) => measure(w.text) * 17 > (page.style === "dialog" ? 290 : 330) / items.length - 32);
  const part = ([w, at]) => h("div", { key: keyOf(w, at), class: ["p-foot-part", `p-foot-${w.kind}`] }, [draw(w, k, at)]);
  return h(
    "div",
    { class: "p-foot" },
    runs.map((run) =>
      h(
        "div",
        { class: run.inline ? ["p-foot-line", { "p-stack": tight(run.items) }] : "p-foot-wide" },
        run.inline
          ? run.items.map(part)
          : flow(
              run.items.map(([w]) => w),
              k,
            ),
      ),
    ),
  );
}

export const scrollKey = (app, depth, page) => `${app}|${depth}|${page.title}`;

// -- pages -------------------------------------------------------------------------------------------------------------
export function page(made, k, tree, key) {
  const wide = { class: "p-head" };
  const launcher = tree.app.id === "launcher";
  return h("div", { key, class: ["p-page", { "p-plain": made.plain, "p-with-head": made.head?.length }, k.pageKind] }, [
    made.plain ? null : k.bar(made, k, tree.depth),
    made.head?.length ? h("div", wide, flow(made.head, k)) : null,
    h("div", { class: ["p-body", k.bodyKind], "data-scroll": key }, flow(made.body || [], k)),
    launcher && made.foot?.length
      ? h(
          "div",
          { class: "p-dock" },
          made.foot.map((w, at) => draw(w, k, at)),
        )
      : k.foot(made, k),
    made.tabs?.length ? k.tabbar(made.tabs, k) : null,
  ]);
}

// A sheet or dialog over the page; only the topmost can be left by a tap beside it.
export function layer(made, k, key, top) {
  const style = made.style === "sheet" ? "sheet" : "dialog";
  const inner = () => [
    made.head?.length ? h("div", { class: "p-head" }, flow(made.head, k)) : null,
    made.body?.length ? h("div", { class: "p-layer-body", "data-scroll": key }, flow(made.body, k)) : null,
  ];
  // What is named is the part above: its middle is never covered. All of the shade around takes the tap as well.
  const above = h("div", { class: "p-above", ...(top ? { role: "button", "aria-label": say("close"), "data-w": "scrim" } : {}) });
  return h("div", { key, class: ["p-layer", `p-layer-${style}`], inert: !top || null }, [
    h("div", { class: "p-scrim" }),
    above,
    k[style](made, k, inner),
  ]);
}

// -- the phone's own parts ---------------------------------------------------------------------------------------------
export const status = (tree) =>
  h("div", { class: "p-status" }, [
    h("span", { class: "p-status-time" }, tree.time),
    h("span", { class: "p-status-end" }, [
      h("i", { class: "p-signal" }),
      h("i", { class: "p-wifi" }),
      h("i", { class: "p-battery", style: { "--full": `${tree.battery}%` } }),
      h("span", `${tree.battery}%`),
    ]),
  ]);

const navButton = (name, kind) =>
  h("button", { type: "button", class: "p-nav-button", "data-w": `nav:${name}`, "aria-label": say(name) }, [h("i", { class: kind })]);
export const navigation = () =>
  h("div", { class: "p-nav" }, [navButton("back", "p-nav-back"), navButton("home", "p-nav-home"), navButton("recents", "p-nav-recents")]);

export const headsUp = (made) =>
  h("div", { class: "p-heads-up" }, [
    h("div", { class: "p-heads-up-main", role: "button", tabindex: 0, "data-w": made.id }, [
      made.emoji ? h("span", { class: "p-heads-up-emoji" }, made.emoji) : null,
      h("span", { class: "p-heads-up-words" }, [
        h("span", { class: "p-heads-up-text" }, made.text),
        made.sub ? h("span", { class: "p-heads-up-sub" }, made.sub) : null,
      ]),
    ]),
    h("button", { type: "button", class: "p-icon-button", "data-w": "banner:close", "aria-label": say("close") }, [icon("x", 18)]),
  ]);

export const languageOf = () => (place.language === "zh" ? "zh-CN" : "en");
