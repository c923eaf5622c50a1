// Exchanges the secret behind the # for a session. It never stands in an address that is sent or kept.
const told = document.getElementById("told");
const secret = location.hash.slice(1);
history.replaceState(null, "", location.pathname);

async function enter() {
  if (!secret) {
    told.textContent = "This link has no secret. Run exchange-mcp console again and open what it prints.";
    return;
  }
  const answer = await fetch("/enter", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ secret }),
  });
  const said = await answer.json();
  if (answer.ok) {
    location.replace(said.to);
  } else {
    told.textContent = "This link was used already, or is older than two minutes. Run exchange-mcp console again.";
  }
}

enter().catch(() => {
  told.textContent = "The desk does not answer. Is it running?";
});
