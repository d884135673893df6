// Regions that must be hidden.
import { boxList } from "/static/box_list.js";

export function start(view) {
  const { words, find } = view;
  const editor = view.editor({ most: 200, changed: () => draw() });
  const draw = boxList(find("picked"), editor, words, { label: words.region });
  find("add").addEventListener("click", () => {
    const [width, height] = view.data.steps[0].screen;
    editor.add([width / 4, height / 4, width / 2, height / 2].map(Math.round));
    document.querySelector("#box input").focus();
  });
  view.show(editor, 0);
  editor.point = null;
  editor.load((view.decision?.regions ?? []).map((box) => ({ box: [...box] })));
  draw();
  return {
    editor,
    go: (step) => editor.boxes.length && editor.select(Math.min(Math.max(editor.selected + step, 0), editor.boxes.length - 1)),
    collect: () => ({ regions: editor.boxes.map((each) => each.box) }),
  };
}
