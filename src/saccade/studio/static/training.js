// The curves of one or several trainings: fetched from the byte where the last answer ended, as long as the page is seen.
import { Chart, short } from "./chart.js";
import { onKey } from "./studio.js";

const EVERY = 2000; // milliseconds
const place = document.querySelector("[data-charts]");
const state = document.querySelector("[data-state]");
const smooth = document.querySelector("[data-smooth]");
const logarithmic = document.querySelector("[data-log]");
const trainings = [...document.querySelectorAll("[data-training]")].map((item, at) => {
  if (document.querySelectorAll("[data-training]").length > 1) item.querySelector(".swatch").classList.add(`curve-${at % 6}`);
  else item.querySelector(".swatch").remove();
  return { id: item.dataset.training, label: item.dataset.label, next: 0, curves: new Map() };
});
const charts = new Map(); // name of the chart: {chart, curves}

async function fetchMore(training) {
  const answer = await fetch(`/training/${training.id}/log?after=${training.next}`);
  if (!answer.ok) return false;
  const part = await answer.json();
  if (part.restarted) training.curves.clear();
  for (const [name, points] of Object.entries(part.curves)) {
    if (!training.curves.has(name)) training.curves.set(name, []);
    training.curves.get(name).push(...points);
  }
  for (const [name, curves] of part.charts) {
    if (!charts.has(name)) charts.set(name, { chart: new Chart(part.titles[name]), curves: new Set() });
    for (const curve of curves) charts.get(name).curves.add(curve);
  }
  const changed = part.restarted || part.next !== training.next;
  training.next = part.next;
  return part.more ? (await fetchMore(training)) || true : changed;
}

function draw() {
  const many = trainings.length > 1;
  for (const { chart, curves } of charts.values()) {
    const series = [];
    [...curves].forEach((name, at) => {
      trainings.forEach((training, which) => {
        const points = training.curves.get(name);
        if (!points) return;
        const label = many ? `${training.label.split("/").pop()} ${name}` : name;
        series.push({ label, points, colour: (many ? which : at) % 6, dash: (many ? at : Math.floor(at / 6)) % 4 });
      });
    });
    chart.draw(series, { logarithmic: logarithmic.checked, smoothing: Number(smooth.value) });
    if (!chart.figure.isConnected) place.append(chart.figure);
  }
  list();
}

function list() {
  const rows = trainings.flatMap((training) => [...training.curves].map(([name, points]) => {
    const values = points.map(([, value]) => value);
    const low = values.reduce((a, b) => Math.min(a, b)), high = values.reduce((a, b) => Math.max(a, b));
    return [name, training.label, short(points.at(-1)[0]), short(values.at(-1)), `${short(low)} … ${short(high)}`];
  }));
  document.querySelector("[data-values]").replaceChildren(...rows.map((cells) => {
    const row = document.createElement("tr");
    cells.forEach((text, at) => {
      const cell = row.insertCell();
      cell.textContent = text;
      cell.className = at > 1 ? "number" : "wrap";
    });
    return row;
  }));
  const last = Math.max(...trainings.flatMap((training) => [...training.curves.values()].map((points) => points.at(-1)[0])));
  if (Number.isFinite(last)) state.textContent = `${place.dataset.last}: ${last}`;
}

async function follow() {
  if (!document.hidden) {
    const changed = await Promise.all(trainings.map((training) => fetchMore(training).catch(() => false)));
    if (changed.some(Boolean)) draw();
  }
  setTimeout(follow, EVERY);
}

smooth.addEventListener("input", draw);
logarithmic.addEventListener("change", draw);
onKey("l", () => logarithmic.click());
onKey("s", () => document.querySelector("[data-samples]")?.click());
follow();
