// What a touch or a key does to a node (`this`): its texts, the addresses of its links and forms, the kind of field, and
// the evidence that it is harmless. `asked.list`: only list the nodes around it, from inside out, as the page shows them.
// `submit`: a form would be sent; `type`: text would be typed; `most`: a node that covers more pixels is background and
// says nothing, unless it is a control; `heard`: for each listed node, the events that scripts listen to there.
// `roots`: shadow hosts and their closed roots, in turns.
// It runs in a world of its own, where the page's scripts have changed nothing. But a page may also hide properties of
// documents and forms behind elements of the same name (<input name=elements>), so all are read by their own getters.
function (asked, ...roots) {
  const BUTTONS = "button,input[type=submit],input[type=image],input[type=button],input[type=reset]";
  const ACTS = `a[href],area[href],${BUTTONS},input,select,textarea,summary,label,option,[onclick],[contenteditable],audio[controls],video[controls],[role=button],[role=link],[role=menuitem],[role=option],[role=tab],[role=switch],[role=checkbox]`;
  const SEARCHES = /^(q|query|search|searchword|keywords?|kw|wd|word|term|s)$/i;
  const FINDS = /search|query|filter|lookup|find(?!ing)|搜|查/i;
  const TOKEN = /token|csrf|xsrf|nonce|sectok|sesskey|authenticity|form_?key|form_?hash|hash_?key|^auth$|auth_?key|signature/i;
  const VERB = /^(do|action|act|cmd|command|op|operation|task|method|event)$/i;
  const VIEWS = /^$|^(view|show|open|list|index|search|find|browse|read|display|detail|details|info|edit|history|revisions|recent|diff|backlink|media|login|export_\w+|raw|source|print|page|home|help|about|sort|filter|next|prev|previous)$/i;
  const SENDS = /(^|[-_:])(post|put|patch|delete|remote|ping)($|[-_:])/i;
  const WRITES = /^\s*(post|put|patch|delete)\s*$/i;
  const PLAIN = /^(class|id|title|rel|name|alt|href|value|lang)$|^aria-/;
  const OPENS = /^(collapse|dropdown|tab|pill|modal|tooltip|popover|offcanvas|accordion)$/i;
  const TEXTS = ["text", "search", "number", "date", "month", "week", "time", "datetime-local"];
  const TOUCHES = ["click", "mousedown", "mouseup", "pointerdown", "pointerup", "touchstart", "touchend", "dblclick", "contextmenu", "auxclick"];
  const CHANGES = ["change", "input", ...TOUCHES];
  const NAMES = ["aria-label", "title", "alt", "placeholder"];
  const MOST = 40, FARTHEST = 400;
  const words = [], labels = [], leads = [], fields = [];
  const read = (kind, name) => {
    const own = Object.getOwnPropertyDescriptor(kind.prototype, name).get;
    return (node) => own.call(node);
  };
  const call = (kind, name) => {
    const own = kind.prototype[name];
    return (node, ...values) => own.apply(node, values);
  };
  const matches = call(Element, "matches"), closest = call(Element, "closest"), attribute = call(Element, "getAttribute");
  const has = call(Element, "hasAttribute"), namesOf = call(Element, "getAttributeNames");
  const boxOf = call(Element, "getBoundingClientRect"), tagOf = read(Element, "tagName"), formActs = call(Element, "querySelectorAll");
  const slotOf = read(Element, "assignedSlot"), shadowOf = read(Element, "shadowRoot"), upOf = read(Node, "parentElement"), rootOf = call(Node, "getRootNode");
  const contentOf = read(Node, "textContent"), childrenOf = read(Node, "childNodes"), innerOf = read(HTMLElement, "innerText");
  const editableOf = read(HTMLElement, "isContentEditable"), controlsOf = read(HTMLFormElement, "elements");
  const at = { base: read(Node, "baseURI")(document), url: read(Document, "URL")(document) };
  const html = (node) => node instanceof HTMLElement;

  // -- the nodes around it, as the page shows them ----------------------------------------------------------------------
  const closed = new Map();
  for (let i = 0; i < roots.length; i += 2) closed.set(roots[i], roots[i + 1]);
  const holding = (root, node) => [...root.querySelectorAll("slot")].find((slot) => slot.assignedNodes().includes(node));
  const parentOf = (node) => {
    const up = upOf(node), shadow = rootOf(node);
    const slot = slotOf(node) || (up && closed.has(up) && holding(closed.get(up), node));
    return slot || up || (shadow instanceof ShadowRoot ? shadow.host : null);
  };
  const upwards = (node) => {
    const nodes = [];
    for (let on = node; on && nodes.length < FARTHEST; on = parentOf(on)) nodes.push(on);
    return nodes;
  };
  const path = upwards(this);
  const labelled = path.filter((on) => tagOf(on) === "LABEL" && on.control).flatMap((on) => upwards(on.control));
  const listed = [...new Set([...path, ...labelled])];
  if (asked.list) return listed;

  // -- texts and addresses ------------------------------------------------------------------------------------------------
  const grounds = [read(Document, "documentElement")(document), read(Document, "body")(document)];
  const ground = (node) => grounds.includes(node);
  const say = (text, said = words) => {
    const line = String(text || "").replace(/\s+/g, " ").trim().slice(0, 300);
    if (line && said.length < MOST && !said.includes(line)) said.push(line);
  };
  const address = (text) => {
    try {
      return new URL(text, at.base).href;
    } catch {
      return String(text);
    }
  };
  const lead = (text) => leads.push(address(text).slice(0, 2000));
  const small = (node) => {
    const box = boxOf(node);
    return box.width * box.height < asked.most;
  };
  const describe = (node, said = words) => {
    if (matches(node, BUTTONS)) say(node.value, said);
    for (const name of NAMES) say(attribute(node, name), said);
    say(html(node) ? innerOf(node) : contentOf(node), said);
  };
  // What a node around a link says as a label of it: its names, and its texts outside the controls in it.
  const sayAround = (node) => {
    const said = [];
    const collect = (on) => {
      const shadow = on.nodeType === 1 && (closed.get(on) || shadowOf(on));
      for (const child of [...(shadow ? childrenOf(shadow) : []), ...childrenOf(on)]) {
        if (child.nodeType === 3) said.push(child.data);
        else if (child.nodeType === 1 && !matches(child, ACTS)) collect(child);
      }
    };
    collect(node);
    say(said.join(" "), labels);
    for (const name of NAMES) say(attribute(node, name), labels);
  };
  const ownText = (node) => [...childrenOf(node)].filter((child) => child.nodeType === 3).map((child) => child.data).join(" ");
  const sends = (node) => matches(node, "button:not([type=button]):not([type=reset]),input[type=submit],input[type=image]");
  const formOf = (node) => (!(node instanceof HTMLFormElement) && node.form instanceof HTMLFormElement ? node.form : closest(node, "form"));
  const method = (form, by) => ((by && attribute(by, "formmethod")) || attribute(form, "method") || "get").trim().toLowerCase();
  const target = (form, by) => (by && attribute(by, "formaction")) || attribute(form, "action") || at.url;
  const edits = (node) => {
    if ((html(node) && editableOf(node)) || tagOf(node) === "TEXTAREA") return true;
    if (tagOf(node) !== "INPUT") return ["textbox", "searchbox", "combobox"].includes(attribute(node, "role"));
    return !["button", "checkbox", "radio", "submit", "reset", "file", "image", "color", "range"].includes(node.type);
  };
  const seeks = (node) => {
    const type = node instanceof HTMLInputElement ? node.type : "";
    return type === "search" || attribute(node, "role") === "searchbox" || SEARCHES.test(attribute(node, "name") || "") || closest(node, "[role=search],search") !== null;
  };
  const kindOf = (node) => {
    const type = node instanceof HTMLInputElement ? node.type : "";
    if (type === "password" || /(current|new)-password|one-time-code|cc-/.test(attribute(node, "autocomplete") || "")) return "password";
    const form = formOf(node);
    return seeks(node) && tagOf(node) !== "TEXTAREA" && !(form && method(form) !== "get") ? "search" : "text";
  };

  // -- evidence -----------------------------------------------------------------------------------------------------------
  const heard = (node, types) => types.some((type) => (asked.heard[listed.indexOf(node)] || []).includes(type));
  const heardAround = (types) => asked.heard.some((own) => types.some((type) => own.includes(type)));
  const inline = (node) => namesOf(node).some((name) => name.startsWith("on"));
  const attached = (node) => namesOf(node).some((name) => SENDS.test(name) || (!PLAIN.test(name) && WRITES.test(attribute(node, name))));
  const scripted = (node) => heard(node, TOUCHES) || inline(node) || attached(node);
  const webAddress = (text) => {
    try {
      const url = new URL(text, at.base);
      return /^https?:$/.test(url.protocol) ? url : null;
    } catch {
      return null;
    }
  };
  const tokens = (url) => [...url.searchParams.keys()].some((name) => TOKEN.test(name));
  const looks = (url) => !tokens(url) && [...url.searchParams].every(([name, value]) => !(VERB.test(name) && !VIEWS.test(value.trim())));
  const link = (node) => {
    const url = webAddress(attribute(node, "href"));
    if (!url || has(node, "download") || has(node, "ping") || scripted(node) || tokens(url)) return "";
    if (url.href.split("#")[0] !== at.url.split("#")[0] || !url.href.includes("#")) return "link";
    const name = url.hash.slice(1);
    const there = name && document.querySelector(`#${CSS.escape(name)},a[name="${CSS.escape(name)}"]`);
    return there ? "link" : /^[/!]/.test(name) || name === "top" ? "page" : opens(node);
  };
  const opens = (node) => {
    if (tagOf(node) === "SUMMARY") return scripted(node) ? "" : "page";
    if (matches(node, "audio,video")) return "page";
    if (attribute(node, "role") === "tab" || has(node, "popovertarget") || has(node, "commandfor")) return "page";
    if (has(node, "aria-expanded") || (has(node, "aria-haspopup") && attribute(node, "aria-haspopup") !== "false")) return "page";
    const toggles = attribute(node, "data-bs-toggle") || attribute(node, "data-toggle") || attribute(node, "uk-toggle") || "";
    return OPENS.test(toggles) ? "page" : "";
  };
  const finds = (form, by) => {
    const url = webAddress(target(form, by));
    if (method(form, by) !== "get" || !url || !looks(url)) return "";
    if (inline(form) || namesOf(form).some((name) => name !== "method" && SENDS.test(name))) return "";
    const parts = [...controlsOf(form)];
    if (parts.some((part) => matches(part, "textarea,input[type=password],input[type=file],[contenteditable]"))) return "";
    if (parts.some((part) => TOKEN.test(attribute(part, "name") || "") || (VERB.test(attribute(part, "name") || "") && !VIEWS.test(part.value)))) return "";
    const named = ["id", "class", "name", "role", "action", "aria-label"].some((name) => FINDS.test(attribute(form, name) || ""));
    return named || closest(form, "[role=search],search") || parts.some((part) => matches(part, "input") && seeks(part)) ? "search" : "";
  };
  const sender = (form) => [...controlsOf(form)].find((part) => sends(part) && !matches(part, ":disabled"));
  const pressed = (node) => {
    const form = formOf(node);
    if (sends(node) && form) return scripted(node) ? "" : finds(form, node);
    return opens(node);
  };
  const changed = (node) => {
    return heardAround(CHANGES) || listed.some(inline) || attached(node) ? "" : "page";
  };
  const typed = (node) => {
    const form = formOf(node), kind = kindOf(node);
    if (kind === "password" || tagOf(node) === "TEXTAREA" || (html(node) && editableOf(node))) return "";
    if (form) return TEXTS.includes(node.type) || kind === "search" ? finds(form, asked.submit ? sender(form) : null) : "";
    return kind === "search" && !asked.submit ? "search" : "";
  };
  const evidenceOf = (node) => {
    if (!node || ground(node)) {
      const wide = this && !ground(this) && getComputedStyle(this).cursor === "pointer";
      const inner = path.filter((on) => !ground(on));
      return wide || inner.some((on) => heard(on, TOUCHES) || inline(on)) ? "" : "page";
    }
    if (asked.type) return edits(node) ? typed(node) : "";
    if (asked.submit && edits(node)) return typed(node);
    if (asked.submit && matches(node, "select,input:not([type=submit],[type=image],[type=button],[type=reset])")) {
      return formOf(node) ? finds(formOf(node), sender(formOf(node))) : "";
    }
    if (matches(node, "a[href],area[href]")) return link(node);
    if (matches(node, "select,option,input[type=checkbox],input[type=radio],input[type=range],input[type=color]")) return changed(node);
    if (tagOf(node) === "LABEL") return node.control ? evidenceOf(node.control) : "page";
    if (edits(node)) return "page";
    return matches(node, "input[type=file]") ? "" : pressed(node);
  };

  // -- all of it ----------------------------------------------------------------------------------------------------------
  const actor = path.find((on) => matches(on, ACTS));
  for (const on of path) {
    if (ground(on) && on !== actor) continue;
    if (small(on) || (on === actor && matches(on, `a,area,label,${BUTTONS},[role]`))) on === this || on === actor ? describe(on) : say(ownText(on));
    if (matches(on, "a,area")) lead(attribute(on, "href") || attribute(on, "xlink:href") || "#");
    if (asked.touch && sends(on) && formOf(on)) lead(target(formOf(on), on));
    if (edits(on)) fields.push(kindOf(on));
    if (tagOf(on) === "LABEL" && on.control) {
      describe(on.control);
      if (edits(on.control)) fields.push(kindOf(on.control));
      if (sends(on.control) && formOf(on.control)) lead(target(formOf(on.control), on.control));
    }
  }
  if (actor && matches(actor, "a[href],area[href]")) {
    for (const on of path.slice(0, path.indexOf(actor) + 1)) describe(on, labels);
    for (const on of path.slice(path.indexOf(actor) + 1)) {
      if (!ground(on) && (matches(on, ACTS) || scripted(on)) && small(on)) sayAround(on); // it is clicked, too
    }
  }
  const form = asked.submit && formOf(this);
  if (form) {
    lead(target(form, null));
    for (const part of controlsOf(form)) if (sends(part)) describe(part), attribute(part, "formaction") && lead(target(form, part));
  }
  const control = Boolean(actor && !ground(actor) && small(actor));
  const unknown = words.length >= MOST || path.length >= FARTHEST;
  return { words, labels, leads, fields, control, unknown, evidence: evidenceOf(actor) };
}
