"""The second part of the demo: a desk, what a model proposes to it, and what a person decides; here a script does."""

import json
import os
import re
import socket
import ssl
import subprocess
import tempfile
from collections.abc import Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import anyio
import anyio.to_thread
import click
import httpx
from mcp.client import Client

from exchange_mcp.cli.launch import MODULE
from exchange_mcp.cli.transcript import Part, Row, Transcript, whole
from exchange_mcp.config.desk_tables import socket_fault
from exchange_mcp.config.owner_only import write_owner_only
from exchange_mcp.config.toml_text import quoted
from exchange_mcp.desk.operator.client import OperatorClient

# Wider than a person's would be in one respect: orders are placed as fast as a script decides.
_DESK: Final = """\
[desk]
scripted_approver = true
proposal_socket = {proposals}
operator_socket = {operator}

[console]
port = {port}

[log]
level = "error"

[accounts.main]
venue = "binance"
environment = "sim"
market_types = ["spot", "linear"]
sim_key = "trader"
rendezvous = {rendezvous}

[policy]
reference = "USDT"
accounts = ["main"]
symbols = ["SOL/USDT", "BTC/USDT:USDT", "ETH/USDT:USDT", "SOL/USDT:USDT"]
order_types = ["limit", "market"]
max_order_notional = 6000
max_daily_notional = 50000
max_price_distance_percent = 1
max_price_age_seconds = 30
max_open_orders = 20
max_orders_per_minute = 20
max_leverage = 10
max_daily_loss = 5000
leverage_change_with_position = false
approvals = 1
"""
_QUIET: Final = """
[log]
level = "error"
"""
_ID: Final = re.compile(r"\b[0-9a-f]{32}\b")
_PROPOSING: Final = frozenset(
    {"place_order", "cancel_order", "set_leverage", "get_intent", "retract_proposal"}
)
_SCRIPT: Final = "A script approves, since every account is simulated; else a person would."
_ORDERS: Final = "/fapi/v1/order"
_LISTS: Final = "/fapi/v1/(allOrders|userTrades)"
_GLANCE_SECONDS: Final = 0.02
# How long the desk may take until it takes proposals, in looks of so many milliseconds.
_LOOKS: Final = 300
_LOOK_MS: Final = 100


def show_desk(transcript: Transcript, place: Path, rendezvous: Path) -> None:
    """Set a desk up in `place`, run it, and show what it does; `place` is fit for a journal."""
    with ExitStack() as held:
        sockets = held.enter_context(_sockets(place))
        site = _Site(transcript, place, _variables(place))
        transcript.chapter("The desk: it holds the trading key, and sends what was approved")
        _write(site, sockets, rendezvous)
        _set_up(site)
        held.enter_context(_desk(site, sockets / "o" / "operator.sock"))
        exchange = held.enter_context(_Exchange.reached(rendezvous))
        anyio.run(_Story(site, exchange).run)


@dataclass(frozen=True, slots=True)
class _Site:
    """Where the desk and its commands run, and where they are printed."""

    transcript: Transcript
    place: Path
    variables: Mapping[str, str]

    def command(
        self, question: str, words: Sequence[str], *, shown: Part = whole
    ) -> subprocess.CompletedProcess[str]:
        """Give a command, and print it."""
        return self.transcript.command(question, words, self.place, variables=self.variables, shown=shown)

    @property
    def configuration(self) -> Path:
        """The directory of desk.toml and serve.toml."""
        return self.place / "config" / "exchange-mcp"


@dataclass(frozen=True, slots=True)
class _Exchange:
    """The simulated exchange, from its own side."""

    http: httpx.Client

    @classmethod
    @contextmanager
    def reached(cls, rendezvous: Path) -> "Generator[_Exchange]":
        """The one that is published there."""
        published = json.loads(rendezvous.read_text(encoding="utf-8"))
        with httpx.Client(
            base_url=f"https://localhost:{published['port']}",
            verify=ssl.create_default_context(cadata=published["ca_pem"]),
            headers={"Authorization": f"Bearer {published['control_token']}"},
            trust_env=False,
        ) as http:
            yield cls(http)

    def lose_the_answer(self) -> None:
        """Take the next order, and answer nothing."""
        self._fail(when="after", method="POST", path=_ORDERS, times=1)
        self._fail(method="GET", path=_ORDERS)

    async def fall_silent(self, orders: int) -> None:
        """Tell of no order any more, once it took more than so many."""
        # The desk reads some of these lists before it sends: they fail from the order on, and not before it.
        while self.orders() <= orders:  # noqa: ASYNC110 - what is waited for happens in another process
            await anyio.sleep(_GLANCE_SECONDS)
        self._fail(method="GET", path=_LISTS)

    def orders(self) -> int:
        """How many orders it ever took from us."""
        told = self.http.get("/__sim/orders").raise_for_status().json()["orders"]
        return sum(each["source"] == "api" for each in told)

    def _fail(self, **rule: object) -> None:
        self.http.post("/__sim/faults", json={"kind": "close", **rule}).raise_for_status()

    def heal(self) -> None:
        """Answer again."""
        self.http.delete("/__sim/faults").raise_for_status()

    def of(self, client_order_id: str) -> tuple[int, int]:
        """How many requests for an order of this id came, and how many orders it made."""
        requests = self.http.get("/__sim/requests").raise_for_status().json()["requests"]
        orders = self.http.get("/__sim/orders").raise_for_status().json()["orders"]
        return (
            sum(each["method"] == "POST" and each["client_order_id"] == client_order_id for each in requests),
            sum(each["client_order_id"] == client_order_id for each in orders),
        )


@dataclass(frozen=True, slots=True)
class _Story:
    """What happens, in its order."""

    site: _Site
    exchange: _Exchange

    async def run(self) -> None:
        """By hand first, and then by what a model would call."""
        ended = await self._command("Propose an order by hand.", [*_PLACE, *_BY_HAND])
        await self._approve("And approve it.", _intent_in(ended.stdout), shown=whole)
        self.site.transcript.chapter("A model proposes, over MCP")
        serve = [*MODULE, "serve", "--config", str(self.site.configuration / "serve.toml")]
        async with self.site.transcript.client(
            serve, self.site.variables, shows=_PROPOSING.__contains__
        ) as client:
            await self._orders(client)
            await self._lost_answer(client)
            await self._halt(client)

    async def _orders(self, client: Client) -> None:
        market: Row = {"symbol": "BTC/USDT:USDT", "account": "main"}
        book = await self._ask(client, "What is the perpetual at?", "get_orderbook", {**market, "levels": 1})
        bid = Decimal(book["books"][0]["bids"][0][0])
        order: Row = {**market, "side": "sell", "type": "limit", "amount": "0.05"}
        first: Row = {**order, "price": _at(bid, "0.999")}
        proposed = await self._ask(client, "Sell 0.05 of it.", "place_order", first)
        await self._approve("The approval.", proposed["intent_id"])
        waiting = {"intent_id": proposed["intent_id"], "wait_seconds": 10}
        await self._ask(client, "What became of it?", "get_intent", waiting)
        await self._ask(client, "And what do I hold now?", "get_positions", {"account": "main"})
        moved: Row = {**order, "price": _at(bid, "0.998")}
        await self._ask(client, "The model asks again, at a new price.", "place_order", moved)
        second: Row = {**order, "price": _at(bid, "1.005"), "distinct_from": proposed["intent_id"]}
        question = "A second order is wanted: the model names the first one."
        rests = await self._ask(client, question, "place_order", second)
        await self._approve("The approval of the second.", rests["intent_id"])
        cancel: Row = {**market, "intent_id": rests["intent_id"]}
        canceled = await self._ask(client, "It rests. Cancel it.", "cancel_order", cancel)
        await self._approve("The approval of the cancel.", canceled["intent_id"])
        wanted: Row = {"symbol": "SOL/USDT:USDT", "leverage": 5, "account": "main"}
        leverage = await self._ask(client, "Trade solana at five times.", "set_leverage", wanted)
        await self._approve("The approval of the leverage.", leverage["intent_id"])

    async def _lost_answer(self, client: Client) -> None:
        transcript = self.site.transcript
        transcript.chapter("An answer is lost")
        order: Row = {"symbol": "ETH/USDT:USDT", "side": "buy", "type": "market", "amount": "0.5"}
        order |= {"reduce_only": True, "account": "main"}
        proposed = await self._ask(client, "Buy back half an ether of the short.", "place_order", order)
        transcript.say(
            "\n  The exchange takes the next order and answers nothing, nor any question about it."
        )
        taken = self.exchange.orders()
        self.exchange.lose_the_answer()
        async with anyio.create_task_group() as group:
            group.start_soon(self.exchange.fall_silent, taken)
            await self._approve("The approval.", proposed["intent_id"])
            group.cancel_scope.cancel()
        await self._ask(client, "The model tries the same once more.", "place_order", order)
        transcript.say("\n  The exchange answers again.")
        self.exchange.heal()
        found: Row = {}
        for _ in range(3):  # UNKNOWN may become ACCEPTED before it is PLACED
            waiting = {"intent_id": proposed["intent_id"], "wait_seconds": 45}
            found = await self._ask(client, "What became of it?", "get_intent", waiting)
            if found.get("is_final"):
                break
        sent, made = self.exchange.of(str(found["client_order_id"]))
        transcript.say(f"\n  At the exchange, by our client order id: requests {sent}, orders {made}.")

    async def _halt(self, client: Client) -> None:
        self.site.transcript.chapter("Halt")
        await self._command("Stop everything. It needs no key.", ["halt", "--reason", "the demo ends"])
        order: Row = {
            "symbol": "SOL/USDT",
            "side": "sell",
            "type": "market",
            "amount": "1",
            "account": "main",
        }
        await self._ask(client, "Sell a solana.", "place_order", order)
        journal = "state/exchange-mcp/desk/journal.db"
        await self._command("Does the log of all this hold together?", ["audit", "verify", journal])

    async def _ask(self, client: Client, question: str, tool: str, arguments: Row) -> Row:
        return await self.site.transcript.ask(client, question, tool, arguments)

    async def _approve(self, question: str, intent_id: str, *, shown: Part | None = None) -> None:
        await self._command(
            f"{question} {_SCRIPT}" if shown else f"{question} By the script.",
            ["approvals", "approve", intent_id],
            shown=shown or _decision,
        )

    async def _command(self, question: str, words: Sequence[str], *, shown: Part = whole) -> Any:  # noqa: ANN401 - a process that ended
        # In a thread: a Ctrl-C meanwhile ends the story after the command, and not in its midst.
        return await anyio.to_thread.run_sync(lambda: self.site.command(question, words, shown=shown))


_PLACE: Final = ("propose", "place", "--account", "main")
_BY_HAND: Final = ("--symbol", "SOL/USDT", "--side", "buy", "--type", "market", "--amount", "1")


def _at(price: Decimal, share: str) -> str:
    """So much of a price, on the grid of the perpetual."""
    return str((price * Decimal(share)).quantize(Decimal("0.1")))


def _decision(said: str) -> str:
    """Of a page to decide on, what the order does and what came of it; the first approval shows the whole."""
    first, _, rest = said.partition("\n\n")
    _, _, end = rest.partition("=== end of what is decided ===\n")
    return f"{first}\n...\n{end}" if end else said


def _intent_in(said: str) -> str:
    found = _ID.search(said)
    if found is None:
        raise click.ClickException("the desk took no proposal; its reason is above")
    return found[0]


def _variables(place: Path) -> Mapping[str, str]:
    """An environment in which every file of ours is in this place."""
    (place / "run").mkdir(mode=0o700)
    return {
        **os.environ,
        "XDG_CONFIG_HOME": str(place / "config"),
        "XDG_STATE_HOME": str(place / "state"),
        "XDG_CACHE_HOME": str(place / "cache"),
        "XDG_RUNTIME_DIR": str(place / "run"),
    }


@contextmanager
def _sockets(place: Path) -> Generator[Path]:
    """A directory for sockets: in this place, or where paths are short enough for one."""
    if socket_fault(place / "o" / "operator.sock", shorter="") is None:
        yield place
        return
    with tempfile.TemporaryDirectory(prefix="exchange-mcp-", dir="/tmp") as short:
        yield Path(short)


def _write(site: _Site, sockets: Path, rendezvous: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    text = _DESK.format(
        proposals=quoted(str(sockets / "p" / "proposals.sock")),
        operator=quoted(str(sockets / "o" / "operator.sock")),
        port=port,
        rendezvous=quoted(str(rendezvous)),
    )
    write_owner_only(site.configuration / "desk.toml", text.encode())


def _set_up(site: _Site) -> None:
    """Make approver and client, and write what the setup says that serve needs."""
    ended = site.command("Set it up.", ["desk", "--setup", "--yes"], shown=_before_what_to_start)
    if ended.returncode:
        raise click.ClickException("the desk was not set up; the reason is above")
    write_owner_only(site.configuration / "serve.toml", (ended.stdout + _QUIET).encode())
    site.transcript.say("  The first of these lines are serve.toml, from now on.")


def _before_what_to_start(said: str) -> str:
    return said.partition("\nWrite this into")[0]


@contextmanager
def _desk(site: _Site, operator_socket: Path) -> Generator[None]:
    """The desk in a process of its own, which ends with this one whatever happens."""
    site.transcript.question("Start it.", "exchange-mcp desk")
    log = site.place / "desk.log"
    with (
        log.open("w", encoding="utf-8") as stderr,
        subprocess.Popen(  # noqa: S603 - our own program
            [*MODULE, "desk", "--exit-with-stdin"],
            env=site.variables,
            cwd=site.place,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
        ) as desk,
    ):
        assert desk.stdin is not None  # noqa: S101 - asked for above
        assert desk.stdout is not None  # noqa: S101 - as above
        try:
            for _ in range(2):
                if not (line := desk.stdout.readline()):
                    raise click.ClickException(f"the desk did not start: {log.read_text('utf-8').strip()}")
                site.transcript.say(f"  {line.rstrip()}".replace(f"{site.place}{os.sep}", ""))
            _until_open(operator_socket)
            yield
        finally:
            desk.stdin.close()
            desk.wait()


def _until_open(operator_socket: Path) -> None:
    """Wait until the desk knows what its key may do, and takes proposals."""
    closed: str | None = None
    with OperatorClient(operator_socket) as client:
        for _ in range(_LOOKS):
            status = client.status()
            closed = status.closed or status.accounts[0].closed
            if closed is None:
                return
            client.news(after=client.head(), wait_ms=_LOOK_MS)
    raise click.ClickException(f"the desk takes no proposals: {closed}")
