"""What a desk goes by at a venue it trades at: how fast it may write, and what the state of an order or market says.

Pure data. What is written down of client order ids, windows and look-ups is in `rules.client_ids`.
https://developers.binance.com/docs/binance-spot-api-docs/enums
https://developers.binance.com/docs/derivatives/usds-margined-futures/common-definition
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from exchange_mcp.model.accounts import Environment, MarketType
from exchange_mcp.model.trading import Effect
from exchange_mcp.rules.client_ids import order_ids


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteBudget:
    """How many writes a key sends in a span of time, and what its reads leave free for them.

    Attributes:
        writes: in every `span_ms`, fewer than the venue counts.
        read_share: the part of the venue's request weight that reads may use up, in hundredths.
    """

    writes: int
    span_ms: int
    read_share: int
    page: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LeverageRead:
    """How a market's leverage is read back: ccxt's implicit method, and the fields of a row."""

    call: str
    symbol: str
    leverage: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectRules:
    """When a cancel or a change of leverage that shows no effect has had none.

    Attributes:
        lag_ms: how late what it changed may still be shown as it was.
        refuses_late: whether the venue is documented to refuse a request after its window, and is told that window.
    """

    lag_ms: int
    refuses_late: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TradingRules:
    """All of it for one venue.

    Attributes:
        window_ms: how long after its timestamp a request is to be taken; what is signed says so.
        canceled: what each word for an order's state says of a cancel; another word says nothing.
        leverage: by market type.
    """

    window_ms: int
    budget: WriteBudget
    canceled: Mapping[str, Effect]
    leverage: Mapping[MarketType, LeverageRead]


_BINANCE: Final = TradingRules(
    # "It is recommended to use a small recvWindow of 5000 or less!":
    # https://developers.binance.com/docs/binance-spot-api-docs/rest-api/request-security
    window_ms=5_000,
    # Spot counts 50 orders in 10 seconds in the page's example, USD-M 300: what a venue says of a key comes with
    # exchangeInfo and may be more, never less than this.
    budget=WriteBudget(
        writes=40,
        span_ms=10_000,
        read_share=90,
        page="https://developers.binance.com/docs/binance-spot-api-docs/rest-api/limits",
    ),
    canceled=MappingProxyType(
        {
            "CANCELED": Effect.DONE,
            "NEW": Effect.PENDING,
            "PENDING_NEW": Effect.PENDING,
            "PARTIALLY_FILLED": Effect.PENDING,
            "PENDING_CANCEL": Effect.PENDING,
            "FILLED": Effect.TOO_LATE,
            "EXPIRED": Effect.TOO_LATE,
            "EXPIRED_IN_MATCH": Effect.TOO_LATE,
            "REJECTED": Effect.TOO_LATE,
            # Of conditional orders: https://developers.binance.com/docs/derivatives/usds-margined-futures/user-data-streams/Event-Algo-Order-Update
            "TRIGGERING": Effect.PENDING,
            "TRIGGERED": Effect.TOO_LATE,
            "FINISHED": Effect.TOO_LATE,
        }
    ),
    leverage=MappingProxyType(
        {
            MarketType.LINEAR: LeverageRead(
                call="fapiPrivateGetSymbolConfig", symbol="symbol", leverage="leverage"
            )
        }
    ),
)

TRADING: Final[Mapping[str, TradingRules]] = MappingProxyType({"binance": _BINANCE})
"""By venue; nothing is written where there are none."""


def effect_rules(
    venue: str, market_type: MarketType, environment: Environment, *, is_conditional: bool = False
) -> EffectRules:
    """What the effect of a cancel or a change of leverage rests on; nothing may be concluded where nothing is known.

    The simulated exchange answers out of the one store that its matching writes, so that nothing shows late there.
    """
    rules = order_ids(venue, market_type, is_conditional=is_conditional)
    if rules is None or venue not in TRADING:
        return EffectRules(lag_ms=0, refuses_late=False)
    return EffectRules(
        lag_ms=0 if environment is Environment.SIM else rules.lookups.lag_ms,
        refuses_late=rules.window.refuses_late and rules.window.is_sent,
    )


def longest_client_id(venue: str, market_types: tuple[MarketType, ...]) -> int:
    """The longest client order id that every write route of these market types takes; 0 where nothing is known."""
    known = [
        rules.ids.longest
        for each in market_types
        for is_conditional in (False, True)
        if (rules := order_ids(venue, each, is_conditional=is_conditional)) is not None
    ]
    return min(known, default=0)
