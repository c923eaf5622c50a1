"""What the decision page shows: figures decoded from plan and preview, in the order in which a person asks. Pure.

Nothing that a model wrote is among them. The words are those of the terminal (`desk.operator.page`), so that both
channels say the same.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from exchange_mcp.desk.console.drift import parted
from exchange_mcp.desk.operator.approving import Decidable
from exchange_mcp.desk.operator.page import Page, page
from exchange_mcp.model.accounts import MarketType
from exchange_mcp.model.decimals import text
from exchange_mcp.orders.preview import (
    CancelPreview,
    LeveragePreview,
    OrderPreview,
    Preview,
    PreviewedMarket,
)
from exchange_mcp.orders.reasons import DOES_NOT_APPLY, NEVER_LIQUIDATED
from exchange_mcp.orders.wording import plain, shown

_GROUP: Final = 3
_THIN: Final = "\u202f"
# Figures that the page calls otherwise than the preview does.
_NAMED: Final = {"notional_percent": "share of the account", "notional": "worth", "worst_cost": "at worst"}
# Of what is missing for the first nothing is; the second is said where the price would stand.
_SAID_OTHERWISE: Final = DOES_NOT_APPLY | {NEVER_LIQUIDATED}
_RISKS: Final = frozenset({"opens", "adds", "flips"})


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure: what it is, how much, what is said beside it, and what it was before, where it changes."""

    label: str
    value: str
    beside: str = ""
    before: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoded:
    """One decision page.

    Attributes:
        lead, consequence: the effect class in a few words, and what becomes what.
        tone: `flip`, `risk`, `less` or `plain`, by what the write does; colour only repeats the words.
        order: the order as one sentence.
        main: the figures that decide. where: which market and whose account. then: now, and afterwards.
        further: what else the preview says.
        warnings, stays, unchecked, unknown: a sentence each.
        changed: what is different since it was proposed and has to be read. drifted: figures that follow the market.
        typed: the amount that has to be typed, as it is compared; empty where none has to be.
    """

    page: Page
    lead: str
    consequence: str
    tone: str
    order: str
    main: tuple[Figure, ...]
    where: tuple[Figure, ...]
    then: tuple[Figure, ...]
    further: tuple[Figure, ...]
    warnings: tuple[str, ...]
    stays: tuple[str, ...]
    unchecked: tuple[str, ...]
    unknown: tuple[str, ...]
    changed: tuple[str, ...]
    drifted: tuple[str, ...]
    typed: str


def decoded(decidable: Decidable, *, reference: str, type_above: Decimal, now_ms: int) -> Decoded:
    """The page of this decision, as of now (UTC milliseconds).

    Args:
        decidable: what holds together and can be signed.
        reference: the asset that `type_above` is in.
        type_above: from which worst case on the amount has to be typed.
        now_ms: UTC milliseconds.
    """
    preview = decidable.preview
    shown_page = page(decidable, now_ms)
    lead, _, consequence = shown_page.headline.partition(": ")
    changed, drifted = parted(shown_page.changed)
    return Decoded(
        page=shown_page,
        lead=lead,
        consequence=consequence,
        tone=_tone(preview),
        order=_sentence(preview),
        main=tuple(_main(preview)),
        where=(*_market(preview.market), *(Figure(label, value) for label, value in shown_page.where)),
        then=tuple(_then(preview)),
        further=tuple(_further(preview)),
        warnings=preview.warnings,
        stays=preview.stays,
        unchecked=preview.unchecked,
        unknown=tuple(
            f"{', '.join(_NAMED.get(name, name.replace('_', ' ')) for name in each.figures)}: {each.why}"
            for each in preview.unknown
            if each.why not in _SAID_OTHERWISE
        ),
        changed=changed,
        drifted=drifted,
        typed=to_type(preview, reference=reference, type_above=type_above),
    )


def to_type(preview: Preview, *, reference: str, type_above: Decimal) -> str:
    """The amount that a person has to type; empty where none has to be.

    What cannot be compared with the threshold, for want of a bound or because it is in another asset, has to be typed.
    """
    if not isinstance(preview, OrderPreview):
        return ""
    in_reference = preview.market.quote == reference and preview.worst_cost is not None
    if in_reference and preview.worst_cost is not None and preview.worst_cost < type_above:
        return ""
    # What leaves: elsewhere than on spot a cost becomes an amount before it is sent.
    sent = preview.amount if preview.cost is None or not _is_spot(preview) else preview.cost
    return "" if sent is None else shown(sent)


def grouped(number: Decimal) -> str:
    """A number with its whole digits in groups of three, a thin space between; never rounded."""
    whole, point, rest = shown(number).partition(".")
    sign = "-" if whole.startswith("-") else ""
    digits = whole.lstrip("-")
    first = len(digits) % _GROUP or _GROUP
    parts = [digits[:first], *(digits[at : at + _GROUP] for at in range(first, len(digits), _GROUP))]
    return sign + _THIN.join(parts) + point + rest


def _tone(preview: Preview) -> str:
    match preview:
        case OrderPreview():
            if preview.effect == "flips":
                return "flip"
            return "risk" if preview.effect is None or preview.effect in _RISKS else "less"
        case CancelPreview():
            return "plain" if preview.protects is False else "flip"
        case LeveragePreview():
            is_more = preview.leverage is None or preview.leverage_after > preview.leverage
            return "risk" if is_more else "less"


def _sentence(preview: Preview) -> str:
    match preview:
        case OrderPreview() as p:
            is_by_cost = p.cost is not None and _is_spot(p)
            size = f"for {_money(p.cost, p.market.quote)}" if is_by_cost else _size(p.amount, p.market)
            at = "at the market" if p.price is None else f"at {_money(p.price, p.market.quote)} or better"
            trigger = (
                ""
                if p.trigger_price is None
                else f", once the price is {_money(p.trigger_price, p.market.quote)}"
            )
            return ", ".join([f"{p.side.capitalize()} {size} {at}{trigger}", *_conditions(p)])
        case CancelPreview() as p:
            return f"Cancel order {p.order_id or p.client_order_id}"
        case LeveragePreview() as p:
            return f"Set the leverage of {p.market.symbol} to {p.leverage_after}x"


def _main(preview: Preview) -> Iterator[Figure]:
    match preview:
        case OrderPreview() as p:
            quote = p.market.quote
            if p.cost is not None and _is_spot(p):
                yield Figure("Amount", _money(p.cost, quote), f"about {_size(p.amount, p.market)}")
            else:
                yield Figure("Amount", _size(p.amount, p.market), _base(p))
            distance = "" if p.distance_bps is None else _distance(p.distance_bps)
            if p.price is None:
                yield Figure("Price", "market", f"expected {_money(p.average_price, quote)}")
            else:
                yield Figure("Limit price", _money(p.price, quote), distance)
            share = (
                "share of the account not known"
                if p.notional_percent is None
                else f"{text(p.notional_percent)} % of the account"
            )
            yield Figure("Worth", _money(p.notional, quote), share)
            is_bounded = p.price is not None or p.cost is not None
            bound = (
                "the most it can come to"
                if is_bounded
                else "by the book as read; a market order has no bound"
            )
            yield Figure("At worst", _money(p.worst_cost, quote), "" if p.worst_cost is None else bound)
        case CancelPreview() as p:
            order = p.order
            if order is not None:
                kind = "order" if order.type is None else f"{order.type.value.replace('_', '-')} order"
                size = "all of the position" if order.closes_position else _size(order.amount, p.market)
                only = ", reduce-only" if order.reduce_only else ""
                yield Figure("Removes", size, f"{order.side}, {kind}{only}")
                if order.trigger_price is not None:
                    yield Figure("Once the price is", _money(order.trigger_price, p.market.quote))
                yield Figure("At", "market" if order.price is None else _money(order.price, p.market.quote))
            protects = {None: "not known", True: "yes", False: "no"}[p.protects]
            yield Figure("Protects what you hold", protects)
        case LeveragePreview() as p:
            yield Figure("Now", "not known" if p.leverage is None else f"{p.leverage}x")
            yield Figure("Then", f"{p.leverage_after}x")
            yield Figure("Largest position then", _money(p.max_notional_after, p.market.quote))


def _market(market: PreviewedMarket) -> Iterator[Figure]:
    yield Figure("Market", market.market_id, f"{market.symbol}, {market.market_type.value}")
    settled = "" if market.settle is None else f"settled in {market.settle}"
    yield Figure("Base / quote", f"{market.base} / {market.quote}", settled)
    if market.contract_size is not None:
        of = market.quote if market.market_type is MarketType.INVERSE else market.base
        yield Figure("One contract", f"{shown(market.contract_size)} {of}")


def _then(preview: Preview) -> Iterator[Figure]:
    market = preview.market
    settle = market.settle or market.quote
    match preview:
        case OrderPreview() as p:
            is_spot = market.market_type is MarketType.SPOT
            held = "Held" if is_spot else "Position"
            yield _change(held, _held(p.position, market), _held(p.position_after, market), _less_fee(p))
            yield _change("Free", _money(p.free, settle), _money(p.free_after, settle))
            if is_spot:
                yield _change(
                    f"Free {market.base}",
                    _money(p.free_base, market.base),
                    _money(p.free_base_after, market.base),
                )
            else:
                yield _liquidations(p, p.position_after)
        case CancelPreview() as p:
            is_spot = market.market_type is MarketType.SPOT
            yield Figure("Held" if is_spot else "Position", _held(p.position, market))
        case LeveragePreview() as p:
            yield Figure("Position", _held(p.position, market), f"worth {_money(p.notional, market.quote)}")
            yield _change("Free", _money(p.free, settle), _money(p.free_after, settle))
            yield _liquidations(p, p.position)


def _further(preview: Preview) -> Iterator[Figure]:
    if not isinstance(preview, OrderPreview):
        return
    p, quote = preview, preview.market.quote
    conduct = [p.type.value.replace("_", "-"), *([p.time_in_force] if p.time_in_force else [])]
    yield Figure("Conduct", ", ".join([*conduct, *_conditions(p)]))
    worth = p.market.settle if p.market.market_type is MarketType.INVERSE else quote
    yield Figure("Fee", _money(p.fee, worth or ""), p.fee_source or "")
    slip = "" if p.slippage_bps is None else f"{shown(p.slippage_bps)} bps worse than the middle"
    yield Figure("Expected price", _money(p.average_price, quote), slip)
    yield Figure("Middle of the book", _money(p.mid, quote))
    if p.taken_at_once is not None:
        yield Figure("Trades at once", _size(p.taken_at_once, p.market))
    if p.resting is not None:
        yield Figure("Rests then", _size(p.resting, p.market))
    if p.market.market_type is not MarketType.SPOT:
        yield Figure(
            "Leverage",
            "not known" if p.leverage is None else f"{p.leverage}x",
            p.margin_mode or "mode not known",
        )
        yield Figure("Entry price then", _money(p.entry_price_after, quote))
    yield Figure("Our order id", p.client_order_id)


def _conditions(p: OrderPreview) -> list[str]:
    """What the order may not do."""
    told = {
        "fills at once or not at all": p.time_in_force == "FOK",
        "what does not fill at once is dropped": p.time_in_force == "IOC",
        "post-only": p.post_only,
        "reduce-only": p.reduce_only,
    }
    return [words for words, holds in told.items() if holds]


def _is_spot(p: OrderPreview) -> bool:
    return p.market.market_type is MarketType.SPOT


def _change(label: str, now: str, then: str, beside: str = "") -> Figure:
    return Figure(label, then, "unchanged") if now == then else Figure(label, then, beside, before=now)


def _less_fee(p: OrderPreview) -> str:
    """Said where the fee is taken from what is bought, so that less of it is there afterwards."""
    if None in {p.position_after, p.position, p.free_base_after, p.free_base} or p.side != "buy":
        return ""
    gained = (p.position_after or 0) - (p.position or 0)
    return "before the fee" if gained != (p.free_base_after or 0) - (p.free_base or 0) else ""


def _liquidations(p: OrderPreview | LeveragePreview, position_after: Decimal | None) -> Figure:
    never = {name for each in p.unknown if each.why == NEVER_LIQUIDATED for name in each.figures}

    def told(name: str, at: Decimal | None, position: Decimal | None) -> str:
        if position is not None and not position:
            return "none"
        return "at no price" if at is None and name in never else _money(at, p.market.quote)

    now = told("liquidation_price", p.liquidation_price, p.position)
    return _change(
        "Liquidation", now, told("liquidation_price_after", p.liquidation_price_after, position_after)
    )


def _distance(bps: Decimal) -> str:
    where = "above" if bps > 0 else "below"
    return f"{shown(bps.copy_abs())} bps {where} the middle of the book"


def _base(p: OrderPreview) -> str:
    if p.cost is not None:
        return f"asked for as {_money(p.cost, p.market.quote)}"
    if p.market.contract_size is None or p.base_amount is None:
        return ""
    return f"{grouped(p.base_amount)} {p.market.base}"


def _held(amount: Decimal | None, market: PreviewedMarket) -> str:
    if amount is None:
        return "not known"
    if market.market_type is MarketType.SPOT:
        return _money(amount, market.base)
    if not amount:
        return "no position"
    return f"{'long' if amount > 0 else 'short'} {_size(amount.copy_abs(), market)}"


def _size(amount: Decimal | None, market: PreviewedMarket) -> str:
    return _money(amount, market.base if market.contract_size is None else "contracts")


def _money(amount: Decimal | None, unit: str) -> str:
    return "not known" if amount is None else f"{grouped(amount)} {plain(unit)}".rstrip()
