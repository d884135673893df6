// The live picture: zoom, the boxes of elements, and what a mouse or finger does on it as an action in pixels.

const HOLD_MS = 600;
const SLOP = 0.05; // of the shorter side: a shorter stroke is a click, as the worlds themselves count
const WHEEL_MS = 350;

/** The screen of a live run. `onAction` gets actions in pixels of the screenshot, `onPoint` a place alone. */
export class LiveScreen {
  constructor({ onAction, onPoint, onElement }) {
    this.view = document.getElementById("view");
    this.frame = document.getElementById("picture");
    this.image = document.getElementById("screen");
    this.marks = document.getElementById("marks");
    this.list = document.getElementById("elements");
    this.zoom = document.getElementById("zoom");
    this.tool = document.getElementById("tool");
    this.boxes = document.getElementById("boxes");
    Object.assign(this, { onAction, onPoint, onElement, number: 0, size: [0, 0], elements: [], taken: false });
    this.zoom.addEventListener("change", () => this.fit());
    this.boxes.addEventListener("change", () => this.drawBoxes());
    this.frame.addEventListener("pointerdown", (event) => this.down(event));
    this.frame.addEventListener("pointerup", (event) => this.up(event));
    this.frame.addEventListener("pointercancel", () => (this.began = null));
    this.frame.addEventListener("contextmenu", (event) => event.preventDefault());
    this.frame.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    addEventListener("resize", () => this.fit());
    this.lastWheel = 0;
  }

  async show(address, state) {
    this.taken = state.phase === "person" && state.taken;
    this.waits = state.phase === "paused";
    this.can = new Set(state.actions);
    this.space = state.space;
    this.frame.classList.toggle("taken", this.taken);
    this.mark(state.proposal);
    if (state.screen === this.number || state.screen === 0) return;
    this.number = state.screen;
    this.size = state.size;
    this.image.src = `${address}/screen/${state.screen}`;
    document.getElementById("no-screen").hidden = true;
    this.frame.hidden = false;
    this.fit();
    const answer = await fetch(`${address}/elements/${state.screen}`);
    if (!answer.ok || this.number !== state.screen) return;
    this.elements = await answer.json();
    this.drawBoxes();
    this.listElements();
  }

  /** One pixel of the picture is one of the display at 100 %. */
  fit() {
    const [width, height] = this.size;
    if (!width) return;
    let wide = width / devicePixelRatio;
    if (this.zoom.value === "fit") {
      const room = Math.max(200, parseFloat(getComputedStyle(this.view).maxHeight)) - 4;
      wide = Math.min(wide, this.view.clientWidth, (room * width) / height);
    } else {
      wide *= Number(this.zoom.value) / 100;
    }
    this.frame.style.width = `${wide}px`;
    this.frame.style.aspectRatio = `${width} / ${height}`;
  }

  /** Where an event is, in pixels of the screenshot, whatever the zoom. */
  at(event) {
    const box = this.image.getBoundingClientRect();
    const place = (value, start, length, most) =>
      Math.min(most - 1, Math.max(0, Math.round(((value - start) / length) * most)));
    return [
      place(event.clientX, box.left, box.width, this.size[0]),
      place(event.clientY, box.top, box.height, this.size[1]),
    ];
  }

  down(event) {
    if (!this.taken && !this.waits) return;
    event.preventDefault();
    this.frame.setPointerCapture(event.pointerId);
    this.began = { point: this.at(event), time: performance.now(), button: event.button };
  }

  up(event) {
    const began = this.began;
    this.began = null;
    if (!began) return;
    const end = this.at(event);
    if (this.waits) this.onPoint(end);
    else if (this.taken) this.onAction(this.gesture(began, end, performance.now() - began.time));
  }

  gesture({ point, button }, end, time) {
    const tool = this.tool.value;
    const [dx, dy] = [end[0] - point[0], end[1] - point[1]];
    const moved = Math.hypot(dx, dy) > SLOP * Math.min(...this.size);
    if (tool === "drag") return { type: "drag", start: point, end };
    if (tool === "select") return { type: "select", point, text: document.getElementById("text").value };
    if (tool !== "touch") return { type: tool, point };
    if (moved && this.can.has("swipe")) {
      const sideways = Math.abs(dx) > Math.abs(dy);
      const direction = sideways ? (dx > 0 ? "right" : "left") : dy > 0 ? "down" : "up";
      return { type: "swipe", direction, start: point, end };
    }
    if (button === 2 && this.can.has("right_click")) return { type: "right_click", point };
    if (time >= HOLD_MS && this.can.has("long_press")) return { type: "long_press", point };
    return { type: "click", point };
  }

  // The wheel moves the content: the finger goes the other way.
  wheel(event) {
    if (!this.taken || event.ctrlKey || !this.can.has("swipe")) return;
    event.preventDefault();
    const now = performance.now();
    if (now - this.lastWheel < WHEEL_MS) return;
    this.lastWheel = now;
    const sideways = Math.abs(event.deltaX) > Math.abs(event.deltaY);
    const onward = sideways ? event.deltaX > 0 : event.deltaY > 0;
    const direction = sideways ? (onward ? "left" : "right") : onward ? "up" : "down";
    this.onAction({ type: "swipe", direction, start: this.at(event) });
  }

  place(node, [x0, y0, x1, y1]) {
    const [width, height] = this.size;
    Object.assign(node.style, {
      left: `${(100 * x0) / width}%`,
      top: `${(100 * y0) / height}%`,
      width: `${(100 * (x1 - x0)) / width}%`,
      height: `${(100 * (y1 - y0)) / height}%`,
    });
  }

  drawBoxes() {
    this.marks.querySelectorAll(".box").forEach((node) => node.remove());
    if (!this.boxes.checked) return;
    for (const element of this.elements) {
      const node = document.createElement("div");
      node.className = element.interactive === false ? "box still" : "box";
      this.place(node, element.box);
      this.marks.append(node);
    }
  }

  /** The place that the proposed action touches. */
  mark(action) {
    this.marks.querySelector(".target")?.remove();
    const point = action?.point ?? action?.start;
    if (!point || !this.size[0]) return;
    const node = document.createElement("div");
    node.className = "target";
    this.place(node, [point[0], point[1], point[0], point[1]]);
    this.marks.append(node);
  }

  listElements() {
    const shown = this.elements.filter((element) => element.text || element.caption).slice(0, 300);
    this.list.replaceChildren(
      ...shown.map((element) => {
        const [x0, y0, x1, y1] = element.box;
        const node = document.createElement("button");
        node.type = "button";
        node.textContent = `${element.text || element.caption}`.slice(0, 120);
        node.addEventListener("click", () => this.onElement([Math.round((x0 + x1) / 2), Math.round((y0 + y1) / 2)]));
        const item = document.createElement("li");
        item.append(node);
        return item;
      }),
    );
  }
}
