"""Signed requests to the venue without a socket, for what depends on neither ccxt nor HTTP."""

import json
from dataclasses import dataclass, field
from decimal import Decimal
from urllib.parse import urlencode

from exchange_mcp.sim.accounts import Account
from exchange_mcp.sim.exchange import Exchange
from exchange_mcp.sim.signing import signature
from exchange_mcp.sim.venue import Venue
from exchange_mcp.sim.wire import Request

from .clients import Counted, Json, StillClock

SPOT, USDM = "api.binance.com", "fapi.binance.com"


@dataclass
class Direct:
    """One venue, and a key to ask it with."""

    clock: StillClock = field(default_factory=StillClock)
    label: str = "trader"
    seed: int = 1

    def __post_init__(self) -> None:
        self.exchange = Exchange(seed=self.seed, clock=self.clock, entropy=Counted())
        self._venue = Venue(self.exchange)

    @property
    def account(self) -> Account:
        """The account of the key."""
        return self.exchange.accounts[self.exchange.keys.by_label()[self.label].account]

    def send(self, method: str, path: str, **params: object) -> tuple[int, Json]:
        """Ask, and return status and answer."""
        key = self.exchange.keys.by_label()[self.label]
        query = urlencode({"timestamp": self.clock.now} | params)
        query += f"&signature={signature(key.secret, query)}"
        host = USDM if path.startswith("/fapi") else SPOT
        in_body = method == "POST"
        request = Request(
            host, method, path, "" if in_body else query, query if in_body else "", api_key=key.api_key
        )
        answer = self._venue.answer(request)
        return answer.status, json.loads(answer.body)

    def ok(self, method: str, path: str, **params: object) -> Json:
        """Ask, and return the answer of what was not refused."""
        status, answer = self.send(method, path, **params)
        assert status == 200, answer
        return answer

    def refusal(self, method: str, path: str, **params: object) -> tuple[int, str]:
        """Ask, and return the code and the words of a refusal."""
        status, answer = self.send(method, path, **params)
        assert status in {400, 401}, answer
        return answer["code"], answer["msg"]

    def spot_last(self, symbol: str = "BTCUSDT") -> Decimal:
        """Return the price of a pair's last trade."""
        tape = self.exchange.spot(symbol).tape
        return tape.last(self.clock.now) * tape.instrument.tick

    def usdm_last(self, symbol: str = "BTCUSDT") -> Decimal:
        """Return the price of a contract's last trade."""
        tape = self.exchange.contract(symbol).tape
        return tape.last(self.clock.now) * tape.instrument.tick
