"""`exchange-mcp serve` beside a whole desk: what a model's client launches or connects to, and real clients of it."""

import hashlib
import json
import os
import signal
import sys
from collections.abc import AsyncGenerator, Callable, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, TypeVar, cast

import httpx2
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from cli.http_server import Served, http_server
from exchange_mcp.cli.clock import SystemClock
from exchange_mcp.config.tokens import TokenStore
from exchange_mcp.desk.operator.approving import read_decision
from exchange_mcp.desk.operator.client import DeskAnswerError
from exchange_mcp.desk.operator.messages import SignedMessage
from exchange_mcp.desk.statements import Purpose
from exchange_mcp.model.callers import Scope
from exchange_mcp.model.errors import ErrorCode
from exchange_mcp.tools.declarations import declaration_of, digest_of
from exchange_mcp.tools.registry import builtin
from serving import Era, Sim
from whole_desk.desk import CLIENT, CREDENTIAL, WholeDesk, whole_desk

T = TypeVar("T")
Transport = Literal["stdio", "http"]
WRITING: Final = ("place_order", "cancel_order", "set_leverage")
_VARIABLE: Final = "CREDENTIAL_FOR_THE_DESK"

# Limits that a test can meet on either side: in front of them most orders are allowed, and each stops one.
TOML: Final = """\
[desk]
scripted_approver = true
[console]
port = {port}
[log]
format = "json"
level = "warning"
[accounts.main]
venue = "binance"
environment = "sim"
market_types = ["spot", "linear"]
sim_key = "{key}"
rendezvous = "{rendezvous}"
[accounts.hedged]
venue = "binance"
environment = "sim"
market_types = ["linear"]
sim_key = "trader-alt"
rendezvous = "{rendezvous}"
[policy]
reference = "USDT"
accounts = ["main", "hedged"]
symbols = [
  "BTC/USDT", "ETH/USDT", "SOL/USDT", "BTC/USDT:USDT", "ETH/USDT:USDT", "SOL/USDT:USDT",
]
order_types = ["limit", "market"]
max_order_notional = 1000
max_daily_notional = 500000
max_price_distance_percent = 20
max_open_orders = 1000
max_orders_per_minute = 5000
max_price_age_seconds = 30
approvals = 1
max_leverage = 20
max_daily_loss = 5000
leverage_change_with_position = false
"""


def serve_config(
    desk: WholeDesk,
    *,
    name: str = CLIENT,
    tools: Sequence[str] = WRITING,
    socket: Path | None = None,
    wait_seconds: float = 0,
    hedged_trades: Sequence[str] = ("linear",),
    reads_main: str = "reader",
) -> Path:
    """A serve.toml of this client, beside others that there may be."""
    what = "-".join([reads_main, *hedged_trades])
    path = desk.home / f"serve-{name}-{what}-{'straight' if socket is None else socket.stem}.toml"
    rendezvous = json.dumps(str(desk.sim.rendezvous))
    path.write_text(
        f"""client = "{name}"
[log]
format = "json"
[cache]
directory = {json.dumps(str(desk.home / "cache"))}
[desk]
socket = {json.dumps(str(socket or desk.places.proposal_socket))}
tools = {json.dumps(list(tools))}
wait_seconds = {wait_seconds}
[desk.credentials]
{name} = {{ env = "{_VARIABLE}" }}
[accounts.main]
venue = "binance"
environment = "sim"
sim_key = "{reads_main}"
rendezvous = {rendezvous}
[accounts.hedged]
venue = "binance"
environment = "sim"
market_types = {json.dumps(list(hedged_trades))}
sim_key = "reader-alt"
rendezvous = {rendezvous}
""",
        encoding="utf-8",
    )
    path.chmod(0o600)
    return path


@asynccontextmanager
async def over_stdio(
    desk: WholeDesk, config: Path, era: Era = "auto", *, credential: str = CREDENTIAL
) -> AsyncGenerator[Client]:
    """A client that launched its own server."""
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "exchange_mcp", "serve", "--config", str(config)],
        env={**desk.environ, _VARIABLE: credential},
    )
    with (desk.home / "serve.log").open("a") as log:
        async with Client(stdio_client(server, errlog=log), mode=era) as client:
            yield client


@contextmanager
def http_process(desk: WholeDesk, config: Path) -> Generator[tuple[Served, str]]:
    """A server that clients connect to, and the token of one that may trade."""
    store = TokenStore(desk.home / ".local/state/exchange-mcp/tokens.json")
    token, _ = store.add(CLIENT, [Scope.TRADE], days=1, now_ms=SystemClock().now_ms())
    with http_server({**desk.environ, _VARIABLE: CREDENTIAL}, desk.home, config) as served:
        yield served, token.reveal()


@asynccontextmanager
async def over_http(url: str, token: str, era: Era = "auto") -> AsyncGenerator[Client]:
    """A client of a server that runs already."""
    headers = {"authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60, trust_env=False, verify=False) as http,
        Client(streamable_http_client(url, http_client=http), mode=era) as client,
    ):
        yield client


@asynccontextmanager
async def client_of(desk: WholeDesk, transport: Transport, era: Era) -> AsyncGenerator[Client]:
    """A client over this transport, of a server of its own."""
    config = serve_config(desk)
    if transport == "stdio":
        async with over_stdio(desk, config, era) as client:
            yield client
    else:
        with http_process(desk, config) as (served, token):
            async with over_http(served.url, token, era) as client:
                yield client


def kill_server(config: Path) -> None:
    """End the servers that were launched with this configuration, at once."""
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = process.read_bytes().decode(errors="replace").split("\0")
        except OSError:  # it has ended meanwhile
            continue
        if "serve" in words and str(config) in words:
            os.kill(int(process.parent.name), signal.SIGKILL)


def hide_orders(sim: Sim) -> None:
    """Let the venue show no spot order: by its id it does not answer, and its lists are empty."""
    sim.fail(kind="status", status=503, method="GET", path="/api/v3/order")
    sim.fail(kind="body", body="[]", method="GET", path="/api/v3/(openOrders|allOrders|myTrades)")


def sent(sim: Sim) -> list[tuple[str, str]]:
    """Method and path of every request that could have changed something at the venue, in their order."""
    requests = sim.control.get("/__sim/requests").raise_for_status().json()["requests"]
    return [(each["method"], each["path"]) for each in requests if each["method"] != "GET"]


@dataclass
class Recorded:
    """The desk's events, from the moment that this was made on."""

    desk: WholeDesk
    after: int = field(init=False)

    def __post_init__(self) -> None:
        with self.desk.operator() as client:
            self.after = client.head()

    def events(self) -> list[tuple[str, str]]:
        """Kind and text of what was recorded since."""
        with self.desk.operator() as client:
            found: list[tuple[str, str]] = []
            after = self.after
            while (news := client.news(after=after, wait_ms=0)).events:
                found += [(each.kind, each.text) for each in news.events]
                after = news.events[-1].seq
            return found

    def kinds(self) -> list[str]:
        """The kinds alone."""
        return [kind for kind, _ in self.events()]


def unhurried(ask: Callable[[], T]) -> T:
    """What the desk answers, as soon as it takes another request of this client's."""
    while True:
        try:
            return ask()
        except DeskAnswerError as error:
            if error.code is not ErrorCode.BUSY:
                raise


def looked_at(desk: WholeDesk, intent_id: str) -> SignedMessage:
    """What an approver who looks at it now would sign."""
    with desk.operator() as operator:
        status, decision = unhurried(operator.status), unhurried(lambda: operator.open(intent_id))
    decided = read_decision(
        decision,
        intent_id=intent_id,
        desk_id=status.desk_id,
        policy_digest=status.policy_digest,
        now_ms=SystemClock().now_ms(),
    )
    return desk.signed(decided.statement)


async def a_new_one(client: Client, order: dict[str, Any]) -> dict[str, Any]:
    """The order, knowingly beside one like it where there is one of before."""
    result = await client.call_tool("place_order", order)
    answer = cast("dict[str, Any]", result.structured_content)
    if answer["error"] is None:
        await client.call_tool("retract_proposal", {"intent_id": answer["data"]["intent_id"]})
        return order
    return {**order, "distinct_from": answer["error"]["message"].partition("intent ")[2][:32]}


def another_client(desk: WholeDesk, name: str, *, tools: Sequence[str] = WRITING) -> str:
    """Register another client that may use these tools; its credential."""
    credential = f"the-credential-of-{name}"
    digest = hashlib.sha256(credential.encode()).hexdigest()
    desk.sign(Purpose.ADD_CLIENT, {"name": name, "credential_sha256": digest})
    for tool in tools:
        allow(desk, name, tool)
    return credential


def allow(desk: WholeDesk, client: str, tool: str, *, is_allowed: bool = True) -> None:
    """Let the client use the tool, or not, by an approver's signature."""
    spec = builtin().get(tool)
    assert spec is not None
    body = {
        "client": client,
        "tool": tool,
        "allowed": is_allowed,
        "declaration": digest_of(declaration_of(spec)),
    }
    desk.sign(Purpose.ALLOW_TOOL, body)


def price_of(desk: WholeDesk, symbol: str, *, percent: int = 100) -> str:
    """So many per cent of the last price of a spot market, on its grid."""
    name = symbol.partition(":")[0].replace("/", "")
    answer = desk.sim.control.get(
        "/api/v3/ticker/price", params={"symbol": name}, headers={"Host": "api.binance.com"}
    )
    cents = round(float(answer.raise_for_status().json()["price"]) * percent)
    return f"{cents // 100}.{cents % 100:02d}"


@contextmanager
def traded(**options: Any) -> Generator[WholeDesk]:  # noqa: ANN401 - of `whole_desk`
    """A running desk with two accounts, the second one in hedge mode."""
    with whole_desk(toml=TOML, **options) as desk:
        desk.start(is_open=False)
        desk.until(lambda status: status.closed is None and not any(one.closed for one in status.accounts))
        yield desk
