// Two runs side by side: the keys.

import { onKey } from "/static/studio.js";
import { watchZoom, ZOOM_KEYS } from "/static/zoom.js";

const table = document.getElementById("aligned");

function go(by) {
  const at = Number(table.dataset.chosen) + by;
  if (at < 0 || at >= Number(table.dataset.count)) return;
  const address = new URL(location.href);
  address.searchParams.set("row", String(at));
  location.replace(address);
}

onKey("ArrowLeft", () => go(-1));
onKey("ArrowRight", () => go(1));
for (const [key, act] of Object.entries(ZOOM_KEYS)) onKey(key, act);
watchZoom();
