"""A desk as a person has it: set up at a terminal with a key typed there, its venue live as far as it can tell.

Behind Binance's hosts is a simulated exchange, and between the two a proxy that answers in the venue's place when it is
told to: with an error that repeats what the request was signed with, as gateways in front of venues do.
"""

import base64
import hmac
import json
import re
import sys
import tempfile
from collections.abc import Awaitable, Callable, Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Final
from urllib.parse import quote

from cli.launching import environment
from cli.terminal import Terminal, at_terminal
from cli.test_init import key_of, type_key
from exchange_mcp.config.locations import Locations
from exchange_mcp.config.secret import Secret
from exchange_mcp.desk.approver_keys import unlock
from faults.fault_proxy import FaultProxy
from serving import simulated_exchange

from .between import Between, between
from .desk import WholeDesk, free_port, short_place

PROGRAM: Final = Path(__file__).with_name("as_live_program.py")
PERSON: Final = "alice"
PASSPHRASE: Final = "nine grey geese & 1 fox"
WRONG: Final = "ten brown bears & 2 owls"


@dataclass(slots=True, eq=False)
class Echoing(Between):
    """The proxy.

    Attributes:
        secrets: by API key, its secret. received: every request, whole.
        echoes: which requests are answered with an error that repeats them, by their first line.
        status, code: of that error. acts: whether the venue gets the request all the same.
    """

    secrets: dict[str, str] = field(default_factory=dict[str, str])
    received: list[bytes] = field(default_factory=list[bytes])
    echoes: re.Pattern[str] | None = None
    status: int = 400
    code: int = -1102
    acts: bool = False
    echoed: int = 0

    async def _of_venue(self, passed: bytes, request: bytes) -> bytes:
        return await self._answered(request, lambda: FaultProxy._of_venue(self, passed, request))

    async def _read(self, request: bytes) -> bytes:
        return await self._answered(request, lambda: Between._read(self, request))

    async def _answered(self, request: bytes, ask: Callable[[], Awaitable[bytes]]) -> bytes:
        self.received.append(request)
        is_echoed = self.echoes is not None and self.echoes.match(request.decode("latin-1"))
        answer = await ask() if self.acts or not is_echoed else b""
        return self._echo(request) if is_echoed else answer

    def _echo(self, request: bytes) -> bytes:
        key, signature = api_key_in(request), signature_in(request)
        secret = self.secrets.get(key, "")
        written = [
            f"{each}, {quote(each)}, {base64.b64encode(each.encode()).decode()}, {each.encode().hex()}"
            for each in (signature, key, secret)
        ]
        # What is shown of a message is cut short, so that each stands first in turn.
        first = self.echoed % len(written)
        self.echoed += 1
        line = request.partition(b"\r\n")[0].decode("latin-1")
        message = " ".join(["refused", *written[first:], *written[:first], "of", line])
        body = json.dumps({"code": self.code, "msg": message}).encode()
        head = f"HTTP/1.1 {self.status} Said\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        return head.encode() + body


def api_key_in(request: bytes) -> str:
    """The key that a request names; empty where it names none."""
    found = re.search(rb"(?i)\r\nx-mbx-apikey: ([^\r]+)", request)
    return "" if found is None else found[1].decode()


def signature_in(request: bytes) -> str:
    """The signature of a request; empty where it has none."""
    found = re.search(rb"signature=([0-9a-fA-F]+)", request)
    return "" if found is None else found[1].decode()


@dataclass
class AsLive:
    """The desk, the two keys of its venue, and what was said by everything that ran.

    Attributes:
        trader, reader: API key and secret. refused: a key that can withdraw.
        answers: what programs printed and sockets answered, by name.
        before: the intent of the order before.
        left: the files that a killed desk left behind.
    """

    desk: WholeDesk
    proxy: Echoing
    trader: tuple[str, str]
    reader: tuple[str, str]
    refused: tuple[str, str]
    answers: dict[str, bytes] = field(default_factory=dict[str, bytes])
    before: str = ""
    left: dict[str, bytes] = field(default_factory=dict[str, bytes])

    @property
    def places(self) -> Locations:
        """Where the desk's files are."""
        return self.desk.places

    def heard(self, name: str, said: str | bytes) -> str:
        """Keep what was said under this name, and what came before it; gives it back as text."""
        raw = said if isinstance(said, bytes) else said.encode("utf-8", "surrogateescape")
        self.answers[name] = self.answers.get(name, b"") + b"\n" + raw
        return raw.decode(errors="replace")

    @contextmanager
    def terminal(self, *arguments: str) -> Generator[Terminal]:
        """A command at a terminal; what the terminal shows is kept."""
        environ = {**self.desk.environ, "TERM": "xterm", "COLUMNS": "150"}
        with at_terminal([*self.desk.program, *arguments], environ) as terminal:
            try:
                yield terminal
            finally:
                self.heard(f"terminal {' '.join(arguments[:2])}", terminal.shown)


@contextmanager
def as_live() -> Generator[AsLive]:
    """A home without anything in it, an exchange with its proxy, and nothing running."""
    with ExitStack() as held:
        base = Path(held.enter_context(tempfile.TemporaryDirectory(prefix="xl", dir=short_place())))
        sim = held.enter_context(simulated_exchange(base))
        proxy, found = held.enter_context(between(sim, base, Echoing))
        keys = {label: key_of(sim, label) for label in ("trader", "reader", "withdrawer")}
        proxy.secrets |= dict(keys.values())
        home, runtime = base / "home", base / "run"
        home.mkdir()
        environ = environment(home, XDG_RUNTIME_DIR=str(runtime))
        program = (sys.executable, str(PROGRAM), str(found.rendezvous), str(base))
        # Who approves is not known before the setup.
        desk = WholeDesk(home, runtime, found, None, environ, program=program)  # pyright: ignore[reportArgumentType] - above
        try:
            yield AsLive(desk, proxy, keys["trader"], keys["reader"], keys["withdrawer"])
        finally:
            if desk.process is not None:
                desk.kill()


def set_up(live: AsLive) -> None:
    """`desk --setup`, everything typed; then roomier limits and a log that says everything, not accepted yet."""
    with live.terminal("desk", "--setup") as person:
        person.answer("Venue (binance)", "")
        person.answer("Environment", "live")
        person.answer("Name of the account", "")
        person.answer("Market types", "")
        person.answer("Where the key is kept", "")
        type_key(person, live.refused)
        person.answer("Try again", "")
        type_key(person, live.trader)
        person.answer("Another account", "")
        person.answer("Markets", "BTC/USDT ETH/USDT BTC/USDT:USDT")
        person.answer("Amounts are in", "")
        person.answer("At most an order", "5000")
        person.answer("At most in 24 hours", "")
        person.answer("Leverage at most", "")
        person.answer("Loss at most", "")
        person.answer("Name of the first approver", PERSON)
        person.answer(f"A passphrase for {PERSON}'s key", PASSPHRASE)
        person.answer("The same once more", PASSPHRASE)
        person.answer("Name of the client", "")
        person.answer("What it may propose with", "")
        person.rest()
        assert person.process.returncode == 0, person.shown
    live.desk.key = unlock(live.places.approver_keys / f"{PERSON}.approver.json", Secret(PASSPHRASE))
    file = live.places.desk_file
    text = re.sub(r"(?m)^max_open_orders = .*$", "max_open_orders = 50", file.read_text(encoding="utf-8"))
    text = re.sub(r"(?m)^max_orders_per_minute = .*$", "max_orders_per_minute = 100", text)
    text = re.sub(r"(?m)^max_price_distance_percent = .*$", "max_price_distance_percent = 60", text)
    text = text.replace("[console]\n", f"[console]\nport = {free_port()}\n")
    file.write_text(f'{text}\n[log]\nformat = "json"\nlevel = "debug"\n', encoding="utf-8")


def signatures(live: AsLive) -> set[str]:
    """Of every request that the venue was sent, and of none that is not what its key's secret signs."""
    found: set[str] = set()
    for request in live.proxy.received:
        signature = signature_in(request)
        if signature:
            head, _, body = request.partition(b"\r\n\r\n")
            query = head.split(b" ")[1].partition(b"?")[2]
            payload = (query + body).rpartition(b"signature=")[0].removesuffix(b"&")
            secret = live.proxy.secrets[api_key_in(request)].encode()
            assert signature == hmac.new(secret, payload, sha256).hexdigest()
            found.add(signature)
    return found
