"""The operator's policy as it is decided by: three kinds of scope with their limits, and what is forbidden.

It only exists without contradictions: `loading` makes it. Its digest is the same however the file is laid out.
"""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal

from exchange_mcp.model.accounts import AccountName
from exchange_mcp.model.canonical import canonical_json
from exchange_mcp.policy.figures import plain
from exchange_mcp.policy.tables import AccountLimits, DeskLimits, Forbid, Limits, SymbolLimits


@dataclass(frozen=True, slots=True)
class Policy:
    """The limits of the desk, of single accounts and single markets, and what is forbidden whatever permits it."""

    desk: DeskLimits
    accounts: Mapping[AccountName, AccountLimits]
    symbols: Mapping[str, SymbolLimits]
    forbid: tuple[Forbid, ...]

    @property
    def reference(self) -> str:
        """The asset in which its amounts are."""
        return self.desk.reference

    def canonical(self) -> str:
        """The policy's one text: without the order of anything, and with each number in one form."""
        return canonical_json(
            {
                "desk": _canonical(self.desk),
                "accounts": {name: _canonical(limits) for name, limits in self.accounts.items()},
                "symbols": {symbol: _canonical(limits) for symbol, limits in self.symbols.items()},
                "forbid": sorted((_canonical(entry) for entry in self.forbid), key=canonical_json),
            }
        )

    def digest(self) -> str:
        """SHA-256 of the canonical text, in hex."""
        return hashlib.sha256(self.canonical().encode()).hexdigest()


def _canonical(table: Limits | Forbid) -> dict[str, object]:
    return dict(_entries(table))


def _entries(table: Limits | Forbid) -> Iterator[tuple[str, object]]:
    for name, value in table:
        match value:
            case None:
                pass
            case Decimal():
                yield name, plain(value)
            case tuple():
                yield name, sorted(str(each) for each in value)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] - of words
            case _:
                yield name, value
