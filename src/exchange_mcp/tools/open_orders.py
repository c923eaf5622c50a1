"""get_open_orders: which orders rest at the venues, conditional ones included."""

from typing import Final

from exchange_mcp.model.coverage import Coverage
from exchange_mcp.model.frozen import Record
from exchange_mcp.model.orders import OpenOrder
from exchange_mcp.tools.asking import ask
from exchange_mcp.tools.declared import read_tool
from exchange_mcp.tools.handed import ReadHanded
from exchange_mcp.tools.spec import Arguments
from exchange_mcp.tools.symbols import Symbol


class GetOpenOrders(Arguments):
    """Which account, and which market."""

    account: str | None = None
    symbol: Symbol | None = None


class OpenOrders(Record):
    """Resting orders, and what the answer covers."""

    orders: tuple[OpenOrder, ...]
    coverage: Coverage


async def get_open_orders(arguments: GetOpenOrders, handed: ReadHanded) -> OpenOrders:
    """Ask every order list that the chosen accounts have."""
    asked = await ask(handed, arguments.account, lambda venue: venue.open_orders(arguments.symbol))
    return OpenOrders(orders=asked.items, coverage=asked.coverage)


TOOLS: Final = (
    read_tool(
        name="get_open_orders",
        title="Open orders",
        description=(
            "Orders resting at the venues, limit and conditional (stops), spot and derivatives, of all "
            "accounts and symbols unless named. Venues keep these in separate lists; each list read is in "
            "`coverage.answered`, each that failed in `coverage.gaps`: without gaps there are no others."
        ),
        arguments=GetOpenOrders,
        data=OpenOrders,
        idempotent="Asking twice changes nothing; the answer may differ as orders do.",
        handler=get_open_orders,
    ),
)
