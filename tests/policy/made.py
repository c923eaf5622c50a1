"""Policies and orders to decide about: sound ones, of which a test changes what it is about."""

from dataclasses import replace
from decimal import Decimal
from typing import Any, Final

from exchange_mcp.model.accounts import AccountName, MarketType
from exchange_mcp.model.writes import OrderType
from exchange_mcp.policy.counters import NOTHING_YET, Counters, Tally
from exchange_mcp.policy.decide import decide
from exchange_mcp.policy.decision import Decision, Rule, Ruling
from exchange_mcp.policy.figures import Price
from exchange_mcp.policy.loading import judge_policy
from exchange_mcp.policy.policy import Policy
from exchange_mcp.policy.proposed import Proposed

NOW: Final = 1_796_000_000_000

TABLE: Final[dict[str, Any]] = {
    "reference": "USDT",
    "max_price_age_seconds": 30,
    "accounts": ["main", "futures"],
    "symbols": ["BTC/USDT", "BTC/EUR", "BTC/USDT:USDT"],
    "order_types": ["limit", "market", "stop_market", "stop_limit"],
    "max_order_notional": 1000,
    "max_daily_notional": 5000,
    "max_price_distance_percent": 1,
    "max_open_orders": 10,
    "max_orders_per_minute": 5,
    "account": {
        "main": {"symbols": ["BTC/USDT", "BTC/EUR"]},
        "futures": {
            "symbols": ["BTC/USDT:USDT"],
            "max_leverage": 5,
            "max_daily_loss": 100,
        },
    },
}

SPOT: Final = Proposed(
    action="place",
    account=AccountName("main"),
    symbol="BTC/USDT",
    market_type=MarketType.SPOT,
    base="BTC",
    quote="USDT",
    side="buy",
    type=OrderType.LIMIT,
    effect="opens",
    expected_notional=Decimal(600),
    worst_notional=Decimal(600),
    worst_price=Decimal(60_000),
    mid=Decimal(60_000),
    quoted_at_ms=NOW,
)
SWAP: Final = replace(
    SPOT,
    account=AccountName("futures"),
    symbol="BTC/USDT:USDT",
    market_type=MarketType.LINEAR,
    leverage_set=5,
    has_position=False,
)
CANCEL: Final = Proposed(
    action="cancel",
    account=AccountName("main"),
    symbol="BTC/USDT",
    market_type=MarketType.SPOT,
    base="BTC",
    quote="USDT",
    is_protective=False,
)
LEVERAGE: Final = Proposed(
    action="leverage",
    account=AccountName("futures"),
    symbol="BTC/USDT:USDT",
    market_type=MarketType.LINEAR,
    base="BTC",
    quote="USDT",
    leverage_asked=5,
    leverage_set=1,
    has_position=False,
)
# The protective stop of a position: nothing bounds its price.
REDUCING_STOP: Final = replace(
    SWAP,
    side="sell",
    type=OrderType.STOP_MARKET,
    effect="closes",
    is_venue_enforced_reduce_only=True,
    worst_notional=None,
    worst_price=None,
    trigger_price=Decimal(58_000),
    has_position=True,
)

EMPTY: Final = Counters(desk=NOTHING_YET, account=NOTHING_YET, symbol=NOTHING_YET)


def table(**changed: object) -> dict[str, object]:
    """The sound table with some keys changed; None takes one out."""
    return {key: value for key, value in (TABLE | changed).items() if value is not None}


def policy(**changed: object) -> Policy:
    """The policy of the sound table with some keys changed."""
    outcome = judge_policy(table(**changed), configured=None)
    assert isinstance(outcome, Policy), outcome
    return outcome


def counted(**counts: Any) -> Counters:  # noqa: ANN401 - each count has its own type
    """The same counts in every scope; what is not named is nothing yet."""
    tally = replace(NOTHING_YET, **counts)
    return Counters(desk=tally, account=tally, symbol=tally)


def decided(
    asked: Proposed = SPOT,
    under: Policy | None = None,
    counters: Counters = EMPTY,
    prices: tuple[Price, ...] = (),
    now_ms: int = NOW,
) -> Decision:
    """The decision, by the sound policy unless another one is given."""
    return decide(policy() if under is None else under, asked, counters, prices, now_ms)


def denied_by(decision: Decision) -> list[Rule]:
    """The rules that deny."""
    return [each.rule for each in decision.denials]


def ruling(decision: Decision, rule: Rule) -> Ruling:
    """The first ruling of a rule."""
    return next(each for each in decision.rulings if each.rule is rule)


def tally(**counts: Any) -> Tally:  # noqa: ANN401 - each count has its own type
    """One scope's counts; what is not named is nothing yet."""
    return replace(NOTHING_YET, **counts)
