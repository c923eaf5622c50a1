"""What a policy without a fault leaves unsaid, so that an operator learns it before the first order is denied."""

from collections.abc import Iterator
from typing import Final

from exchange_mcp.model.accounts import MarketType
from exchange_mcp.policy.reach import Reach, type_of
from exchange_mcp.policy.tables import Limits, SymbolLimits

_ALWAYS: Final = (
    "max_order_notional",
    "max_daily_notional",
    "max_price_distance_percent",
    "max_open_orders",
    "max_orders_per_minute",
)
_OF_DERIVATIVES: Final = ("max_leverage", "max_daily_loss")


def silences(reach: Reach) -> Iterator[str]:
    """What cannot be done because nothing states it, and what is valued or not counted: a sentence each."""
    policy = reach.policy
    if not reach.accounts:
        yield "accounts lists none, so nothing is allowed."
    for account in reach.accounts:
        symbols = reach.symbols(account)
        if not symbols:
            yield f"account {account}: symbols lists none, so nothing is allowed."
        for symbol in symbols:
            missing = tuple(_missing(reach, account, symbol))
            if missing:
                yield f"account {account}, {symbol}: no order is allowed, because nothing states {', '.join(missing)}."
        types = {type_of(symbol) for symbol in symbols}
        states_loss = any(
            limits is not None and limits.max_daily_loss is not None
            for limits in (policy.desk, policy.accounts.get(account))
        )
        if states_loss and MarketType.SPOT in types:
            yield f"account {account}: max_daily_loss does not count losses on spot, which no venue tells."
    quotes = sorted({_quote(symbol) for _, symbol in reach.markets()} - {policy.reference})
    if quotes:
        yield (
            f"amounts in {', '.join(quotes)} are stated in {policy.reference} by a price that is at most "
            f"{policy.desk.max_price_age_seconds} s old; without one they are refused."
        )


def _missing(reach: Reach, account: str, symbol: str) -> Iterator[str]:
    policy = reach.policy
    scopes: tuple[Limits, ...] = (
        policy.desk,
        *(limits for name, limits in policy.accounts.items() if name == account),
        policy.symbols.get(symbol) or SymbolLimits(),
    )
    if all(limits.order_types is None for limits in scopes):
        yield "order_types"
    needed = _ALWAYS if type_of(symbol) is MarketType.SPOT else (*_ALWAYS, *_OF_DERIVATIVES)
    for name in needed:
        if all(getattr(limits, name) is None for limits in scopes):
            yield name


def _quote(symbol: str) -> str:
    return symbol.partition("/")[2].partition(":")[0]
