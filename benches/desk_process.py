"""A desk as its operator runs it, over a simulated exchange: set up, accepted and open, its one approver a script."""

import hashlib
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import httpx

from benches.parties import PRODUCT, Simulator
from exchange_mcp.cli.clock import SystemClock
from exchange_mcp.config.locations import Locations, locations
from exchange_mcp.desk.approver_keys import ApproverKey, load_scripted
from exchange_mcp.desk.filesystems import check_place
from exchange_mcp.desk.journal_errors import UnsafePlaceError
from exchange_mcp.desk.operator.approving import read_decision, signed_message
from exchange_mcp.desk.operator.client import OperatorClient
from exchange_mcp.desk.operator.messages import SignatureMessage
from exchange_mcp.link.messages import BASE_URL, PROTOCOL, PROTOCOL_HEADER
from exchange_mcp.tools.declarations import declaration_of, digest_of
from exchange_mcp.tools.registry import builtin

_PATIENCE_SECONDS: Final = 60.0
_SETTLING: Final = frozenset({"proposed", "approved", "dispatching", "accepted"})
_LIMITS: Final = {
    "max_order_notional": "5000",
    "max_daily_notional": "100000000",
    "max_open_orders": "1000",
    "max_orders_per_minute": "1000",
}


@dataclass
class DeskProcess:
    """The desk, and both sides that speak to it."""

    places: Locations
    key: ApproverKey
    marks: Path
    before: dict[str, str] = field(default_factory=dict[str, str])

    def client(self) -> httpx.Client:
        """A client of the proposal socket."""
        credential = self.places.client_credential.read_text(encoding="utf-8")
        return httpx.Client(
            transport=httpx.HTTPTransport(uds=str(self.places.proposal_socket), verify=False),
            base_url=BASE_URL,
            headers={PROTOCOL_HEADER: str(PROTOCOL), "Authorization": f"Bearer {credential}"},
            timeout=_PATIENCE_SECONDS,
        )

    def order(self, number: int) -> dict[str, Any]:
        """The message that proposes another small order, by turns a buy and a sell, knowingly beside those before."""
        spec = builtin().get("place_order")
        if spec is None:
            raise LookupError("this release has no place_order")
        account = {
            "name": "main",
            "venue": "binance",
            "environment": "sim",
            "market_types": ["spot", "linear"],
        }
        side = ("buy", "sell")[number % 2]
        amount = f"0.001{number // 2 % 10}"
        return {
            "proposal_id": hashlib.sha256(str(number).encode()).hexdigest()[:32],
            "tool": spec.name,
            "declaration": digest_of(declaration_of(spec)),
            "account": account,
            "action": "place",
            "request": {"symbol": "BTC/USDT", "side": side, "type": "market", "amount": amount},
            "distinct_from": self.before.get(side),
        }

    def approve(self, operator: OperatorClient, intent_id: str) -> None:
        """Look at it, sign it, and wait until it came to rest."""
        status, decision = operator.status(), operator.open(intent_id)
        decided = read_decision(
            decision,
            intent_id=intent_id,
            desk_id=status.desk_id,
            policy_digest=status.policy_digest,
            now_ms=SystemClock().now_ms(),
        )
        fields = self.key.fields(decided.statement.hash())
        signature = SignatureMessage(approver=self.key.name, fields=fields)
        operator.signed(signed_message(decided.statement, signature))
        until = time.monotonic() + _PATIENCE_SECONDS
        while (view := operator.intent(intent_id).intent).state in _SETTLING and time.monotonic() < until:
            operator.news(after=operator.head(), wait_ms=50)
        if view.state != "placed":
            raise RuntimeError(f"an order was not placed: {view}")
        side = "buy" if " buy " in view.summary else "sell"
        self.before[side] = view.id


@contextmanager
def desk_process(venue: Simulator, log: Path) -> Generator[DeskProcess]:
    """The desk, from the moment that it takes proposals to the end of the block."""
    with tempfile.TemporaryDirectory(prefix="xb", dir=_journal_place()) as folder:
        home, runtime = Path(folder) / "home", Path(folder) / "run"
        home.mkdir()
        environ = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
        environ |= {"HOME": str(home), "XDG_RUNTIME_DIR": str(runtime), "BENCH_MARKS": f"{folder}/marks"}
        places = locations(environ, home)
        rendezvous = ("--rendezvous", str(venue.rendezvous_path))
        _ran(environ, log, "desk", "--setup", "--sim", "--yes", *rendezvous)
        _make_roomy(places.desk_file)
        key = places.approver_keys / "script.approver.json"
        command = [sys.executable, "-m", "benches.timed_desk"]
        with (
            log.open("a") as errors,
            subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, stderr=errors) as process,  # noqa: S603 - our own
        ):
            try:
                if process.stdout is None or not process.stdout.readline():
                    raise RuntimeError(f"the desk did not start:\n{log.read_text()[-2000:]}")
                _ran(environ, log, "desk", "accept", "--key", str(key))
                with OperatorClient(places.operator_socket) as operator:
                    _await_open(operator)
                yield DeskProcess(places, load_scripted(key), Path(folder) / "marks")
            finally:
                process.terminate()


def _ran(environ: dict[str, str], log: Path, *arguments: str) -> None:
    done = subprocess.run(  # noqa: S603 - our own program
        [PRODUCT, *arguments], env=environ, capture_output=True, text=True, timeout=60, check=False
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(arguments)}: {done.stderr}\n{log.read_text()[-2000:]}")


def _await_open(operator: OperatorClient) -> None:
    until = time.monotonic() + _PATIENCE_SECONDS
    while (status := operator.status()).closed or any(each.closed for each in status.accounts):
        if time.monotonic() > until:
            raise RuntimeError(f"the desk does not open: {status}")
        operator.news(after=operator.head(), wait_ms=100)


def _make_roomy(file: Path) -> None:
    """Limits that the rounds do not run into, and a free port for the console."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    text = file.read_text(encoding="utf-8")
    for name, value in _LIMITS.items():
        text = re.sub(rf"(?m)^{name} = .*$", f"{name} = {value}", text)
    file.write_text(text.replace("[console]\n", f"[console]\nport = {port}\n"), encoding="utf-8")


def _journal_place() -> str:
    """A short path on a file system that a journal may lie on."""
    for place in (tempfile.gettempdir(), "/var/tmp", str(Path.cwd())):  # noqa: S108 - looked at before it is used
        try:
            check_place(Path(place))
        except UnsafePlaceError:
            continue
        if os.access(place, os.W_OK):
            return place
    raise RuntimeError(f"no directory here is fit for a journal: {json.dumps(tempfile.gettempdir())}")
