// Choose an option of the <select> at a point. Returns null if there is no <select>, "" if done, else an error text.
({ x, y, option }) => {
  let node = document.elementFromPoint(x, y);
  while (node && node.shadowRoot && node.shadowRoot.elementFromPoint(x, y)) {
    const inner = node.shadowRoot.elementFromPoint(x, y);
    if (inner === node) break;
    node = inner;
  }
  const list = node && (node.closest("select") || (node.closest("label") && node.closest("label").control));
  if (!list || list.tagName !== "SELECT") return null;
  if (list.disabled) return "the list is disabled";
  const wanted = option.trim().toLowerCase();
  const options = [...list.options];
  const found =
    options.find((each) => each.label.trim() === option.trim()) ||
    options.find((each) => each.label.trim().toLowerCase() === wanted || each.value.toLowerCase() === wanted);
  if (!found) {
    const names = options.slice(0, 12).map((each) => each.label.trim());
    return `there is no option "${option.slice(0, 80)}": choose one of ${names.join(", ")}`;
  }
  if (found.disabled) return `the option "${found.label.trim()}" is disabled`;
  if (list.multiple) found.selected = !found.selected;
  else list.value = found.value, (found.selected = true);
  list.dispatchEvent(new Event("input", { bubbles: true }));
  list.dispatchEvent(new Event("change", { bubbles: true }));
  return "";
}
