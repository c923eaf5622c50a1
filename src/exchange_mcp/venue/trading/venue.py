"""One account's `TradingVenue` over ccxt, with a client that may be shared by accounts of one key."""

import asyncio
from typing import Any, Final

import aiohttp

from exchange_mcp.model.accounts import Account
from exchange_mcp.model.errors import (
    EgressRefusedError,
    ExchangeMcpError,
    InternalError,
    VenueRefusedError,
    VenueUnreachableError,
)
from exchange_mcp.model.findings import Findings, Sought
from exchange_mcp.model.plans import WirePlan, WireRequest
from exchange_mcp.model.ports import Clock, ReadVenue
from exchange_mcp.model.scopes import KeyScope
from exchange_mcp.model.trading import Effect, Sighting
from exchange_mcp.model.unified_symbols import market_type_of
from exchange_mcp.model.writes import WriteRequest
from exchange_mcp.rules.endpoints import Endpoint
from exchange_mcp.rules.trading import TradingRules, longest_client_id
from exchange_mcp.venue.endpoints import EndpointTable
from exchange_mcp.venue.key_watch import KeyWatch
from exchange_mcp.venue.line import Line
from exchange_mcp.venue.markets import MarketCatalogue
from exchange_mcp.venue.render import CLASSES, RenderedWrite, render
from exchange_mcp.venue.trading.asking import Asking
from exchange_mcp.venue.trading.budget import Slots
from exchange_mcp.venue.trading.clock import VenueClock
from exchange_mcp.venue.trading.effects import effect_of
from exchange_mcp.venue.trading.ready import ReadyWrite, wire_request
from exchange_mcp.venue.trading.seeing import Seeing
from exchange_mcp.venue.watched import WatchedVenue
from exchange_mcp.venue.wire import Wire


class KeyTurn:
    """What all accounts of one key share: its client, its turn to write, its slots, and its venue's time."""

    def __init__(
        self,
        client: Any,  # noqa: ANN401 - ccxt is untyped
        wire: Wire,
        slots: Slots,
        clock: VenueClock,
    ) -> None:
        self.client = client
        self.wire = wire
        self.slots = slots
        self.clock = clock
        self.lock: Final = asyncio.Lock()


class CcxtTradingVenue:
    """One account that may trade. Only `ready` and what it gives write anything."""

    def __init__(  # noqa: PLR0913 - what it is made of
        self,
        key_id: str,
        turn: KeyTurn,
        *,
        rows: EndpointTable,
        catalogue: MarketCatalogue,
        reading: WatchedVenue,
        watch: KeyWatch,
        asking: Asking,
        rules: TradingRules,
        clock: Clock,
    ) -> None:
        self._key_id = key_id
        self._turn = turn
        self._rows = rows
        self._catalogue = catalogue
        self._reading = reading
        self._watch = watch
        self._asking = asking
        self._rules = rules
        self._clock = clock
        self._seeing = Seeing(self.account, turn.client, asking, turn.clock)

    @property
    def account(self) -> Account:
        """Whose venue this is."""
        return self._reading.account

    @property
    def key_id(self) -> str:
        """A hash of the API key; not secret."""
        return self._key_id

    @property
    def longest_client_id(self) -> int:
        """The longest client order id that every write route of this account takes, in characters."""
        return longest_client_id(self.account.venue, self.account.market_types)

    @property
    def window_ms(self) -> int:
        """How long after its timestamp the venue takes a request; what is signed says so."""
        return self._rules.window_ms

    @property
    def reading(self) -> ReadVenue:
        """The same account as far as reading goes, under the desk's role for its key."""
        return self._reading

    def account_id(self) -> str | None:
        """The venue's own id of the account, as far as its key was asked about; without asking."""
        return self._watch.account_id

    async def key_scope(self, *, oldest_ms: int) -> KeyScope:
        """What the key may do, asked again where the last answer is older than `oldest_ms` (our clock, UTC ms).

        Raises:
            KeyRefusedError, KeyUnconfirmedError: the desk does not run on it, or its venue refuses the question.
            ExchangeMcpError: it could not be asked.
        """
        return await self._watch.confirmed(oldest_ms)

    async def render(self, write: WriteRequest) -> WireRequest:
        """The request that ccxt would send for this write, captured without I/O once the markets are known.

        Raises:
            InvalidArgumentError: ccxt would change, add or drop a field. VenueRefusedError: no reviewed route.
            EgressRefusedError: nothing is written with the ccxt that is installed until its operator accepts it.
            ExchangeMcpError: the markets could not be had.
        """
        await self._catalogue.ready()
        return wire_request(self._rendered(write))

    async def ready(self, plan: WirePlan) -> ReadyWrite:
        """Wait for all that a send waits for: the key's turn, the venue's time, a slot, and a line of its own.

        Raises:
            KeyRefusedError, KeyUnconfirmedError: the key may not be used.
            InternalError: the plan is of another account, key or window than this.
            ExchangeMcpError: something could not be had; nothing was sent.
        """
        foreign = self._foreign(plan)
        if foreign is not None:
            raise InternalError(foreign)
        await self._watch.permit()
        await self._catalogue.ready()
        turn = self._turn
        await turn.lock.acquire()
        slot: float | None = None
        try:
            await turn.clock.fresh()
            write = self._rendered(plan.write)
            slot = await turn.slots.take()
            line = await self._line(write)
        except BaseException:
            if slot is not None:
                turn.slots.give_back(slot)
            turn.lock.release()
            raise

        def give_back(is_spent: bool) -> None:  # noqa: FBT001 - one answer to one question
            if not is_spent:
                turn.slots.give_back(slot)
            turn.lock.release()

        return ReadyWrite(
            plan,
            turn.client,
            self._endpoints(plan.write),
            line,
            again=self._rendered,
            refusal=self._refusal,
            give_back=give_back,
        )

    def venue_ms(self) -> int:
        """The venue's time now as far as known, UTC milliseconds; without asking."""
        return self._turn.clock.now_ms()

    async def find(self, sought: Sought) -> Findings:
        """What each source says of one order of ours; nothing is raised."""
        return await self._reading.find(sought)

    async def seen(self, since_ms: int, symbols: frozenset[str]) -> tuple[Sighting, ...]:
        """Every order of this key that can be seen, placed since then (venue time); see `Seeing`.

        Raises:
            ExchangeMcpError: a source did not answer, or not for all of that time; then nothing is concluded.
        """
        await self._watch.permit()
        return await self._seeing.seen(since_ms, symbols, await self._catalogue.ready())

    async def effect_of(self, plan: WirePlan) -> Effect:
        """What a cancel or a change of leverage has come to; nothing is raised, no answer is `UNTOLD`."""
        try:
            await self._watch.permit()
            return await effect_of(self._asking, self._rules, plan)
        except ExchangeMcpError:
            return Effect.UNTOLD

    def _endpoints(self, write: WriteRequest) -> frozenset[Endpoint]:
        """What this kind of write may use: the endpoints of its market's type, of those the account is set up for."""
        named = market_type_of(write.symbol)
        types = () if named is None or named not in self.account.market_types else (named,)
        return self._rows.of(CLASSES[type(write)], types)

    def _rendered(self, write: WriteRequest) -> RenderedWrite:
        cls = CLASSES[type(write)]
        if cls in self._rows.refused:
            raise EgressRefusedError(self._rows.refused[cls])
        endpoints = self._endpoints(write)
        if not endpoints:
            raise VenueRefusedError(
                f"account {self.account.name}: no reviewed way for such a write to {write.symbol}"
            )
        return render(self._turn.client, write, endpoints)

    async def _line(self, write: RenderedWrite) -> Line:
        origin = self._turn.client.addresses[write.rendered.endpoint].origin
        try:
            return await self._turn.wire.line(origin)
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            raise VenueUnreachableError(
                f"{self.account.venue} could not be reached: {type(error).__name__}"
            ) from None

    def _foreign(self, plan: WirePlan) -> str | None:
        """Why the plan is not one of this account, key and window; None if it is."""
        account = self.account
        own = (account.name, account.venue, account.environment, self._key_id, self._rules.window_ms)
        if (plan.account, plan.venue, plan.environment, plan.key_id, plan.window_ms) != own:
            return f"account {account.name}: the plan is of another account, key or window"
        if plan.account_id is not None and plan.account_id != self._watch.account_id:
            return f"account {account.name}: its key is of another account of the venue than the plan"
        market = self._turn.client.markets and self._turn.client.markets.get(plan.write.symbol)
        if market and (plan.market.symbol, plan.market.market_id) != (plan.write.symbol, market["id"]):
            return f"account {account.name}: the plan's market is not the one that it writes to"
        return None

    def _refusal(self, plan: WirePlan) -> str | None:
        """Why nothing is sent for this plan at this moment, or None."""
        return self._foreign(plan) or self._watch.refusal()
