"""From configured accounts to venues that may be traded at: what `OpenVenues` is to serve, with the write classes."""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Final

import anyio

from exchange_mcp.model.errors import BadAnswerError
from exchange_mcp.model.ports import Clock
from exchange_mcp.model.scopes import Role
from exchange_mcp.model.trading import TradingVenue
from exchange_mcp.rules.client_ids import order_ids
from exchange_mcp.rules.endpoints import WRITES, EndpointClass
from exchange_mcp.rules.trading import TRADING, TradingRules
from exchange_mcp.venue.found_rows import instant
from exchange_mcp.venue.keys import KeyCare
from exchange_mcp.venue.listing import at
from exchange_mcp.venue.opening import Opened, Opening, OpenVenues
from exchange_mcp.venue.repeating import Sleep
from exchange_mcp.venue.trading.asking import Asking
from exchange_mcp.venue.trading.budget import Slots
from exchange_mcp.venue.trading.clock import VenueClock
from exchange_mcp.venue.trading.venue import CcxtTradingVenue, KeyTurn

_HUNDREDTHS: Final = 100


class OpenTrading(OpenVenues):
    """The venues of every account of a desk, each with a client that can write, once, what `venue.writes` sends.

    `run` owns the catalogues, the watch over each key in the desk's role, and the venues' clocks; `close` ends every
    connection. `trading` holds the accounts that can be traded, `closed` why each of the others cannot. `spare` waits
    between two measurements of a venue's time and for a slot of a budget.
    """

    classes: ClassVar[frozenset[EndpointClass]] = OpenVenues.classes | WRITES
    role: ClassVar[Role] = Role.DESK

    def __init__(  # noqa: PLR0913 - its ports
        self,
        openings: Sequence[Opening],
        cache_directory: Path,
        clock: Clock,
        *,
        accepted: Collection[str] = (),
        sleep: Sleep = asyncio.sleep,
        care: KeyCare | None = None,
        spare: Sleep = anyio.sleep,
    ) -> None:
        super().__init__(openings, cache_directory, clock, accepted=accepted, sleep=sleep, care=care)
        self._spare = spare
        self._turns: dict[int, KeyTurn] = {}
        self._closed: dict[str, str] = {}
        self._trading: dict[str, CcxtTradingVenue] = {}
        for opening in openings:
            self._trade(opening)

    @property
    def trading(self) -> Mapping[str, TradingVenue]:
        """By account name, in the order of the configuration."""
        return self._trading

    @property
    def closed(self) -> Mapping[str, str]:
        """By account name, why it cannot be traded, as a sentence."""
        return self._closed

    async def run(self) -> None:
        """Keep every catalogue and clock, and watch every key, until cancelled."""
        async with anyio.create_task_group() as group:
            group.start_soon(super().run)
            for turn in self._turns.values():
                group.start_soon(turn.clock.own)

    def _trade(self, opening: Opening) -> None:
        account = opening.account
        opened, rules = self._opened.get(account.name), TRADING.get(account.venue)
        if opening.key is None:
            self._closed[account.name] = f"account {account.name} has no key"
        elif rules is None:
            self._closed[account.name] = (
                f"account {account.name}: this version does not trade at {account.venue}"
            )
        elif opened is None or opened.watch is None:
            self._closed[account.name] = f"account {account.name}: nothing may leave for {account.venue}"
        else:
            reads = opened.rows.of(EndpointClass.READ, account.market_types)
            asking = Asking(opened.client, reads, opened.watch, sleep=self._sleep)
            self._trading[account.name] = CcxtTradingVenue(
                opening.key.key_id,
                self._turn(opened, rules, asking),
                rows=opened.rows,
                catalogue=opened.catalogue,
                reading=opened.reading,
                watch=opened.watch,
                asking=asking,
                rules=rules,
                clock=self._clock,
            )

    def _turn(self, opened: Opened, rules: TradingRules, asking: Asking) -> KeyTurn:
        """What the accounts of one key share; its client is set up for writing when the first of them is opened."""
        client = opened.client
        turn = self._turns.get(id(client))
        if turn is None:
            clock = VenueClock(
                opened.opening.account.venue, self._clock, _time_of(opened, asking), sleep=self._spare
            )
            _prepare(client, rules, clock)
            slots = Slots(rules.budget, self._clock, sleep=self._spare)
            turn = self._turns[id(client)] = KeyTurn(client, opened.wire, slots, clock)
        return turn


def _prepare(client: Any, rules: TradingRules, clock: VenueClock) -> None:  # noqa: ANN401 - ccxt is untyped
    """Let the client sign in the venue's time, with the window that plans are told, and leave weight for writes."""
    client.options["recvWindow"] = rules.window_ms
    client.nonce = clock.now_ms
    throttled = client.throttler.config
    throttled["maxWeight"] = throttled["maxWeight"] * rules.budget.read_share / _HUNDREDTHS


def _time_of(opened: Opened, asking: Asking) -> Any:  # noqa: ANN401 - an async function
    account = opened.opening.account
    rules = order_ids(account.venue, account.market_types[0], is_conditional=False)
    told = None if rules is None else rules.lookups.clock

    async def ask() -> int:
        if told is None:
            raise BadAnswerError(f"how {account.venue} tells its time was not written down")
        call, path, unit = told
        now_ms = instant(at(await asking.once(call), path), unit)
        if now_ms is None:
            raise BadAnswerError(f"{account.venue} sent an answer without its time")
        return now_ms

    return ask
