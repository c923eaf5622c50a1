"""get_positions: which derivative positions the accounts have open."""

from typing import Final

from exchange_mcp.model.coverage import Coverage
from exchange_mcp.model.frozen import Record
from exchange_mcp.model.positions import Position
from exchange_mcp.tools.asking import ask
from exchange_mcp.tools.declared import read_tool
from exchange_mcp.tools.handed import ReadHanded
from exchange_mcp.tools.spec import Arguments


class GetPositions(Arguments):
    """Which account."""

    account: str | None = None


class Positions(Record):
    """Open positions, and what the answer covers."""

    positions: tuple[Position, ...]
    coverage: Coverage


async def get_positions(arguments: GetPositions, handed: ReadHanded) -> Positions:
    """Ask every derivatives market type of the chosen accounts."""
    asked = await ask(handed, arguments.account, lambda venue: venue.positions())
    return Positions(positions=asked.items, coverage=asked.coverage)


TOOLS: Final = (
    read_tool(
        name="get_positions",
        title="Positions",
        description=(
            "Open derivative positions: side, size in base and in contracts, entry, mark and liquidation "
            "price, leverage, margin mode, unrealised PnL in the settlement asset. Spot holdings are "
            "balances, not positions. All accounts unless one is named. `coverage.gaps` names what could "
            "not be read; null means the venue did not tell."
        ),
        arguments=GetPositions,
        data=Positions,
        idempotent="Asking twice changes nothing; the answer may differ as the market does.",
        handler=get_positions,
    ),
)
