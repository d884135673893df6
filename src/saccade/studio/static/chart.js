// A line chart in SVG: axes, legend, a cursor that reads values off, logarithmic scale, smoothing.

const SPACE = "http://www.w3.org/2000/svg";
const WIDTH = 420, HEIGHT = 200, LEFT = 52, RIGHT = 8, TOP = 8, BOTTOM = 22;

export function element(name, attributes = {}, text = "") {
  const made = document.createElementNS(SPACE, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text) made.textContent = text;
  return made;
}

/** A number as short as it can be read: 0.00123, 12.3, 4.5e+6. */
export function short(value) {
  if (value === 0) return "0";
  const size = Math.abs(value);
  return size >= 1e5 || size < 1e-3 ? value.toExponential(1) : String(Number(value.toPrecision(3)));
}

/** About four round numbers between two. */
export function ticks(low, high, logarithmic) {
  if (logarithmic) {
    const first = Math.ceil(Math.log10(low)), last = Math.floor(Math.log10(high));
    const every = Math.max(1, Math.ceil((last - first + 1) / 4));
    const powers = [];
    for (let power = first; power <= last; power += every) powers.push(10 ** power);
    return powers.length > 1 ? powers : [low, high];
  }
  const rough = (high - low) / 4 || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough);
  const found = [];
  for (let at = Math.ceil(low / step) * step; at <= high + step / 1e6; at += step) found.push(Math.abs(at) < step / 1e6 ? 0 : at);
  return found;
}

/** The exponential moving average with its start-up bias taken out (Kingma and Ba 2015, section 3). */
export function smoothed(points, share) {
  let mean = 0, weight = 1;
  return points.map(([x, y]) => {
    mean = share * mean + (1 - share) * y;
    weight *= share;
    return [x, mean / (1 - weight)];
  });
}

/** The figure of a chart. series: [{name, label, colour (0-5), dash (0-3), points: [[x, y], …]}]. */
export class Chart {
  constructor(title) {
    this.figure = document.createElement("figure");
    this.figure.className = "chart card";
    const caption = document.createElement("figcaption");
    caption.textContent = title;
    this.title = title;
    this.svg = element("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img" });
    this.legend = document.createElement("ul");
    this.legend.className = "legend";
    this.figure.append(caption, this.svg, this.legend);
    this.svg.addEventListener("pointermove", (event) => this.read(event));
    this.svg.addEventListener("pointerleave", () => this.label());
  }

  draw(series, { logarithmic = false, smoothing = 0 } = {}) {
    this.series = series.map((each) => {
      const points = logarithmic ? each.points.filter(([, y]) => y > 0) : each.points;
      return { ...each, points, line: smoothing ? smoothed(points, smoothing) : points };
    });
    const all = this.series.flatMap((each) => each.points);
    this.svg.replaceChildren();
    if (!all.length) return this.label();
    let [x0, x1, y0, y1] = [Infinity, -Infinity, Infinity, -Infinity];
    for (const [x, y] of all) {
      x0 = Math.min(x0, x); x1 = Math.max(x1, x);
      y0 = Math.min(y0, y); y1 = Math.max(y1, y);
    }
    if (x0 === x1) { x0 -= 1; x1 += 1; }
    if (y0 === y1) { const room = Math.abs(y0) * 0.1 || 1; if (!logarithmic) y0 -= room; y1 += room; }
    const level = logarithmic ? Math.log10 : (value) => value;
    this.x = (x) => LEFT + ((x - x0) / (x1 - x0)) * (WIDTH - LEFT - RIGHT);
    this.y = (y) => HEIGHT - BOTTOM - ((level(y) - level(y0)) / (level(y1) - level(y0) || 1)) * (HEIGHT - TOP - BOTTOM);
    this.back = (at) => x0 + ((at - LEFT) / (WIDTH - LEFT - RIGHT)) * (x1 - x0);
    for (const y of ticks(y0, y1, logarithmic)) {
      this.svg.append(element("line", { class: "grid-line", x1: LEFT, x2: WIDTH - RIGHT, y1: this.y(y), y2: this.y(y) }));
      this.svg.append(element("text", { x: LEFT - 5, y: this.y(y) + 4, "text-anchor": "end" }, short(y)));
    }
    for (const x of ticks(x0, x1, false).filter(Number.isInteger)) {
      const anchor = this.x(x) > WIDTH - 20 ? "end" : "middle";
      this.svg.append(element("text", { x: this.x(x), y: HEIGHT - 6, "text-anchor": anchor }, short(x)));
    }
    for (const each of this.series) this.curve(each, smoothing);
    this.label();
  }

  curve(each, smoothing) {
    const group = element("g", { class: `curve-${each.colour} dash-${each.dash}` });
    const path = (points) => points.map(([x, y], at) => `${at ? "L" : "M"}${this.x(x).toFixed(1)} ${this.y(y).toFixed(1)}`).join("");
    if (smoothing) group.append(element("path", { class: "raw", d: path(each.points) }));
    group.append(element("path", { d: path(each.line), "vector-effect": "non-scaling-stroke" }));
    if (each.line.length === 1) {
      const [x, y] = each.line[0];
      group.append(element("circle", { cx: this.x(x), cy: this.y(y), r: 2.5, fill: "currentColor" }));
    }
    this.svg.append(group);
  }

  /** The legend with the values at a step, or with the last ones. */
  label(at = Infinity) {
    this.legend.replaceChildren(
      ...this.series.map((each) => {
        const item = document.createElement("li");
        const swatch = document.createElement("span");
        swatch.className = `swatch curve-${each.colour}`;
        const point = each.points.findLast(([x]) => x <= at);
        item.append(swatch, `${each.label}: ${point ? `${short(point[1])} (${point[0]})` : "–"}`);
        return item;
      }),
    );
    this.svg.setAttribute("aria-label", `${this.title}. ${[...this.legend.children].map((each) => each.textContent).join("; ")}`);
  }

  read(event) {
    if (!this.back) return;
    const frame = this.svg.getBoundingClientRect();
    const at = ((event.clientX - frame.left) / frame.width) * WIDTH;
    this.svg.querySelector(".cursor")?.remove();
    this.svg.append(element("line", { class: "cursor", x1: at, x2: at, y1: TOP, y2: HEIGHT - BOTTOM }));
    this.label(this.back(at));
  }
}
