// Resolves when the page has settled: no DOM change or scrolling for `quiet` ms and no finite animation running,
// or when `limit` ms have passed. Endless animations (spinners, marquees) do not count.
({ quiet, limit }) =>
  new Promise((resolve) => {
    const start = performance.now();
    let last = start;
    const stir = () => (last = performance.now());
    const observer = new MutationObserver(stir);
    document.addEventListener("scroll", stir, { capture: true, passive: true });
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    const moving = () =>
      document.getAnimations().some((animation) => {
        if (animation.playState !== "running" || !animation.effect) return false;
        return Number.isFinite(animation.effect.getComputedTiming().endTime);
      });
    const look = () => {
      const now = performance.now();
      const rested = now - last >= quiet && document.readyState !== "loading" && !moving();
      if (rested || now - start >= limit) {
        observer.disconnect();
        document.removeEventListener("scroll", stir, { capture: true });
        resolve(rested);
      } else {
        setTimeout(look, 10);
      }
    };
    setTimeout(look, 10);
  })
