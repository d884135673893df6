// Everything on the page that a user can see and name, in document order: what can be acted on, texts, pictures.
// `clickable` holds "TAG|x|y|w|h" of nodes that listen for clicks, which a page itself cannot tell.
// Values of password fields are never read.
({ clickable, clip }) => {
  const CLICKABLE = new Set(clickable);
  const CONTROLS =
    "a[href],area[href],button,input,select,textarea,summary,video[controls],audio[controls],[onclick]," +
    "[contenteditable=''],[contenteditable=true],[tabindex]:not([tabindex='-1'])," +
    "[role=button],[role=link],[role=checkbox],[role=radio],[role=switch],[role=tab],[role=menuitem],[role=option]," +
    "[role=combobox],[role=textbox],[role=searchbox],[role=slider],[role=spinbutton],[role=treeitem],[role=gridcell]";
  const SKIPPED = new Set(["SCRIPT", "STYLE", "NOSCRIPT", "TEMPLATE", "HEAD", "META", "LINK", "TITLE", "OPTION", "OPTGROUP", "BR"]);
  const PICTURES = new Set(["IMG", "SVG", "CANVAS", "VIDEO", "PICTURE"]);
  const INPUTS = { checkbox: "checkbox", radio: "radio", range: "slider", submit: "button", button: "button", reset: "button", image: "button", file: "file", password: "password", search: "input", color: "color", date: "date", time: "time" };
  const TAGS = { A: "link", AREA: "link", BUTTON: "button", SELECT: "select", TEXTAREA: "input", SUMMARY: "button", IMG: "image", SVG: "icon", CANVAS: "image", VIDEO: "video", AUDIO: "audio", IFRAME: "frame" };
  const squeeze = (text) => (text || "").replace(/\s+/g, " ").trim().slice(0, 300);
  const found = [];
  const meet = (a, b) => [Math.max(a[0], b[0]), Math.max(a[1], b[1]), Math.min(a[2], b[2]), Math.min(a[3], b[3])];
  const empty = (r) => r[2] - r[0] < 1 || r[3] - r[1] < 1;
  const tagOf = (node) => node.tagName.toUpperCase();
  const parentOf = (node) => node.assignedSlot || node.parentElement || (node.getRootNode() instanceof ShadowRoot ? node.getRootNode().host : null);

  const within = (node, ancestor) => {
    for (let at = node; at; at = parentOf(at)) if (at === ancestor) return true;
    return false;
  };
  const topAt = (x, y) => {
    let hit = document.elementFromPoint(x, y);
    while (hit && hit.shadowRoot) {
      const inner = hit.shadowRoot.elementFromPoint(x, y);
      if (!inner || inner === hit) break;
      hit = inner;
    }
    return hit;
  };
  // Seen at one of five places? What lies on top may be the node itself, a part of it, what holds it, or its label.
  const seen = (node, r) => {
    const [w, h] = [r[2] - r[0], r[3] - r[1]];
    for (const [fx, fy] of [[0.5, 0.5], [0.15, 0.2], [0.85, 0.2], [0.15, 0.8], [0.85, 0.8]]) {
      const hit = topAt(r[0] + fx * w, r[1] + fy * h);
      if (!hit) continue;
      if (within(hit, node)) return true;
      const label = hit.closest && hit.closest("label");
      if (label && label.control === node) return true;
      if (within(node, hit) && getComputedStyle(node).pointerEvents === "none") return true;
    }
    return false;
  };
  const ownText = (node) => {
    let text = "";
    for (const child of node.childNodes) if (child.nodeType === 3) text += child.data + " ";
    return squeeze(text);
  };
  const labelOf = (node) => {
    const by = node.getAttribute("aria-labelledby");
    if (by) {
      const root = node.getRootNode();
      const text = by.split(/\s+/).map((id) => root.getElementById && root.getElementById(id)).filter(Boolean).map((n) => n.innerText).join(" ");
      if (squeeze(text)) return squeeze(text);
    }
    const tag = tagOf(node);
    const direct = node.getAttribute("aria-label") || node.getAttribute("alt") || (tag === "SVG" && node.querySelector("title") ? node.querySelector("title").textContent : "");
    if (squeeze(direct)) return squeeze(direct);
    if (node.labels && node.labels.length) return squeeze(node.labels[0].innerText);
    return squeeze(node.getAttribute("title") || node.getAttribute("placeholder") || "");
  };
  const textOf = (node, interactive) => {
    const tag = tagOf(node);
    if (tag === "INPUT") {
      if (node.type === "password") return "";
      if (["checkbox", "radio", "range", "file", "image", "color"].includes(node.type)) return node.type === "range" ? node.value : "";
      return squeeze(node.value);
    }
    if (tag === "TEXTAREA") return squeeze(node.value);
    if (tag === "SELECT") return squeeze([...node.selectedOptions].map((option) => option.label).join(", "));
    return interactive ? squeeze(node.innerText) : ownText(node);
  };
  const stateOf = (node) => {
    const state = [];
    const aria = (name) => node.getAttribute("aria-" + name);
    if (node.checked === true || aria("checked") === "true" || aria("pressed") === "true") state.push("checked");
    if (aria("selected") === "true" || (aria("current") && aria("current") !== "false")) state.push("selected");
    if (node.disabled === true || aria("disabled") === "true") state.push("disabled");
    if (aria("expanded") === "true" || (tagOf(node) === "SUMMARY" && node.parentElement && node.parentElement.open)) state.push("expanded");
    if (node.readOnly === true) state.push("readonly");
    if (tagOf(node) === "INPUT" && node.type === "password" && node.value) state.push("filled");
    if (node === node.getRootNode().activeElement) state.push("focused");
    return state.join(" ");
  };
  const typeOf = (node, interactive, text) => {
    const role = node.getAttribute("role");
    if (role && role !== "presentation" && role !== "none") return role;
    const tag = tagOf(node);
    if (tag === "INPUT") return INPUTS[node.type] || "input";
    if (node.isContentEditable) return "input";
    return TAGS[tag] || (/^H[1-6]$/.test(tag) ? "heading" : interactive ? "button" : text ? "text" : "group");
  };
  const scrolls = (style, node) =>
    (/(auto|scroll)/.test(style.overflowY) && node.scrollHeight > node.clientHeight + 4) ||
    (/(auto|scroll)/.test(style.overflowX) && node.scrollWidth > node.clientWidth + 4);

  const visit = (node, bounds, pointer, holder) => {
    const tag = tagOf(node);
    if (SKIPPED.has(tag)) return;
    const style = getComputedStyle(node);
    if (style.display === "none" || style.contentVisibility === "hidden" || Number(style.opacity) < 0.02) return;
    const rect = node.getBoundingClientRect();
    const whole = [rect.left, rect.top, rect.right, rect.bottom];
    let inner = style.position === "fixed" ? clip : bounds;
    const shown = meet(whole, inner);
    let mine = holder;
    const pointing = style.cursor === "pointer";
    if (!empty(shown) && style.visibility === "visible" && tag !== "HTML" && tag !== "BODY") {
      const key = `${tag}|${Math.round(rect.left)}|${Math.round(rect.top)}|${Math.round(rect.width)}|${Math.round(rect.height)}`;
      const interactive = node.matches(CONTROLS) || (pointing && !pointer) || CLICKABLE.has(key);
      const own = interactive ? "" : ownText(node);
      const picture = PICTURES.has(tag) && rect.width >= 8 && rect.height >= 8;
      const scroller = !interactive && scrolls(style, node);
      if ((interactive || own || picture || tag === "IFRAME" || scroller) && seen(node, shown)) {
        const text = textOf(node, interactive);
        const label = labelOf(node);
        const repeats = holder && !interactive && !picture && (text === holder.text || text === holder.caption);
        if (!repeats) {
          mine = { box: shown, type: scroller && !own ? "scroll" : typeOf(node, interactive, text), text: text || (picture || interactive ? label : ""), caption: label, state: stateOf(node), interactive: interactive, leaf: true };
          for (let up = holder; up; up = up.holder) up.leaf = false;
          Object.defineProperty(mine, "holder", { value: holder, enumerable: false });
          found.push(mine);
        }
      }
    }
    if (tag === "SVG" || tag === "SELECT" || tag === "IFRAME") return;
    if (style.overflowX !== "visible" || style.overflowY !== "visible") inner = meet(inner, whole);
    if (empty(inner) && style.overflow !== "visible" && style.position !== "static") return;
    const children = node.shadowRoot ? node.shadowRoot.children : tag === "SLOT" && node.assignedElements().length ? node.assignedElements() : node.children;
    for (const child of children) visit(child, inner, pointing, mine);
  };
  if (document.documentElement) visit(document.documentElement, clip, false, null);
  return found;
}
