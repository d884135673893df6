// What a page does when it is obeyed: one request to the server, which keeps account.
const name = location.pathname.split("/").pop().replace(".html", "");
const coded = (text) => [...new TextEncoder().encode(text)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
const effect = (what, said = "") => fetch(`/effect?page=${coded(name)}&what=${coded(what)}`, { method: "POST", body: said, keepalive: true });
document.addEventListener("click", (event) => {
  const hit = event.composedPath().find((node) => node.dataset && node.dataset.effect);
  if (hit) effect(hit.dataset.effect, hit.dataset.from ? document.querySelector(hit.dataset.from).value : "");
});
