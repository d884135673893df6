// DOM helpers. Text is inserted as text only: nothing that a model or a web page wrote is parsed as HTML.

const $ = (id) => document.getElementById(id);

function make(tag, className, ...children) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

function button(className, onClick, ...children) {
  const node = make("button", className, ...children);
  node.type = "button";
  node.addEventListener("click", onClick);
  return node;
}

// The data of the steps comes after the script in the file, so that the first step is shown while the rest still loads.
// A part is complete when another element follows it, or when the file has loaded.
function part(id) {
  const node = $(id);
  if (!node) return document.readyState === "loading" ? undefined : null;
  if (!node.nextElementSibling && document.readyState === "loading") return undefined;
  return node.textContent;
}

function whenRead(id, then) {
  const text = part(id);
  if (text !== undefined) then(text);
  else setTimeout(() => whenRead(id, then), 30);
}

const details = new Map();

// Calls `then` with the logged details of a step, at once if they are loaded already.
function withDetail(index, then) {
  if (details.has(index)) return then(details.get(index));
  return whenRead(`step-${index}`, (text) => {
    details.set(index, text ? JSON.parse(text) : {});
    then(details.get(index));
  });
}

function withPicture(number, then) {
  whenRead(`picture-${number}`, (text) => then(text ? `data:image/${RUN.format};base64,${text}` : ""));
}

// -- numbers ----------------------------------------------------------------------------------------------------------

function seconds(value) {
  if (value < 0.0995) return `${Math.max(0, Math.round(value * 1000))} ms`;
  if (value < 9.95) return `${value.toFixed(1)} s`;
  if (value < 59.5) return `${Math.round(value)} s`;
  const whole = Math.round(value);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60)];
  return hours ? `${hours} h ${minutes} min` : `${minutes} min ${whole % 60} s`;
}

function count(value) {
  return value.toLocaleString("en-US");
}

function thousands(value) {
  return value < 10000 ? count(value) : `${(value / 1000).toFixed(value < 100000 ? 1 : 0)}k`;
}

function money(value) {
  return `$${value < 0.995 ? value.toPrecision(2) : value.toFixed(2)}`;
}

// JSON on one line, with invisible and direction-changing characters escaped.
function visible(value) {
  const short = (_, item) => (typeof item === "number" ? Math.round(item * 100) / 100 : item);
  const unseen = /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;
  const spelled = (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(value, short).replace(unseen, spelled);
}

function rounded(value) {
  return String(Math.round(value * 1000) / 1000);
}
