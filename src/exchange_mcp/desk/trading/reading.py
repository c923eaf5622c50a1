"""All that one write is planned and judged by, read at once: in one round trip, two where a fee needs a price."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final, TypeVar

from exchange_mcp.desk.trading import counting
from exchange_mcp.desk.trading.needs import needs
from exchange_mcp.desk.trading.planning import Request, action_of, always_reduces, refuse_at_once
from exchange_mcp.desk.trading.prices import prices_of
from exchange_mcp.desk.trading.situation import Situation, situation, terms_of
from exchange_mcp.desk.trading.subject import Subject
from exchange_mcp.model.accounts import AccountName
from exchange_mcp.model.errors import KeyRefusedError, KeyUnconfirmedError
from exchange_mcp.model.ports import Clock, ReadVenue
from exchange_mcp.model.trading import TradingVenue
from exchange_mcp.orders.planned import Planned
from exchange_mcp.orders.preview import Preview
from exchange_mcp.policy.asked import proposed
from exchange_mcp.policy.figures import Price, Valuation, Valued
from exchange_mcp.policy.policy import Policy

T = TypeVar("T")

KeyFault = KeyRefusedError | KeyUnconfirmedError

_SCOPE_AGE_MS: Final = 60_000
_SECOND_MS: Final = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What was read for one write of one account.

    Attributes:
        policy: that decided what was read.
        key_fault: why the key may not be used; told at most a minute ago.
    """

    account: AccountName
    policy: Policy
    seen: Situation
    key_fault: KeyFault | None
    prices: tuple[Price, ...]
    open_orders: counting.ByScope
    realised: counting.AmountsByScope

    def subject(self, write: Planned, preview: Preview) -> Subject:
        """What the limits judge of this write."""
        return Subject(
            proposed=proposed(
                write,
                preview,
                account=self.account,
                terms=self.seen.terms,
                book=self.seen.book,
                quoted_at_ms=self.seen.quoted_at_ms,
            ),
            policy_digest=self.policy.digest(),
            prices=self.prices,
            open_orders=self.open_orders,
            realised=self.realised,
        )

    def in_reference(self, amount: Decimal, asset: str, now_ms: int) -> Decimal | None:
        """A cost in the policy's reference currency; None where no price that is young enough says so."""
        max_age_ms = self.policy.desk.max_price_age_seconds * _SECOND_MS
        valued = Valuation(self.prices, self.policy.reference, max_age_ms, now_ms).value({asset: amount})
        return valued.amount if isinstance(valued, Valued) else None


async def read(
    venue: TradingVenue,
    asked: Request,
    policy: Policy,
    readings: Mapping[AccountName, ReadVenue],
    clock: Clock,
) -> Reading:
    """Ask for all of it; `readings` are every account's, since some limits count over all of them.

    Raises:
        OrderRefusedError: it is refused whatever is read.
        KeyRefusedError, KeyUnconfirmedError: nothing is read with this key.
        ExchangeMcpError: something that decides was not told; the message names it.
    """
    own, reading, action = venue.account.name, venue.reading, action_of(asked)
    terms = await terms_of(reading, asked.symbol, clock)
    refuse_at_once(asked, terms)
    need = needs(
        policy,
        action=action,
        account=own,
        symbol=terms.symbol,
        always_reduces=always_reduces(asked, terms),
    )
    venues = tuple(readings.values())
    assets = {terms.quote, terms.settle or terms.quote} if action == "place" else set[str]()
    seen, fault, resting, realised, prices = await asyncio.gather(
        situation(reading, terms, action, clock),
        _key_told(venue, clock),
        counting.open_orders(venues, own, terms.symbol, need.open_orders, clock),
        counting.realised(venues, own, terms.symbol, need.realised, clock),
        prices_of(assets, policy.reference, venues, own, clock),
        return_exceptions=True,  # none is left running, and the first of them that failed is what is said
    )
    key_fault = _or_raise(fault).error
    if key_fault is not None and isinstance(seen, BaseException):
        raise key_fault  # which is why nothing was told
    found = Reading(
        account=own,
        policy=policy,
        seen=_or_raise(seen),
        key_fault=key_fault,
        open_orders=_or_raise(resting),
        realised=_or_raise(realised),
        prices=_or_raise(prices),
    )
    # A fee may be paid in an asset of its own, which is known only now.
    more = await prices_of(counting.assets_of(found.realised) - assets, policy.reference, venues, own, clock)
    return replace(found, prices=(*found.prices, *more))


@dataclass(frozen=True, slots=True)
class _KeyTold:
    """What the question about the key came to; an error that is an answer, and not one of asking."""

    error: KeyFault | None


async def _key_told(venue: TradingVenue, clock: Clock) -> _KeyTold:
    try:
        await venue.key_scope(oldest_ms=clock.now_ms() - _SCOPE_AGE_MS)
    except (KeyRefusedError, KeyUnconfirmedError) as error:
        return _KeyTold(error)
    return _KeyTold(None)


def _or_raise(answer: T | BaseException) -> T:
    if isinstance(answer, BaseException):
        raise answer
    return answer
