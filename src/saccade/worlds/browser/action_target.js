// What a touch at a point, or a key to the focused node (no point), hits in this frame, whatever is drawn over it: the
// node, its texts, the addresses of its links and forms, the kind of field, and whether it is a control. `submit`: a form
// would be submitted; `most`: a node that covers more pixels is background, not a target.
// It runs in a world of its own, where the page's scripts have changed nothing. But a page may also hide properties of
// documents and forms behind elements of the same name (<input name=elements>), so all are read by their own getters.
({ place, submit, most }) => {
  const BUTTONS = "button,input[type=submit],input[type=image],input[type=button],input[type=reset]";
  const ACTS = `a[href],area[href],${BUTTONS},input,select,textarea,summary,label,[onclick],[role=button],[role=link],[role=menuitem],[role=option],[role=tab],[role=switch],[role=checkbox]`;
  const SEARCHES = /^(q|query|search|searchword|keywords?|kw|wd|word|term|s)$/i;
  const MOST = 40;
  const words = [], leads = [], fields = [];
  const read = (kind, name) => {
    const own = Object.getOwnPropertyDescriptor(kind.prototype, name).get;
    return (node) => own.call(node);
  };
  const call = (kind, name) => {
    const own = kind.prototype[name];
    return (node, ...values) => own.apply(node, values);
  };
  const matches = call(Element, "matches"), closest = call(Element, "closest"), attribute = call(Element, "getAttribute");
  const boxOf = call(Element, "getBoundingClientRect"), shadowOf = read(Element, "shadowRoot"), tagOf = read(Element, "tagName");
  const slotOf = read(Element, "assignedSlot"), upOf = read(Node, "parentElement"), rootOf = call(Node, "getRootNode");
  const contentOf = read(Node, "textContent"), childrenOf = read(Node, "childNodes"), innerOf = read(HTMLElement, "innerText");
  const editableOf = read(HTMLElement, "isContentEditable"), controlsOf = read(HTMLFormElement, "elements");
  const at = { base: read(Node, "baseURI")(document), url: read(Document, "URL")(document) };
  const html = (node) => node instanceof HTMLElement;
  const parentOf = (node) => slotOf(node) || upOf(node) || (rootOf(node) instanceof ShadowRoot ? rootOf(node).host : null);
  const say = (text) => {
    const line = String(text || "").replace(/\s+/g, " ").trim().slice(0, 300);
    if (line && words.length < MOST && !words.includes(line)) words.push(line);
  };
  const lead = (address) => {
    try {
      leads.push(new URL(address, at.base).href.slice(0, 2000));
    } catch {
      leads.push(String(address).slice(0, 2000));
    }
  };
  const small = (node) => {
    const box = boxOf(node);
    return box.width * box.height < most;
  };
  const describe = (node) => {
    if (matches(node, BUTTONS)) say(node.value);
    for (const name of ["aria-label", "title", "alt", "placeholder"]) say(attribute(node, name));
    say(html(node) ? innerOf(node) : contentOf(node));
  };
  const ownText = (node) => [...childrenOf(node)].filter((child) => child.nodeType === 3).map((child) => child.data).join(" ");
  const sends = (node) => matches(node, "button:not([type=button]):not([type=reset]),input[type=submit],input[type=image]");
  const formOf = (node) => !(node instanceof HTMLFormElement) && node.form instanceof HTMLFormElement ? node.form : closest(node, "form");
  const post = (form) => (attribute(form, "method") || "get").trim().toLowerCase() === "post";
  const follow = (form, by) => lead((by && attribute(by, "formaction")) || attribute(form, "action") || at.url);
  const edits = (node) => {
    if ((html(node) && editableOf(node)) || tagOf(node) === "TEXTAREA") return true;
    if (tagOf(node) !== "INPUT") return ["textbox", "searchbox", "combobox"].includes(attribute(node, "role"));
    return !["button", "checkbox", "radio", "submit", "reset", "file", "image", "color", "range"].includes(node.type);
  };
  const kindOf = (node) => {
    const type = node instanceof HTMLInputElement ? node.type : "";
    if (type === "password" || /(current|new)-password|one-time-code|cc-/.test(attribute(node, "autocomplete") || "")) return "password";
    const form = formOf(node);
    const searching = type === "search" || attribute(node, "role") === "searchbox" || SEARCHES.test(attribute(node, "name") || "") || closest(node, "[role=search],search");
    return searching && tagOf(node) !== "TEXTAREA" && !(form && post(form)) ? "search" : "text";
  };
  let node = place ? call(Document, "elementFromPoint")(document, ...place) : read(Document, "activeElement")(document);
  while (node && shadowOf(node)) {
    const inner = place ? shadowOf(node).elementFromPoint(...place) : shadowOf(node).activeElement;
    if (!inner || inner === node) break;
    node = inner;
  }
  const grounds = [read(Document, "documentElement")(document), read(Document, "body")(document)];
  const ground = (node) => grounds.includes(node);
  let actor = node;
  while (actor && !matches(actor, ACTS)) actor = parentOf(actor);
  for (let on = node; on && !ground(on); on = parentOf(on)) {
    if (small(on)) on === node || on === actor ? describe(on) : say(ownText(on));
    if (matches(on, "a,area")) lead(attribute(on, "href") || attribute(on, "xlink:href") || "#");
    if (place && sends(on) && formOf(on)) follow(formOf(on), on);
    if (edits(on)) fields.push(kindOf(on));
    if (tagOf(on) === "LABEL" && on.control) {
      describe(on.control);
      if (edits(on.control)) fields.push(kindOf(on.control));
      if (sends(on.control) && formOf(on.control)) follow(formOf(on.control), on.control);
    }
  }
  const form = submit && node && formOf(node);
  if (form) {
    follow(form, null);
    for (const part of controlsOf(form)) if (sends(part)) describe(part), attribute(part, "formaction") && follow(form, part);
  }
  const control = Boolean(actor && !ground(actor) && small(actor));
  const unknown = words.length >= MOST;
  return { node: node, target: { words: words, leads: leads, fields: fields, control: control, unknown: unknown } };
}
