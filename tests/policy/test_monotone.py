"""No change that says less allows more: forbids, sizes, limits, counters; and the order of anything means nothing."""

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from random import Random
from typing import Any, TypeVar

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from exchange_mcp.model.positions import EffectClass
from exchange_mcp.policy.counters import Counters, Tally
from exchange_mcp.policy.decide import decide
from exchange_mcp.policy.decision import Decision, Rule
from exchange_mcp.policy.figures import Price
from exchange_mcp.policy.policy import Policy
from exchange_mcp.policy.proposed import Proposed
from exchange_mcp.policy.tables import Forbid, Limits, SymbolLimits

from .made import NOW
from .worlds import counters, forbids, policies, prices, proposals

L = TypeVar("L", bound=Limits)

few = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
quick = settings(few, max_examples=120, database=None, derandomize=True, phases=[Phase.generate])

_BOUNDS = (
    "max_order_notional",
    "max_daily_notional",
    "max_leverage",
    "max_price_distance_percent",
    "max_open_orders",
    "max_orders_per_minute",
    "max_daily_loss",
)
# What a larger order does to the same position.
_LARGER: dict[EffectClass | None, tuple[EffectClass | None, ...]] = {
    "opens": ("opens",),
    "adds": ("adds",),
    "reduces": ("reduces", "closes", "flips"),
    "closes": ("closes", "flips"),
    "flips": ("flips",),
    None: (None,),
}


def _decide(policy: Policy, asked: Proposed, done: Counters, known: Sequence[Price]) -> Decision:
    return decide(policy, asked, done, known, NOW)


def _denials(
    policy: Policy, asked: Proposed, done: Counters, known: Sequence[Price]
) -> set[tuple[Rule, str]]:
    """What denies, each rule in each scope: a change that says less may only add to it."""
    return {(each.rule, each.scope) for each in _decide(policy, asked, done, known).denials}


def _with(limits: L, **changed: object) -> L:
    return limits.model_copy(update=changed)


@few
@given(policies, forbids, proposals(), counters, prices)
def test_one_more_forbid_never_allows_more(
    policy: Policy, forbid: Forbid, asked: Proposed, done: Counters, known: tuple[Price, ...]
) -> None:
    more = replace(policy, forbid=(*policy.forbid, forbid))
    assert _denials(policy, asked, done, known) <= _denials(more, asked, done, known)


@few
@given(policies, proposals(), counters, prices, st.data())
def test_a_larger_order_is_never_allowed_where_a_smaller_one_is_denied(
    policy: Policy, asked: Proposed, done: Counters, known: tuple[Price, ...], data: st.DataObject
) -> None:
    effects = [
        each
        for each in _LARGER[asked.effect]
        if not (asked.is_venue_enforced_reduce_only and each == "flips")
    ]
    more = None if asked.worst_notional is None else asked.worst_notional + data.draw(st.integers(0, 500))
    further = asked.worst_price
    if further is not None and not (asked.type and asked.type.has_price) and asked.mid is not None:
        # A market order that walks deeper ends at a price further from mid, on the side where it was.
        away = data.draw(st.integers(0, 5))
        further += away if further >= asked.mid else -away
    larger = replace(
        asked,
        worst_notional=None if data.draw(st.booleans()) else more,
        worst_price=further,
        effect=data.draw(st.sampled_from(effects)) if effects else asked.effect,
    )
    if asked.type is not None and asked.type.has_price:
        larger = replace(larger, worst_notional=more)
    assert _denials(policy, asked, done, known) <= _denials(policy, larger, done, known)


@few
@given(policies, proposals(), counters, prices, st.data())
def test_a_lower_limit_never_allows_more(
    policy: Policy, asked: Proposed, done: Counters, known: tuple[Price, ...], data: st.DataObject
) -> None:
    tighter = replace(
        policy,
        desk=_lowered(policy.desk, data),
        accounts={name: _lowered(limits, data) for name, limits in policy.accounts.items()},
        symbols={symbol: _lowered(limits, data) for symbol, limits in policy.symbols.items()},
    )
    assert _denials(policy, asked, done, known) <= _denials(tighter, asked, done, known)
    approvals = [_decide(each, asked, done, known).approvals for each in (policy, tighter)]
    assert approvals == sorted(approvals)


def _lowered(limits: L, data: st.DataObject) -> L:
    changed: dict[str, Any] = {}
    for name in _BOUNDS:
        bound = getattr(limits, name)
        if bound is not None and bound > 1 and data.draw(st.booleans()):
            changed[name] = type(bound)(bound - 1)
    for name in ("order_types", "symbols", "accounts"):
        listed = getattr(limits, name, None)
        if listed and data.draw(st.booleans()):
            changed[name] = listed[1:]
    if data.draw(st.booleans()):
        changed |= {"approvals": (limits.approvals or 1) + 1}
    if limits.leverage_change_with_position:
        changed["leverage_change_with_position"] = data.draw(st.booleans())
    return _with(limits, **changed)


@few
@given(policies, proposals(), counters, prices, st.sampled_from(_BOUNDS))
def test_a_limit_stated_in_one_more_scope_allows_no_more_unless_nobody_stated_it(
    policy: Policy, asked: Proposed, done: Counters, known: tuple[Price, ...], name: str
) -> None:
    limits = policy.symbols.get(asked.symbol) or SymbolLimits()
    is_amount = name in {
        "max_order_notional",
        "max_daily_notional",
        "max_price_distance_percent",
        "max_daily_loss",
    }
    stated = _with(limits, **{name: getattr(limits, name) or (Decimal(1) if is_amount else 1)})
    narrowed = replace(policy, symbols={**policy.symbols, asked.symbol: stated})
    before = _denials(policy, asked, done, known)
    if getattr(policy.desk, name) is not None:
        assert before <= _denials(narrowed, asked, done, known)


@few
@given(policies, proposals(), counters, prices, st.randoms(use_true_random=False))
def test_the_order_of_anything_changes_neither_decision_nor_digest(
    policy: Policy, asked: Proposed, done: Counters, known: tuple[Price, ...], random: Random
) -> None:
    def shuffled(values: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(random.sample(list(values), len(values)))

    def turned(limits: L) -> L:
        lists = {
            name: shuffled(value)
            for name in ("order_types", "symbols", "accounts")
            if (value := getattr(limits, name, None)) is not None
        }
        return _with(limits, **lists)

    other = Policy(
        turned(policy.desk),
        dict(shuffled([(name, turned(limits)) for name, limits in policy.accounts.items()])),
        dict(shuffled([(symbol, turned(limits)) for symbol, limits in policy.symbols.items()])),
        shuffled(policy.forbid),
    )
    first, second = _decide(policy, asked, done, known), _decide(other, asked, done, shuffled(known))
    assert (first.is_allowed, first.approvals) == (second.is_allowed, second.approvals)
    assert sorted(each.rule for each in first.denials) == sorted(each.rule for each in second.denials)
    assert policy.digest() == other.digest()


@few
@given(policies, proposals(), counters, prices, st.data())
def test_more_done_already_or_less_known_never_allows_more(
    policy: Policy, asked: Proposed, done: Counters, known: tuple[Price, ...], data: st.DataObject
) -> None:
    more = Counters(
        desk=_busier(done.desk, data), account=_busier(done.account, data), symbol=_busier(done.symbol, data)
    )
    before = _denials(policy, asked, done, known)
    assert before <= _denials(policy, asked, more, known)
    assert before <= _denials(policy, asked, done, [])


def _busier(tally: Tally, data: st.DataObject) -> Tally:
    if data.draw(st.booleans()):
        return Tally()
    notional, pnl = tally.notional_24h, tally.realised_pnl_24h
    return Tally(
        notional_24h=None if notional is None else {asset: n + 100 for asset, n in notional.items()},
        orders_last_minute=None if tally.orders_last_minute is None else tally.orders_last_minute + 1,
        open_orders=None if tally.open_orders is None else tally.open_orders + 1,
        realised_pnl_24h=None if pnl is None else {asset: n - 100 for asset, n in pnl.items()},
    )


def test_the_worlds_that_are_drawn_contain_both_answers() -> None:
    seen: set[tuple[str, bool]] = set()

    # More than elsewhere: what Hypothesis draws depends on the modules that this process happens to have loaded.
    @settings(quick, max_examples=500)
    @given(policies, proposals(), counters, prices)
    def look(policy: Policy, asked: Proposed, done: Counters, known: tuple[Price, ...]) -> None:
        seen.add((asked.action, _decide(policy, asked, done, known).is_allowed))

    look()
    answers = {(action, answer) for action in ("place", "cancel", "leverage") for answer in (True, False)}
    assert answers - seen <= {("leverage", True)}
