// Every page of the console: forms that act once, prompts for a passkey, news as it happens, and single keys.
import { signature } from "/assets/passkey.js";

const { root, now } = document.body.dataset;
const ahead = Number(now) - Date.now();
const alertLine = document.getElementById("alert");
const newsLine = document.getElementById("news");
const plainTitle = document.title.replace(/^\(\d+\) /, "");
let isOver = false;

function complain(message) {
  alertLine.hidden = !message;
  alertLine.textContent = message;
}

async function post(path, data) {
  const answer = await fetch(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(data),
  });
  const said = await answer.json();
  if (answer.status === 401) over(said.error);
  return { ok: answer.ok, said };
}

// What a form says: its named fields, the account and the reason that it is about if it has them, and its nonce.
function fields(form) {
  const data = Object.fromEntries(new FormData(form));
  for (const name of ["account", "reason"]) if (name in form.dataset) data[name] = form.dataset[name];
  return { ...data, nonce: form.dataset.nonce };
}

// A nonce is good for half an hour and a page may be open for a day: whoever presses halt then has to be heard the first
// time, so a form whose nonce is over is sent once more, with the one that the refusal brings.
async function send(path, form) {
  let answer;
  for (const isLast of [false, true]) {
    answer = await post(path, fields(form));
    if (answer.said.nonce) form.dataset.nonce = answer.said.nonce;
    if (isLast || answer.said.code !== "FORM_USED") break;
  }
  return answer;
}

async function act(form) {
  complain("");
  const { ok, said } = await send(form.dataset.act, form);
  if (ok) location.assign(said.to);
  else complain(said.error);
}

async function sign(form) {
  complain("");
  const { ok, said } = await send(form.dataset.passkey, form);
  if (!ok) {
    complain(said.error);
    return;
  }
  try {
    const signed = await post(root + "sign", await signature(said, form.dataset.plan));
    if (signed.ok) location.assign(signed.said.to);
    else complain(signed.said.error);
  } catch (error) {
    const isRefused = error.name === "NotAllowedError";
    complain(isRefused ? "No passkey was given, so nothing was signed. You can ask again in a minute." : error.message);
  }
}

// One at a time: a second press while the first is under way does nothing.
async function once(button, work) {
  if (button.disabled) return;
  button.disabled = true;
  try {
    await work();
  } catch {
    complain("The desk does not answer. Is it running?");
  } finally {
    // What passed meanwhile stays passed.
    button.disabled = button.matches(".has-passed #approve .sign");
  }
}

document.addEventListener("submit", (event) => {
  event.preventDefault();
  const form = event.target;
  if (form.dataset.act) once(form.querySelector("button"), () => act(form));
  if (form.dataset.search) {
    const asked = new URLSearchParams([...new FormData(form)].filter(([, value]) => value));
    location.assign(form.dataset.search + (asked.size ? "?" + asked : ""));
  }
});

document.addEventListener("click", (event) => {
  const button = event.target.closest("button.sign");
  if (button) once(button, () => sign(button.form));
});

// Single keys: d and o for the row that has the focus, or for the page's only one; h halts.
const keys = document.getElementById("keys");

function haveKeys() {
  return localStorage.getItem("keys") !== "off";
}

function showKeys() {
  keys.textContent = "Single-key shortcuts: " + (haveKeys() ? "on" : "off");
  keys.setAttribute("aria-pressed", String(haveKeys()));
}

keys.addEventListener("click", () => {
  localStorage.setItem("keys", haveKeys() ? "off" : "on");
  showKeys();
});
showKeys();

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || isOver || !haveKeys()) return;
  if (event.target.closest("input, select, textarea, [contenteditable]")) return;
  if (!/^[a-z]$/.test(event.key)) return;
  const selector = `[data-key="${event.key}"]`;
  const row = document.activeElement?.closest("[data-row]");
  const found = row?.querySelector(selector);
  const all = document.querySelectorAll(selector);
  const button = found ?? (all.length === 1 ? all[0] : null);
  if (!button) return;
  event.preventDefault();
  button.click();
});

// Time that runs out.
function tick() {
  for (const each of document.querySelectorAll("[data-until]")) {
    const left = Math.floor((Number(each.dataset.until) - Date.now() - ahead) / 1000);
    const [minutes, seconds] = [Math.floor(left / 60), left % 60];
    each.textContent = left > 0 ? `${minutes}:${String(seconds).padStart(2, "0")} left` : "over";
    each.classList.toggle("soon", left <= 30);
    if (left <= 0 && each.dataset.over) pass("This preview is too old to be approved. Open it again.");
  }
}
setInterval(tick, 500);
tick();

function pass(why) {
  const line = document.getElementById("passed");
  if (!line || !line.hidden) return;
  line.textContent = why;
  line.hidden = false;
  document.querySelector("#approve .sign").disabled = true;
  document.body.classList.add("has-passed");
}

// News: every live part of the page is taken anew from the same address.
function fetched(path) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("GET", path);
    request.responseType = "document";
    request.onload = () => (request.status === 200 ? resolve(request.response) : reject(request.status));
    request.onerror = reject;
    request.send();
  });
}

async function refresh() {
  const parts = document.querySelectorAll("[data-live]");
  if (!parts.length) return;
  const page = await fetched(location.href);
  for (const old of parts) {
    const fresh = page.getElementById(old.id);
    const focused = old.contains(document.activeElement) ? document.activeElement.id : "";
    if (!fresh) continue;
    old.replaceWith(document.adoptNode(fresh));
    if (focused) document.getElementById(focused)?.focus();
  }
  tick();
}

// One at a time, or an older answer could replace a newer one.
let isRefreshing = false;
let isRefreshWanted = false;
async function refreshed() {
  isRefreshWanted = true;
  if (isRefreshing) return;
  isRefreshing = true;
  try {
    while (isRefreshWanted) {
      isRefreshWanted = false;
      await refresh();
    }
  } finally {
    isRefreshing = false;
  }
}

async function recheck() {
  const article = document.querySelector("[data-decision]");
  if (!article) return;
  const answer = await fetch(article.dataset.decision);
  const said = await answer.json();
  if (said.passed) pass(said.passed);
}

function count(pending) {
  const badge = document.getElementById("count");
  const before = Number(badge.textContent) || 0;
  badge.textContent = pending;
  badge.hidden = !pending;
  document.title = (pending ? `(${pending}) ` : "") + plainTitle;
  if (pending > before) newsLine.textContent = `${pending} waiting for you`;
}

function over(message) {
  if (isOver) return;
  isOver = true;
  leaving.abort();
  stream?.close();
  document.title = "Desk: session over";
  document.getElementById("main").replaceChildren();
  complain(message ?? "This session is over. Run exchange-mcp console in a terminal and open its link.");
}

// One stream for all tabs of a session: a browser opens six connections to one origin, so that six tabs with a stream
// each would leave none for a press of halt. The tab that has the lock listens and tells the others.
let head = null;
let stream = null;
let latest = null;
const leaving = new AbortController();
const others = new BroadcastChannel(root);

function heard({ kind, said }) {
  if (isOver) return;
  if (kind === "over") over();
  if (kind === "lost") complainOnce("No connection to the desk: what is shown may be old. Trying again.");
  if (kind !== "now") return;
  complainOnce("");
  count(said.pending);
  // The first time too: something may have happened between the page and its stream.
  if (said.head !== head) refreshed().catch(() => {});
  recheck().catch(() => {});
  head = said.head;
}

function tell(kind, said) {
  latest = { kind, said };
  others.postMessage(latest);
  heard(latest);
}

others.addEventListener("message", ({ data }) => {
  if (data.kind !== "joined") heard(data);
  else if (latest) others.postMessage(latest);
});
others.postMessage({ kind: "joined" });

function listen() {
  stream = new EventSource(root + "events");
  stream.addEventListener("now", (event) => tell("now", JSON.parse(event.data)));
  stream.addEventListener("over", () => tell("over"));
  stream.addEventListener("error", () => tell(stream.readyState === EventSource.CLOSED ? "over" : "lost"));
  return new Promise((done) => leaving.signal.addEventListener("abort", done));
}
navigator.locks.request(`stream of ${root}`, { signal: leaving.signal }, listen).catch(() => {});

let lost = false;
function complainOnce(message) {
  if (message || lost) complain(message);
  lost = Boolean(message);
}

window.addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});

// From here on a press is heard.
document.documentElement.dataset.ready = "";
