"""list_accounts: which accounts there are, and what each can be asked."""

from typing import Final

from exchange_mcp.model.frozen import Record
from exchange_mcp.tools.declared import local_tool
from exchange_mcp.tools.handed import LocalHanded
from exchange_mcp.tools.spec import Arguments


class ListAccounts(Arguments):
    """No argument."""


class AccountRow(Record):
    """One configured account. Without a key it serves market data only."""

    name: str
    venue: str
    environment: str
    market_types: tuple[str, ...]
    has_key: bool
    real_money: bool


class Accounts(Record):
    """Every configured account."""

    accounts: tuple[AccountRow, ...]


async def list_accounts(_: ListAccounts, handed: LocalHanded) -> Accounts:
    """Answer from the configuration; no venue is asked."""
    return Accounts(
        accounts=tuple(
            AccountRow(
                name=account.name,
                venue=account.venue,
                environment=account.environment,
                market_types=account.market_types,
                has_key=account.has_key,
                real_money=account.has_key and account.environment == "live",
            )
            for account in handed.accounts
        )
    )


TOOLS: Final = (
    local_tool(
        name="list_accounts",
        title="List accounts",
        description=(
            "Which exchange accounts are configured: name, venue, environment (live is real money, sandbox "
            "and sim are not), market types, and whether a key is set (without one: market data only). "
            "Use a name as the `account` argument of other tools."
        ),
        arguments=ListAccounts,
        data=Accounts,
        read_only="It reads the loaded configuration.",
        idempotent="The same configuration gives the same answer.",
        handler=list_accounts,
    ),
)
