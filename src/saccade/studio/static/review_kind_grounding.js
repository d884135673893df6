// The box of what the instruction means.
export function start(view) {
  const editor = view.editor();
  const text = view.panel.querySelector("textarea");
  const original = view.data.steps[0].instruction;
  text.value = view.decision.instruction || original;
  view.show(editor, 0);
  editor.load(view.decision.box ? [{ box: [...view.decision.box] }] : []);
  return {
    editor,
    collect() {
      if (!editor.box) throw new Error(view.words["needs-box"]);
      const edited = text.value.trim() === original.trim() ? {} : { instruction: text.value.trim() };
      return { box: editor.box, ...edited };
    },
  };
}
