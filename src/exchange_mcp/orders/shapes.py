"""Which parts an order of a type has, and which a market takes at all: what can be said before any figure."""

from decimal import Decimal
from typing import Final, NoReturn

from exchange_mcp.model.accounts import MarketType
from exchange_mcp.model.errors import ErrorCode, OrderRefusedError
from exchange_mcp.model.terms import MarketTerms
from exchange_mcp.model.writes import OrderType
from exchange_mcp.orders.requests import OrderRequest
from exchange_mcp.orders.wording import plain, shown

_NUMBERS: Final = ("amount", "cost", "price", "trigger_price")


def check(request: OrderRequest, terms: MarketTerms) -> None:
    """Raise the OrderRefusedError of the first part that is missing, superfluous, or not taken by this market."""
    for field in _NUMBERS:
        _check_positive(field, getattr(request, field))
    _check_market(request, terms)
    _check_prices(request)
    _check_size(request, terms)
    _check_conduct(request)
    _check_reduce_only(request, terms)


def _check_positive(field: str, value: Decimal | None) -> None:
    if value is None or value > 0:
        return
    if value == 0:
        _refuse(ErrorCode.NUMBER_ZERO, f"{field}: it is zero; a number greater than 0 is required")
    _refuse(
        ErrorCode.NUMBER_NEGATIVE, f"{field}: {shown(value)} is negative; a number greater than 0 is required"
    )


def _check_market(request: OrderRequest, terms: MarketTerms) -> None:
    if not terms.is_trading:
        _refuse(
            ErrorCode.MARKET_NOT_TRADING,
            f"{plain(terms.symbol)} takes no new orders: it is halted, delisted or only closes positions",
        )
    if request.type not in terms.order_types:
        offered = ", ".join(kind.value for kind in OrderType if kind in terms.order_types) or "none"
        _refuse(
            ErrorCode.ORDER_TYPE_NOT_TAKEN,
            f"type: {plain(terms.symbol)} takes no {request.type.value} order here; it takes {offered}",
        )


def _check_prices(request: OrderRequest) -> None:
    kind = request.type
    if kind.has_price and request.price is None:
        _refuse(ErrorCode.PRICE_MISSING, f"price: a {kind.value} order needs one")
    if not kind.has_price and request.price is not None:
        _refuse(
            ErrorCode.PRICE_NOT_TAKEN,
            f"price: a {kind.value} order has none; use limit or stop_limit, or leave it out",
        )
    if kind.has_trigger and request.trigger_price is None:
        _refuse(ErrorCode.TRIGGER_MISSING, f"trigger_price: a {kind.value} order needs one")
    if not kind.has_trigger and request.trigger_price is not None:
        _refuse(
            ErrorCode.TRIGGER_NOT_TAKEN,
            f"trigger_price: a {kind.value} order has none; use stop_limit or stop_market, or leave it out",
        )


def _check_size(request: OrderRequest, terms: MarketTerms) -> None:
    if (request.amount is None) is (request.cost is None):
        given = "neither is" if request.amount is None else "both are"
        _refuse(ErrorCode.AMOUNT_OR_COST, f"amount, cost: exactly one is required, and {given} given")
    if terms.market_type is MarketType.INVERSE:
        if request.cost is None:
            size = "a fixed number" if terms.contract_size is None else shown(terms.contract_size)
            _refuse(
                ErrorCode.AMOUNT_NOT_TAKEN,
                f"amount: a contract of {plain(terms.symbol)} is worth {size} {plain(terms.quote)} and no fixed amount "
                f"of {plain(terms.base)}; say the cost in {plain(terms.quote)}",
            )
        return
    if request.cost is None:
        return
    if not terms.takes_cost:
        _refuse(
            ErrorCode.COST_NOT_TAKEN,
            f"cost: {plain(terms.symbol)} does not take it exactly; say the amount in {plain(terms.base)}",
        )
    if request.type is not OrderType.MARKET or request.side != "buy":
        _refuse(
            ErrorCode.COST_NOT_TAKEN,
            f"cost: only a market buy says it; say the amount in {plain(terms.base)}",
        )


def _check_conduct(request: OrderRequest) -> None:
    kind = request.type
    if request.time_in_force is not None and not kind.has_price:
        _refuse(
            ErrorCode.TIME_IN_FORCE_NOT_TAKEN,
            f"time_in_force: a {kind.value} order has none; only limit and stop_limit orders do",
        )
    if request.post_only and kind is not OrderType.LIMIT:
        _refuse(
            ErrorCode.POST_ONLY_NOT_TAKEN,
            f"post_only: a {kind.value} order cannot be; only a limit order can",
        )
    if request.post_only and request.time_in_force not in {None, "GTC"}:
        _refuse(
            ErrorCode.TIME_IN_FORCE_NOT_TAKEN,
            f"time_in_force: a post-only order rests, so {request.time_in_force} contradicts it; use GTC or none",
        )


def _check_reduce_only(request: OrderRequest, terms: MarketTerms) -> None:
    is_spot = terms.market_type is MarketType.SPOT
    if request.reduce_only and is_spot:
        _refuse(
            ErrorCode.REDUCE_ONLY_NOT_TAKEN,
            "reduce_only: no venue enforces it on spot, where there is no position; leave it out",
        )
    if request.type is OrderType.STOP_MARKET and not request.reduce_only:
        instead = "use stop_limit" if is_spot else "set reduce_only, or use stop_limit"
        _refuse(
            ErrorCode.REDUCE_ONLY_MISSING,
            "type: a stop_market order has no bound on its price, so it may only reduce a position; "
            + instead,
        )


def _refuse(code: ErrorCode, message: str) -> NoReturn:
    raise OrderRefusedError(code, message)
