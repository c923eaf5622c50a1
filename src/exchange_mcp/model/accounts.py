"""Whose account is meant, where, and which of its markets: the words every other layer uses for it.

No credentials live here; an account only knows whether it has a key.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import NewType

AccountName = NewType("AccountName", str)
"""The operator's own name for an account, as written in `serve.toml`."""


class Environment(StrEnum):
    """Which world an account lives in: real money, the venue's practice system, or our simulated exchange."""

    LIVE = "live"
    SANDBOX = "sandbox"
    SIM = "sim"


class MarketType(StrEnum):
    """What is traded and how: spot, or contracts that settle in quote (linear) or in base (inverse)."""

    SPOT = "spot"
    LINEAR = "linear"
    INVERSE = "inverse"


@dataclass(frozen=True, slots=True)
class Account:
    """One set of credentials, or none, at one venue.

    `venue` is a ccxt id. `market_types` is ordered, unique and not empty. `has_key` is False for an account
    that reads public market data only.

    Raises:
        ValueError: if `market_types` is empty or names a market type twice.
    """

    name: AccountName
    venue: str
    environment: Environment
    market_types: tuple[MarketType, ...]
    has_key: bool

    def __post_init__(self) -> None:
        if not self.market_types:
            raise ValueError(f"account {self.name} has no market type")
        if len(set(self.market_types)) != len(self.market_types):
            raise ValueError(f"account {self.name} names a market type twice")
