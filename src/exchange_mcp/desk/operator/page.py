"""What a person reads before deciding: all of it decoded from plan and preview, the model's note apart. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from exchange_mcp.desk.operator.approving import Decidable
from exchange_mcp.desk.operator.messages import IntentView
from exchange_mcp.link.messages import MOST_NOTE
from exchange_mcp.model.accounts import Environment, MarketType
from exchange_mcp.model.decimals import multiply
from exchange_mcp.model.plans import WirePlan
from exchange_mcp.model.positions import EffectClass
from exchange_mcp.model.venue_text import visible
from exchange_mcp.orders.preview import CancelPreview, LeveragePreview, OrderPreview, PreviewedMarket
from exchange_mcp.orders.wording import plain, shown

_TAIL: Final = 4
_MINUTE_MS: Final = 60_000
_HOUR_MS: Final = 60 * _MINUTE_MS

_MONEY: Final = {
    Environment.LIVE: "LIVE - REAL MONEY",
    Environment.SANDBOX: "SANDBOX - the venue's own test money",
    Environment.SIM: "SIMULATED - no money, no venue",
}
_POSITION: Final[dict[EffectClass, str]] = {
    "opens": "OPENS a position",
    "adds": "ADDS to your position",
    "reduces": "REDUCES your position",
    "closes": "CLOSES your position",
    "flips": "FLIPS your position",
}
_HOLDING: Final[dict[EffectClass, str]] = {
    "opens": "OPENS a holding",
    "adds": "ADDS to your holding",
    "reduces": "REDUCES your holding",
    "closes": "CLOSES your holding",
    "flips": "FLIPS your holding",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One decision.

    Attributes:
        halted: what is halted, and what that does to an approval; None where nothing is.
        environment: what money this is, unmistakable. headline: what it does to the account, effect class first.
        where: label and figure each: venue, account, the tail of its venue id, who proposed it.
        lines: the preview. request: what leaves the process, a field a line.
        recent: similar orders with their age. changed: what is different since it was proposed.
        approvals: how many it takes, and whose are there.
        note: what the proposer wrote, untrusted; shown apart, or not at all.
        expires_ms: until when an approval of this preview is taken.
        digest: of the plan, in hex; the four characters at its end are what an approver types.
    """

    environment: str
    is_live: bool
    halted: str | None
    headline: str
    where: tuple[tuple[str, str], ...]
    lines: tuple[str, ...]
    request: tuple[str, ...]
    recent: tuple[str, ...]
    changed: tuple[str, ...]
    approvals: str
    note: str | None
    expires_ms: int
    digest: str

    @property
    def tail(self) -> str:
        """The last four characters of the plan's digest."""
        return self.digest[-_TAIL:]


def page(decidable: Decidable, now_ms: int) -> Page:
    """The page of this decision, as of now (UTC milliseconds)."""
    decision, plan = decidable.decision, decidable.plan
    return Page(
        environment=_MONEY[plan.environment],
        is_live=plan.environment is Environment.LIVE,
        halted=None if not decision.halted else _capital(plain_sentence(decision.halted)),
        headline=headline(decidable),
        where=tuple(_where(decidable, now_ms)),
        lines=decidable.lines,
        request=tuple(_request(plan)),
        recent=tuple(_recent(view, now_ms) for view in decision.similar),
        changed=tuple(plain_sentence(sentence) for sentence in decision.changed),
        approvals=_approvals(decision.needed, decision.signed_by),
        note=None if not decision.note else visible(decision.note, MOST_NOTE),
        expires_ms=decision.expires_ms,
        digest=decidable.plan_digest,
    )


def headline(decidable: Decidable) -> str:
    """What the write does, in one line: FLIPS your position: long 0.4 BTC becomes short 0.6 BTC."""
    match decidable.preview:
        case OrderPreview() as p:
            return _of_order(p)
        case CancelPreview() as p:
            return _of_cancel(p)
        case LeveragePreview() as p:
            before = "a leverage that is not known" if p.leverage is None else f"{p.leverage}x"
            return f"CHANGES the leverage of {p.market.symbol}: {before} becomes {p.leverage_after}x"


def age(then_ms: int, now_ms: int) -> str:
    """How long ago, in words of one unit: 3 minutes ago."""
    passed = max(0, now_ms - then_ms)
    for unit_ms, unit in ((24 * _HOUR_MS, "day"), (_HOUR_MS, "hour"), (_MINUTE_MS, "minute")):
        if passed >= unit_ms:
            number = passed // unit_ms
            return f"{number} {unit}{'' if number == 1 else 's'} ago"
    return f"{passed // 1000} s ago"


def plain_sentence(sentence: str) -> str:
    """A sentence of the desk's, in the screen's alphabet and of bounded length."""
    most = 400
    spelled = "".join(plain(character) for character in sentence[:most])
    return spelled if len(sentence) <= most else f"{spelled}..."


def _capital(sentence: str) -> str:
    return f"{sentence[:1].upper()}{sentence[1:]}."


def _of_order(p: OrderPreview) -> str:
    is_spot = p.market.market_type is MarketType.SPOT
    if p.effect is None or p.position is None or p.position_after is None:
        why = next((unknown.why for unknown in p.unknown if "effect" in unknown.figures), "it is not told")
        return (
            f"WHAT IT DOES TO YOUR {'HOLDING' if is_spot else 'POSITION'} IS NOT KNOWN: {plain_sentence(why)}"
        )
    if is_spot:
        unit = p.market.base
        return f"{_HOLDING[p.effect]}: {shown(p.position)} {unit} becomes {shown(p.position_after)} {unit}"
    before, after = (_position(position, p.market) for position in (p.position, p.position_after))
    return f"{_POSITION[p.effect]}: {before} becomes {after}"


def _of_cancel(p: CancelPreview) -> str:
    if p.order is None:
        return "CANCELS an order that is not among the open ones"
    kind = "order" if p.order.type is None else f"{p.order.type.value.replace('_', '-')} order"
    size = "" if p.order.amount is None else f" of {_size(p.order.amount, p.market)}"
    what = f"{p.order.side} {kind}{size} on {p.market.symbol}"
    if p.protects:
        return f"TAKES AWAY THE PROTECTION of what you hold: cancels the {what}"
    if p.protects is None:
        return f"CANCELS the {what}; whether it protects what you hold is not known"
    return f"CANCELS the {what}"


def _position(position: Decimal, market: PreviewedMarket) -> str:
    if not position:
        return "no position"
    return f"{'long' if position > 0 else 'short'} {_size(position.copy_abs(), market)}"


def _size(amount: Decimal, market: PreviewedMarket) -> str:
    if market.contract_size is None:
        return f"{shown(amount)} {market.base}"
    unit = market.quote if market.market_type is MarketType.INVERSE else market.base
    return f"{shown(amount)} contracts ({shown(multiply(amount, market.contract_size))} {unit})"


def _where(decidable: Decidable, now_ms: int) -> Iterator[tuple[str, str]]:
    plan, view = decidable.plan, decidable.decision.intent
    yield "venue", plain(plan.venue)
    yield "account", plain(plan.account)
    identity = plan.account_id
    yield (
        "account's id",
        "not told by the venue" if identity is None else f"ends in {plain(identity[-_TAIL:])}",
    )
    yield "key", f"number ends in {plain(plan.key_id[-_TAIL:])}"
    who = "you, or another operator" if view.origin == "operator" else f"client {plain(view.client)}"
    yield "proposed by", f"{who}, {age(view.created_at, now_ms)}"
    yield "intent", plain(view.id)


def _request(plan: WirePlan) -> Iterator[str]:
    request = plan.request
    yield plain(f"{request.verb} {request.api} {request.path}")
    for name in sorted(request.parameters):
        yield f"{plain(name)} = {plain(str(request.parameters[name]))}"


def _recent(view: IntentView, now_ms: int) -> str:
    what = plain_sentence(view.summary)
    return f"SIMILAR ORDER, {age(view.created_at, now_ms).upper()}: {what} ({plain(view.state)}, {plain(view.id)})"


def _approvals(needed: int, signed_by: tuple[str, ...]) -> str:
    takes = "one approver" if needed == 1 else f"{needed} different approvers"
    signed = "" if not signed_by else f"; signed by {', '.join(plain(name) for name in signed_by)}"
    return f"takes {takes}{signed}"
