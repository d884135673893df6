// Touches, as events for Python: taps, long presses, typing, pulls and swipes.
const PULL = 60;
const SWIPE = 50;
const STILL = 10;
const PRESS_MS = 500;

// A toast takes no touches, yet must be an element that can be found at its place: look through it.
function under(event) {
  const at = event.target.closest?.(".p-toast-hold")
    ? document.elementsFromPoint(event.clientX, event.clientY).find((node) => !node.closest(".p-toast-hold"))
    : event.target;
  const made =
    at?.closest?.("[data-w]") || (at?.matches?.(".p-scrim, .p-layer") && at.closest(".p-layer").querySelector('[data-w="scrim"]'));
  if (made && at !== event.target && /^(INPUT|TEXTAREA)$/.test(made.tagName)) made.focus();
  return made;
}

export function listen(root, state, emit) {
  const fixed = (id) => /^(nav:|bar:|scrim$|banner:)/.test(id) || state.tree?.banner?.id === id;
  const can = (id, deed) => (deed === "tap" && fixed(id)) || Boolean(state.widgets.get(id)?.[deed]);
  // The touch under way: where it began, and whether it has become a long press or a drag, which end no tap.
  let touch = null;
  let spent = false;

  const hold = (node) => {
    const id = node?.dataset.w;
    if (!id || spent || !can(id, "hold")) return;
    spent = true;
    emit(id, "hold");
  };
  const begin = (event, point) => {
    const body = event.target.closest?.(".p-body, .p-layer-body");
    clearTimeout(touch?.timer);
    spent = false;
    const node = under({ target: event.target, clientX: point.clientX, clientY: point.clientY });
    touch = {
      x: point.clientX,
      y: point.clientY,
      body,
      atTop: body ? body.scrollTop <= 0 : false,
      timer: setTimeout(() => hold(node), PRESS_MS),
    };
  };
  const move = (point) => {
    if (touch && Math.hypot(point.clientX - touch.x, point.clientY - touch.y) > STILL) clearTimeout(touch.timer);
  };
  const end = (point) => {
    if (!touch) return;
    clearTimeout(touch.timer);
    const { x, y, body, atTop } = touch;
    const [dx, dy] = [point.clientX - x, point.clientY - y];
    touch = null;
    if (spent || !body?.matches(".p-body")) return;
    const page = state.tree?.pages[0];
    if (atTop && dy > PULL && dy > Math.abs(dx) && page?.pull && body.scrollTop <= 0) emit("", "pull");
    else if (state.tree?.app.id === "launcher" && Math.abs(dx) > SWIPE && Math.abs(dx) > 1.5 * Math.abs(dy))
      emit("", dx < 0 ? "left" : "right");
    else return;
    spent = true;
  };

  const quiet = { passive: true };
  root.addEventListener("touchstart", (event) => begin(event, event.touches[0]), quiet);
  root.addEventListener("touchmove", (event) => move(event.touches[0]), quiet);
  root.addEventListener("touchend", (event) => end(event.changedTouches[0]), quiet);
  root.addEventListener("touchcancel", () => (clearTimeout(touch?.timer), (touch = null)), quiet);
  // A mouse does the same, by hand; browsers also make up mouse events after a touch, which says nothing new.
  const byMouse = (event) => event.button === 0 && !event.sourceCapabilities?.firesTouchEvents;
  root.addEventListener("mousedown", (event) => byMouse(event) && begin(event, event));
  root.addEventListener("mousemove", (event) => byMouse(event) && move(event));
  window.addEventListener("mouseup", (event) => byMouse(event) && end(event));

  root.addEventListener("contextmenu", (event) => {
    if (!/^(INPUT|TEXTAREA)$/.test(event.target.tagName)) event.preventDefault();
    clearTimeout(touch?.timer);
    hold(under(event));
  });
  root.addEventListener("click", (event) => {
    const node = under(event);
    const drop = spent;
    spent = false;
    if (drop || !node || node.matches(":disabled")) return;
    if (can(node.dataset.w, "tap")) emit(node.dataset.w, "tap");
  });

  // Typing may fire several events for one change: one of them is told.
  root.addEventListener("input", ({ target: { dataset, value } }) => {
    const waiting = state.queue.findLast((event) => event.id === dataset.w && event.kind === "input");
    if (dataset.w && value !== (waiting ? waiting.value : state.sent.get(dataset.w))) emit(dataset.w, "input", value);
  });
  root.addEventListener("keydown", (event) => {
    const node = event.target;
    const typed = /^(INPUT|TEXTAREA)$/.test(node.tagName);
    if (event.isComposing) return;
    // In a long text Enter begins a new line, unless it was given something to do.
    const sends = node.tagName === "INPUT" || state.widgets.get(node.dataset.w)?.submit;
    if (event.key === "Enter" && typed && sends && node.dataset.w) {
      event.preventDefault();
      emit(node.dataset.w, "submit");
    } else if (!typed && node.tagName !== "BUTTON" && node.dataset.w && (event.key === "Enter" || event.key === " ")) {
      event.preventDefault();
      node.click();
    }
  });
}
