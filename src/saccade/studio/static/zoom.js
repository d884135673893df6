// Zoom and panning of screenshots, and the layers drawn on them. At 100 % a pixel of the picture is a pixel of the screen.

const STEP = 1.25;
const [LEAST, MOST] = [0.05, 8];
const kept = (name, otherwise) => JSON.parse(sessionStorage.getItem(`saccade-${name}`) ?? "null") ?? otherwise;
const keep = (name, value) => sessionStorage.setItem(`saccade-${name}`, JSON.stringify(value));

let scale = kept("zoom", "fit");
let hidden = kept("layers", ["elements"]);

const viewers = () => [...document.querySelectorAll("[data-zoom]")];

// The size of the picture itself; of the screen as it was logged while the picture loads, or where there is none.
function natural(frame) {
  const picture = frame.querySelector("img");
  if (picture?.complete && picture.naturalWidth) return [picture.naturalWidth, picture.naturalHeight];
  return [Number(frame.dataset.width), Number(frame.dataset.height)];
}

function factor(viewer) {
  if (scale !== "fit") return scale;
  const [width, height] = natural(viewer.querySelector(".frame"));
  const dots = devicePixelRatio || 1;
  return Math.min((viewer.clientWidth * dots) / width, (viewer.clientHeight * dots) / height, 1);
}

function show(viewer) {
  const frame = viewer.querySelector(".frame");
  const [width, height] = natural(frame);
  const now = factor(viewer);
  const dots = devicePixelRatio || 1;
  frame.style.width = `${(width * now) / dots}px`;
  frame.style.height = `${(height * now) / dots}px`;
  frame.classList.toggle("sharp", now >= 2);
  for (const name of ["action", "named", "truth", "elements"]) {
    frame.classList.toggle(`hide-${name}`, hidden.includes(name));
  }
  return now;
}

// Where a picture is larger than its place, the action is in the middle.
function centre(viewer) {
  const action = viewer.querySelector(".shape.action .dot, .shape.truth rect");
  if (!action) return;
  const [inner, outer] = [action.getBoundingClientRect(), viewer.getBoundingClientRect()];
  viewer.scrollLeft += inner.left + inner.width / 2 - outer.left - outer.width / 2;
  viewer.scrollTop += inner.top + inner.height / 2 - outer.top - outer.height / 2;
}

export function centreAll() {
  showAll();
  viewers().forEach(centre);
}

export function showAll() {
  let now = 1;
  for (const viewer of viewers()) now = show(viewer);
  for (const node of document.querySelectorAll(".zoom-now")) node.textContent = `${Math.round(100 * now)} %`;
  for (const node of document.querySelectorAll("[data-layer]")) {
    node.setAttribute("aria-pressed", String(!hidden.includes(node.dataset.layer)));
  }
}

// Zoom so that the place under the pointer, or the middle, stays where it is.
function zoomTo(wanted, viewer, x, y) {
  const places = viewers().map((each) => {
    const box = each.getBoundingClientRect();
    const [dx, dy] = each === viewer ? [x - box.left, y - box.top] : [each.clientWidth / 2, each.clientHeight / 2];
    const frame = each.querySelector(".frame").getBoundingClientRect();
    return { each, dx, dy, across: (box.left + dx - frame.left) / frame.width, down: (box.top + dy - frame.top) / frame.height };
  });
  scale = wanted === "fit" ? "fit" : Math.max(LEAST, Math.min(MOST, wanted));
  keep("zoom", scale);
  showAll();
  for (const { each, dx, dy, across, down } of places) {
    const frame = each.querySelector(".frame");
    each.scrollLeft = frame.offsetLeft + across * frame.clientWidth - dx;
    each.scrollTop = frame.offsetTop + down * frame.clientHeight - dy;
  }
}

const ways = {
  in: () => zoomTo(factor(viewers()[0]) * STEP),
  out: () => zoomTo(factor(viewers()[0]) / STEP),
  fit: () => zoomTo("fit"),
  true: () => zoomTo(1),
};

export function zoomBy(way) {
  if (viewers().length) ways[way]();
}

export function toggleLayer(name) {
  hidden = hidden.includes(name) ? hidden.filter((each) => each !== name) : [...hidden, name];
  keep("layers", hidden);
  showAll();
}

let held = null;

function pan(event) {
  if (!held) return;
  held.viewer.scrollLeft = held.left - (event.clientX - held.x);
  held.viewer.scrollTop = held.top - (event.clientY - held.y);
}

export function watchZoom() {
  document.addEventListener("click", (event) => {
    const way = event.target.closest("[data-zoom-by]");
    const layer = event.target.closest("[data-layer]");
    if (way) zoomBy(way.dataset.zoomBy);
    if (layer) toggleLayer(layer.dataset.layer);
  });
  document.addEventListener("pointerdown", (event) => {
    const viewer = event.target.closest("[data-zoom]");
    if (!viewer || event.button !== 0 || event.pointerType === "touch") return;
    held = { viewer, x: event.clientX, y: event.clientY, left: viewer.scrollLeft, top: viewer.scrollTop };
    viewer.classList.add("held");
  });
  document.addEventListener("pointermove", pan);
  document.addEventListener("pointerup", () => {
    held?.viewer.classList.remove("held");
    held = null;
  });
  document.addEventListener("wheel", (event) => {
    const viewer = event.target.closest("[data-zoom]");
    if (!viewer || !event.ctrlKey) return;
    event.preventDefault();
    zoomTo(factor(viewer) * Math.exp(-event.deltaY / 300), viewer, event.clientX, event.clientY);
  }, { passive: false });
  document.addEventListener("load", (event) => {
    if (event.target.closest?.("[data-zoom]")) centreAll();
  }, true);
  addEventListener("resize", showAll);
  centreAll();
}

export const ZOOM_KEYS = {
  "+": () => zoomBy("in"),
  "=": () => zoomBy("in"),
  "-": () => zoomBy("out"),
  0: () => zoomBy("fit"),
  1: () => zoomBy("true"),
  l: () => toggleLayer("elements"),
};
