// Where widgets are on the glass: for each id its visible box and whether a finger reaches it; if it must be scrolled
// into view, where to swipe and how far. Also, which widget has the focus, and the same for a text on the screen.
({ ids, text }) => {
  const view = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
  const meet = (a, b) => ({
    left: Math.max(a.left, b.left), top: Math.max(a.top, b.top),
    right: Math.min(a.right, b.right), bottom: Math.min(a.bottom, b.bottom),
  });
  const list = (r) => [r.left, r.top, r.right, r.bottom];
  const scrollers = (node) => {
    const found = [];
    for (let at = node.parentElement; at; at = at.parentElement) {
      const style = getComputedStyle(at);
      if (/(auto|scroll)/.test(style.overflowY) && at.scrollHeight > at.clientHeight + 1) found.push(at);
    }
    return found;
  };
  // Touches go through a toast.
  const over = (box) =>
    document
      .elementsFromPoint((box.left + box.right) / 2, (box.top + box.bottom) / 2)
      .find((node) => !node.closest(".p-toast-hold"));
  // What a floating bar hides can be scrolled out from under it; a notification must be closed.
  const beneath = (box, around, top) => {
    if (!around || (top && top.closest("[data-w^='banner:']"))) return null;
    const frame = meet(around.getBoundingClientRect(), view);
    const below = (box.top + box.bottom) / 2 > (frame.top + frame.bottom) / 2;
    const room = below ? around.scrollHeight - around.clientHeight - around.scrollTop > 1 : around.scrollTop > 1;
    return room ? { frame: list(frame), away: below ? 90 : -90 } : null;
  };
  const named = (id) => [...document.querySelectorAll(`[data-w=${JSON.stringify(id)}]`)];
  const place = (node, read) => {
    const whole = node.getBoundingClientRect();
    let box = meet(whole, view);
    for (const around of scrollers(node)) {
      const frame = meet(around.getBoundingClientRect(), view);
      box = meet(box, frame);
      const middle = (whole.top + whole.bottom) / 2;
      const away = middle < frame.top + 8 ? middle - frame.top - 40 : middle > frame.bottom - 8 ? middle - frame.bottom + 40 : 0;
      if (away) return { box: list(whole), seen: false, scroll: { frame: list(frame), away } };
    }
    const top = over(box);
    if (box.right - box.left > 4 && box.bottom - box.top > 4 && top && (node.contains(top) || (read && top.contains(node))))
      return { box: list(box), seen: true };
    const scroll = beneath(box, scrollers(node)[0], top);
    return scroll ? { box: list(box), seen: false, scroll } : { box: list(box), seen: false };
  };
  // The same may stand on a page and on a sheet over it: one that can be seen, else that on top which can be scrolled to.
  const best = (places) => places.find((one) => one.seen) || places.findLast((one) => one.scroll) || places[0] || null;
  const saying = (words) => {
    const says = (node) => node.textContent.includes(words);
    const all = [...document.querySelectorAll(".p-body *, .p-head *")].filter(says);
    return best(all.filter((node) => ![...node.children].some(says)).map((node) => place(node, true)));
  };
  const focused = document.activeElement && document.activeElement.closest("[data-w]");
  const typing = focused && /^(INPUT|TEXTAREA)$/.test(document.activeElement.tagName);
  return {
    places: Object.fromEntries(ids.map((id) => [id, best(named(id).map((node) => place(node)))])),
    text: text ? saying(text) : null,
    focus: typing ? focused.getAttribute("data-w") : "",
  };
}
