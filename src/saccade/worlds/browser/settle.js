// Resolves when the page has settled: no DOM change or scrolling for `quiet` ms and no finite animation running,
// or when `limit` ms have passed. Endless animations (spinners, marquees) do not count. Where changes cannot be observed
// from here (frames, canvases, shadow roots), it waits twice as long. What watches the page stays after that, so that
// `changed.js` can tell whether something has happened since.
({ quiet, limit }) =>
  new Promise((resolve) => {
    const key = Symbol.for("saccade.settled");
    if (!window[key]) {
      const watch = { last: 0, rested: 0 };
      const stir = () => (watch.last = performance.now());
      document.addEventListener("scroll", stir, { capture: true, passive: true });
      new MutationObserver(stir).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
      watch.moving = () =>
        document.getAnimations().some((animation) => {
          if (animation.playState !== "running" || !animation.effect) return false;
          return Number.isFinite(animation.effect.getComputedTiming().endTime);
        });
      Object.defineProperty(window, key, { value: watch });
    }
    const watch = window[key];
    const start = performance.now();
    watch.last = start;
    const unseen = () =>
      document.querySelector("iframe,frame,canvas,video,object,embed") || [...document.querySelectorAll("*")].some((node) => node.shadowRoot);
    const look = () => {
      const now = performance.now();
      const still = now - watch.last;
      const rested = still >= quiet && document.readyState !== "loading" && !watch.moving() && (still >= 2 * quiet || !unseen());
      watch.rested = now;
      if (rested || now - start >= limit) resolve(rested);
      else setTimeout(look, 10);
    };
    setTimeout(look, 10);
  })
