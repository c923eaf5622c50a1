"""Whether plan, preview and request are about one and the same order: compared by whoever is about to sign. Pure.

Every function raises `ValueError` with a sentence; returning means that nothing was found.
"""

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from exchange_mcp.desk.ports import Footing
from exchange_mcp.model.accounts import MarketType
from exchange_mcp.model.decimals import add, multiply
from exchange_mcp.model.plans import WirePlan
from exchange_mcp.model.positions import EffectClass
from exchange_mcp.model.writes import CancelOrder, PlaceOrder, SetLeverage
from exchange_mcp.orders.preview import CancelPreview, LeveragePreview, OrderPreview, Preview
from exchange_mcp.orders.wording import plain
from exchange_mcp.rules.endpoints import REVIEWED, Endpoint, EndpointClass
from exchange_mcp.rules.writing import ROUTES, CancelRoute, Fields, LeverageRoute, PlaceRoute, says

_MINUS_ONE: Final = Decimal(-1)
_CLASSES: Final = {
    "place": EndpointClass.ORDER,
    "cancel": EndpointClass.CANCEL,
    "leverage": EndpointClass.LEVERAGE,
}
Pair = tuple[str, object, object]
"""A figure's name, what the plan says, what the preview says."""


def check_preview(plan: WirePlan, preview: Preview) -> None:
    """The preview shows this plan's order, in this plan's market, and what it says the order does is what it does."""
    if preview.refused is not None:
        raise ValueError(f"the preview itself says that this is not written: {preview.refused.reason}")
    for name, planned, previewed in (*_market(plan, preview), *_write(plan, preview)):
        if planned != previewed:
            raise ValueError(
                f"the plan's {name} is {plain(str(planned))}, the preview's {plain(str(previewed))}"
            )
    if isinstance(preview, OrderPreview):
        _check_effect(preview)


def check_footing(footing: Footing, preview: Preview) -> None:
    """What the desk compares with before it sends is what is shown: effect, position mode, leverage, margin mode."""
    pairs: list[Pair] = [("effect", footing.effect, getattr(preview, "effect", None))]
    if isinstance(preview, OrderPreview):
        pairs.append(("position mode", footing.position_mode, preview.position_mode))
    if not isinstance(preview, CancelPreview):
        # What a write does not depend on is not held to.
        pairs += [
            (name, held, shown)
            for name, held, shown in (
                ("leverage", footing.leverage, preview.leverage),
                ("margin mode", footing.margin_mode, preview.margin_mode),
            )
            if held is not None
        ]
    for name, held, shown in pairs:
        if held != shown:
            raise ValueError(f"the desk would hold the order to the {name} {held}, and shows {shown}")


def check_request(plan: WirePlan) -> None:
    """The request that would leave says the plan's order, field by field, by the venue's rules on its route."""
    request, venue = plan.request, plain(plan.venue)
    endpoint = Endpoint(request.verb, request.api, request.path)
    route = ROUTES.get(plan.venue, {}).get(endpoint)
    if route is None:
        raise ValueError(
            f"this version cannot read a request of {venue} to {plain(f'{request.verb} {request.api} {request.path}')}"
        )
    # The same fields mean another order on a market of another type.
    if not any(
        each.endpoint == endpoint
        and each.cls is _CLASSES[plan.action]
        and plan.market.market_type in each.market_types
        for each in REVIEWED.get(plan.venue, ())
    ):
        raise ValueError(
            f"a request to {plain(str(endpoint))} is none to {plan.action} on a {plan.market.market_type} market"
        )
    match plan.write, route:
        case (PlaceOrder() as write, PlaceRoute()) | (CancelOrder() as write, CancelRoute()):
            wanted: Fields = route.fields(write, plan.market.market_id)  # pyright: ignore[reportArgumentType] - the two are of one kind
        case SetLeverage() as write, LeverageRoute():
            wanted = route.fields(write, plan.market.market_id)
        case _:
            raise ValueError(f"the plan is to {plan.action}, and its request goes where others go")
    for name, value in wanted.items():
        if not says(request.parameters.get(name), value):
            raise ValueError(f"the request's {name} is not the plan's")
    unknown = sorted(
        request.parameters.keys() - {name for name, value in wanted.items() if value is not None}
    )
    if unknown:
        raise ValueError(f"the request has a field {plain(unknown[0])}, which the plan does not explain")


def _market(plan: WirePlan, preview: Preview) -> Iterator[Pair]:
    planned, shown = plan.market, preview.market
    yield "venue", plain(plan.venue), shown.venue
    yield "symbol", plain(planned.symbol), shown.symbol
    yield "market id", plain(planned.market_id), shown.market_id
    yield "market type", planned.market_type.value, shown.market_type.value
    yield "base", plain(planned.base), shown.base
    yield "quote", plain(planned.quote), shown.quote
    yield "settlement asset", None if planned.settle is None else plain(planned.settle), shown.settle
    yield "contract size", planned.contract_size, shown.contract_size
    yield "order's symbol", planned.symbol, plan.write.symbol


def _write(plan: WirePlan, preview: Preview) -> Iterator[Pair]:
    match plan.write, preview:
        case PlaceOrder() as write, OrderPreview():
            yield "side", write.side, preview.side
            yield "type", write.type.value, preview.type.value
            if write.amount is not None:
                yield "amount", write.amount, preview.amount
            # Of an inverse order that was asked for by its cost an amount is sent, and the cost only told.
            if write.cost is not None or plan.market.market_type is not MarketType.INVERSE:
                yield "cost", write.cost, preview.cost
            yield "price", write.price, preview.price
            yield "trigger price", write.trigger_price, preview.trigger_price
            yield "time in force", write.time_in_force, preview.time_in_force
            yield "post-only flag", write.is_post_only, preview.post_only
            yield "reduce-only flag", write.is_reduce_only, preview.reduce_only
            yield "client order id", plain(write.client_order_id), preview.client_order_id
        case CancelOrder() as write, CancelPreview():
            yield "order id", _plain_or_none(write.order_id), preview.order_id
            yield "client order id", _plain_or_none(write.client_order_id), preview.client_order_id
            yield from _cancelled(write, preview)
        case SetLeverage() as write, LeveragePreview():
            yield "leverage", write.leverage, preview.leverage_after
        case _:
            yield "action", plan.action, preview.action


def _cancelled(write: CancelOrder, preview: CancelPreview) -> Iterator[Pair]:
    order = preview.order
    if order is None:
        return
    if write.order_id is not None:
        yield "order id", plain(write.order_id), order.order_id
    else:
        yield "client order id", _plain_or_none(write.client_order_id), order.client_order_id
    yield "kind of order", write.is_conditional, order.conditional


def _plain_or_none(value: str | None) -> str | None:
    return None if value is None else plain(value)


def _check_effect(p: OrderPreview) -> None:
    """The effect class, and what is held then, follow from what is held now."""
    if p.position is None or p.position_after is None or p.amount is None or p.effect is None:
        if p.effect is not None:
            raise ValueError("the preview names an effect and not the position that it is of")
        return
    size = p.position.copy_abs()
    is_opposed = p.position != 0 and (p.position > 0) is not (p.side == "buy")
    moved = min(p.amount, size) if p.reduce_only and is_opposed else p.amount
    signed = moved if p.side == "buy" else multiply(moved, _MINUS_ONE)
    after = add(p.position, signed)
    if p.position_after != after:
        raise ValueError(f"of a position of {p.position} this order makes {after}, not {p.position_after}")
    if p.effect not in _effects(p, size, moved, is_opposed=is_opposed):
        raise ValueError(
            f"an order that makes a position of {p.position} into {after} does not say that it {p.effect}"
        )


def _effects(p: OrderPreview, size: Decimal, moved: Decimal, *, is_opposed: bool) -> frozenset[EffectClass]:
    if p.market.market_type is MarketType.SPOT:
        # Less than the smallest order counts as nothing held, and what is the smallest is not in a preview.
        return frozenset({"opens", "adds"}) if p.side == "buy" else frozenset({"reduces", "closes"})
    if not is_opposed:
        return frozenset({"opens"}) if not size else frozenset({"adds"})
    if moved < size:
        return frozenset({"reduces"})
    return frozenset({"closes"}) if moved == size else frozenset({"flips"})
