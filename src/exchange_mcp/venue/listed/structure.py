"""What ccxt's market structure tells exactly, at the venues whose own rows are not read here.

https://docs.ccxt.com/README?id=market-structure. What it does not tell is None; nothing is guessed.
"""

from decimal import Decimal
from typing import Final

from ccxt.base.decimal_to_precision import TICK_SIZE

from exchange_mcp.model.accounts import MarketType
from exchange_mcp.model.errors import NotCoveredError
from exchange_mcp.model.terms import AmountGrid, MarketTerms, NotionalGrid, PriceGrid
from exchange_mcp.model.writes import OrderType
from exchange_mcp.rules.reading import counts_in_base
from exchange_mcp.venue.symbols import market_type_of
from exchange_mcp.venue.terms import Parsed, number

# Every venue here takes these two; which stops it takes and how was not read.
_PLAIN: Final = frozenset({OrderType.MARKET, OrderType.LIMIT})
# There ccxt works limits of the price out from the mark price of when the list was read (ccxt/gate.py, 4.5.90).
_WORKED_OUT: Final = frozenset({"gate"})


def terms(venue: str, market: Parsed, precision_mode: int) -> MarketTerms:
    """The terms of one market; raises as `market_terms` does."""
    symbol = str(market["symbol"])
    market_type = market_type_of(symbol)
    step, tick = (number(market, f"precision.{name}") for name in ("amount", "price"))
    if precision_mode != TICK_SIZE or not step or not tick:
        raise NotCoveredError(f"{venue} does not tell on which grid amounts and prices of {symbol} are")
    if market_type is None or not counts_in_base(venue, market_type):
        raise NotCoveredError(f"it is not known what an amount of {symbol} counts at {venue}")
    is_spot = market_type is MarketType.SPOT
    size = None if is_spot else number(market, "contractSize")
    if not is_spot and not size:
        raise NotCoveredError(f"{venue} does not tell the size of a contract of {symbol}")
    prices = (
        (None, None)
        if venue in _WORKED_OUT
        else tuple(_limit(market, "price", end) for end in ("min", "max"))
    )
    least_cost, most_cost = (_limit(market, "cost", each) for each in ("min", "max"))
    leverage = None if is_spot else _limit(market, "leverage", "max")
    return MarketTerms(
        venue=venue,
        symbol=symbol,
        market_id=str(market["id"]),
        market_type=market_type,
        base=str(market["base"]),
        quote=str(market["quote"]),
        settle=None if is_spot else str(market["settle"]),
        # A linear contract of 1 is an amount in base; that of an inverse one counts quote.
        contract_size=None if size == 1 and market_type is MarketType.LINEAR else size,
        is_trading=market.get("active") is not False,
        order_types=_PLAIN,
        takes_cost=False,
        amount=AmountGrid(
            step=step, least=_limit(market, "amount", "min"), most=_limit(market, "amount", "max")
        ),
        market_amount=_market_amount(market, step),
        price=PriceGrid(tick=tick, least=prices[0], most=prices[1]),
        notional=None
        if least_cost is None and most_cost is None
        else NotionalGrid(least=least_cost, most=most_cost),
        band=None,
        max_orders=None,
        max_conditional_orders=None,
        max_leverage=None if leverage is None else int(leverage),
    )


def _limit(market: Parsed, of: str, end: str) -> Decimal | None:
    """A limit, None where it is not told or is 0, which some venues write for none."""
    return number(market, f"limits.{of}.{end}") or None


def _market_amount(market: Parsed, step: Decimal) -> AmountGrid | None:
    least, most = (_limit(market, "market", end) for end in ("min", "max"))
    return None if least is None and most is None else AmountGrid(step=step, least=least, most=most)
