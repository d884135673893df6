// Draws boxes on a screenshot: with the mouse, by snapping to an element, or by typing four numbers.
// Coordinates are pixels of the screenshot.

const SMALLEST = 4;

/** A colour of the style sheet as the canvas understands it. */
function colour(name) {
  const probe = document.createElement("span");
  probe.style.color = `var(--${name})`;
  document.body.append(probe);
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}

const area = (box) => (box[2] - box[0]) * (box[3] - box[1]);
const holds = (box, [x, y]) => box[0] <= x && x <= box[2] && box[1] <= y && y <= box[3];
const middle = (box) => [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2];
const rounded = (box) => box.map((each) => Math.round(each));

export class BoxEditor {
  /** `most`: how many boxes there may be. `changed` is called after every change, `picked` after a click on an
   * element; without `picked`, a click takes the element's box. */
  constructor(holder, fields, { most = 1, changed = () => {}, picked = null } = {}) {
    Object.assign(this, { holder, fields, most, changed, picked });
    this.boxes = [];
    this.selected = 0;
    this.elements = [];
    this.others = [];
    this.zoom = 1;
    this.outlines = true;
    this.turn = 0;
    this.stage = new Konva.Stage({ container: holder, width: 100, height: 100 });
    this.ground = new Konva.Layer({ listening: false });
    this.layer = new Konva.Layer();
    this.stage.add(this.ground, this.layer);
    this.inputs = fields ? [...fields.querySelectorAll("input")] : [];
    for (const input of this.inputs) input.addEventListener("change", () => this.typed());
    this.listen();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
    new ResizeObserver(() => this.fit()).observe(holder);
    addEventListener("resize", () => this.fit());
  }

  /** Show a screen: its picture, its elements, the point that was touched, and others' boxes. */
  async show({ screen, picture, elements = [], point = null, others = [] }) {
    Object.assign(this, { size: screen, elements, point, others, turn: 0, image: null });
    this.fit();
    if (!picture) return;
    const image = new Image();
    image.src = picture;
    try {
      await image.decode();
      if (this.size === screen) this.image = image;
    } catch {
      // A picture that cannot be read: the outlines of the elements are all there is.
    }
    this.fit();
  }

  get box() {
    return this.boxes[this.selected]?.box ?? null;
  }

  /** Change the selected box; null removes it. */
  set box(value) {
    if (!this.most) return;
    if (value === null) this.boxes.splice(this.selected, 1);
    else if (this.boxes[this.selected]) this.boxes[this.selected].box = value;
    else this.boxes.push({ box: value });
    this.selected = Math.min(this.selected, Math.max(0, this.boxes.length - 1));
    this.written = undefined;
    this.draw();
    this.changed();
  }

  /** Replace all boxes without telling anybody. */
  load(boxes, selected = 0) {
    this.boxes = boxes;
    this.selected = selected;
    this.written = undefined;
    this.draw();
  }

  /** Add a box, or replace the one there may be. */
  add(box) {
    if (this.most === 1) {
      this.selected = 0;
    } else {
      if (this.boxes.length >= this.most) return;
      this.boxes.push({ box: null });
      this.selected = this.boxes.length - 1;
    }
    this.box = box;
  }

  select(at) {
    this.selected = at;
    this.draw();
    this.changed();
  }

  /** The elements at a place, the likeliest first: nearest centre, then smaller. */
  at(point) {
    const distance = (each) => Math.hypot(...middle(each.box).map((value, axis) => value - point[axis]));
    return this.elements
      .filter((each) => area(each.box) > 0 && holds(each.box, point))
      .sort((a, b) => distance(a) - distance(b) || area(a.box) - area(b.box));
  }

  /** Take the box of the element at the touched point, or under the middle of the box; again: the next one there. */
  snap() {
    const place = this.point ?? (this.box ? middle(this.box) : null);
    const found = place ? this.at(place) : [];
    if (!found.length) return false;
    const chosen = found[this.turn % found.length];
    this.turn += 1;
    this.box = [...chosen.box];
    return true;
  }

  typed() {
    const values = this.inputs.map((input) => (input.value === "" ? NaN : Number(input.value)));
    if (values.every(Number.isFinite)) this.box = values;
  }

  /** Change the zoom by a factor; 0: the whole picture. */
  larger(factor) {
    this.zoom = factor ? Math.min(8, Math.max(0.25, this.zoom * factor)) : 1;
    this.fit();
  }

  fit() {
    if (!this.size) return;
    const [width, height] = this.size;
    const most = parseFloat(getComputedStyle(this.holder).maxHeight) || innerHeight; // none on narrow screens
    const free = Math.max(200, most - 4);
    const whole = Math.min((this.holder.clientWidth || 600) / width, free / height);
    this.scale = whole * this.zoom;
    this.stage.size({ width: width * this.scale, height: height * this.scale });
    this.stage.scale({ x: this.scale, y: this.scale });
    this.draw();
  }

  draw() {
    if (!this.size) return;
    const [width, height] = this.size;
    const line = 2 / this.scale;
    const outline = (box, stroke, more = {}) =>
      new Konva.Rect({
        x: box[0], y: box[1], width: box[2] - box[0], height: box[3] - box[1], stroke, strokeWidth: line, ...more,
      });
    this.ground.destroyChildren();
    this.ground.add(outline([0, 0, width, height], "transparent", { fill: colour("ground") }));
    if (this.image) this.ground.add(new Konva.Image({ image: this.image, width, height }));
    for (const each of this.outlines ? this.elements : []) {
      this.ground.add(outline(each.box, colour("quiet"), { strokeWidth: line / 2, opacity: 0.7 }));
      if (!this.image && each.text) this.ground.add(this.words(each.text, each.box, colour("text"), 14));
    }
    for (const each of this.others) {
      this.ground.add(outline(each.box, colour("warn"), { dash: [6 / this.scale, 4 / this.scale] }));
      this.ground.add(this.words(each.label, each.box, colour("warn"), 12));
    }
    if (this.point) {
      const [x, y] = this.point;
      this.ground.add(new Konva.Circle({ x, y, radius: 7 / this.scale, stroke: "white", strokeWidth: 2 * line }));
      this.ground.add(new Konva.Circle({ x, y, radius: 7 / this.scale, stroke: colour("bad"), strokeWidth: line }));
    }
    this.layer.destroyChildren();
    this.boxes.forEach((each, at) => each.box && this.drawBox(each, at, outline));
    const box = this.box;
    const written = JSON.stringify(box ?? null);
    if (written === this.written) return; // a number that is being typed stays
    this.written = written;
    this.inputs.forEach((input, at) => (input.value = box ? Math.round(100 * box[at]) / 100 : ""));
  }

  words(text, box, fill, size) {
    return new Konva.Text({ x: box[0], y: box[1], text: text.slice(0, 80), fontSize: size / this.scale, fill,
      fontFamily: "system-ui, sans-serif" });
  }

  drawBox(each, at, outline) {
    const chosen = at === this.selected;
    const shape = outline(each.box, colour("accent"), {
      strokeWidth: (chosen ? 3 : 2) / this.scale, fill: "rgba(60, 140, 255, 0.12)", draggable: true,
    });
    const read = () => {
      const [x, y] = [shape.x(), shape.y()];
      const [w, h] = [shape.width() * shape.scaleX(), shape.height() * shape.scaleY()];
      this.selected = at;
      this.box = this.inside(rounded([x, y, x + w, y + h]));
    };
    shape.on("dragend transformend", read);
    shape.on("click tap", () => this.select(at));
    this.layer.add(shape);
    if (this.most > 1) this.layer.add(this.words(String(at + 1), each.box, colour("accent"), 16));
    if (!chosen) return;
    const handles = new Konva.Transformer({ nodes: [shape], rotateEnabled: false, keepRatio: false,
      ignoreStroke: true, borderEnabled: false, anchorSize: 9 });
    this.layer.add(handles);
  }

  inside(box) {
    const [width, height] = this.size;
    const clamp = (value, most) => Math.min(Math.max(value, 0), most);
    return [clamp(box[0], width), clamp(box[1], height), clamp(box[2], width), clamp(box[3], height)];
  }

  listen() {
    let start = null;
    let drawn = null;
    const here = () => {
      const place = this.stage.getPointerPosition();
      return [place.x / this.scale, place.y / this.scale];
    };
    this.stage.on("mousedown touchstart", (event) => {
      if (event.target !== this.stage) return;
      start = here();
      drawn = new Konva.Rect({ stroke: colour("accent"), strokeWidth: 2 / this.scale, listening: false });
      this.layer.add(drawn);
    });
    this.stage.on("mousemove touchmove", () => {
      if (!start) return;
      const [x, y] = here();
      drawn.setAttrs({ x: Math.min(x, start[0]), y: Math.min(y, start[1]), width: Math.abs(x - start[0]),
        height: Math.abs(y - start[1]) });
    });
    window.addEventListener("mouseup", (event) => this.stage.setPointersPositions(event) || finish());
    window.addEventListener("touchend", () => finish());
    const finish = () => {
      if (!start) return;
      const end = here();
      const from = start;
      start = null;
      drawn.destroy();
      const box = this.inside(rounded([
        Math.min(from[0], end[0]), Math.min(from[1], end[1]), Math.max(from[0], end[0]), Math.max(from[1], end[1]),
      ]));
      if (Math.min(box[2] - box[0], box[3] - box[1]) * this.scale >= SMALLEST) {
        this.add(box);
        return;
      }
      const element = this.at(end)[0];
      if (element && this.picked) this.picked(element);
      else if (element) this.add([...element.box]);
    };
  }
}
