"""Which entries of `[[policy.forbid]]` can never match, and which permits do they leave without any use?"""

from collections.abc import Iterable, Iterator
from typing import Final, get_args

from exchange_mcp.model.accounts import AccountName, MarketType
from exchange_mcp.model.outcomes import Action
from exchange_mcp.model.positions import EffectClass
from exchange_mcp.model.writes import OrderType
from exchange_mcp.policy.contradictions import Finding
from exchange_mcp.policy.reach import Reach, type_of
from exchange_mcp.policy.tables import Forbid

_OF_AN_ORDER: Final = ("sides", "order_types", "effects")
_CONDITIONS: Final = tuple(name for name in Forbid.model_fields if name != "reason")
_SIDES: Final = 2


def forbid_faults(reach: Reach) -> Iterator[Finding]:
    """Where in `[policy]` an entry can never match, or a permit can never be used, and why."""
    entries = [(("forbid", i), entry) for i, entry in enumerate(reach.policy.forbid)]
    of_themselves = [((*place, *at), said) for place, entry in entries for at, said in _of_itself(entry)]
    yield from of_themselves
    if reach.accounts:
        for place, entry in entries:
            yield from (((*place, *at), said) for at, said in _of_what_nothing_permits(entry, reach))
    if not of_themselves:
        yield from _useless_permits(reach)


def _of_itself(entry: Forbid) -> Iterator[Finding]:
    if all(getattr(entry, name) is None for name in _CONDITIONS):
        yield (), "names no condition, so it would forbid everything; to allow nothing, list no symbols"
    actions = frozenset(entry.actions or get_args(Action))
    for name in _OF_AN_ORDER:
        if getattr(entry, name) is not None and "place" not in actions:
            yield (name,), 'can never match: only an order that is placed has it, and actions has no "place"'
    if entry.when_protective is not None:
        if "cancel" not in actions:
            yield (
                ("when_protective",),
                'can never match: it is about a cancel, and actions has no "cancel"',
            )
        for name in _OF_AN_ORDER:
            if getattr(entry, name) is not None:
                yield (name,), "can never match together with when_protective, which is about a cancel"
    if len(entry.sides or ()) == _SIDES:
        yield ("sides",), "names both sides; leave it out to mean any"
    if len(entry.effects or ()) == len(get_args(EffectClass)):
        yield ("effects",), "names every effect; leave it out to mean any"


def _of_what_nothing_permits(entry: Forbid, reach: Reach) -> Iterator[Finding]:
    for i, account in enumerate(entry.accounts or ()):
        if account not in reach.accounts:
            yield ("accounts", i), 'can never match: "accounts" of [policy] does not list it'
    covered = [
        (account, symbol)
        for account, symbol in reach.markets()
        if entry.accounts is None or account in entry.accounts
    ]
    tradable = {each for _, each in covered}
    for i, symbol in enumerate(entry.symbols or ()):
        if symbol not in tradable:
            yield ("symbols", i), "can never match: no account that the entry is about may trade it"
    markets = [(a, s) for a, s in covered if entry.symbols is None or s in entry.symbols]
    permitted = (
        {each for account, symbol in markets for each in reach.order_types(account, symbol)}
        if entry.order_types and markets
        else frozenset[OrderType]()
    )
    for i, order_type in enumerate(entry.order_types or ()):
        if markets and order_type not in permitted:
            yield ("order_types", i), "can never match: no order of this type is permitted here"
    if markets and all(type_of(symbol) is MarketType.SPOT for _, symbol in markets):
        yield from _of_spot(entry)


def _of_spot(entry: Forbid) -> Iterator[Finding]:
    if entry.when_position_open is not None:
        yield ("when_position_open",), "can never match: spot has no positions"
    if entry.effects == ("flips",):
        yield ("effects",), "can never match: nothing flips on spot"
    if entry.actions == ("leverage",):
        yield ("actions",), "can never match: spot has no leverage"


def _useless_permits(reach: Reach) -> Iterator[Finding]:
    """Markets whose every order is forbidden, and order types that are forbidden everywhere."""
    dead: dict[str, bool] = {}
    types: dict[OrderType, bool] = {}
    whole = [entry for entry in reach.policy.forbid if _is_whatever_the_side(entry)]
    for account, symbol in reach.markets():
        for order_type in reach.order_types(account, symbol):
            is_dead = _is_forbidden_entirely(whole, account, symbol, order_type)
            dead[symbol] = dead.get(symbol, True) and is_dead
            types[order_type] = types.get(order_type, True) and is_dead
    permits: list[tuple[tuple[str | int, ...], Iterable[str]]] = [
        (("symbols",), reach.policy.desk.symbols or ())
    ]
    permits += [
        (("account", name, "symbols"), limits.symbols or ()) for name, limits in reach.policy.accounts.items()
    ]
    for place, symbols in permits:
        for i, symbol in enumerate(symbols):
            if dead.get(symbol, False):
                yield (*place, i), f"permits {symbol}, and [[policy.forbid]] forbids every order there"
    if all(types.values()):
        return  # then every market is named already
    for i, order_type in enumerate(reach.policy.desk.order_types or ()):
        if types.get(order_type, False):
            yield ("order_types", i), f"permits {order_type}, and [[policy.forbid]] forbids every such order"


def _is_forbidden_entirely(
    forbid: Iterable[Forbid], account: AccountName, symbol: str, order_type: OrderType
) -> bool:
    """Whether orders of this kind match one of these entries, which match whatever their side and effect."""
    return any(
        (entry.accounts is None or account in entry.accounts)
        and (entry.symbols is None or symbol in entry.symbols)
        and (entry.order_types is None or order_type in entry.order_types)
        for entry in forbid
    )


def _is_whatever_the_side(entry: Forbid) -> bool:
    return (
        "place" in (entry.actions or get_args(Action))
        and entry.sides is None
        and entry.effects is None
        and entry.when_position_open is None
        and entry.when_protective is None
    )
