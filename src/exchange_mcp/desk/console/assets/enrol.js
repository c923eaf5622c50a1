// Makes a passkey: the link's secret and the terminal's code first, then the browser's own dialogue.
import { registration } from "/assets/passkey.js";

const told = document.getElementById("told");
const check = document.getElementById("check");
const form = document.getElementById("enrol");
const secret = location.hash.slice(1);
history.replaceState(null, "", location.pathname);

async function post(path, data) {
  const answer = await fetch(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(data),
  });
  const said = await answer.json();
  if (!answer.ok) throw new Error(said.error);
  return said;
}

async function enrol() {
  told.textContent = "";
  const { options } = await post("/enrol/begin", { secret, code: form.elements.code.value });
  const made = await registration(options);
  const said = await post("/enrol/finish", { secret, ...made });
  form.hidden = true;
  told.textContent = "The passkey is made. Compare these words with the terminal's, and sign it in there:";
  check.textContent = said.check;
  check.hidden = false;
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  enrol().catch((error) => {
    told.textContent =
      error.name === "NotAllowedError" ? "No passkey was made. Try again." : error.message;
  });
});

// From here on a press is heard.
document.documentElement.dataset.ready = "";
