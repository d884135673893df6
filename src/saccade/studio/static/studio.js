// What every page has: the CSRF token on each request, the keys, the dialog that lists them.

const csrf = document.querySelector('meta[name="csrf"]').content;

document.addEventListener("htmx:configRequest", (event) => {
  event.detail.headers["X-CSRF-Token"] = csrf;
});

/** A request that changes something; throws an Error with the server's sentence. */
export async function post(address, data = {}) {
  const answer = await fetch(address, {
    method: "POST",
    headers: { "X-CSRF-Token": csrf, "Content-Type": "application/json" },
    body: JSON.stringify(data),
  });
  if (!answer.ok) {
    const text = await answer.text();
    const page = new DOMParser().parseFromString(text, "text/html");
    throw new Error(page.querySelector("[role=alert]")?.textContent || text.slice(0, 300));
  }
  return answer.headers.get("content-type")?.startsWith("application/json") ? answer.json() : answer.text();
}

/** Moments are written in UTC by the server; here they are those of the reader's time zone. */
function localTimes() {
  for (const each of document.querySelectorAll("time[datetime]:not([data-local])")) {
    const moment = new Date(each.dateTime);
    if (isNaN(moment)) continue;
    const two = (number) => String(number).padStart(2, "0");
    const day = [moment.getFullYear(), two(moment.getMonth() + 1), two(moment.getDate())].join("-");
    each.title = each.dateTime;
    each.textContent = `${day} ${two(moment.getHours())}:${two(moment.getMinutes())}`;
    each.dataset.local = "yes";
  }
}
localTimes();

/** Parts that reach to the window's lower edge are told in `--above` how far from the page's upper edge they begin:
 * titles wrap, and notes come and go. */
function fillWindow() {
  let moved = false;
  for (const each of document.querySelectorAll("[data-fill]")) {
    const above = `${Math.ceil(each.getBoundingClientRect().top + scrollY)}px`;
    if (each.style.getPropertyValue("--above") === above) continue;
    each.style.setProperty("--above", above);
    moved = true;
  }
  if (moved) dispatchEvent(new Event("resize")); // pictures fit themselves anew
}
fillWindow();
addEventListener("resize", fillWindow);
const main = document.getElementById("main");
new ResizeObserver(fillWindow).observe(main);
new MutationObserver(() => {
  localTimes();
  fillWindow();
}).observe(main, { childList: true, subtree: true });

const keys = document.getElementById("keys");
document.querySelector("[data-help]").addEventListener("click", () => keys.showModal());

const typing = (target) => target.closest("input, textarea, select, [contenteditable]") !== null;
const handlers = new Map();

/** Let a key of a page do something; it is not called while a text is being typed. */
export function onKey(key, handler) {
  handlers.set(key, handler);
}

let going = false;
document.addEventListener("keydown", (event) => {
  if (typing(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
  if (going) {
    going = false;
    const link = [...document.querySelectorAll("[data-go]")].find((each) => each.dataset.go === event.key);
    if (link) link.click();
  } else if (event.key === "g") {
    going = true;
    setTimeout(() => (going = false), 1000);
  } else if (event.key === "?") {
    keys.showModal();
  } else if (event.key === "/") {
    const field = document.querySelector("input[type=search]");
    if (field) {
      event.preventDefault();
      field.focus();
    }
  } else if (handlers.has(event.key)) {
    event.preventDefault();
    handlers.get(event.key)(event);
  }
});
