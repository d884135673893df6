// The overview and the lists: times of this place, keys, undo, import.
import { onKey, post } from "/static/studio.js";

for (const each of document.querySelectorAll("time[data-seconds]")) {
  const moment = new Date(1000 * Number(each.dataset.seconds));
  each.dateTime = moment.toISOString();
  each.textContent = moment.toLocaleString(document.documentElement.lang);
}

const message = document.getElementById("message");
const tell = (error) => {
  message.textContent = error.message;
  message.hidden = false;
};

const start = document.getElementById("start-any");
if (start) onKey("s", () => start.click());

if (message) {
  onKey("u", () =>
    post("/review/undo")
      .then((answer) => location.assign(answer.next))
      .catch(tell),
  );
}

const form = document.getElementById("import");
form?.addEventListener("submit", async (event) => {
  event.preventDefault();
  message.hidden = true;
  const answer = await fetch("/review/import", {
    method: "POST",
    headers: { "X-CSRF-Token": document.querySelector('meta[name="csrf"]').content },
    body: form.querySelector("input[type=file]").files[0],
  });
  if (answer.ok) {
    const done = await answer.json();
    document.getElementById("imported").textContent = `${done.items} + ${done.events} (${done.left_out})`;
    return;
  }
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  tell(new Error(page.querySelector("[role=alert]")?.textContent || answer.statusText));
});
