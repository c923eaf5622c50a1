"""Whole proposals as the desk records them: a plan with its request, and the preview of where the account stands."""

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from exchange_mcp.desk.ports import Footing
from exchange_mcp.model.accounts import AccountName, Environment
from exchange_mcp.model.canonical import canonical_json
from exchange_mcp.model.decimals import text
from exchange_mcp.model.plans import PlannedMarket, WirePlan, WireRequest
from exchange_mcp.model.terms import MarketTerms, Standing
from exchange_mcp.model.writes import WriteRequest
from exchange_mcp.orders.change_previews import preview_cancel, preview_leverage
from exchange_mcp.orders.changing import plan_cancel, plan_leverage
from exchange_mcp.orders.preview import OrderPreview, Preview
from exchange_mcp.orders.requests import CancelRequest, LeverageRequest
from exchange_mcp.rules.endpoints import Endpoint
from exchange_mcp.rules.writing import ROUTES
from orders.made import FLAT, LINEAR, REFERENCE, SPOT, asked, holding, long, planned, previewed

LONG = holding(long("0.4"))


@dataclass(frozen=True)
class Proposed:
    """A plan and what it would do."""

    plan: WirePlan
    preview: Preview

    @property
    def effect(self) -> str | None:
        return self.preview.effect if isinstance(self.preview, OrderPreview) else None

    def preview_text(self) -> str:
        """As the desk records it: what is shown, and what is held against later."""
        p = self.preview
        is_order = isinstance(p, OrderPreview)
        footing = Footing(
            effect=p.effect if is_order else None,
            position_mode=p.position_mode if is_order else None,
            mid=p.mid if is_order else None,
            worst_case=p.worst_cost if is_order else None,
        )
        return canonical_json({"footing": footing.as_object(), "shown": p.model_dump()})


def order(
    terms: MarketTerms = LINEAR,
    standing: Standing = LONG,
    environment: Environment = Environment.LIVE,
    **request: Any,  # noqa: ANN401 - fields of the request
) -> Proposed:
    """An order; by default one that flips a long of 0.4 BTC into a short of 0.6."""
    given = {"side": "sell", "type": "market", "amount": "1", **request}
    wish = asked(**{"symbol": terms.symbol, **given})
    made = planned(wish, terms, standing)
    return Proposed(_plan(made.write, made.market, environment), previewed(wish, terms, standing))


def cancel(standing: Standing, order_id: str = "77") -> Proposed:
    made = plan_cancel(CancelRequest(symbol=LINEAR.symbol, order_id=order_id), LINEAR, standing)
    return Proposed(_plan(made.write, made.market), preview_cancel(made, LINEAR, standing))


def leverage(times: int = 20, standing: Standing = FLAT) -> Proposed:
    made = plan_leverage(LeverageRequest(symbol=LINEAR.symbol, leverage=times), LINEAR, standing)
    return Proposed(_plan(made.write, made.market), preview_leverage(made, LINEAR, REFERENCE, standing))


def spot(**request: Any) -> Proposed:  # noqa: ANN401 - fields of the request
    from orders.made import SPOT_STANDING  # noqa: PLC0415 - named where it is meant

    given: dict[str, Any] = {"side": "buy", "type": "limit", "amount": "0.01", "price": "99000", **request}
    return order(SPOT, SPOT_STANDING, **given)


def _plan(
    write: WriteRequest, market: PlannedMarket, environment: Environment = Environment.LIVE
) -> WirePlan:
    plan = WirePlan(
        venue="binance",
        account=AccountName("main"),
        account_id="90210777",
        key_id="a1b2c3d4e5f60718",
        environment=environment,
        market=market,
        write=write,
        request=WireRequest(verb="", api="", path="", parameters={}),
        window_ms=5000,
    )
    is_spot = market.settle is None
    verb = {"place": "POST", "cancel": "DELETE", "leverage": "POST"}[plan.action]
    where = Endpoint(
        verb, "private" if is_spot else "fapiPrivate", "leverage" if plan.action == "leverage" else "order"
    )
    wanted: dict[str, Any] = dict(ROUTES["binance"][where].fields(write, market.market_id))  # type: ignore[arg-type] - the route is the write's
    parameters = {name: _sent(value) for name, value in wanted.items() if value is not None}
    return replace(
        plan, request=WireRequest(verb=where.verb, api=where.api, path=where.path, parameters=parameters)
    )


def _sent(value: Any) -> Any:  # noqa: ANN401 - any kind of field
    match value:
        case Decimal():
            return text(value)
        case frozenset():
            return min(value)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] - of texts
        case _:
            return value
