// The phone: draws the tree that Python sends, and tells Python what was touched.
import { base } from "/page/base.js";
import { h, mount, nextTick, place, tints } from "/page/core.js";
import { listen } from "/page/events.js";
import { framework7 } from "/page/framework7.js";
import { headsUp, languageOf, layer, navigation, page, scrollKey, status } from "/page/frame.js";
import { vant } from "/page/vant.js";
import { weui } from "/page/weui.js";

const KITS = { vant, weui, "f7-ios": framework7("ios"), "f7-md": framework7("md") };
const root = document.getElementById("root");
const state = { tree: null, widgets: new Map(), sent: new Map(), queue: [], busy: false };

// -- kits --------------------------------------------------------------------------------------------------------------
// `sheet.disabled` and not `link.disabled`: the latter throws the parsed sheet away.
const links = [...document.querySelectorAll("link[data-kit]")];
let worn = null;
function wear(kit) {
  const family = kit.family || "";
  if (worn === family) return;
  for (const link of links) link.sheet.disabled = link.dataset.kit !== family;
  worn = family;
}

// Set on the root only where it changes something: all of the page would be restyled.
let shown = "";
function dress(tree, kit) {
  place.language = tree.language;
  const look = JSON.stringify([tree.language, tree.theme, tree.app.tint, kit.rootKind, kit.name]);
  if (look === shown) return;
  shown = look;
  const dark = tree.theme?.mode === "dark";
  const top = document.documentElement;
  top.lang = languageOf();
  top.className = [kit.rootKind || "", dark ? `dark ${kit.darkKind || ""}` : "light"].join(" ");
  document.body.dataset.weuiTheme = dark ? "dark" : "light";
  top.style.setProperty("--fs", tree.theme?.font === "large" ? "1.2" : "1");
  for (const [name, value] of Object.entries(tints(tree.app.tint, dark))) top.style.setProperty(name, value);
}

// -- where pages were scrolled to --------------------------------------------------------------------------------------
// For each app, its pages from the lowest to the one shown: {title, top}.
const stacks = new Map();
const scroller = () => root.querySelector(".p-page > .p-body");

function leave() {
  const last = state.tree;
  const entry = last && stacks.get(last.app.id)?.[depthOf(last) - 1];
  if (entry && scroller()) entry.top = scroller().scrollTop;
}
function arrive(tree) {
  const stack = stacks.get(tree.app.id) || [];
  stacks.set(tree.app.id, stack);
  const depth = depthOf(tree);
  const title = tree.pages[0]?.title;
  const known = stack[depth - 1]?.title === title ? stack[depth - 1] : null;
  stack.length = Math.min(stack.length, depth);
  while (stack.length < depth) stack.push({ title: null, top: 0 });
  if (!known) stack[depth - 1] = { title, top: 0, fresh: true, bubbles: 0 };
  return stack[depth - 1];
}
const depthOf = (tree) => tree.depth || 1;

// Another phone: nothing of the last one stays.
function forget() {
  stacks.clear();
  state.sent.clear();
  state.tree = null;
  document.activeElement?.blur();
}

// -- drawing -----------------------------------------------------------------------------------------------------------
function phone(tree, kit) {
  const [ground, ...layers] = tree.pages;
  const system = tree.system || [];
  const key = scrollKey(tree.app.id, depthOf(tree), ground);
  const covered = layers.length + system.length > 0;
  const look = tree.app.id === "launcher" ? "launcher" : tree.app.kit;
  const toast = tree.toast ? h("div", { key: "toast", class: "p-toast-hold", role: "status" }, [kit.toast(tree.toast, kit)]) : null;
  return h("div", { id: "phone", class: ["phone", `look-${look}`, { animate: tree.animations }] }, [
    h("div", { class: "p-screen" }, [
      // The kit's look ends with the app: what the system shows is the same over all of them.
      h("div", { class: ["p-app", `kit-${kit.name}`] }, [
        h("div", { key: "under", class: "p-under", inert: covered || null }, [
          status(tree),
          page(ground, kit, { ...tree, depth: depthOf(tree) }, key),
        ]),
        ...layers.map((made, at) => layer(made, kit, `layer${at}|${made.title}`, at === layers.length - 1 && !system.length)),
        toast,
      ]),
      tree.banner ? h("div", { key: "banner", class: "p-system" }, [headsUp(tree.banner)]) : null,
      ...system.map((made, at) =>
        h("div", { key: `system${at}|${made.title}`, class: "p-system" }, [
          layer({ style: "dialog", ...made }, base, "inner", at === system.length - 1),
        ]),
      ),
    ]),
    navigation(),
  ]);
}

function remember(tree) {
  state.widgets.clear();
  const note = (w) => {
    if (w.id) state.widgets.set(w.id, w);
    for (const child of w.children || []) note(child);
  };
  for (const made of [...tree.pages, ...(tree.system || [])])
    for (const part of ["head", "body", "foot", "actions", "tabs"]) for (const w of made[part] || []) note(w);
}

// What a field shows is its own while it is typed into; the tree wins where it says something else than was sent.
function fill() {
  for (const field of root.querySelectorAll("input[data-w], textarea[data-w]")) {
    const id = field.dataset.w;
    const told = String(state.widgets.get(id)?.value ?? "");
    const waiting = state.queue.some((event) => event.id === id && event.kind === "input");
    const typing = field === document.activeElement && state.sent.get(id) === told;
    if (!waiting && !typing && field.value !== told) field.value = told;
    if (!waiting) state.sent.set(id, told);
  }
}

function settle(tree) {
  fill();
  const body = scroller();
  const stay = arrive(tree);
  const bubbles = body ? body.querySelectorAll(".p-thread > *").length : 0;
  // A thread opens at its end, and follows what is said.
  if (body) body.scrollTop = bubbles > (stay.bubbles || 0) ? body.scrollHeight : stay.top;
  stay.bubbles = bubbles;
  for (const wheel of root.querySelectorAll(".p-wheel")) {
    const chosen = wheel.querySelector("[aria-selected=true]");
    if (chosen) wheel.scrollTop = chosen.offsetTop + chosen.offsetHeight / 2 - wheel.clientHeight / 2;
  }
}

const frame = () => new Promise((done) => (document.hidden ? setTimeout(done, 17) : requestAnimationFrame(done)));
async function painted() {
  await nextTick();
  await frame();
  await frame();
}

let last = Promise.resolve();
function render(given) {
  const tree = typeof given === "string" ? JSON.parse(given) : given;
  const kit = tree.app.id === "launcher" ? base : KITS[tree.app.kit] || base;
  if (state.tree && tree.episode !== state.tree.episode) forget();
  leave();
  state.tree = tree;
  remember(tree);
  wear(kit);
  dress(tree, kit);
  mount(phone(tree, kit), root);
  settle(tree);
  last = painted();
  return last;
}

// -- events ------------------------------------------------------------------------------------------------------------
async function ask(event) {
  const said = JSON.stringify(event);
  if (window.saccadeEmit) return window.saccadeEmit(said);
  const answer = await fetch("/event", { method: "POST", body: said });
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  return answer.text();
}

let drained = Promise.resolve();
async function drain() {
  while (state.queue.length) {
    const event = state.queue.shift();
    if (event.kind === "input") state.sent.set(event.id, event.value);
    try {
      const answer = await ask(event);
      if (answer) render(answer);
    } catch (error) {
      console.error(`phone: ${event.kind} ${event.id}: ${error}`);
    }
  }
  state.busy = false;
}
function emit(id, kind, value) {
  state.queue.push(value === undefined ? { id, kind } : { id, kind, value });
  if (state.busy) return;
  state.busy = true;
  drained = drain();
}

async function idle() {
  while (state.busy) await drained;
  await last;
}

listen(root, state, emit);
// Fonts that come inside the kits' sheets are decoded when first used, which would be a flash: use them now.
const fonts = Promise.all([...document.fonts].map((font) => font.load().catch(() => null)));
wear(base);
let ready = false;
fonts.then(() => (ready = true));
window.phone = { render: (tree) => (ready ? render(tree) : fonts.then(() => render(tree))), idle };

// By hand: nobody sends the first tree, so it is asked for.
if (!window.saccadeEmit) {
  const answer = await fetch("/state");
  if (answer.ok) await window.phone.render(await answer.text());
}
