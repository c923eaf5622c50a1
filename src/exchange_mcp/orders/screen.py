"""A preview as lines of plain text: fixed order, one alphabet, nothing that was not decoded from the plan.

Names reach a preview in that alphabet already (`wording.plain`); every line is held to it once more here.
"""

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from exchange_mcp.model.accounts import MarketType
from exchange_mcp.orders.preview import (
    CancelPreview,
    LeveragePreview,
    OrderPreview,
    Preview,
    PreviewedMarket,
)
from exchange_mcp.orders.reasons import DOES_NOT_APPLY
from exchange_mcp.orders.wording import ALPHABET, shown

LABEL_WIDTH: Final = 14
"""How wide the label is that begins a line, without the space after it."""

# The two brackets stand around the number of a character that is not in the alphabet.
_WRITABLE: Final = ALPHABET | {"<", ">"}


def lines(preview: Preview) -> tuple[str, ...]:
    """The lines for the screen, `what: figures`, every kind of preview in its own fixed order.

    Raises:
        ValueError: a preview that was not made by this package holds a character that no line may have.
    """
    match preview:
        case OrderPreview():
            written = list(_order(preview))
        case CancelPreview():
            written = list(_cancel(preview))
        case LeveragePreview():
            written = list(_leverage(preview))
    written += list(_sentences(preview))
    for line in written:
        if not _WRITABLE.issuperset(line):
            raise ValueError("a preview holds a character that the screen does not show")
    return tuple(written)


def _order(p: OrderPreview) -> Iterator[str]:
    unit, quote = _unit(p.market), p.market.quote
    yield _line("order", f"{p.type.value.replace('_', '-')} {p.side}")
    yield from _market(p.market)
    yield _line("amount", _amount(p))
    yield _line("price", _price(p))
    yield _line("conduct", _conduct(p))
    yield _line("our id", p.client_order_id)
    percent = "" if p.notional_percent is None else f" ({shown(p.notional_percent)}% of the account)"
    yield _line("worth", f"{_number(p.notional, quote)}{percent}")
    yield _line("worth at most", _number(p.worst_cost, quote))
    average = _number(p.average_price, quote)
    slip = (
        "" if p.slippage_bps is None else f", {shown(p.slippage_bps)} bps worse than the middle of the book"
    )
    yield _line("expected price", f"{average}{slip}")
    yield _line("book", _book(p, unit))
    yield _line("fee", _fee(p))
    yield _line("effect", "not known" if p.effect is None else p.effect)
    if p.market.market_type is MarketType.SPOT:
        yield _line("held", f"{_number(p.position, unit)} now, {_number(p.position_after, unit)} then")
    else:
        yield _line("position", f"{_signed(p.position, unit)} now, {_signed(p.position_after, unit)} then")
    if p.market.market_type is not MarketType.SPOT:
        mode = "not known" if p.position_mode is None else p.position_mode.replace("_", "-")
        leverage = "not known" if p.leverage is None else f"{p.leverage}x"
        yield _line("leverage", f"{leverage}, margin {p.margin_mode or 'not known'}, mode {mode}")
        entry, now, then = p.entry_price_after, p.liquidation_price, p.liquidation_price_after
        yield _line("entry price", f"{_of_position(entry, p.position_after, quote)} then")
        yield _line(
            "liquidation",
            f"{_of_position(now, p.position, quote)} now, {_of_position(then, p.position_after, quote)} then",
        )
    unit_of_money = quote if p.market.market_type is MarketType.SPOT else p.market.settle or quote
    yield _line(
        "free",
        f"{_number(p.free, unit_of_money)} now, {_number(p.free_placed, unit_of_money)} once placed, "
        f"{_number(p.free_after, unit_of_money)} once filled",
    )
    if p.market.market_type is MarketType.SPOT:
        base = p.market.base
        yield _line(
            "free base", f"{_number(p.free_base, base)} now, {_number(p.free_base_after, base)} once filled"
        )


def _cancel(p: CancelPreview) -> Iterator[str]:
    unit = _unit(p.market)
    yield _line("cancel", p.order_id or f"our id {p.client_order_id}")
    yield from _market(p.market)
    order = p.order
    if order is None:
        yield _line("removes", "not known")
    else:
        size = "all of the position" if order.closes_position else _number(order.amount, unit)
        kind = "order" if order.type is None else order.type.value.replace("_", "-")
        at = "" if order.price is None else f" at {shown(order.price)}"
        trigger = "" if order.trigger_price is None else f" from {shown(order.trigger_price)}"
        yield _line(
            "removes",
            f"{kind} {order.side} {size}{trigger}{at}{', reduce-only' if order.reduce_only else ''}",
        )
    protects = "not known" if p.protects is None else "yes" if p.protects else "no"
    yield _line("protective", protects)
    yield _line("position", _signed(p.position, unit))


def _leverage(p: LeveragePreview) -> Iterator[str]:
    quote, money = p.market.quote, p.market.settle or p.market.quote
    before = "not known" if p.leverage is None else f"{p.leverage}x"
    yield _line("leverage", f"{before} now, {p.leverage_after}x then")
    yield from _market(p.market)
    yield _line("margin", p.margin_mode or "not known")
    yield _line("position", f"{_signed(p.position, _unit(p.market))}, worth {_number(p.notional, quote)}")
    yield _line("largest then", _number(p.max_notional_after, quote))
    yield _line("free", f"{_number(p.free, money)} now, {_number(p.free_after, money)} then")
    yield _line(
        "liquidation",
        f"{_number(p.liquidation_price, quote)} now, {_number(p.liquidation_price_after, quote)} then",
    )


def _market(market: PreviewedMarket) -> Iterator[str]:
    yield _line(
        "market", f"{market.market_id} = {market.symbol}, {market.market_type.value}, at {market.venue}"
    )
    pair = f"base {market.base}, quote {market.quote}"
    settled = "" if market.settle is None else f", settled in {market.settle}"
    of = market.quote if market.market_type is MarketType.INVERSE else market.base
    size = "" if market.contract_size is None else f", contracts of {shown(market.contract_size)} {of}"
    yield _line("assets", f"{pair}{settled}{size}")


def _sentences(p: Preview) -> Iterator[str]:
    for label, told in (("stays", p.stays), ("warning", p.warnings), ("not checked", p.unchecked)):
        for sentence in told:
            yield _line(label, sentence)
    for unknown in p.unknown:
        if unknown.why in DOES_NOT_APPLY:
            continue
        names = ", ".join(name.replace("_", " ") for name in unknown.figures)
        yield _line("not known", f"{names}: {unknown.why}")
    if p.refused is not None:
        yield _line("not written", p.refused.reason)


def _amount(p: OrderPreview) -> str:
    unit = _unit(p.market)
    if p.cost is not None and p.market.market_type is not MarketType.INVERSE:
        bought = "" if p.amount is None else f", which buys about {_number(p.amount, unit)}"
        return f"for {_number(p.cost, p.market.quote)}{bought}"
    if p.market.contract_size is None:
        return _number(p.amount, unit)
    about = "about " if p.market.market_type is MarketType.INVERSE else ""
    return f"{_number(p.amount, unit)} = {about}{_number(p.base_amount, p.market.base)}"


def _price(p: OrderPreview) -> str:
    parts: list[str] = []
    if p.trigger_price is not None:
        parts.append(f"from a last price of {_number(p.trigger_price, p.market.quote)}")
    parts.append("at the market" if p.price is None else f"limit {_number(p.price, p.market.quote)}")
    if p.distance_bps is not None:
        where = "above" if p.distance_bps > 0 else "below"
        parts.append(f"{shown(p.distance_bps.copy_abs())} bps {where} the middle of the book")
    return ", ".join(parts)


def _conduct(p: OrderPreview) -> str:
    parts = [
        p.time_in_force
        or ("GTC" if p.type.has_price else "at once" if not p.type.has_trigger else "once triggered")
    ]
    parts += ["post-only"] if p.post_only else []
    parts += ["reduce-only"] if p.reduce_only else []
    return ", ".join(parts)


def _book(p: OrderPreview, unit: str) -> str:
    if p.book_levels is None:
        return "not known"
    used = "" if p.book_levels_used is None else f", {p.book_levels_used} of them used"
    taken = "" if p.taken_at_once is None else f"; {_number(p.taken_at_once, unit)} trade at once"
    return f"{p.book_levels} levels with {_number(p.book_amount, unit)} were read{used}{taken}"


def _fee(p: OrderPreview) -> str:
    if p.fee is None:
        return "not known"
    worth = p.market.settle if p.market.market_type is MarketType.INVERSE else p.market.quote
    paid = "" if p.fee_asset in {None, worth} else f", paid in {p.fee_asset}"
    source = "" if p.fee_source is None else f" ({p.fee_source})"
    return f"about {_number(p.fee, worth or '')}{paid}{source}"


def _unit(market: PreviewedMarket) -> str:
    return market.base if market.contract_size is None else "contracts"


def _number(number: Decimal | None, unit: str) -> str:
    return "not known" if number is None else f"{shown(number)} {unit}".rstrip()


def _of_position(number: Decimal | None, position: Decimal | None, unit: str) -> str:
    return "none" if position == 0 else _number(number, unit)


def _signed(number: Decimal | None, unit: str) -> str:
    if number is None:
        return "not known"
    if not number:
        return "none"
    return f"{'long' if number > 0 else 'short'} {shown(number.copy_abs())} {unit}"


def _line(label: str, told: str) -> str:
    return f"{label:<{LABEL_WIDTH}} {told}"
