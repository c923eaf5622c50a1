"""What a cancel or a change of leverage has come to, as the venue shows it: by reading the order, or the market."""

from typing import Any, cast

from exchange_mcp.model.decimals import from_wire
from exchange_mcp.model.errors import BadAnswerError, NotCoveredError
from exchange_mcp.model.plans import WirePlan
from exchange_mcp.model.trading import Effect
from exchange_mcp.model.writes import CancelOrder, SetLeverage
from exchange_mcp.rules.client_ids import order_ids
from exchange_mcp.rules.trading import TradingRules
from exchange_mcp.venue.found_rows import rows_of, seen
from exchange_mcp.venue.listing import at
from exchange_mcp.venue.trading.asking import Asking


async def effect_of(asking: Asking, rules: TradingRules, plan: WirePlan) -> Effect:
    """What the venue shows.

    Raises:
        ExchangeMcpError: it does not answer, or the plan is of a kind that has no such effect.
    """
    match plan.write:
        case CancelOrder():
            return await _of_cancel(asking, rules, plan, plan.write)
        case SetLeverage():
            return await _of_leverage(asking, rules, plan, plan.write)
        case _:
            raise NotCoveredError("the effect of an order is looked for by its id")


async def _of_cancel(asking: Asking, rules: TradingRules, plan: WirePlan, write: CancelOrder) -> Effect:
    """By the state of exactly this order. That there is none proves nothing: it may show late."""
    known = order_ids(plan.venue, plan.market.market_type, is_conditional=write.is_conditional)
    exact = None if known is None or not known.lookups.exact else known.lookups.exact[0]
    by = None if exact is None else exact.order_id if write.order_id is not None else exact.client_id
    if exact is None or by is None:
        raise NotCoveredError("how this order is read is not known")
    params: dict[str, Any] = {**exact.params, by: write.order_id or write.client_order_id or ""}
    if exact.symbol is not None:
        params[exact.symbol] = plan.market.market_id
    (row,) = rows_of(await asking.ask(exact.call, params), exact.rows, exact.shape)
    order = seen(row, exact.fields, plan.market.market_id).order
    asked, told = (
        (write.order_id, order.order_id)
        if write.order_id is not None
        else (write.client_order_id, order.client_order_id)
    )
    if asked != told:
        raise BadAnswerError("it was answered with another order")
    return rules.canceled.get(order.status or "", Effect.UNTOLD)


async def _of_leverage(asking: Asking, rules: TradingRules, plan: WirePlan, write: SetLeverage) -> Effect:
    read = rules.leverage.get(plan.market.market_type)
    if read is None:
        raise NotCoveredError("how this market's leverage is read is not known")
    market_id = plan.market.market_id
    rows = rows_of(await asking.ask(read.call, {read.symbol: market_id}), "", "list")
    own = [row for row in rows if at(row, read.symbol) == market_id]
    if len(own) != 1:
        raise BadAnswerError(f"{len(own)} rows came for one market")
    try:
        leverage = from_wire(cast("str | int", at(own[0], read.leverage)))
    except (ValueError, TypeError):
        raise BadAnswerError("the market's leverage is not a number") from None
    return Effect.DONE if leverage == write.leverage else Effect.PENDING
