// Does an element that accepts text have the focus in this frame?
() => {
  let focused = document.activeElement;
  while (focused && focused.shadowRoot && focused.shadowRoot.activeElement) focused = focused.shadowRoot.activeElement;
  if (!focused) return false;
  if (focused.isContentEditable) return true;
  if (focused.tagName === "TEXTAREA") return !focused.readOnly && !focused.disabled;
  if (focused.tagName !== "INPUT") return ["textbox", "searchbox", "combobox"].includes(focused.getAttribute("role"));
  const silent = ["button", "checkbox", "radio", "submit", "reset", "file", "image", "color", "range"];
  return !focused.readOnly && !focused.disabled && !silent.includes(focused.type);
}
