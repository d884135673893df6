// Feasible, clear, realistic; and the text as it should be.
const QUESTIONS = ["feasible", "clear", "realistic"];

export function start(view) {
  const { data, words } = view;
  const editor = view.editor({ most: 0 });
  const text = view.panel.querySelector("textarea");
  const original = data.steps[0].instruction;
  text.value = view.decision.text || original;
  for (const name of QUESTIONS) view.choose(name, view.decided ? view.decision[name] : null);
  let at = 0;
  const show = () => view.show(editor, at);
  const reply = (value) => {
    const name = QUESTIONS.find((each) => view.answer(each) === null);
    if (name) view.choose(name, value);
  };
  show();
  return {
    editor,
    yes: () => reply(true),
    no: () => reply(false),
    go(step) {
      at = Math.min(Math.max(at + step, 0), data.steps.length - 1);
      show();
    },
    collect() {
      const decision = Object.fromEntries(QUESTIONS.map((name) => [name, view.answer(name)]));
      if (Object.values(decision).includes(null)) throw new Error(words["answer-all"]);
      return text.value.trim() === original.trim() ? decision : { ...decision, text: text.value.trim() };
    },
  };
}
