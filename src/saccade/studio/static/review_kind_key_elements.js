// The elements that matter, most important first.
import { boxList } from "/static/box_list.js";

export function start(view) {
  const { data, words, find } = view;
  const editor = view.editor({ most: 50, changed: () => draw(), picked: add });
  const draw = boxList(find("picked"), editor, words, { label: words.element ?? "", describe: true });

  function add(element) {
    const known = editor.boxes.findIndex((each) => String(each.box) === String(element.box));
    if (known >= 0) {
      editor.select(known);
      return;
    }
    editor.add([...element.box]);
    editor.boxes[editor.selected].text = element.caption || element.text;
    draw();
  }

  for (const each of data.steps[0].elements) {
    const option = document.createElement("option");
    option.value = each.id;
    option.label = [each.id, each.type, each.text || each.caption].filter((part) => part).join(" · ").slice(0, 80);
    find("elements").append(option);
  }
  find("add").addEventListener("click", () => {
    const number = Number(find("by-number").value);
    const element = data.steps[0].elements.find((each) => each.id === number);
    if (element) add(element);
    else view.say(words["no-element"]);
  });
  view.show(editor, 0);
  editor.load((view.decision.elements ?? []).map((each) => ({ box: [...each.box], text: each.description ?? "" })));
  draw();
  return {
    editor,
    go: (step) => editor.boxes.length && editor.select(Math.min(Math.max(editor.selected + step, 0), editor.boxes.length - 1)),
    collect: () => ({
      elements: editor.boxes.map((each) => (each.text?.trim() ? { box: each.box, description: each.text.trim() } : { box: each.box })),
    }),
  };
}
