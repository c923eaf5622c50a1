"""What a policy's lists permit taken together: which accounts, which markets on them, which order types there."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from exchange_mcp.model.accounts import Account, AccountName, MarketType
from exchange_mcp.model.unified_symbols import market_type_of
from exchange_mcp.model.writes import OrderType
from exchange_mcp.policy.policy import Policy
from exchange_mcp.policy.tables import AccountLimits, SymbolLimits

Configured = Mapping[AccountName, Account]
"""The accounts that there are, by name."""


@dataclass(frozen=True)
class Reach:
    """What the lists of a policy permit; `configured` None means that nobody knows which accounts there are."""

    policy: Policy
    configured: Configured | None

    @cached_property
    def accounts(self) -> tuple[AccountName, ...]:
        """The accounts that may trade."""
        return tuple(AccountName(name) for name in self.policy.desk.accounts or ())

    def venue(self, account: AccountName) -> str | None:
        """Where the account is, if that is known."""
        known = (self.configured or {}).get(account)
        return None if known is None else known.venue

    def has_market_type(self, account: AccountName, market_type: MarketType) -> bool:
        """Whether the account has such markets, as far as is known."""
        known = (self.configured or {}).get(account)
        return known is None or market_type in known.market_types

    def symbols(self, account: AccountName) -> tuple[str, ...]:
        """The markets that every list covering the account names, and that the account has."""
        return self._symbols.get(account, ())

    @cached_property
    def _symbols(self) -> Mapping[AccountName, tuple[str, ...]]:
        return {account: self._symbols_of(account) for account in self.accounts}

    def _symbols_of(self, account: AccountName) -> tuple[str, ...]:
        stated = [
            dict.fromkeys(listed)
            for listed in (self.policy.desk.symbols, self._account(account).symbols)
            if listed is not None
        ]
        return tuple(
            symbol
            for symbol in (stated[0] if stated else ())
            if all(symbol in listed for listed in stated) and self.has_market_type(account, type_of(symbol))
        )

    def order_types(self, account: AccountName, symbol: str) -> tuple[OrderType, ...]:
        """The order types that every list covering the account and the market names."""
        found = self._types.get((account, symbol))
        if found is None:
            found = self._types[account, symbol] = self._order_types_of(account, symbol)
        return found

    @cached_property
    def _types(self) -> dict[tuple[AccountName, str], tuple[OrderType, ...]]:
        return {}

    def _order_types_of(self, account: AccountName, symbol: str) -> tuple[OrderType, ...]:
        scopes = (
            self.policy.desk,
            self._account(account),
            self.policy.symbols.get(symbol) or SymbolLimits(),
        )
        stated = [limits.order_types for limits in scopes if limits.order_types is not None]
        return tuple(
            each for each in (stated[0] if stated else ()) if all(each in listed for listed in stated)
        )

    def markets(self) -> Iterator[tuple[AccountName, str]]:
        """Each account with each of its markets."""
        for account in self.accounts:
            for symbol in self.symbols(account):
                yield account, symbol

    def _account(self, account: AccountName) -> AccountLimits:
        return self.policy.accounts.get(account) or AccountLimits()


def type_of(symbol: str) -> MarketType:
    """The market type of a symbol that a policy can name."""
    return market_type_of(symbol) or MarketType.SPOT
