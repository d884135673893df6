// The list of runs: choosing two to compare, also while rows appear.

const chosen = [];
const form = document.getElementById("compare");

function show() {
  for (const box of document.querySelectorAll("[data-pick]")) box.checked = chosen.includes(box.value);
  form.querySelector("button").disabled = chosen.length !== 2;
  [form.elements.a.value, form.elements.b.value] = [chosen[0] ?? "", chosen[1] ?? ""];
}

document.addEventListener("change", (event) => {
  if (event.target.matches("[data-pick]")) {
    const at = chosen.indexOf(event.target.value);
    if (at >= 0) chosen.splice(at, 1);
    else chosen.push(event.target.value);
    if (chosen.length > 2) chosen.shift();
    show();
  } else if (event.target.closest(".filters select")) {
    event.target.form.requestSubmit();
  }
});
document.addEventListener("htmx:afterSwap", show);
show();
