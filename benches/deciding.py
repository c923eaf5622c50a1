"""An order at a running desk, from a client's proposal to its first byte; each process real, each clock the same.

The client speaks over the proposal socket; an approver watches over the operator socket and in the console's stream,
looks, and signs. What the desk does inside is told by `timed_desk`.
"""

import json
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from queue import Queue
from typing import Final

import httpx

from benches.desk_process import DeskProcess, desk_process
from benches.figures import Figure, duration, tail
from benches.parties import Simulator
from exchange_mcp.desk.operator.client import OperatorClient

ROUNDS: Final = 150
WARM: Final = 5
MOST_TO_FIRST_BYTE_MILLISECONDS: Final = 30.0
# A key may send so many writes in ten seconds that nobody waits at this pace.
_PACE_SECONDS: Final = 0.3
_PATIENCE_SECONDS: Final = 30.0
_A_SECOND: Final = 1e9
_ASKS: Final = {"sec-fetch-site": "same-origin", "sec-fetch-mode": "cors", "sec-fetch-dest": "empty"}

Seen = Queue[int]


def decisions(venue: Simulator, log: Path) -> list[Figure]:
    """How long it takes until a proposal is durable, until an approver sees it, and from the re-check to the wire."""
    with desk_process(venue, log) as desk, ExitStack() as held:
        operator = held.enter_context(OperatorClient(desk.places.operator_socket))
        terminal, console = _watched(desk, operator, held)
        client = held.enter_context(desk.client())
        began = list[int]()
        seen = list[tuple[int, int]]()
        for number in range(ROUNDS + WARM):
            turn = time.monotonic()
            message = desk.order(number)
            began.append(time.monotonic_ns())
            answer = client.post("/v1/proposals", json=message)
            intent = answer.raise_for_status().json()
            seen.append((terminal.get(timeout=_PATIENCE_SECONDS), console.get(timeout=_PATIENCE_SECONDS)))
            desk.approve(operator, intent["intent_id"])
            time.sleep(max(0.0, turn + _PACE_SECONDS - time.monotonic()))
        steps = _steps(desk.marks.read_text(encoding="ascii"))
    durable = [_seconds(since, first) for since, (first, *_) in zip(began, steps, strict=True)][WARM:]
    shown = [
        [_seconds(since, at[way]) for since, at in zip(began, seen, strict=True)][WARM:] for way in (0, 1)
    ]
    sent = steps[WARM:]
    return [
        duration("proposal to durable", durable, limit=None, of="plan and preview of a spot order included"),
        duration("proposal to visible, terminal", shown[0], limit=None, of="over the operator socket"),
        duration("proposal to visible, console", shown[1], limit=None, of="in the page's stream"),
        tail(
            "re-check to first byte, p99",
            [_seconds(rechecked, byte) for _, rechecked, _, _, byte in sent],
            limit=MOST_TO_FIRST_BYTE_MILLISECONDS,
            of=_parts(sent),
        ),
    ]


Step = tuple[int, int, int, int, int]
"""Of one order: durable, re-checked, ready, claimed, first byte; nanoseconds."""


def _steps(marks: str) -> list[Step]:
    """The steps of every order that was sent, in their order; of several re-checks the last."""
    found: list[Step] = []
    at: dict[str, int] = {}
    for line in marks.splitlines():
        name, _, nanoseconds = line.partition(" ")
        at[name] = int(nanoseconds)
        if name == "sent":
            found.append((at["durable"], at["rechecked"], at["ready"], at["claimed"], at["sent"]))
    return found


def _parts(sent: Sequence[Step]) -> str:
    names = ("getting ready", "claim", "signing")
    parts = [
        sorted(_seconds(step[at], step[at + 1]) for step in sent)[len(sent) // 2] * 1000 for at in (1, 2, 3)
    ]
    return ", ".join(f"{name} {each:.2f}" for name, each in zip(names, parts, strict=True))


def _seconds(since: int, until: int) -> float:
    return (until - since) / _A_SECOND


def _watched(desk: DeskProcess, operator: OperatorClient, held: ExitStack) -> tuple[Seen, Seen]:
    """When each of two approvers saw that something waits, each time that something began to."""
    terminal, console, over = Seen(), Seen(), threading.Event()
    watching = held.enter_context(OperatorClient(desk.places.operator_socket))
    origin, _, secret = operator.console_link().url.partition("/enter#")
    headers = {**_ASKS, "origin": origin}
    browser = held.enter_context(httpx.Client(base_url=origin, headers=headers, trust_env=False, timeout=60))
    root = browser.post("/enter", json={"secret": secret}).raise_for_status().json()["to"]
    threads = [
        threading.Thread(target=_at_terminal, args=(watching, terminal, over), daemon=True),
        threading.Thread(target=_in_browser, args=(browser, f"{root}events", console), daemon=True),
    ]

    def end() -> None:
        over.set()
        browser.close()
        for each in threads:
            each.join(timeout=_PATIENCE_SECONDS)

    held.callback(end)
    for each in threads:
        each.start()
    return terminal, console


def _at_terminal(watching: OperatorClient, seen: Seen, over: threading.Event) -> None:
    was_waiting = False
    head = watching.head()
    while not over.is_set():
        is_waiting = bool(watching.intents(state="open", limit=5).intents)
        if is_waiting and not was_waiting:
            seen.put(time.monotonic_ns())
        was_waiting = is_waiting
        head = watching.news(after=head, wait_ms=500).head


def _in_browser(browser: httpx.Client, events: str, seen: Seen) -> None:
    was_waiting = False
    # Closing the browser is what ends it.
    with suppress(httpx.HTTPError, httpx.StreamError), browser.stream("GET", events) as stream:
        for line in stream.iter_lines():
            if not line.startswith("data: "):
                continue
            is_waiting = bool(json.loads(line.removeprefix("data: ")).get("pending"))
            if is_waiting and not was_waiting:
                seen.put(time.monotonic_ns())
            was_waiting = is_waiting
