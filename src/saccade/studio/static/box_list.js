// The list of several boxes beside the picture: select, order, describe, remove.

/** Keep a list in step with an editor's boxes. `describe`: each has a text, and the order matters. */
export function boxList(holder, editor, words, { label, describe = false }) {
  const button = (text, name, action, off = false) => {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = text;
    made.setAttribute("aria-label", name);
    made.disabled = off;
    made.addEventListener("click", action);
    return made;
  };
  const move = (at, step) => {
    const [each] = editor.boxes.splice(at, 1);
    editor.boxes.splice(at + step, 0, each);
    editor.select(at + step);
  };
  return () =>
    holder.replaceChildren(
      ...editor.boxes.map((each, at) => {
        const item = document.createElement("li");
        item.className = at === editor.selected ? "selected" : "";
        const name = `${label} ${at + 1}`;
        if (describe) {
          const text = document.createElement("input");
          text.type = "text";
          text.value = each.text ?? "";
          text.setAttribute("aria-label", `${words.description} ${at + 1}`);
          text.addEventListener("input", () => (each.text = text.value));
          item.append(text);
        }
        const row = document.createElement("div");
        row.className = "row";
        const box = each.box.map((value) => Math.round(value)).join(", ");
        row.append(button(`${name}: ${box}`, `${name}: ${box}`, () => editor.select(at)));
        if (describe) {
          row.append(button("↑", `${words.up} ${at + 1}`, () => move(at, -1), at === 0));
          row.append(button("↓", `${words.down} ${at + 1}`, () => move(at, 1), at === editor.boxes.length - 1));
        }
        row.append(
          button("✕", `${words.remove} ${at + 1}`, () => {
            editor.selected = at;
            editor.box = null;
          }),
        );
        item.append(row);
        return item;
      }),
    );
}
