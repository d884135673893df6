// Has the page changed since `settle.js` found it at rest, or does it within `quiet` ms of its last change? Another
// document counts as a change.
async (quiet) => {
  const watch = window[Symbol.for("saccade.settled")];
  if (!watch) return true;
  const left = watch.last + quiet - performance.now();
  if (left > 0) await new Promise((resolve) => setTimeout(resolve, left));
  return watch.last > watch.rested || watch.moving();
}
