"""Any policy, any order, any counters, any prices: what Hypothesis draws from."""

from collections.abc import Iterable
from decimal import Decimal
from typing import Any, Final

from hypothesis import strategies as st

from exchange_mcp.model.accounts import AccountName, MarketType
from exchange_mcp.model.writes import OrderType
from exchange_mcp.policy.counters import NOTHING_YET, Counters, Tally
from exchange_mcp.policy.figures import Price
from exchange_mcp.policy.policy import Policy
from exchange_mcp.policy.proposed import Proposed
from exchange_mcp.policy.tables import AccountLimits, DeskLimits, Forbid, SymbolLimits

from .made import NOW

ACCOUNTS: Final = ("main", "futures")
MARKETS: Final = {
    "BTC/USDT": (MarketType.SPOT, "BTC", "USDT"),
    "ETH/EUR": (MarketType.SPOT, "ETH", "EUR"),
    "BTC/USDT:USDT": (MarketType.LINEAR, "BTC", "USDT"),
    "BTC/USD:BTC": (MarketType.INVERSE, "BTC", "USD"),
}
EFFECTS: Final = ("opens", "adds", "reduces", "closes", "flips")

_amounts = st.integers(1, 40).map(lambda n: Decimal(n) * 25)
_small = st.integers(1, 6)


def _maybe(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | strategy


def _some(values: Iterable[Any]) -> st.SearchStrategy[Any]:
    return st.lists(st.sampled_from(list(values)), unique=True, min_size=1).map(tuple)


def _few_of(most: int, **strategies: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Some of the named values, at most so many."""
    pairs = [st.tuples(st.just(name), strategy) for name, strategy in strategies.items()]
    return st.lists(st.one_of(*pairs), max_size=most).map(dict)


_LIMITS: Final[dict[str, st.SearchStrategy[Any]]] = {
    "order_types": _some(OrderType),
    "max_order_notional": _amounts,
    "max_daily_notional": _amounts.map(lambda n: n * 2),
    "max_leverage": _small,
    "max_price_distance_percent": st.integers(1, 6).map(lambda n: Decimal(n) / 2),
    "max_open_orders": _small,
    "max_orders_per_minute": _small,
    "max_daily_loss": _amounts,
    "leverage_change_with_position": st.booleans(),
    "approvals": _small,
}
_symbols = st.sampled_from([tuple(MARKETS), tuple(MARKETS), ("BTC/USDT",), ("BTC/USDT:USDT", "ETH/EUR")])
forbids = _few_of(
    3,
    actions=_some(("place", "cancel", "leverage")),
    accounts=_some(ACCOUNTS),
    symbols=_some(MARKETS),
    sides=_some(("buy", "sell")),
    order_types=_some(OrderType),
    effects=_some(EFFECTS),
    when_position_open=st.just(True),  # noqa: FBT003 - a strategy's only value
    when_protective=st.just(True),  # noqa: FBT003 - as above
).map(lambda conditions: Forbid(reason="a reason", **conditions))
# The whole desk states everything, so that enough orders are allowed for the properties to mean something.
_stated = {
    "order_types": st.just(tuple(OrderType)),
    "max_order_notional": _amounts.map(lambda n: n + 300),
    "max_daily_notional": _amounts.map(lambda n: n + 900),
    "max_leverage": _small.map(lambda n: n + 3),
    "max_price_distance_percent": st.integers(2, 6).map(Decimal),
    "max_open_orders": _small.map(lambda n: n + 3),
    "max_orders_per_minute": _small.map(lambda n: n + 3),
    "max_daily_loss": _amounts.map(lambda n: n + 200),
    "leverage_change_with_position": st.just(True),  # noqa: FBT003 - a strategy's only value
    "approvals": st.just(1),
}


def _desk(limits: dict[str, Any]) -> DeskLimits:
    return DeskLimits(reference="USDT", **limits)


policies = st.builds(
    Policy,
    st.fixed_dictionaries({"accounts": st.just(ACCOUNTS), "symbols": st.just(tuple(MARKETS)), **_stated}).map(
        _desk
    )
    | _few_of(8, accounts=_some(ACCOUNTS), symbols=_symbols, **_LIMITS).map(_desk),
    st.dictionaries(
        st.sampled_from([AccountName(name) for name in ACCOUNTS]),
        _few_of(3, symbols=_symbols, **_LIMITS).map(lambda limits: AccountLimits(**limits)),
        max_size=1,
    ),
    st.dictionaries(
        st.sampled_from(list(MARKETS)),
        _few_of(3, **_LIMITS).map(lambda limits: SymbolLimits(**limits)),
        max_size=1,
    ),
    st.one_of(st.just(()), st.just(()), st.tuples(forbids)),
)

_tallies = st.builds(
    Tally,
    notional_24h=_maybe(st.dictionaries(st.sampled_from(["USDT", "EUR"]), _amounts, max_size=2)),
    orders_last_minute=_maybe(st.integers(0, 5)),
    open_orders=_maybe(st.integers(0, 5)),
    realised_pnl_24h=_maybe(
        st.dictionaries(st.sampled_from(["USDT", "BTC"]), st.integers(-300, 300).map(Decimal), max_size=2)
    ),
)
_nothing = st.just(NOTHING_YET)
counters = st.builds(Counters, desk=_nothing | _tallies, account=_nothing | _tallies, symbol=_nothing)
_pairs = st.sampled_from([("EUR", "USDT"), ("USDT", "EUR"), ("USD", "USDT"), ("BTC", "USDT"), ("BTC", "EUR")])


def _price(pair: tuple[str, str], rate: int, age_ms: int) -> Price:
    return Price(
        base=pair[0], quote=pair[1], rate=Decimal(rate) / 10, as_of_ms=NOW - age_ms, source="a ticker"
    )


prices = st.lists(
    st.builds(_price, _pairs, st.integers(1, 30), st.sampled_from([0, 500, 29_999, 30_000, 30_001])),
    max_size=3,
).map(tuple)


def _seldom_none(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(strategy, strategy, strategy, st.none())


@st.composite
def proposals(draw: st.DrawFn) -> Proposed:
    """One write of any kind."""
    symbol = draw(st.sampled_from(list(MARKETS)))
    market_type, base, quote = MARKETS[symbol]
    market: dict[str, Any] = {
        "account": AccountName(draw(st.sampled_from(ACCOUNTS))),
        "symbol": symbol,
        "market_type": market_type,
        "base": base,
        "quote": quote,
        "has_position": draw(st.sampled_from([True, False, None])),
    }
    action = draw(st.sampled_from(["place", "place", "place", "cancel", "leverage"]))
    if action == "cancel":
        return Proposed(action="cancel", is_protective=draw(st.sampled_from([True, False, None])), **market)
    if action == "leverage":
        return Proposed(action="leverage", leverage_asked=draw(st.integers(1, 6)), **market)
    kind = draw(st.sampled_from(list(OrderType)))
    mid = Decimal(draw(st.integers(90, 110)))
    return Proposed(
        action="place",
        side=draw(st.sampled_from(["buy", "sell"])),
        type=kind,
        effect=draw(st.sampled_from([*EFFECTS, None])),
        is_venue_enforced_reduce_only=market_type is not MarketType.SPOT and draw(st.booleans()),
        worst_notional=draw(_seldom_none(st.integers(0, 400).map(Decimal))),
        worst_price=draw(_seldom_none(st.integers(97, 103).map(Decimal))),
        trigger_price=Decimal(100) if kind.has_trigger else None,
        mid=draw(st.sampled_from([mid, Decimal(100), Decimal(100)])),
        quoted_at_ms=NOW - draw(st.sampled_from([0, 500, 1000, 1000, 30_000, 30_001])),
        leverage_set=draw(_seldom_none(st.integers(1, 6))),
        **market,
    )
