// A case without a folder of its own: zoom and layers.

import { onKey } from "/static/studio.js";
import { watchZoom, ZOOM_KEYS } from "/static/zoom.js";

for (const [key, act] of Object.entries(ZOOM_KEYS)) onKey(key, act);
watchZoom();
