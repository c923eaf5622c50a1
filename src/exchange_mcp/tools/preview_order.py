"""preview_order: what an order would do, from what is read now. Nothing is sent."""

from typing import Final

from exchange_mcp.model.coverage import Coverage
from exchange_mcp.model.frozen import Record
from exchange_mcp.orders.preview import OrderPreview
from exchange_mcp.orders.requests import OrderRequest
from exchange_mcp.tools.declared import read_tool
from exchange_mcp.tools.handed import ReadHanded
from exchange_mcp.tools.spec import Arguments
from exchange_mcp.tools.symbols import Symbol

_NOT_MINTED: Final = "estimate"
"""In the place of a client order id: an order that is only previewed has none."""


class PreviewOrder(OrderRequest, Arguments):
    """The order as asked, and whose it would be."""

    symbol: Symbol
    account: str | None = None


class PreviewedOrder(Record):
    """What the order would do: as lines for a person, as figures, and what was read for it."""

    account: str
    lines: tuple[str, ...]
    preview: OrderPreview
    coverage: Coverage


async def preview_order(arguments: PreviewOrder, handed: ReadHanded) -> PreviewedOrder:
    """Read what the order needs, put it on the venue's grid, and say what it would do."""
    # What lists tools does not plan: these cost a server's start more than a first preview.
    from exchange_mcp.orders import shapes  # noqa: PLC0415 - as above
    from exchange_mcp.orders.placing import plan_order  # noqa: PLC0415 - as above
    from exchange_mcp.orders.previewing import preview_order as previewed  # noqa: PLC0415 - as above
    from exchange_mcp.orders.screen import lines  # noqa: PLC0415 - as above
    from exchange_mcp.tools.order_context import order_context  # noqa: PLC0415 - as above

    context = await order_context(
        handed,
        arguments.account,
        arguments.symbol,
        check=lambda terms: shapes.check(arguments, terms),
    )
    planned = plan_order(
        arguments, context.terms, context.reference, context.standing, client_order_id=_NOT_MINTED
    )
    preview = previewed(planned, context.terms, context.reference, context.standing, context.book)
    return PreviewedOrder(
        account=context.account.name,
        lines=lines(preview),
        preview=preview,
        coverage=context.coverage,
    )


TOOLS: Final = (
    read_tool(
        name="preview_order",
        title="Order preview",
        description=(
            "What an order would do: an estimate, nothing is sent. Checked against the market's limits and "
            "the book: notional, fee, slippage, effect on the position, free balance and liquidation price "
            "after. A bad order gets its own code and the nearest valid values. `unknown` says why a figure "
            "is null."
        ),
        arguments=PreviewOrder,
        data=PreviewedOrder,
        idempotent="Asking twice changes nothing; the answer may differ as market and account do.",
        handler=preview_order,
    ),
)
