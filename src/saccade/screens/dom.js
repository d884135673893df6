// Everything in a frame that a user can see and name, in document order: what can be acted on, texts, pictures.
// `listening` maps a document's address to the places of its nodes that listen for clicks, which a page itself cannot
// tell. `clip` is the part of the frame that is on the screen, `longest` the longest text. Values of password fields
// are never read. After so many `milliseconds` the walk ends, with a last row that says that it was cut.
({ listening, clip, longest, milliseconds }) => {
  const CONTROLS =
    "a[href],area[href],button,input,select,textarea,summary,video[controls],audio[controls],[onclick]," +
    "[contenteditable=''],[contenteditable=true],[contenteditable=plaintext-only]," +
    "[role=button],[role=link],[role=checkbox],[role=radio],[role=switch],[role=tab],[role=menuitem],[role=option]," +
    "[role=combobox],[role=textbox],[role=searchbox],[role=slider],[role=spinbutton],[role=treeitem],[role=gridcell]";
  const FOCUSABLE = "[tabindex]:not([tabindex='-1'])";
  const SKIPPED = new Set("SCRIPT STYLE NOSCRIPT TEMPLATE HEAD META LINK TITLE OPTION OPTGROUP BR DEFS SYMBOL CLIPPATH MASK".split(" "));
  const PICTURES = new Set("IMG SVG CANVAS VIDEO PICTURE".split(" "));
  const SHAPES = new Set("CIRCLE RECT ELLIPSE POLYGON LINE".split(" "));
  const INPUTS = { checkbox: "checkbox", radio: "radio", range: "slider", submit: "button", button: "button", reset: "button", image: "button", file: "file", color: "color", date: "date", time: "time" };
  const TAGS = { A: "link", AREA: "link", BUTTON: "button", SELECT: "select", TEXTAREA: "input", SUMMARY: "button", IMG: "image", SVG: "icon", CANVAS: "image", VIDEO: "video", AUDIO: "audio", IFRAME: "frame" };
  const ROLES = { img: "image", textbox: "input", searchbox: "input", combobox: "select", presentation: "", none: "", generic: "" };
  const SMALLEST = 3;
  const DEEPEST = 1000;
  const until = Date.now() + milliseconds;
  let isCut = false;
  const found = [];

  // -- geometry and the tree as it is shown ---------------------------------------------------------------------------
  const squeeze = (text) => (text || "").replace(/\s+/g, " ").trim().slice(0, longest);
  const sides = (r) => [r.left, r.top, r.right, r.bottom];
  const meet = (a, b) => [Math.max(a[0], b[0]), Math.max(a[1], b[1]), Math.min(a[2], b[2]), Math.min(a[3], b[3])];
  const join = (a, b) => [Math.min(a[0], b[0]), Math.min(a[1], b[1]), Math.max(a[2], b[2]), Math.max(a[3], b[3])];
  const empty = (r) => r[2] - r[0] < SMALLEST || r[3] - r[1] < SMALLEST;
  const area = (r) => Math.max(0, r[2] - r[0]) * Math.max(0, r[3] - r[1]);
  const tagOf = (node) => node.tagName.toUpperCase();
  const parentOf = (node) => node.assignedSlot || node.parentElement || (node.getRootNode() instanceof ShadowRoot ? node.getRootNode().host : null);
  const slotted = (node) => tagOf(node) === "SLOT" && node.assignedNodes().length > 0;
  const childrenOf = (node) => (node.shadowRoot ? node.shadowRoot.children : slotted(node) ? node.assignedElements() : node.children);
  const textsOf = (node) => (node.shadowRoot ? [] : [...(slotted(node) ? node.assignedNodes() : node.childNodes)].filter((child) => child.nodeType === 3 && child.data.trim()));
  const ownText = (node) => squeeze(textsOf(node).map((text) => text.data).join(" "));
  const within = (node, ancestor) => {
    for (let at = node; at; at = parentOf(at)) if (at === ancestor) return true;
    return false;
  };
  const rangeBox = (nodes) => {
    const boxes = nodes.map((node) => {
      const range = document.createRange();
      range.selectNodeContents(node);
      return sides(range.getBoundingClientRect());
    });
    return [0, 1, 2, 3].map((side) => (side < 2 ? Math.min : Math.max)(...boxes.map((box) => box[side])));
  };
  // A node without a box of its own is where its texts are; one whose display is `contents`, where all it holds is.
  const boxOf = (node, style) => {
    const box = sides(node.getBoundingClientRect());
    const tag = tagOf(node);
    if (tag !== "BODY" && tag !== "SLOT" && style.display === "contents") return rangeBox([node]);
    const loose = tag === "BODY" || tag === "SLOT" || (empty(box) && style.overflow === "visible");
    const texts = loose ? textsOf(node) : [];
    return texts.length ? rangeBox(texts) : box;
  };

  // -- who hears clicks -----------------------------------------------------------------------------------------------
  const places = new Set(listening[document.URL] || []);
  const hears = new Set();
  const index = (node, place) => {
    if (places.has(`${place}|${tagOf(node)}`)) hears.add(node);
    for (let at = 0; at < node.children.length; at++) index(node.children[at], `${place}/${at}`);
    if (node.shadowRoot) for (let at = 0; at < node.shadowRoot.children.length; at++) index(node.shadowRoot.children[at], `${place}/s/${at}`);
  };
  if (places.size) index(document.documentElement, "0");

  // -- what can be seen -----------------------------------------------------------------------------------------------
  const topAt = (x, y) => {
    let hit = document.elementFromPoint(x, y);
    while (hit && hit.shadowRoot) {
      const inner = hit.shadowRoot.elementFromPoint(x, y);
      if (!inner || inner === hit) break;
      hit = inner;
    }
    return hit;
  };
  const paints = (node) =>
    PICTURES.has(tagOf(node)) || /^(IFRAME|INPUT|TEXTAREA|SELECT)$/.test(tagOf(node)) ||
    [null, "::before", "::after"].some((part) => {
      const style = getComputedStyle(node, part);
      if (part && (style.content === "none" || style.content === "normal")) return false;
      const colour = style.backgroundColor.match(/[\d.]+/g) || [];
      return style.backgroundImage !== "none" || (colour.length === 3 || Number(colour[3]) > 0.5);
    });
  // Clicks on a card often go to an empty sheet laid over it: what lies beneath can still be read.
  const shinesThrough = (node, x, y) => {
    for (const other of document.elementsFromPoint(x, y)) {
      if (within(other, node)) return true;
      if (other.shadowRoot || within(node, other) || paints(other)) return false;
    }
    return false;
  };
  // The middle, near the corners, and the middle of each line: one after the other, because the first is often enough.
  const pointsOf = function* (node, r) {
    for (const [fx, fy] of [[0.5, 0.5], [0.15, 0.2], [0.85, 0.2], [0.15, 0.8], [0.85, 0.8]]) yield [r[0] + fx * (r[2] - r[0]), r[1] + fy * (r[3] - r[1])];
    const lines = node.getClientRects();
    if (lines.length > 1) for (const line of [...lines].slice(0, 8)) yield [(line.left + line.right) / 2, (line.top + line.bottom) / 2];
  };
  // Seen at one of some places? What lies on top may be the node itself, a part of it, or its label.
  const seen = (node, r, readable) => {
    for (const [x, y] of pointsOf(node, r)) {
      const hit = topAt(x, y);
      if (!hit) continue;
      if (tagOf(node) === "BODY") {
        if (within(node, hit)) return true;
        continue;
      }
      if (within(hit, node)) return true;
      const label = hit.closest && hit.closest("label");
      if (label && label.control === node) return true;
      if (within(node, hit) && (tagOf(node) === "SLOT" || getComputedStyle(node).pointerEvents === "none")) return true;
      if (readable && shinesThrough(node, x, y)) return true;
    }
    return false;
  };
  const ticks = (node) => tagOf(node) === "INPUT" && ["checkbox", "radio", "file"].includes(node.type);
  // A control that is drawn by its label: transparent, tiny, or not displayed at all.
  const drawnByLabel = (node) => {
    const style = getComputedStyle(node);
    return ticks(node) && (style.display === "none" || style.visibility !== "visible" || Number(style.opacity) < 0.02 || empty(sides(node.getBoundingClientRect())) || style.clipPath.startsWith("inset"));
  };

  // -- what it says and is --------------------------------------------------------------------------------------------
  const deepWords = (node, pictures) => {
    const words = [];
    const gather = (at) => {
      const tag = tagOf(at);
      if (SKIPPED.has(tag) || tag === "SELECT" || tag === "TEXTAREA") return;
      const style = getComputedStyle(at);
      if (style.display === "none" || style.visibility === "hidden") return;
      if (pictures && at !== node) words.push(at.getAttribute("alt") || at.getAttribute("aria-label") || (tag === "SVG" && svgTitle(at)) || "");
      for (const text of textsOf(at)) words.push(text.data);
      for (const child of childrenOf(at)) gather(child);
    };
    gather(node);
    return squeeze(words.join(" "));
  };
  const wordsOf = (node) => {
    const text = squeeze(node.innerText);
    return text && !node.querySelector("select") ? text : deepWords(node, false);
  };
  const svgTitle = (node) => (node.querySelector("title") ? node.querySelector("title").textContent : "");
  const labelOf = (node) => {
    const by = node.getAttribute("aria-labelledby");
    if (by) {
      const root = node.getRootNode();
      const text = by.split(/\s+/).map((id) => root.getElementById && root.getElementById(id)).filter(Boolean).map((n) => wordsOf(n) || n.textContent).join(" ");
      if (squeeze(text)) return squeeze(text);
    }
    const direct = node.getAttribute("aria-label") || node.getAttribute("alt") || (tagOf(node) === "SVG" ? svgTitle(node) : "");
    if (squeeze(direct)) return squeeze(direct);
    if (node.labels && node.labels.length && wordsOf(node.labels[0])) return wordsOf(node.labels[0]);
    return squeeze(node.getAttribute("title") || node.getAttribute("placeholder") || "");
  };
  // A password that the page shows on request is a plain text field, but still says what it is for.
  const secret = (node) => tagOf(node) === "INPUT" && (node.type === "password" || /(current|new)-password/.test(node.getAttribute("autocomplete") || ""));
  const textOf = (node, interactive) => {
    const tag = tagOf(node);
    if (tag === "INPUT") return secret(node) || ticks(node) || ["image", "color"].includes(node.type) ? "" : squeeze(node.value);
    if (tag === "TEXTAREA") return squeeze(node.value);
    if (tag === "SELECT") return squeeze([...node.selectedOptions].map((option) => option.label).join(", "));
    return interactive ? wordsOf(node) : ownText(node);
  };
  const stateOf = (node) => {
    const state = [];
    const aria = (name) => node.getAttribute("aria-" + name);
    if (node.checked === true || aria("checked") === "true" || aria("pressed") === "true") state.push("checked");
    if (aria("selected") === "true" || (aria("current") && aria("current") !== "false")) state.push("selected");
    if (node.matches(":disabled") || aria("disabled") === "true") state.push("disabled");
    if (aria("expanded") === "true" || (tagOf(node) === "SUMMARY" && node.parentElement && node.parentElement.open)) state.push("expanded");
    if (node.readOnly === true) state.push("readonly");
    if (secret(node) && node.value) state.push("filled");
    if (node === node.getRootNode().activeElement && tagOf(node) !== "BODY") state.push("focused");
    return state.join(" ");
  };
  const typeOf = (node, interactive, text) => {
    const role = (node.getAttribute("role") || "").trim().toLowerCase().split(/\s+/)[0];
    const tag = tagOf(node);
    if (secret(node)) return "password";
    if (tag === "INPUT" && role !== "switch") return INPUTS[node.type] || "input";
    if (tag === "TEXTAREA") return "input";
    if (role && ROLES[role] !== "") return ROLES[role] || role;
    if (node.matches("[contenteditable]") && node.isContentEditable) return "input";
    if (interactive && SHAPES.has(tag)) return tag.toLowerCase();
    return TAGS[tag] || (/^H[1-6]$/.test(tag) ? "heading" : interactive ? "button" : text ? "text" : "group");
  };
  const scrolls = (style, node) =>
    (/(auto|scroll)/.test(style.overflowY) && node.scrollHeight > node.clientHeight + 4) ||
    (/(auto|scroll)/.test(style.overflowX) && node.scrollWidth > node.clientWidth + 4);
  // One listener for a whole page, and a whole page that can take the focus, make no button of it.
  const acts = (node, shown, pointing) => {
    if (node.matches(CONTROLS)) return true;
    if (tagOf(node) === "LABEL" && node.control) return drawnByLabel(node.control);
    if (node.isContentEditable || 2 * area(shown) > area(clip)) return false;
    return pointing || hears.has(node) || node.matches(FOCUSABLE);
  };

  // A text or picture that says what its holder says, a part of that, and a nameless icon on a button add nothing.
  const repeats = (node, style, holder, picture, text, label) => {
    if (picture) return holder.interactive && (label ? label === holder.text : tagOf(node) === "SVG");
    if (!text) return false;
    const running = style.display === "inline" && node.parentElement && ownText(node.parentElement);
    const fragment = node.isContentEditable || (holder.interactive && running);
    return text === holder.text || text === holder.caption || (fragment && holder.text.includes(text));
  };

  // -- the walk -------------------------------------------------------------------------------------------------------
  const record = (node, style, shown, whole, pointing, holder, inSvg) => {
    const tag = tagOf(node);
    const interactive = tag !== "BODY" && acts(node, shown, pointing);
    const own = interactive ? "" : ownText(node);
    const role = node.getAttribute("role");
    const picture = !inSvg && (PICTURES.has(tag) || role === "img") && !empty(meet(shown, [shown[0] + 4, shown[1] + 4, shown[2], shown[3]]));
    const scroller = !interactive && tag !== "BODY" && scrolls(style, node);
    if (!(interactive || own || picture || tag === "IFRAME" || scroller) || !seen(node, shown, !interactive)) return holder;
    const control = tag === "LABEL" && interactive && node.control ? node.control : node;
    const text = textOf(node, interactive);
    const label = labelOf(control);
    if (holder && !interactive && repeats(node, style, holder, picture, text, label)) return holder;
    const name = text || (picture || interactive ? label || (interactive ? deepWords(node, true) : "") : "");
    const type = scroller && !own ? "scroll" : typeOf(control, interactive, text);
    const spilling = longest > 300 && textsOf(node).length ? meet(rangeBox(textsOf(node)), clip) : shown;
    const mine = { box: empty(spilling) ? shown : join(shown, spilling), type: type, text: name, caption: label, state: stateOf(control), interactive: interactive, leaf: true };
    if (tag === "IFRAME") mine.frame = whole;
    for (let up = holder; up; up = up.holder) up.leaf = false;
    Object.defineProperty(mine, "holder", { value: holder, enumerable: false });
    found.push(mine);
    return mine;
  };
  // `bounds` are where content in the flow, absolutely placed and fixed content is cut off.
  // A page too long or nested too deeply to be walked in time is cut off: what was found until then is told.
  const visit = (node, bounds, pointer, holder, inSvg, depth) => {
    if (depth > DEEPEST || Date.now() > until) return void (isCut = true);
    const tag = tagOf(node);
    if (SKIPPED.has(tag)) return;
    const style = getComputedStyle(node);
    if (style.display === "none" || style.contentVisibility === "hidden") return;
    const ghost = Number(style.opacity) < 0.02;
    if (ghost && !(tag === "SELECT" || (ticks(node) && !(node.labels && node.labels.length)))) return;
    const whole = boxOf(node, style);
    const top = tag === "DIALOG" && node.matches(":modal");
    const cut = top ? clip : style.position === "fixed" ? bounds.fixed : style.position === "absolute" ? bounds.absolute : bounds.flow;
    const shown = meet(whole, cut);
    const pointing = style.cursor === "pointer";
    let mine = holder;
    const wanted = !inSvg || hears.has(node) || node.matches(CONTROLS) || (pointing && !pointer) || (inSvg === "drawing" && textsOf(node).length);
    if (tag !== "HTML" && wanted && !empty(shown) && style.visibility === "visible") mine = record(node, style, shown, whole, pointing && !pointer, holder, inSvg);
    const children = tag === "SELECT" || tag === "IFRAME" ? [] : childrenOf(node);
    if (!children.length) return;
    const boxed = !["inline", "contents"].includes(style.display) && tag !== "HTML" && tag !== "BODY" && !inSvg;
    const clips = boxed && (style.overflowX !== "visible" || style.overflowY !== "visible");
    const flow = clips ? meet(cut, whole) : cut;
    const moved = style.transform !== "none" || style.filter !== "none" || style.perspective !== "none";
    const next = { flow: flow, absolute: moved || style.position !== "static" ? flow : bounds.absolute, fixed: moved ? flow : bounds.fixed };
    const svg = inSvg || (tag === "SVG" ? (whole[2] - whole[0] >= 48 ? "drawing" : "icon") : "");
    for (const child of children) visit(child, next, pointing, mine, svg, depth + 1);
  };
  if (document.documentElement) visit(document.documentElement, { flow: clip, absolute: clip, fixed: clip }, false, null, "", 0);
  if (isCut) found.push({ cut: true });
  return found;
}
