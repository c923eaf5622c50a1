"""Decisions as a desk hands them over, made by the real planner and preview."""

import json
from dataclasses import replace
from typing import Any

from exchange_mcp.desk.operator.messages import Decision
from exchange_mcp.desk.ports import Footing
from exchange_mcp.model.accounts import AccountName, Environment, MarketType
from exchange_mcp.model.canonical import canonical_json
from exchange_mcp.model.decimals import text
from exchange_mcp.model.plans import Value, WirePlan, WireRequest
from exchange_mcp.model.terms import MarketTerms, Standing
from exchange_mcp.model.writes import CancelOrder, SetLeverage
from exchange_mcp.orders.change_previews import preview_cancel, preview_leverage
from exchange_mcp.orders.changing import plan_cancel, plan_leverage
from exchange_mcp.orders.planned import Origin, Planned, wire_plan
from exchange_mcp.orders.preview import CancelPreview, OrderPreview, Preview
from exchange_mcp.orders.previewing import preview_order
from exchange_mcp.orders.requests import CancelRequest, LeverageRequest
from exchange_mcp.rules.endpoints import Endpoint
from exchange_mcp.rules.writing import ROUTES, CancelRoute, LeverageRoute, PlaceRoute
from orders.made import (
    FLAT,
    LINEAR,
    REFERENCE,
    SPOT,
    SPOT_STANDING,
    asked,
    holding,
    long,
    made_book,
    planned,
    stop,
)

from .answers import DESK, NONCE, NOW_MS, POLICY, view

LONG = holding(long("0.4"), position_mode="one_way")


def flips() -> Decision:
    """Sell 1 BTC at the market over a long of 0.4 BTC."""
    return order(LINEAR, LONG, type="market", side="sell", amount="1")


def order(terms: MarketTerms, standing: Standing, **fields: Any) -> Decision:  # noqa: ANN401 - of an order
    write = planned(asked(**fields), terms, standing)
    return decision(write, preview_order(write, terms, REFERENCE, standing, made_book()), terms)


def buys_spot() -> Decision:
    return order(SPOT, SPOT_STANDING, type="limit", amount="0.1", price="99000.0")


def cancels_stop() -> Decision:
    """Cancel the stop that protects what is held; spot keeps its stops with the other orders."""
    standing = replace(SPOT_STANDING, resting=(stop(is_conditional=False, is_reduce_only=False),))
    write = plan_cancel(CancelRequest(symbol="x", order_id="77"), SPOT, standing)
    return decision(write, preview_cancel(write, SPOT, standing), SPOT)


def cancels_unknown() -> Decision:
    """Cancel an order that is not among the open ones."""
    write = plan_cancel(CancelRequest(symbol="x", order_id="7"), LINEAR, LONG)
    return decision(write, preview_cancel(write, LINEAR, LONG), LINEAR)


def sets_leverage() -> Decision:
    write = plan_leverage(LeverageRequest(symbol="x", leverage=20), LINEAR, FLAT)
    return decision(write, preview_leverage(write, LINEAR, REFERENCE, FLAT), LINEAR)


def decision(write: Planned, preview: Preview, terms: MarketTerms, **changed: Any) -> Decision:  # noqa: ANN401 - any field
    plan = wired(write, terms)
    values: dict[str, Any] = {
        "intent": view(
            symbol=plan.market.symbol, action=plan.action, effect=getattr(preview, "effect", None)
        ),
        "desk_id": DESK,
        "plan_text": plan.canonical(),
        "preview_text": recorded(preview),
        "policy_text": POLICY,
        "nonce": NONCE,
        "expires_ms": NOW_MS + 120_000,
        "needed": 1,
        "signed_by": (),
        "changed": (),
        "similar": (),
        "note": None,
    }
    return Decision(**{**values, **changed})


def recorded(preview: Preview) -> str:
    """As the desk's journal has it."""
    is_order = isinstance(preview, OrderPreview)
    is_cancel = isinstance(preview, CancelPreview)
    footing = Footing(
        effect=preview.effect if is_order else None,
        position_mode=preview.position_mode if is_order else None,
        mid=preview.mid if is_order else None,
        worst_case=preview.worst_cost if is_order else None,
        leverage=None if is_cancel else preview.leverage,  # pyright: ignore[reportAttributeAccessIssue] - the other two have it
        margin_mode=None if is_cancel else preview.margin_mode,  # pyright: ignore[reportAttributeAccessIssue] - the same
    )
    return canonical_json({"footing": footing.as_object(), "shown": json.loads(preview.canonical())})


def wired(write: Planned, terms: MarketTerms) -> WirePlan:
    """The plan, with the request that the rules say its route takes."""
    api = "private" if terms.market_type is MarketType.SPOT else "fapiPrivate"
    match write.write:
        case CancelOrder():
            endpoint = Endpoint("DELETE", api, "order")
        case SetLeverage():
            endpoint = Endpoint("POST", api, "leverage")
        case _:
            endpoint = Endpoint("POST", api, "order")
    route = ROUTES["binance"][endpoint]
    assert isinstance(route, PlaceRoute | CancelRoute) or (
        isinstance(route, LeverageRoute) and isinstance(write.write, SetLeverage)
    )
    fields = route.fields(write.write, terms.market_id)  # pyright: ignore[reportArgumentType] - of one kind
    parameters: dict[str, Value] = {}
    for name, value in fields.items():
        if isinstance(value, frozenset):
            parameters[name] = "RESULT"
        elif value is not None:
            parameters[name] = value if isinstance(value, str | int | bool) else text(value)
    return wire_plan(
        write,
        WireRequest(verb=endpoint.verb, api=endpoint.api, path=endpoint.path, parameters=parameters),
        Origin(
            venue="binance",
            account=AccountName("main"),
            account_id="90001234",
            key_id="k0ffee",
            environment=Environment.SIM,
        ),
        window_ms=5000,
    )


def edited_plan(made: Decision, **changed: Any) -> Decision:  # noqa: ANN401 - members of the plan, dotted by "__"
    return made.model_copy(update={"plan_text": _edited(made.plan_text, changed)})


def edited_preview(made: Decision, **changed: Any) -> Decision:  # noqa: ANN401 - members of the preview, the same
    return made.model_copy(update={"preview_text": _edited(made.preview_text, changed)})


def _edited(written: str, changed: dict[str, Any]) -> str:
    content = json.loads(written)
    for name, value in changed.items():
        *path, last = name.split("__")
        part = content
        for step in path:
            part = part[step]
        part[last] = value
    return canonical_json(content)
