// Step by step, to the first error.
import { ActionEditor } from "/static/review_action.js";

export function start(view) {
  const { data, words, find } = view;
  const list = find("steps");
  const judged = data.steps.map((_, at) => {
    const known = view.decision.steps?.[at];
    return {
      right: view.decided && known ? known.right : null,
      box: known?.box ?? null,
      correction: known?.correction ?? null,
      place: known?.correction?.box ?? null,
    };
  });
  let at = 0;

  const pointed = () => data.pointed.includes(data.steps[at].action.type);
  const keep = () => {
    const here = judged[at];
    if (here.right === false) {
      here.place = editor.box;
      here.correction = action.read(editor.box);
    } else {
      here.box = editor.box;
    }
  };
  const editor = view.editor({ changed: keep });
  const action = new ActionEditor(find("action"), data, keep);
  const firstWrong = () => judged.findIndex((each) => each.right === false);

  function draw() {
    const wrong = firstWrong();
    list.replaceChildren(
      ...judged.map((each, number) => {
        const item = document.createElement("li");
        const button = document.createElement("button");
        const state = each.right === null ? "open" : each.right ? "right" : "wrong";
        button.type = "button";
        button.className = state;
        button.textContent = `${number + 1}${{ open: "", right: " ✓", wrong: " ✗" }[state]}`;
        button.setAttribute("aria-label", `${words.step} ${number + 1}: ${words[state]}`);
        button.disabled = wrong >= 0 && number > wrong;
        if (number === at) button.setAttribute("aria-current", "step");
        button.addEventListener("click", () => show(number));
        item.append(button);
        return item;
      }),
    );
    view.choose("right", judged[at].right);
    find("correction").hidden = judged[at].right !== false;
    find("box").hidden = judged[at].right === false ? !action.pointed && action.type.value !== "type" : !pointed();
  }

  function show(number) {
    at = number;
    const here = judged[at];
    find("said").textContent = `${data.steps[at].said} (${data.steps[at].action.type})`;
    find("thought").textContent = data.steps[at].thought;
    if (here.correction) action.write(here.correction);
    const box = here.right === false ? here.place : here.box;
    editor.load(box ? [{ box: [...box] }] : []);
    view.show(editor, at);
    draw();
  }

  function judge(right) {
    const here = judged[at];
    here.right = right;
    if (!right && !here.correction) {
      action.write(data.steps[at].action);
      here.place = null;
    }
    const box = right ? here.box : here.place;
    editor.load(box ? [{ box: [...box] }] : []);
    if (!right) here.correction = action.read(here.place);
    view.say(right && pointed() && !box ? words["needs-box"] : "");
    draw();
  }

  function yes() {
    judge(true);
    if (at + 1 < judged.length && (!pointed() || judged[at].box)) show(at + 1);
  }

  function go(step) {
    const wrong = firstWrong();
    const last = wrong >= 0 ? wrong : judged.length - 1;
    show(Math.min(Math.max(at + step, 0), last));
  }

  for (const each of document.querySelectorAll("input[name=right]")) {
    each.addEventListener("change", () => judge(each.value === "yes"));
  }
  find("action").addEventListener("change", draw);
  view.choose("success", view.decided ? view.decision.success : null);
  show(0);
  return {
    editor,
    yes,
    no: () => judge(false),
    go,
    collect() {
      const wrong = firstWrong();
      const until = wrong >= 0 ? judged.slice(0, wrong + 1) : judged;
      if (until.some((each) => each.right === null)) throw new Error(words["judge-all"]);
      const success = view.answer("success");
      if (success === null) throw new Error(words["say-success"]);
      const steps = until.map((each, number) => {
        if (!each.right) return { right: false, correction: each.correction };
        const touched = data.pointed.includes(data.steps[number].action.type);
        return touched ? { right: true, box: each.box } : { right: true };
      });
      return { steps, success };
    },
  };
}
