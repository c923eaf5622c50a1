"""get_balance: what the accounts hold."""

from typing import Final

from exchange_mcp.model.balances import Balance
from exchange_mcp.model.coverage import Coverage
from exchange_mcp.model.frozen import Record
from exchange_mcp.tools.asking import ask
from exchange_mcp.tools.declared import read_tool
from exchange_mcp.tools.handed import ReadHanded
from exchange_mcp.tools.spec import Arguments


class GetBalance(Arguments):
    """Which account, and whether empty assets are shown."""

    account: str | None = None
    include_empty: bool = False


class Balances(Record):
    """Balances, how many empty ones were left out, and what the answer covers."""

    balances: tuple[Balance, ...]
    empty_left_out: int
    coverage: Coverage


async def get_balance(arguments: GetBalance, handed: ReadHanded) -> Balances:
    """Ask every wallet of the chosen accounts."""
    asked = await ask(handed, arguments.account, lambda venue: venue.balances())
    shown = tuple(b for b in asked.items if arguments.include_empty or not _is_empty(b))
    return Balances(balances=shown, empty_left_out=len(asked.items) - len(shown), coverage=asked.coverage)


def _is_empty(balance: Balance) -> bool:
    """Whether everything that the venue told is zero. What it did not tell may be something."""
    told = (balance.free, balance.used, balance.total)
    return all(value is not None and value == 0 for value in told)


TOOLS: Final = (
    read_tool(
        name="get_balance",
        title="Balances",
        description=(
            "What the accounts hold: free, used (locked in orders or as margin) and total of each asset, in"
            " units of that asset, by wallet (`source`: such as spot, linear, unified). All accounts unless "
            "one is named. `coverage.gaps` names every wallet that could not be read; null means the venue "
            "did not tell."
        ),
        arguments=GetBalance,
        data=Balances,
        idempotent="Asking twice changes nothing; the answer may differ as the account does.",
        handler=get_balance,
    ),
)
