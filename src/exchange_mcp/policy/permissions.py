"""May this account, this market, this type of order be used at all? And is it forbidden, whatever permits it?"""

from collections.abc import Collection, Iterator
from typing import Any, Final

from exchange_mcp.model.positions import EffectClass
from exchange_mcp.policy.decision import Rule, RuleVerdict, Ruling
from exchange_mcp.policy.figures import ascii_text
from exchange_mcp.policy.policy import Policy
from exchange_mcp.policy.proposed import Proposed
from exchange_mcp.policy.scopes import Scope, each_stated, not_concerned, ruled, silent
from exchange_mcp.policy.tables import Forbid

# Larger orders do more: a close is a reduction that goes to the end, a flip a close and an opening. Forbidding the
# smaller thing therefore forbids the larger one, or a denied order could be had by asking for more.
INCLUDES: Final[dict[EffectClass, frozenset[EffectClass]]] = {
    "opens": frozenset({"opens"}),
    "adds": frozenset({"adds"}),
    "reduces": frozenset({"reduces"}),
    "closes": frozenset({"closes", "reduces"}),
    "flips": frozenset({"flips", "closes", "reduces", "opens"}),
}


def forbidden(policy: Policy, proposed: Proposed) -> Iterator[Ruling]:
    """A denial for every entry that matches, or one ruling that none does."""
    matching = [(i, entry) for i, entry in enumerate(policy.forbid) if matches(entry, proposed)]
    for i, entry in matching:
        yield Ruling(
            rule=Rule.FORBID,
            scope=f"policy.forbid[{i}]",
            verdict=RuleVerdict.DENY,
            sentence=f"this is forbidden: {ascii_text(entry.reason, 200)}",
        )
    if not matching:
        count = len(policy.forbid)
        of_them = "there are no entries" if count == 0 else f"none of {count} matches"
        yield Ruling(
            rule=Rule.FORBID, scope="policy.forbid", verdict=RuleVerdict.ALLOW, sentence=f"{of_them}."
        )


def matches(entry: Forbid, proposed: Proposed) -> bool:
    """Whether all that an entry names is so, or not known not to be so."""
    is_place = proposed.action == "place"
    effects = {proposed.effect} if proposed.effect is None else INCLUDES[proposed.effect]
    return (
        (entry.actions is None or proposed.action in entry.actions)
        and (entry.accounts is None or proposed.account in entry.accounts)
        and (entry.symbols is None or proposed.symbol in entry.symbols)
        and (entry.sides is None or (is_place and proposed.side in entry.sides))
        and (entry.order_types is None or (is_place and proposed.type in entry.order_types))
        and (entry.effects is None or (is_place and bool({None, *entry.effects} & effects)))
        and (entry.when_position_open is None or (proposed.is_derivative and proposed.has_position in {True, None}))
        and (
            entry.when_protective is None
            or (proposed.action == "cancel" and proposed.is_protective in {True, None})
        )
    )  # fmt: skip


def account_permitted(scopes: tuple[Scope, ...], proposed: Proposed) -> Iterator[Ruling]:
    """Whether the account is in the list of accounts."""
    yield from _listed(Rule.ACCOUNTS, scopes, proposed.account)


def symbol_permitted(scopes: tuple[Scope, ...], proposed: Proposed) -> Iterator[Ruling]:
    """Whether the market is in every list of symbols that covers the account."""
    yield from _listed(Rule.SYMBOLS, scopes, proposed.symbol)


def type_permitted(scopes: tuple[Scope, ...], proposed: Proposed) -> Iterator[Ruling]:
    """Whether the type of the order is in every list of order types that covers it."""
    if proposed.type is None:
        yield not_concerned(Rule.ORDER_TYPES, "only an order that is placed has a type.")
        return
    yield from _listed(Rule.ORDER_TYPES, scopes, proposed.type.value)


def leverage_change_permitted(scopes: tuple[Scope, ...], proposed: Proposed) -> Iterator[Ruling]:
    """Whether leverage may be changed as things are: with a position open it moves the liquidation price."""
    rule = Rule.LEVERAGE_CHANGE
    if proposed.action != "leverage":
        yield not_concerned(rule, "no leverage is changed.")
        return
    if proposed.has_position is False:
        yield not_concerned(rule, "no position is open in this market.")
        return
    known = (
        "a position is open in this market"
        if proposed.has_position
        else "whether a position is open is not known"
    )

    def judge(scope: Scope, may: Any) -> Ruling:  # noqa: ANN401 - a limit of its own type
        return Ruling(
            rule=rule,
            scope=scope.name,
            verdict=ruled(allows=may is True),
            sentence=f"{known}, and leverage {'may' if may else 'may not'} be changed then.",
        )

    yield from each_stated(rule, scopes, judge, silence=silent(rule, scopes))


def _listed(rule: Rule, scopes: tuple[Scope, ...], name: str) -> Iterator[Ruling]:
    def judge(scope: Scope, listed: Collection[str]) -> Ruling:
        is_in = name in listed
        among = ", ".join(listed) if listed else "none"
        said = "is in the list" if is_in else f"is not in the list: {among}"
        return Ruling(
            rule=rule,
            scope=scope.name,
            verdict=ruled(allows=is_in),
            sentence=ascii_text(f"{ascii_text(name)} {said}.", 400),
            measured=ascii_text(name),
            limit=ascii_text(among, 400),
        )

    yield from each_stated(rule, scopes, judge, silence=silent(rule, scopes))
