"""From a planned cancel or a planned leverage to its preview."""

from decimal import Decimal
from typing import Final

from exchange_mcp.model.accounts import MarketType
from exchange_mcp.model.decimals import CONTEXT, add, multiply
from exchange_mcp.model.terms import MarketTerms, Reference, Resting, Standing
from exchange_mcp.orders import aftermath, contracts, margin
from exchange_mcp.orders.planned import PlannedCancel, PlannedLeverage
from exchange_mcp.orders.positions import signed_position
from exchange_mcp.orders.preview import CancelledOrder, CancelPreview, LeveragePreview
from exchange_mcp.orders.previewing import previewed_market, refused
from exchange_mcp.orders.readings import Readings
from exchange_mcp.orders.reasons import Reasons
from exchange_mcp.orders.wording import plain, shown

_ZERO: Final = Decimal(0)
_LIQUIDATIONS: Final = ("liquidation_price", "liquidation_price_after")


def preview_cancel(planned: PlannedCancel, terms: MarketTerms, standing: Standing) -> CancelPreview:
    """What a cancel would remove: a stop that protects what is held says so, and what is without protection then."""
    reasons, order = Reasons(), planned.order
    held = _held(terms, standing)
    reasons.say("what is held is not told", "position", "protects")
    warnings: list[str] = []
    if order is None:
        told = (
            "the open orders are not told"
            if standing.resting is None
            else "it is not among the open orders: it may have been filled or have ended already"
        )
        reasons.say(told, "order")
        reasons.replace(told, "protects")
        warnings.append(told)
    protects = None if order is None or held is None else aftermath.is_protection(order, held, terms)
    if protects and held is not None:
        side = "long" if held > 0 else "short"
        what = (
            f"the {plain(terms.base)} held"
            if terms.market_type is MarketType.SPOT
            else f"the {side} position"
        )
        warnings.append(f"it is a stop that protects {what} of {shown(held.copy_abs())}")
    figures = {"order": order, "protects": protects, "position": held}
    return CancelPreview(
        action="cancel",
        market=previewed_market(terms),
        order_id=None if planned.write.order_id is None else plain(planned.write.order_id),
        client_order_id=None
        if planned.write.client_order_id is None
        else plain(planned.write.client_order_id),
        order=None if order is None else _shown(order),
        protects=protects,
        position=None if held is None else _neat(held),
        stays=tuple(_stays(order, held, terms, standing)),
        warnings=tuple(warnings),
        unchecked=(),
        refused=refused(planned.refusal),
        unknown=reasons.unknown(figures),
        as_of=standing.as_of_ms,
    )


def preview_leverage(
    planned: PlannedLeverage, terms: MarketTerms, reference: Reference, standing: Standing
) -> LeveragePreview:
    """What a change of leverage would do: it lasts, it changes what is free, and how large a position may be."""
    reasons, after = Reasons(), planned.write.leverage
    held = signed_position(standing)
    size = Decimal(1) if terms.contract_size is None else terms.contract_size
    reasons.say("the position is not told", "position")
    notional = _notional(held, size, reference, terms, reasons)
    most = margin.largest_notional(standing.brackets, after)
    reasons.say("the market's maintenance brackets are not told", "max_notional_after")
    free_after = liquidated = liquidated_after = None
    if standing.free_quote is None:
        reasons.say("the balance is not told", "free", "free_after")
    seen = Readings(terms, reference, standing, reasons)
    why = contracts.not_worked_out(seen)
    if why:
        reasons.say(why, "free_after", *_LIQUIDATIONS)
    else:
        state = contracts.account(seen)
        if state is not None:
            liquidated = contracts.liquidation(state, seen, "liquidation_price")
            if standing.margin_mode == "isolated" and state.amount:
                reasons.say("what the venue sets apart then is not published", "liquidation_price_after")
            elif liquidated is None:
                reasons.copy("liquidation_price", "liquidation_price_after")
            else:
                # What stands behind a cross position, and its maintenance, do not depend on the leverage.
                liquidated_after = liquidated
            free_after = contracts.free(state, state, seen, "free_after", then=reference.mark, leverage=after)
    figures = {
        "leverage": standing.leverage,
        "margin_mode": standing.margin_mode,
        "position": _neat(held),
        "notional": _neat(notional),
        "max_notional_after": most,
        "free": _neat(standing.free_quote),
        "free_after": _neat(free_after),
        "liquidation_price": _neat(liquidated),
        "liquidation_price_after": _neat(liquidated_after),
    }
    return LeveragePreview(
        action="leverage",
        market=previewed_market(terms),
        leverage=standing.leverage,
        leverage_after=after,
        margin_mode=standing.margin_mode,
        position=_neat(held),
        notional=_neat(notional),
        max_notional_after=most,
        free=_neat(standing.free_quote),
        free_after=_neat(free_after),
        liquidation_price=_neat(liquidated),
        liquidation_price_after=_neat(liquidated_after),
        stays=(f"a leverage of {after} stays set for this market until it is changed",),
        warnings=tuple(_warnings(planned, standing, notional, most, free_after)),
        unchecked=planned.unchecked,
        refused=refused(planned.refusal),
        unknown=reasons.unknown(figures),
        as_of=standing.as_of_ms,
    )


def _held(terms: MarketTerms, standing: Standing) -> Decimal | None:
    if terms.market_type is not MarketType.SPOT:
        return signed_position(standing)
    if standing.free_base is None:
        return None
    return add(standing.free_base, standing.locked_base or _ZERO)


def _shown(order: Resting) -> CancelledOrder:
    return CancelledOrder(
        order_id=plain(order.order_id),
        client_order_id=None if order.client_order_id is None else plain(order.client_order_id),
        side=order.side,
        type=order.type,
        amount=order.amount,
        price=order.price,
        trigger_price=order.trigger_price,
        reduce_only=order.is_reduce_only,
        closes_position=order.closes_position,
        conditional=order.is_conditional,
    )


def _stays(order: Resting | None, held: Decimal | None, terms: MarketTerms, standing: Standing) -> list[str]:
    told = ["whatever of it was filled stays filled"]
    if held is None or standing.resting is None:
        told.append("what protects the position afterwards is not known")
    elif held:
        others = [other for other in standing.resting if other is not order]
        told.extend(aftermath.uncovered(others, held, terms))
    return told


def _notional(
    held: Decimal | None, size: Decimal, reference: Reference, terms: MarketTerms, reasons: Reasons
) -> Decimal | None:
    if held is None:
        reasons.say("the position is not told", "notional")
        return None
    amount = multiply(held, size).copy_abs()
    if terms.market_type is MarketType.INVERSE or not amount:
        return amount
    if reference.mark is None:
        reasons.say("the mark price is not told", "notional")
        return None
    return multiply(amount, reference.mark)


def _warnings(
    planned: PlannedLeverage,
    standing: Standing,
    notional: Decimal | None,
    most: Decimal | None,
    free_after: Decimal | None,
) -> list[str]:
    told: list[str] = []
    after, unit = planned.write.leverage, plain(planned.market.settle or planned.market.quote)
    if notional is not None and most is not None and notional > most:
        told.append(
            f"the position is worth {shown(notional)}, more than the {shown(most)} that a leverage of {after} allows: "
            "the venue would refuse it"
        )
    if free_after is not None and free_after < 0:
        told.append(
            f"it needs {shown(free_after.copy_abs())} {unit} more margin than there is: the venue would refuse it"
        )
    if notional and standing.leverage is not None and after != standing.leverage:
        told.append("a position is open: its margin changes at once")
    return told


def _neat(number: Decimal | None) -> Decimal | None:
    return None if number is None else CONTEXT.normalize(number) if number else _ZERO
