"""What the worked examples of docs/previews.md come to on the simulated venue (seed 1, 2026-01-01 12:00 UTC)."""

from typing import Any

from exchange_mcp.model.errors import OrderRefusedError
from exchange_mcp.orders.change_previews import preview_cancel, preview_leverage
from exchange_mcp.orders.changing import plan_cancel, plan_leverage
from exchange_mcp.orders.placing import plan_order
from exchange_mcp.orders.preview import Preview
from exchange_mcp.orders.previewing import preview_order
from exchange_mcp.orders.requests import CancelRequest, LeverageRequest, OrderRequest
from exchange_mcp.orders.screen import lines
from sim.direct import Direct

from .from_sim import Spot, Usdm


def example(asked: dict[str, Any]) -> str:
    """The screen of a request, or the code and the sentence with which it is refused."""
    try:
        return "\n".join(lines(preview(asked)))
    except OrderRefusedError as error:
        return f"{error.code}: {error.message}"


def preview(asked: dict[str, Any], label: str = "trader") -> Preview:
    """The preview of an order, of a cancel (it has an order_id) or of a leverage, by the account of a key."""
    venue = Direct(label=label)
    market_id = str(asked["symbol"]).partition(":")[0].replace("/", "")
    market = Usdm(venue, market_id) if ":" in asked["symbol"] else Spot(venue, market_id)
    terms, reference, standing = market.terms, market.reference, market.standing
    if "leverage" in asked:
        leverage = plan_leverage(LeverageRequest.model_validate(asked), terms, standing)
        return preview_leverage(leverage, terms, reference, standing)
    if "order_id" in asked:
        cancel = plan_cancel(CancelRequest.model_validate(asked), terms, standing)
        return preview_cancel(cancel, terms, standing)
    request = OrderRequest.model_validate(asked)
    plan = plan_order(request, terms, reference, standing, client_order_id="emcp-4h7k2m9q1w3e")
    return preview_order(plan, terms, reference, standing, market.book)
