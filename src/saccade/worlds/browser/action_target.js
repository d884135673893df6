// What a touch at a point, or a key to the focused node (no point), hits in this frame, whatever is drawn over it: the
// node, its texts, the addresses of its links and forms, and the kind of field. `submit`: a form would be submitted;
// `most`: a node that covers more pixels is background, not a target.
({ place, submit, most }) => {
  const BUTTONS = "button,input[type=submit],input[type=image],input[type=button],input[type=reset]";
  const ACTS = `a[href],area[href],${BUTTONS},input,select,textarea,summary,label,[onclick],[role=button],[role=link],[role=menuitem],[role=option],[role=tab],[role=switch],[role=checkbox]`;
  const SEARCHES = /^(q|query|search|searchword|keywords?|kw|wd|word|term|s)$/i;
  const words = [], leads = [], fields = [];
  const parentOf = (node) => node.assignedSlot || node.parentElement || (node.getRootNode() instanceof ShadowRoot ? node.getRootNode().host : null);
  const say = (text) => {
    const line = String(text || "").replace(/\s+/g, " ").trim().slice(0, 300);
    if (line && words.length < 40 && !words.includes(line)) words.push(line);
  };
  const lead = (address) => {
    try {
      leads.push(new URL(address, document.baseURI).href.slice(0, 2000));
    } catch {
      leads.push(String(address).slice(0, 2000));
    }
  };
  const small = (node) => {
    const box = node.getBoundingClientRect();
    return box.width * box.height < most;
  };
  const describe = (node) => {
    if (node.matches(BUTTONS)) say(node.value);
    for (const name of ["aria-label", "title", "alt", "placeholder"]) say(node.getAttribute(name));
    say(node.innerText === undefined ? node.textContent : node.innerText);
  };
  const ownText = (node) => [...node.childNodes].filter((child) => child.nodeType === 3).map((child) => child.data).join(" ");
  const sends = (node) => node.matches("button:not([type=button]):not([type=reset]),input[type=submit],input[type=image]");
  const formOf = (node) => node.form instanceof HTMLFormElement ? node.form : node.closest("form");
  // Read the attributes, not the properties: an input named `action` or `method` would shadow them.
  const post = (form) => (form.getAttribute("method") || "get").trim().toLowerCase() === "post";
  const follow = (form, by) => lead((by && by.getAttribute("formaction")) || form.getAttribute("action") || document.URL);
  const edits = (node) => {
    if (node.isContentEditable || node.tagName === "TEXTAREA") return true;
    if (node.tagName !== "INPUT") return ["textbox", "searchbox", "combobox"].includes(node.getAttribute("role"));
    return !["button", "checkbox", "radio", "submit", "reset", "file", "image", "color", "range"].includes(node.type);
  };
  const kindOf = (node) => {
    if (node.type === "password" || /(current|new)-password|one-time-code|cc-/.test(node.getAttribute("autocomplete") || "")) return "password";
    const form = formOf(node);
    const searching = node.type === "search" || node.getAttribute("role") === "searchbox" || SEARCHES.test(node.getAttribute("name") || "") || node.closest("[role=search],search");
    return searching && node.tagName !== "TEXTAREA" && !(form && post(form)) ? "search" : "text";
  };
  let node = place ? document.elementFromPoint(place[0], place[1]) : document.activeElement;
  while (node && node.shadowRoot) {
    const inner = place ? node.shadowRoot.elementFromPoint(place[0], place[1]) : node.shadowRoot.activeElement;
    if (!inner || inner === node) break;
    node = inner;
  }
  const ground = (at) => at === document.documentElement || at === document.body;
  let actor = node;
  while (actor && !actor.matches(ACTS)) actor = parentOf(actor);
  for (let at = node, depth = 0; at && !ground(at) && depth < 60; at = parentOf(at), depth++) {
    if (small(at)) at === node || at === actor ? describe(at) : say(ownText(at));
    if (at.matches("a,area")) lead(at.getAttribute("href") || at.getAttribute("xlink:href") || "#");
    if (place && sends(at) && formOf(at)) follow(formOf(at), at);
    if (edits(at)) fields.push(kindOf(at));
    if (at.tagName === "LABEL" && at.control) {
      describe(at.control);
      if (edits(at.control)) fields.push(kindOf(at.control));
      if (sends(at.control) && formOf(at.control)) follow(formOf(at.control), at.control);
    }
  }
  const form = submit && node && formOf(node);
  if (form) {
    follow(form, null);
    for (const part of form.elements) if (sends(part)) describe(part), part.hasAttribute("formaction") && follow(form, part);
  }
  return { node: node, target: { words: words, leads: leads, fields: fields } };
}
