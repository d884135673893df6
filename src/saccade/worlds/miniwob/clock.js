// A clock that advances only on command, so that a page looks the same however long an agent thinks, and the same in
// every run. Replaces the page's clocks, timers and animation frames before any script of the page runs. Also makes random
// numbers before the first seed repeatable, and hides what is not part of the task: score, click marks, start button.
(() => {
  const START = Date.UTC(2020, 0, 1, 12);
  const FRAME = 16;
  const BEAT = 125 * FRAME;
  const RealDate = Date;
  const timers = new Map();
  let now = 0;
  let last = 0;
  const add = (call, delay, args, every) => {
    const wait = Math.max(1, Number(delay) || 0);
    timers.set(++last, { call, args, due: now + wait, every: every ? wait : 0 });
    return last;
  };
  const remove = (id) => void timers.delete(id);
  window.setTimeout = (call, delay, ...args) => add(call, delay, args, false);
  window.setInterval = (call, delay, ...args) => add(call, delay, args, true);
  window.requestAnimationFrame = (call) => add(() => call(now), FRAME - (now % FRAME), [], false);
  window.clearTimeout = window.clearInterval = window.cancelAnimationFrame = remove;
  performance.now = () => now;
  window.Date = new Proxy(RealDate, {
    construct: (target, args, made) => Reflect.construct(target, args.length ? args : [START + now], made),
    apply: () => new RealDate(START + now).toString(),
    get: (target, key) => (key === "now" ? () => START + now : Reflect.get(target, key)),
  });

  let dice = 12345;
  Math.random = () => (dice = (dice * 16807) % 2147483647) / 2147483647;

  const sheet = new CSSStyleSheet();
  sheet.replaceSync(
    "#reward-display, #click-canvas, #sync-task-cover { display: none !important }" +
      "* { caret-color: transparent !important }",
  );
  document.adoptedStyleSheets = [sheet];

  // Pictures load in real time: wait for those that the page uses now, most of them in its styles.
  const STYLES = ["backgroundImage", "content", "listStyleImage", "borderImageSource"];
  const loaded = new Set();
  const load = (url) =>
    new Promise((resolve) => {
      const picture = new Image();
      picture.onload = picture.onerror = () => resolve(loaded.add(url));
      picture.src = url;
    });
  const pictures = () => {
    const wanted = new Set([...document.images].filter((image) => !image.complete).map((image) => image.src));
    for (const node of document.querySelectorAll("body *")) {
      const style = getComputedStyle(node);
      for (const name of STYLES) for (const [, url] of style[name].matchAll(/url\("(.+?)"\)/g)) wanted.add(url);
    }
    return Promise.all([...wanted].filter((url) => !loaded.has(url)).map(load));
  };

  const next = (end) => {
    let found = null;
    for (const [id, timer] of timers) if (timer.due <= end && (!found || timer.due < found[1].due)) found = [id, timer];
    return found;
  };
  const pass = async (milliseconds) => {
    const end = now + milliseconds;
    for (let found = next(end); found; found = next(end)) {
      const [id, timer] = found;
      now = timer.due;
      if (timer.every) timer.due += timer.every;
      else timers.delete(id);
      try {
        typeof timer.call === "function" ? timer.call(...timer.args) : new Function(timer.call)();
      } catch (error) {
        console.error(error);
      }
      await null; // run pending promises before the next timer
    }
    now = end;
    for (const animation of document.getAnimations()) {
      const endless = !animation.effect || !Number.isFinite(animation.effect.getComputedTiming().endTime);
      endless ? animation.cancel() : animation.finish();
    }
    await pictures();
  };

  // Lets all motion end, and advances to a multiple of BEAT, at which every episode begins.
  const rest = () => pass(2 * BEAT - (now % BEAT));
  Object.defineProperty(window, "saccadeClock", { value: { pass, rest } });
})()
