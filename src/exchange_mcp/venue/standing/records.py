"""An account's standing from what is read of it anyway: balances, positions and open orders. Pure."""

from collections.abc import Iterable, Sequence
from decimal import Decimal, InvalidOperation
from typing import Final

from exchange_mcp.model.balances import Balance
from exchange_mcp.model.decimals import divide, multiply, subtract
from exchange_mcp.model.errors import BadAnswerError
from exchange_mcp.model.orders import OpenOrder
from exchange_mcp.model.positions import MarginMode, Position, PositionMode
from exchange_mcp.model.readings import MarketSettings, OpenPositions, RestingOrders, SpotWallet
from exchange_mcp.model.terms import Fees, Held, Resting
from exchange_mcp.model.writes import OrderType
from exchange_mcp.venue.terms import Parsed, number

# ccxt's words for the types that this product knows, of orders without and with a trigger; others stay unnamed.
_PLAIN: Final = {"market": OrderType.MARKET, "limit": OrderType.LIMIT, "limit_maker": OrderType.LIMIT}
_STOPS: Final = {
    "market": OrderType.STOP_MARKET,
    "stop_market": OrderType.STOP_MARKET,
    "stop_loss": OrderType.STOP_MARKET,
    "limit": OrderType.STOP_LIMIT,
    "stop": OrderType.STOP_LIMIT,
    "stop_limit": OrderType.STOP_LIMIT,
    "stop_loss_limit": OrderType.STOP_LIMIT,
}


def spot_wallet(balances: Iterable[Balance], *, is_whole: bool, lists: int) -> SpotWallet:
    """What can be spent from one wallet, and what orders hold back there."""
    free, locked, listed = dict[str, Decimal](), dict[str, Decimal](), set[str]()
    for balance in balances:
        if balance.asset in listed:  # told twice, it is not known which of them counts
            free.pop(balance.asset, None)
            locked.pop(balance.asset, None)
            continue
        listed.add(balance.asset)
        if balance.free is not None:
            free[balance.asset] = balance.free
        held = balance.used
        if held is None and balance.free is not None and balance.total is not None:
            held = subtract(balance.total, balance.free)
        if held is not None:
            locked[balance.asset] = held
    return SpotWallet(free=free, locked=locked, is_whole=is_whole, lists=lists, listed=frozenset(listed))


def open_positions(positions: Sequence[Position], market: Parsed, *, lists: int) -> OpenPositions:
    """The market's positions among those of one list.

    Raises:
        BadAnswerError: the size of one is not told.
    """
    own = [each for each in positions if each.symbol == market["symbol"]]
    hedged = {each.hedge_mode for each in own}
    mode: PositionMode | None = "hedge" if hedged == {True} else "one_way" if hedged == {False} else None
    return OpenPositions(
        held=tuple(_held(each) for each in own), settings=_settings(own), position_mode=mode, lists=lists
    )


def _held(position: Position) -> Held:
    amount = position.amount if position.contracts is None else position.contracts
    if amount is None:
        raise BadAnswerError(f"the venue does not tell the size of the position in {position.symbol}")
    return Held(side=position.side, amount=amount, entry_price=position.entry_price)


def _settings(own: Sequence[Position]) -> MarketSettings | None:
    if not own:
        return None
    leverages = {each.leverage for each in own}
    modes: set[MarginMode | None] = {each.margin_mode for each in own}
    leverage = leverages.pop() if len(leverages) == 1 else None
    is_whole = leverage is not None and leverage == leverage.to_integral_value()
    return MarketSettings(
        leverage=int(leverage) if leverage is not None and is_whole else None,
        margin_mode=modes.pop() if len(modes) == 1 else None,
    )


def resting_orders(
    orders: Sequence[tuple[OpenOrder, Parsed]], market: Parsed, *, lists: int, is_apart: bool
) -> RestingOrders:
    """The market's orders in one list; `is_apart` says that the list is one of conditional orders alone."""
    size = number(market, "contractSize") if market.get("linear") else None
    return RestingOrders(
        orders=tuple(_resting(order, parsed, size, is_apart=is_apart) for order, parsed in orders),
        lists=lists,
    )


def _resting(order: OpenOrder, parsed: Parsed, size: Decimal | None, *, is_apart: bool) -> Resting:
    left = order.remaining
    if left is None and is_apart:
        left = order.amount  # what waits for its trigger has filled nothing
    return Resting(
        order_id=order.id,
        client_order_id=order.client_order_id,
        side=order.side,
        type=_type(order, parsed),
        amount=left if order.contracts or left is None else _in_unit(left, size),
        price=order.price,
        trigger_price=order.trigger_price,
        is_reduce_only=order.reduce_only is True,
        closes_position=order.closes_position is True,
        is_conditional=is_apart,
    )


def _type(order: OpenOrder, parsed: Parsed) -> OrderType | None:
    """Stop or plain; one that waits for a better price is no stop, and ccxt calls it by the same word."""
    if parsed.get("takeProfitPrice") is not None:
        return None
    named = _PLAIN if order.trigger_price is None else _STOPS
    return named.get(order.type or "")


def _in_unit(base: Decimal, size: Decimal | None) -> Decimal | None:
    """Base as contracts of a size; None where it is no exact number of them."""
    if not size or size == 1:
        return base
    contracts = divide(base, size)
    return contracts if multiply(contracts, size) == base else None


def listed_fees(market: Parsed) -> Fees | None:
    """The rate that is listed for the market, which an account's own may differ from; None where none is."""
    rates = [_rate(market.get(name)) for name in ("maker", "taker")]
    if rates[0] is None or rates[1] is None:
        return None
    return Fees(
        maker=rates[0],
        taker=rates[1],
        source="the rate that ccxt lists, which the account's own may differ from",
    )


def _rate(value: object) -> Decimal | None:
    # Where ccxt writes it into its source, it is a float: its shortest text is what is written there.
    try:
        return None if value is None or isinstance(value, bool) else Decimal(str(value))
    except InvalidOperation:
        return None
