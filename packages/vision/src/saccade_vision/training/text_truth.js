// The lines of text that a page shows: for each its words, its box, and whether all of it can be seen. Lines that are
// cut off, covered or faded are reported with `whole: false`: a reader may find them, but need not.
() => {
  const view = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
  const meet = (a, b) => ({
    left: Math.max(a.left, b.left), top: Math.max(a.top, b.top),
    right: Math.min(a.right, b.right), bottom: Math.min(a.bottom, b.bottom),
  });
  const area = (r) => Math.max(0, r.right - r.left) * Math.max(0, r.bottom - r.top);
  const clipped = (node, box) => {
    for (let at = node; at && at !== document.documentElement; at = at.parentElement) {
      const style = getComputedStyle(at);
      if (style.overflowX !== "visible" || style.overflowY !== "visible") box = meet(box, at.getBoundingClientRect());
    }
    return meet(box, view);
  };
  const faded = (node) => {
    let opacity = 1;
    for (let at = node; at; at = at.parentElement) opacity *= Number(getComputedStyle(at).opacity);
    return opacity < 0.35;
  };
  const shown = (node) => node.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const onTop = (node, box) => {
    const middle = (box.top + box.bottom) / 2;
    return [0.1, 0.5, 0.9].every((share) => {
      const top = document.elementFromPoint(box.left + share * (box.right - box.left), middle);
      return top && (top.contains(node) || node.contains(top));
    });
  };
  const found = [];
  const add = (node, text, box) => {
    const seen = clipped(node, box);
    if (!text.trim() || area(seen) < 4) return;
    const whole = area(seen) > 0.93 * area(box) && !faded(node) && onTop(node, seen);
    found.push({ text: text.trim(), box: [seen.left, seen.top, seen.right, seen.bottom], whole });
  };
  // Characters of a text node that stand at the same height make a line.
  const lines = (node) => {
    const parent = node.parentElement;
    if (!node.textContent.trim() || !parent || !shown(parent)) return;
    if (/^(SCRIPT|STYLE|TITLE|OPTION|TEXTAREA)$/.test(parent.tagName)) return;
    if (/icon/i.test(getComputedStyle(parent).fontFamily)) return; // a font of pictures
    const range = document.createRange();
    let text = "", box = null;
    let at = 0;
    for (const letter of node.textContent) {
      range.setStart(node, at);
      range.setEnd(node, (at += letter.length));
      const rect = range.getBoundingClientRect();
      if (!rect.width || !rect.height) { if (text) text += letter; continue; }
      if (box && Math.abs((rect.top + rect.bottom) / 2 - (box.top + box.bottom) / 2) > rect.height / 2) {
        add(parent, text, box);
        [text, box] = ["", null];
      }
      text += letter;
      box = box
        ? { left: Math.min(box.left, rect.left), top: Math.min(box.top, rect.top),
            right: Math.max(box.right, rect.right), bottom: Math.max(box.bottom, rect.bottom) }
        : { left: rect.left, top: rect.top, right: rect.right, bottom: rect.bottom };
    }
    if (box) add(parent, text, box);
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) lines(walker.currentNode);
  for (const node of document.querySelectorAll("input, textarea")) {
    if (!shown(node) || /^(checkbox|radio|range|hidden|file|color)$/.test(node.type)) continue;
    const text = node.type === "password" && node.value ? "•".repeat(node.value.length) : node.value || node.placeholder;
    const many = node.tagName === "TEXTAREA" || node.type === "password" || node.scrollWidth > node.clientWidth + 1;
    const before = found.length;
    add(node, text, node.getBoundingClientRect());
    if (many && found.length > before) found[found.length - 1].whole = false;
  }
  for (const node of document.querySelectorAll("*"))
    for (const side of ["::before", "::after"]) {
      const style = getComputedStyle(node, side);
      const words = /^"(.*[\p{L}\p{N}].*)"$/u.exec(style.content);
      if (!words || /icon/i.test(style.fontFamily) || !shown(node)) continue;
      const seen = clipped(node, node.getBoundingClientRect());
      if (area(seen) > 4) found.push({ text: words[1], box: [seen.left, seen.top, seen.right, seen.bottom], whole: false });
    }
  return found;
}
