"""get_key_scope: what the accounts' keys may do, by their venues' own word."""

from typing import Final

from exchange_mcp.model.coverage import Coverage
from exchange_mcp.model.frozen import Record
from exchange_mcp.model.key_reports import KeyReport
from exchange_mcp.tools.asking import ask
from exchange_mcp.tools.declared import read_tool
from exchange_mcp.tools.handed import ReadHanded
from exchange_mcp.tools.spec import Arguments


class GetKeyScope(Arguments):
    """Which account."""

    account: str | None = None


class KeyScopes(Record):
    """One report an account with a key, and what the answer covers."""

    keys: tuple[KeyReport, ...]
    coverage: Coverage


async def get_key_scope(arguments: GetKeyScope, handed: ReadHanded) -> KeyScopes:
    """Ask what is known of every chosen account's key."""
    asked = await ask(handed, arguments.account, lambda venue: venue.key_scope())
    return KeyScopes(keys=asked.items, coverage=asked.coverage)


TOOLS: Final = (
    read_tool(
        name="get_key_scope",
        title="Key scope",
        description=(
            "What each account's API key may do by its venue's own word, whether it is accepted here, and why not. "
            "A key that can trade, withdraw or transfer is refused and its account stopped."
        ),
        arguments=GetKeyScope,
        data=KeyScopes,
        idempotent="Asking twice changes nothing; the answer changes when the key does.",
        handler=get_key_scope,
    ),
)
