// Choose an option of the <select> that is hit (`this`). Returns "" if done, else an error text.
function (option) {
  const label = this.closest("label");
  const list = this.closest("select") || (label && label.control);
  if (!list || list.tagName !== "SELECT") return "there is no list to choose from at this point";
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
