"""Which limits of a policy contradict one another, or can never match? Each is an error when it is loaded.

A limit that decides nothing is one that its writer believes in, so it is no detail.
"""

from collections.abc import Collection, Iterator
from typing import Any, Final

from exchange_mcp.config.faults import KeyPath
from exchange_mcp.model.accounts import AccountName, MarketType
from exchange_mcp.policy.figures import plain
from exchange_mcp.policy.reach import Reach, type_of
from exchange_mcp.policy.tables import Limits
from exchange_mcp.rules.realised_pnl import tells_realised_pnl

Finding = tuple[KeyPath, str]

_UPPER_BOUNDS: Final = (
    "max_order_notional",
    "max_daily_notional",
    "max_leverage",
    "max_price_distance_percent",
    "max_open_orders",
    "max_orders_per_minute",
    "max_daily_loss",
)
_NO_TYPE: Final = '"order_types" of [policy] does not list it'
_OF_DERIVATIVES: Final = ("max_leverage", "leverage_change_with_position")


def contradictions(reach: Reach) -> Iterator[Finding]:
    """Where in `[policy]` something can never decide, and why."""
    yield from _unreachable(reach)
    for place, limits in _narrower(reach):
        yield from ((place + at, said) for at, said in _wider_than_desk(limits, reach.policy.desk))
    for place, limits in ((), reach.policy.desk), *_narrower(reach):
        yield from ((place + at, said) for at, said in _order_over_day(limits))
    yield from _derivatives_only(reach)
    yield from _losses_that_nobody_tells(reach)


def _narrower(reach: Reach) -> Iterator[tuple[KeyPath, Limits]]:
    for name, limits in reach.policy.accounts.items():
        yield ("account", name), limits
    for symbol, limits in reach.policy.symbols.items():
        yield ("symbol", symbol), limits


def _unreachable(reach: Reach) -> Iterator[Finding]:
    configured = reach.configured
    for i, name in enumerate(reach.accounts):
        if configured is not None and name not in configured:
            yield (
                ("accounts", i),
                f'there is no account "{name}"; there are: {", ".join(configured) or "none"}',
            )
    for name in reach.policy.accounts:
        yield from _unreachable_on_account(reach, name)
    if reach.accounts:  # an empty list of accounts is a lock, which leaves the rest as it was
        yield from _unreachable_symbols(reach)


def _unreachable_on_account(reach: Reach, name: AccountName) -> Iterator[Finding]:
    desk, limits, place = reach.policy.desk, reach.policy.accounts[name], ("account", name)
    if name not in reach.accounts:
        if desk.accounts != ():
            yield place, 'can never match: "accounts" of [policy] does not list it'
        return
    yield from _outside(
        limits.symbols, desk.symbols, (*place, "symbols"), '"symbols" of [policy] does not list it'
    )
    yield from _outside(limits.order_types, desk.order_types, (*place, "order_types"), _NO_TYPE)
    for i, symbol in enumerate(limits.symbols or ()):
        if not reach.has_market_type(name, type_of(symbol)):
            yield (*place, "symbols", i), f"can never match: the account has no {type_of(symbol)} markets"


def _unreachable_symbols(reach: Reach) -> Iterator[Finding]:
    desk = reach.policy.desk
    reached = {symbol for _, symbol in reach.markets()}
    for symbol, limits in reach.policy.symbols.items():
        if symbol not in reached:
            yield ("symbol", symbol), "can never match: no account may trade it"
            continue
        yield from _outside(limits.order_types, desk.order_types, ("symbol", symbol, "order_types"), _NO_TYPE)
    for i, symbol in enumerate(desk.symbols or ()):
        if symbol not in reached:
            yield ("symbols", i), "can never match: no account may trade it"


def _outside(
    inner: Collection[str] | None, outer: Collection[str] | None, place: KeyPath, why: str
) -> Iterator[Finding]:
    for i, each in enumerate(inner or ()):
        if outer is not None and each not in outer:
            yield (*place, i), f"can never match: {why}"


def _wider_than_desk(limits: Limits, desk: Limits) -> Iterator[Finding]:
    for name in _UPPER_BOUNDS:
        inner, outer = getattr(limits, name), getattr(desk, name)
        if inner is not None and outer is not None and inner > outer:
            yield (name,), f"can never decide: [policy] allows {_shown(outer)} at most"
    if limits.leverage_change_with_position and desk.leverage_change_with_position is False:
        yield ("leverage_change_with_position",), "can never decide: [policy] says false"
    if (limits.approvals or 9) < (desk.approvals or 1):
        yield ("approvals",), f"can never decide: [policy] asks for {desk.approvals}"
    daily = desk.max_daily_notional
    if limits.max_order_notional is not None and daily is not None and limits.max_order_notional > daily:
        yield ("max_order_notional",), f"can never decide: [policy] allows {_shown(daily)} in 24 hours"


def _order_over_day(limits: Limits) -> Iterator[Finding]:
    order, daily = limits.max_order_notional, limits.max_daily_notional
    if order is not None and daily is not None and order > daily:
        yield ("max_order_notional",), f"can never decide: max_daily_notional is {_shown(daily)}"


def _derivatives_only(reach: Reach) -> Iterator[Finding]:
    for place, limits, symbols in _with_symbols(reach):
        if symbols and all(type_of(symbol) is MarketType.SPOT for symbol in symbols):
            for name in _OF_DERIVATIVES:
                if getattr(limits, name) is not None:
                    yield (*place, name), "can never match: only spot markets are permitted here"


def _with_symbols(reach: Reach) -> Iterator[tuple[KeyPath, Limits, frozenset[str]]]:
    """Each scope with the markets in it."""
    yield (), reach.policy.desk, frozenset(symbol for _, symbol in reach.markets())
    for name, limits in reach.policy.accounts.items():
        yield ("account", name), limits, frozenset(reach.symbols(name))
    for symbol, limits in reach.policy.symbols.items():
        yield ("symbol", symbol), limits, frozenset({symbol})


def _losses_that_nobody_tells(reach: Reach) -> Iterator[Finding]:
    policy = reach.policy
    if policy.desk.max_daily_loss is not None:
        for account in reach.accounts:
            why = _untold(reach, account)
            if why is not None:
                yield (
                    ("max_daily_loss",),
                    f"{why}; state it in the tables [policy.account.NAME] of other accounts",
                )
    for account, limits in policy.accounts.items():
        why = _untold(reach, account)
        if limits.max_daily_loss is not None and why is not None:
            yield ("account", account, "max_daily_loss"), why
    for symbol, limits in policy.symbols.items():
        if limits.max_daily_loss is None:
            continue
        for account in reach.accounts:
            if symbol in reach.symbols(account) and not tells_realised_pnl(
                reach.venue(account), type_of(symbol)
            ):
                yield ("symbol", symbol, "max_daily_loss"), _nothing_told(reach, account, type_of(symbol))
                break


def _untold(reach: Reach, account: AccountName) -> str | None:
    """Why losses on this account cannot be measured; None if they can, or if it trades nothing."""
    types = {type_of(symbol) for symbol in reach.symbols(account)}
    derivatives = types - {MarketType.SPOT}
    untold = sorted(each for each in derivatives if not tells_realised_pnl(reach.venue(account), each))
    if untold:
        return _nothing_told(reach, account, untold[0])
    if MarketType.SPOT in types and not derivatives:
        return _nothing_told(reach, account, MarketType.SPOT)
    return None


def _nothing_told(reach: Reach, account: AccountName, market_type: MarketType) -> str:
    """A spot trade has no realised profit at any venue; of derivatives, this version has to know where it is told."""
    return (
        f"cannot be measured on account {account}: {reach.venue(account) or 'its venue'} tells no realised "
        f"profit or loss of {market_type} markets"
    )


def _shown(limit: Any) -> str:  # noqa: ANN401 - an int or a decimal
    return str(limit) if isinstance(limit, int) else plain(limit)
