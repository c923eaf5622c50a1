"""A whole desk: a simulated exchange and `exchange-mcp desk` as processes, an approver that is a script, and a client.

`whole_desk` gives one; `start` runs its process, `kill` ends it as a power cut does for a process, `stop` in order.
Everything is asked over the two sockets, as everybody else asks.
"""

import hashlib
import os
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import httpx

from cli.launching import environment
from exchange_mcp import __version__
from exchange_mcp.cli.clock import SystemClock
from exchange_mcp.cli.entropy import SystemEntropy
from exchange_mcp.config.locations import Locations, locations
from exchange_mcp.config.owner_only import write_owner_only
from exchange_mcp.desk.approver_keys import ApproverKey, create_scripted
from exchange_mcp.desk.enrolling import enrol_first
from exchange_mcp.desk.filesystems import check_place
from exchange_mcp.desk.journal_errors import UnsafePlaceError
from exchange_mcp.desk.opening import Surroundings, marks_in, this_machine
from exchange_mcp.desk.operator.approving import read_decision, signed_message
from exchange_mcp.desk.operator.client import OperatorClient
from exchange_mcp.desk.operator.messages import (
    Decision,
    Done,
    IntentView,
    SignatureMessage,
    SignedMessage,
    Status,
)
from exchange_mcp.desk.records import Opening
from exchange_mcp.desk.register import AcceptedConfiguration, Allowance, Approver, Client
from exchange_mcp.desk.settings import digest_of
from exchange_mcp.desk.statements import Purpose, Statement, accept_body, propose_body
from exchange_mcp.link.messages import BASE_URL, PROTOCOL, PROTOCOL_HEADER
from exchange_mcp.model.canonical import canonical_json
from exchange_mcp.tools.declarations import declaration_of
from exchange_mcp.tools.declarations import digest_of as declaration_digest
from exchange_mcp.tools.registry import builtin
from serving import PROGRAM, Sim, simulated_exchange

APPROVER: Final = "script"
CLIENT: Final = "assistant"
CREDENTIAL: Final = "a-credential-that-only-a-test-knows"
_PATIENCE_SECONDS: Final = 60.0
_LOOK_MS: Final = 50

TOML: Final = """\
[desk]
scripted_approver = true
[console]
port = {port}
[log]
format = "json"
level = "debug"
[keys]
check_seconds = 30
[accounts.main]
venue = "binance"
environment = "sim"
market_types = ["spot", "linear"]
sim_key = "{key}"
rendezvous = "{rendezvous}"
[policy]
reference = "USDT"
accounts = ["main"]
symbols = ["BTC/USDT", "ETH/USDT", "BTC/USDT:USDT", "ETH/USDT:USDT"]
order_types = ["limit", "market"]
max_order_notional = 5000
max_daily_notional = 50000
max_price_distance_percent = 50
max_open_orders = 100
max_orders_per_minute = 30
max_price_age_seconds = 30
approvals = 1
max_leverage = 10
max_daily_loss = 5000
leverage_change_with_position = false
"""
WIDE_TOML: Final = (
    TOML.replace(
        '"ETH/USDT:USDT"]',
        '"ETH/USDT:USDT", "SOL/USDT", "SOL/USDT:USDT", "XRP/USDT", "XRP/USDT:USDT", "1000PEPE/USDT:USDT"]',
    )
    .replace("max_daily_notional = 50000", "max_daily_notional = 5000000")
    .replace("max_orders_per_minute = 30", "max_orders_per_minute = 600")
    .replace("max_leverage = 10", "max_leverage = 20")
    .replace("max_daily_loss = 5000", "max_daily_loss = 500000")
    .replace("with_position = false", "with_position = true")
)
"""The same for who writes a lot: limits that are not reached, and every asset of the simulated exchange."""


@dataclass
class WholeDesk:
    """One desk and its exchange.

    Attributes:
        home, runtime: whose every file lies under them.
        sim: the exchange, and the way to steer it.
        key: the script's, or a person's, which approves.
        program: what is run.
    """

    home: Path
    runtime: Path
    sim: Sim
    key: ApproverKey
    environ: Mapping[str, str]
    process: subprocess.Popen[str] | None = None
    program: tuple[str, ...] = PROGRAM
    told: list[str] = field(default_factory=list[str])

    @property
    def places(self) -> Locations:
        """Where its files are."""
        return locations(self.environ, self.home)

    @property
    def log(self) -> Path:
        """What its processes logged, one after another."""
        return self.home / "log"

    # The process.

    def start(self, *, is_open: bool = True) -> None:
        """Run the desk, from the moment that it serves; or until account main takes writes."""
        process = self.spawn()
        assert process.stdout is not None
        self.told = [process.stdout.readline(), process.stdout.readline()]
        assert self.told[1], self.log.read_text()
        if is_open:
            self.until(lambda status: status.closed is None and status.accounts[0].closed is None)

    def spawn(self) -> "subprocess.Popen[str]":
        """Begin to run it, and wait for nothing."""
        with self.log.open("a") as stderr:
            self.process = subprocess.Popen(  # noqa: S603 - our own program
                [*self.program, "desk"], env=self.environ, stdout=subprocess.PIPE, stderr=stderr, text=True
            )
        return self.process

    def fails(self) -> tuple[int, str]:
        """Run the desk where it refuses to start; its exit code and what it says."""
        done = subprocess.run(  # noqa: S603 - our own program
            [*self.program, "desk"], env=self.environ, capture_output=True, text=True, timeout=60, check=False
        )
        return done.returncode, done.stderr

    def kill(self) -> None:
        """End the process at once, whatever it is doing."""
        assert self.process is not None
        self.process.kill()
        self._ended()

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """End it in order; its exit code."""
        assert self.process is not None
        self.process.send_signal(number)
        return self._ended()

    def reload(self) -> None:
        """Let it read its configuration again."""
        assert self.process is not None
        self.process.send_signal(signal.SIGHUP)

    def _ended(self) -> int:
        assert self.process is not None
        code = self.process.wait(timeout=_PATIENCE_SECONDS)
        assert self.process.stdout is not None
        self.process.stdout.close()
        self.process = None
        return code

    # The operator's side.

    @contextmanager
    def operator(self) -> Generator[OperatorClient]:
        """A client of the operator socket."""
        with OperatorClient(self.places.operator_socket) as client:
            yield client

    def status(self) -> Status:
        """The desk, at a glance."""
        with self.operator() as client:
            return client.status()

    def until(self, holds: Callable[[Status], object]) -> Status:
        """The status, as soon as this holds of it; between two looks the desk itself lets us wait."""
        deadline = time.monotonic() + _PATIENCE_SECONDS
        with self.operator() as client:
            while not holds(status := client.status()):
                assert time.monotonic() < deadline, status
                client.news(after=client.head(), wait_ms=_LOOK_MS)
            return status

    def sign(self, purpose: Purpose, body: Mapping[str, object]) -> Done:
        """What the script's signature under this leads to."""
        with self.operator() as client:
            challenge = client.challenge()
            statement = Statement(
                purpose=purpose,
                desk_id=challenge.desk_id,
                nonce=challenge.nonce,
                expires_ms=challenge.expires_ms,
                body=body,
            )
            return client.signed(self.signed(statement))

    def signed(self, statement: Statement) -> SignedMessage:
        """The statement with the script's signature."""
        fields = self.key.fields(statement.hash())
        return signed_message(statement, SignatureMessage(approver=self.key.name, fields=fields))

    def accept(self) -> Done:
        """Sign `desk.toml` as it stands."""
        digest = digest_of(self.places.desk_file.read_text(encoding="utf-8"))
        return self.sign(Purpose.ACCEPT_CONFIGURATION, accept_body(configuration_digest=digest))

    # A write, step by step.

    def propose(
        self, *, action: str = "place", distinct_from: str | None = None, **request: object
    ) -> IntentView:
        """Propose as the operator, who needs no tool: an order unless told otherwise."""
        body = propose_body(account="main", action=action, request=request, distinct_from=distinct_from)
        (intent,) = self.sign(Purpose.PROPOSE, body).intents
        return intent

    def buy(self, amount: str = "0.001", *, symbol: str = "BTC/USDT", side: str = "buy") -> IntentView:
        """Propose a small market order."""
        return self.propose(symbol=symbol, side=side, type="market", amount=amount)

    def open(self, intent_id: str) -> Decision:
        """What an approver is shown."""
        with self.operator() as client:
            return client.open(intent_id)

    def approve(self, intent_id: str) -> Done:
        """Look at it as an approver's side does, and sign."""
        with self.operator() as client:
            status, decision = client.status(), client.open(intent_id)
            decided = read_decision(
                decision,
                intent_id=intent_id,
                desk_id=status.desk_id,
                policy_digest=status.policy_digest,
                now_ms=SystemClock().now_ms(),
            )
            return client.signed(self.signed(decided.statement))

    def intent(self, intent_id: str) -> IntentView:
        """The intent as it stands."""
        with self.operator() as client:
            return client.intent(intent_id).intent

    def settled(self, intent_id: str, *states: str) -> IntentView:
        """The intent, as soon as it is in one of these states."""
        deadline = time.monotonic() + _PATIENCE_SECONDS
        with self.operator() as client:
            while (intent := client.intent(intent_id).intent).state not in states:
                assert time.monotonic() < deadline, intent
                client.news(after=client.head(), wait_ms=_LOOK_MS)
            return intent

    # The client's side, and the exchange's.

    def client(self, credential: str | None = CREDENTIAL) -> httpx.Client:
        """A client of the proposal socket."""
        shown = {} if credential is None else {"Authorization": f"Bearer {credential}"}
        return httpx.Client(
            # Without TLS there is nothing to verify, and loading the authorities takes longer than a test.
            transport=httpx.HTTPTransport(uds=str(self.places.proposal_socket), verify=False),
            base_url=BASE_URL,
            headers={PROTOCOL_HEADER: str(PROTOCOL), **shown},
            timeout=30,
        )

    def proposes(
        self, proposal_id: str, *, distinct_from: str | None = None, **request: object
    ) -> httpx.Response:
        """What the desk answers to a client that proposes an order under this id."""
        spec = builtin().get("place_order")
        assert spec is not None
        message = {
            "proposal_id": proposal_id,
            "tool": spec.name,
            "declaration": declaration_digest(declaration_of(spec)),
            "account": {
                "name": "main",
                "venue": "binance",
                "environment": "sim",
                "market_types": ["spot", "linear"],
            },
            "action": "place",
            "request": request,
            "distinct_from": distinct_from,
        }
        with self.client() as http:
            return http.post("/v1/proposals", json=message)

    def placed(self) -> list[dict[str, Any]]:
        """The orders that clients sent, as the venue itself has them."""
        answer = self.sim.control.get("/__sim/orders").raise_for_status()
        return [order for order in answer.json()["orders"] if order["source"] == "api"]


@contextmanager
def whole_desk(
    *,
    sim: Sim | None = None,
    enrolled: bool = True,
    key: str = "trader",
    toml: str = TOML,
    allowed: Sequence[Allowance] | None = None,
) -> Generator[WholeDesk]:
    """A desk that is set up and not started yet; its process ends with the block, and so does its exchange.

    Its client may use every tool that proposes, unless `allowed` says otherwise.
    """
    with ExitStack() as held:
        base = Path(held.enter_context(tempfile.TemporaryDirectory(prefix="xd", dir=short_place())))
        exchange = sim or held.enter_context(simulated_exchange(base))
        home, runtime = base / "home", base / "run"
        home.mkdir()
        environ = environment(home, XDG_RUNTIME_DIR=str(runtime))
        key_of_script, stored = create_scripted(APPROVER, SystemEntropy())
        desk = WholeDesk(home, runtime, exchange, key_of_script, environ)
        text = toml.format(port=free_port(), key=key, rendezvous=exchange.rendezvous)
        write_owner_only(desk.places.desk_file, text.encode())
        write_owner_only(desk.places.approver_keys / f"{APPROVER}.approver.json", stored)
        if enrolled:
            enrol(desk, text, everything() if allowed is None else allowed)
        try:
            yield desk
        finally:
            if desk.process is not None:
                desk.kill()


def everything() -> list[Allowance]:
    """Every tool that proposes, allowed as it is declared now."""
    return [
        Allowance(
            client=CLIENT,
            tool=spec.name,
            is_allowed=True,
            declaration=canonical_json(declaration_of(spec)),
        )
        for spec in builtin()
        if spec.name in {"place_order", "cancel_order", "set_leverage"}
    ]


def enrol(desk: WholeDesk, text: str, allowed: Sequence[Allowance]) -> None:
    places = desk.places
    enrol_first(
        places.desk_journal,
        Surroundings(
            clock=SystemClock(),
            entropy=SystemEntropy(),
            marks=marks_in(places.state),
            machine=this_machine(),
            opening=Opening(version=__version__, policy_digest="", matrix_digest=""),
        ),
        approver=Approver(name=APPROVER, kind=desk.key.kind, public=desk.key.public),
        client=Client(name=CLIENT, credential_sha256=hashlib.sha256(CREDENTIAL.encode()).hexdigest()),
        configuration=AcceptedConfiguration(digest=digest_of(text), text=text),
        allowed=allowed,
    )


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def short_place() -> str:
    """A short path on a file system that a journal may lie on: sockets have short names."""
    for place in (tempfile.gettempdir(), "/var/tmp", str(Path(__file__).parents[2])):  # noqa: S108 - looked at before it is used
        try:
            check_place(Path(place))
        except UnsafePlaceError:
            continue
        if os.access(place, os.W_OK):
            return place
    raise AssertionError("no directory here is fit for a journal")
