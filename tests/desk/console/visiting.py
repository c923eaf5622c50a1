"""A browser without a screen: what it would send to the console, honest unless a test says otherwise."""

import hashlib
import json
import re
from decimal import Decimal
from html import unescape
from types import TracebackType
from typing import Any, Self

import httpx

from desk.soft_passkey import SoftPasskey
from desk.virtual import HandClock, SeededEntropy
from exchange_mcp.desk.console.app import console_app

from .pretend_office import PretendOffice

PORT = 8767
ORIGIN = f"http://localhost:{PORT}"
LOOKS = {"sec-fetch-site": "same-origin", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
ASKS = {
    "sec-fetch-site": "same-origin",
    "sec-fetch-mode": "cors",
    "sec-fetch-dest": "empty",
    "origin": ORIGIN,
    "content-type": "application/json",
}
TYPE_ABOVE = Decimal(50_000)


class Desk:
    """A console over a pretended office, in a time that stands still, and one browser that is in."""

    def __init__(self, *, needed: int = 1) -> None:
        self.clock = HandClock()
        self.office = PretendOffice(self.clock, PORT, needed=needed)
        self.console = console_app(
            self.office, port=PORT, type_above=lambda: TYPE_ABOVE, clock=self.clock, entropy=SeededEntropy()
        )
        self.soft = SoftPasskey()
        self.office.enrol("ada", self.soft.passkey.text())
        self.client = self.browser()
        self.root = ""

    async def __aenter__(self) -> Self:
        await self.client.__aenter__()
        self.root = await self.enter()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.client.__aexit__(kind, error, trace)

    def browser(self) -> httpx.AsyncClient:
        """Another browser, with cookies of its own."""
        return httpx.AsyncClient(transport=httpx.ASGITransport(self.console), base_url=ORIGIN)

    def secret(self) -> str:
        return self.console.link().url.partition("#")[2]

    async def enter(self, client: httpx.AsyncClient | None = None) -> str:
        answer = await (client or self.client).post("/enter", json={"secret": self.secret()}, headers=ASKS)
        assert answer.status_code == 200, answer.text
        return str(answer.json()["to"])

    async def see(self, path: str = "", *, root: str | None = None, **headers: str) -> httpx.Response:
        sent = {**LOOKS, **_named(headers)}
        return await self.client.get((self.root if root is None else root) + path, headers=sent)

    async def ask(self, path: str, said: object, **headers: str) -> httpx.Response:
        sent = {**ASKS, **_named(headers)}
        return await self.client.post(self.root + path, content=json.dumps(said), headers=sent)

    async def form(self, act: str, page: str = "") -> dict[str, str]:
        """What the form on this page that does this says by itself: its nonce, and what it is about."""
        shown = await self.see(page)
        assert shown.status_code == 200, shown.text
        found = re.search(rf'="{re.escape(self.root + act)}"((?: data-[a-z]+="[^"]*")*)', shown.text)
        assert found is not None, f"no form for {act} on {page}"
        said = {name: unescape(value) for name, value in re.findall(r'data-([a-z]+)="([^"]*)"', found[1])}
        return {name: said[name] for name in ("nonce", "account", "reason") if name in said}

    async def nonce(self, act: str, page: str = "") -> str:
        """Of the form on this page that does this."""
        return (await self.form(act, page))["nonce"]

    async def do(self, act: str, page: str = "", **said: object) -> httpx.Response:
        return await self.ask(act, {**said, **await self.form(act, page)})

    async def opened(self, intent_id: str) -> str:
        """The path of a decision page that was opened just now."""
        answer = await self.do(f"intents/{intent_id}/open")
        assert answer.status_code == 200, answer.text
        return str(answer.json()["to"]).removeprefix(self.root)

    async def prompted(self, decision: str, **said: object) -> dict[str, Any]:
        """What a page is told to ask a passkey for."""
        answer = await self.do(f"{decision}/approve", decision, **said)
        assert answer.status_code == 200, answer.text
        return dict(answer.json())

    def signature(
        self,
        asked: dict[str, Any],
        soft: SoftPasskey | None = None,
        **made_up: Any,  # noqa: ANN401 - as of SoftPasskey
    ) -> dict[str, str]:
        challenge = challenge_of(asked["statement"])
        return {"ceremony": asked["ceremony"], **(soft or self.soft).signed(challenge, **made_up)}

    async def approve(self, intent_id: str, **said: object) -> httpx.Response:
        asked = await self.prompted(await self.opened(intent_id), **said)
        return await self.ask("sign", self.signature(asked))


def challenge_of(statement: str) -> bytes:
    """As the page works it out; the protocol's name stands in `desk.statements`."""
    return hashlib.sha256(b"exchange-mcp desk statement v1\n" + statement.encode()).digest()


def words(page: str) -> str:
    """What a person reads of a page, in one line."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page)).split())


def code(answer: httpx.Response) -> str:
    return str(answer.json()["code"])


def _named(headers: dict[str, str]) -> dict[str, str]:
    return {name.replace("_", "-"): value for name, value in headers.items()}
