// The form of an action without its place: what is shown depends on the type.

export class ActionEditor {
  constructor(holder, data, changed = () => {}) {
    Object.assign(this, { holder, data });
    this.type = holder.querySelector("[name=type]");
    this.type.addEventListener("change", () => {
      this.show();
      changed();
    });
    holder.addEventListener("input", changed);
    this.show();
  }

  show() {
    const wanted = this.data.fields[this.type.value];
    for (const label of this.holder.querySelectorAll("[data-field]")) {
      label.hidden = !wanted.includes(label.dataset.field);
    }
  }

  /** Is it done at a point, so that it needs a box? */
  get pointed() {
    return this.data.pointed.includes(this.type.value);
  }

  /** The action at a box; the box is left out where the type has none. */
  read(box) {
    const action = { type: this.type.value };
    const fields = this.data.fields[action.type];
    for (const input of this.holder.querySelectorAll("[data-field] input, [data-field] select")) {
      if (!fields.includes(input.name) || input.value === "") continue;
      const place = input.name === "start" || input.name === "end";
      action[input.name] = place ? input.value.split(",").map(Number) : input.value;
    }
    if (box && fields.includes("point") && (this.pointed || action.type === "type")) {
      Object.assign(action, { point: [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2], box });
    }
    return action;
  }

  write(action) {
    this.type.value = action.type;
    for (const input of this.holder.querySelectorAll("[data-field] input, [data-field] select")) {
      if (action[input.name] != null) input.value = [action[input.name]].flat().join(", ");
    }
    this.show();
  }
}
