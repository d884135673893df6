// All actions that would be right at a step.
import { ActionEditor } from "/static/review_action.js";

export function start(view) {
  const { data, words, find } = view;
  const said = (actions, words) => (actions ?? []).map((action, at) => ({ action, words: words[at] ?? "" }));
  const proposed = said(data.proposal.actions, data.said.proposal);
  const chosen = view.decided ? said(view.decision.actions, data.said.decision) : [];
  const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
  const added = chosen.filter((each) => !proposed.some((other) => same(each.action, other.action)));
  const actions = [...proposed, ...added].map(({ action, words }) => ({
    action: structuredClone(action),
    words,
    valid: chosen.some((other) => same(action, other.action)),
  }));
  let selected = 0;
  const editor = view.editor({
    changed() {
      const here = actions[selected];
      if (!here || !data.fields[here.action.type].includes("box") || !editor.box) return;
      here.action.box = editor.box;
      const [x, y] = here.action.point ?? [NaN, NaN];
      const [left, top, right, bottom] = editor.box;
      if (here.action.type !== "open_app" && !(left <= x && x <= right && top <= y && y <= bottom)) {
        here.action.point = [(left + right) / 2, (top + bottom) / 2];
      }
      draw();
    },
  });
  const form = new ActionEditor(find("action"), data);

  /** In the reader's language, where the server has said it; an action that was added here in its own fields. */
  function text({ action, words }) {
    const { type, point, box, ...rest } = action;
    const values = Object.values(rest).map((each) => (Array.isArray(each) ? each.join(", ") : String(each)));
    return [...(words ? [`${words} (${type})`] : [type, ...values]), box ? `[${box.map((each) => Math.round(each)).join(", ")}]` : ""].filter(Boolean).join(" · ");
  }

  function draw() {
    find("actions").replaceChildren(
      ...actions.map((each, at) => {
        const item = document.createElement("li");
        item.className = at === selected ? "selected" : "";
        const label = document.createElement("label");
        label.className = "choice";
        const box = document.createElement("input");
        box.type = "checkbox";
        box.checked = each.valid;
        box.addEventListener("change", () => {
          each.valid = box.checked;
          select(at);
        });
        label.append(box, text(each));
        item.append(label);
        return item;
      }),
    );
  }

  function select(at) {
    selected = at;
    const box = actions[at]?.action.box;
    editor.load(box ? [{ box: [...box] }] : []);
    editor.point = actions[at]?.action.point ?? null;
    editor.draw();
    draw();
  }

  function add() {
    actions.push({ action: form.read(null), valid: true });
    select(actions.length - 1);
    view.say(form.pointed ? words["needs-box"] : "");
  }

  function mark(valid) {
    if (!actions[selected]) return;
    actions[selected].valid = valid;
    select(Math.min(selected + 1, actions.length - 1));
  }

  find("add").addEventListener("click", add);
  view.show(editor, 0);
  select(0);
  return {
    editor,
    yes: () => mark(true),
    no: () => mark(false),
    go: (step) => select(Math.min(Math.max(selected + step, 0), Math.max(actions.length - 1, 0))),
    collect: () => ({ actions: actions.filter((each) => each.valid).map((each) => each.action) }),
  };
}
