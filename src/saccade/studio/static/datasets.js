// Keys of the pages of data sets: neighbours by the arrows, layers over a sample's picture, Ctrl+Enter asks.
import { onKey } from "./studio.js";

const follow = (selector) => () => document.querySelector(selector)?.click();
onKey("ArrowLeft", follow("a[rel=prev]"));
onKey("ArrowRight", follow("a[rel=next]"));
onKey("u", follow("a[data-up]"));

const picture = document.querySelector("svg.picture");
for (const box of document.querySelectorAll("input[data-layer]")) {
  const apply = () => picture.classList.toggle(`hide-${box.dataset.layer}`, !box.checked);
  box.addEventListener("change", apply);
  apply(); // a browser that goes back keeps what was ticked
  onKey(box.dataset.key, () => box.click());
}

const zoom = document.querySelector("input[data-zoom]");
if (zoom) {
  const apply = () => {
    picture.classList.toggle("large", zoom.checked);
    // 100 %: one pixel of the screenshot is one pixel of this display.
    picture.style.width = zoom.checked ? `${picture.dataset.width / window.devicePixelRatio}px` : "";
  };
  zoom.addEventListener("change", apply);
  apply();
  onKey("z", () => zoom.click());
}

document.querySelector("[data-sql]")?.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) event.target.form.requestSubmit();
});
