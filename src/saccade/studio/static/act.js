// The form that starts a run: a recording has no model, so those fields are hidden for it.

const form = document.getElementById("start");

function showFields() {
  const record = form.querySelector('[name="kind"]:checked').value === "record";
  for (const part of form.querySelectorAll('[data-kind="run"]')) part.hidden = record;
  form.querySelector('[name="model"]').required = !record;
}

form.addEventListener("change", showFields);
showFields();
