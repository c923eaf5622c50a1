"""get_ticker and get_orderbook: what a market shows. They need no key."""

from typing import Annotated, Final

from pydantic import Field

from exchange_mcp.model.coverage import Coverage
from exchange_mcp.model.frozen import Record
from exchange_mcp.model.markets import OrderBook, Ticker
from exchange_mcp.tools.asking import ask
from exchange_mcp.tools.declared import read_tool
from exchange_mcp.tools.handed import ReadHanded
from exchange_mcp.tools.spec import Arguments
from exchange_mcp.tools.symbols import Symbol

MOST_LEVELS: Final = 50


class GetTicker(Arguments):
    """Which market, at which account's venue."""

    symbol: Symbol
    account: str | None = None


class Tickers(Record):
    """One ticker an account whose venue lists the symbol, and what the answer covers."""

    tickers: tuple[Ticker, ...]
    coverage: Coverage


class GetOrderbook(Arguments):
    """Which market, at which account's venue, and how deep."""

    symbol: Symbol
    account: str | None = None
    levels: Annotated[int, Field(ge=1, le=MOST_LEVELS)] = 10


class OrderBooks(Record):
    """One book an account whose venue lists the symbol, and what the answer covers."""

    books: tuple[OrderBook, ...]
    coverage: Coverage


async def get_ticker(arguments: GetTicker, handed: ReadHanded) -> Tickers:
    """Ask the chosen accounts' venues for one market's ticker."""
    asked = await ask(handed, arguments.account, lambda venue: venue.ticker(arguments.symbol))
    return Tickers(tickers=asked.items, coverage=asked.coverage)


async def get_orderbook(arguments: GetOrderbook, handed: ReadHanded) -> OrderBooks:
    """Ask the chosen accounts' venues for one market's book."""
    asked = await ask(
        handed, arguments.account, lambda venue: venue.order_book(arguments.symbol, arguments.levels)
    )
    return OrderBooks(books=asked.items, coverage=asked.coverage)


_IDEMPOTENT: Final = "Asking twice changes nothing; the answer may differ as the market does."

TOOLS: Final = (
    read_tool(
        name="get_ticker",
        title="Ticker",
        description=(
            "One market's last price, best bid and ask, and 24-hour high, low, change in per cent and "
            "volumes, from every configured account's venue unless one is named. Prices are in the quote "
            "asset."
        ),
        arguments=GetTicker,
        data=Tickers,
        idempotent=_IDEMPOTENT,
        handler=get_ticker,
    ),
    read_tool(
        name="get_orderbook",
        title="Order book",
        description=(
            "One market's best bids and asks as [price, amount] pairs, best first, `levels` a side (1 to "
            "50). `levels` in the answer is how many were found. Amounts are in base, or contracts where it"
            " says so."
        ),
        arguments=GetOrderbook,
        data=OrderBooks,
        idempotent=_IDEMPOTENT,
        handler=get_orderbook,
    ),
)
