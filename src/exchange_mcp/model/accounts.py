<<<<<<< HEAD
"""Accounts as the rest of the product sees them: a name, a venue, an environment; no credentials."""
=======
"""Whose account is meant, where, and which of its markets: the words every other layer uses for it.

No credentials live here; an account only knows whether it has a key.
"""
>>>>>>> config

from dataclasses import dataclass
from enum import StrEnum
from typing import NewType

AccountName = NewType("AccountName", str)
<<<<<<< HEAD
"""The operator's name for an account."""


class Environment(StrEnum):
    """live is real money; sandbox is the venue's own test or demo environment; sim is our simulated exchange."""
=======
"""The operator's own name for an account, as written in `serve.toml`."""


class Environment(StrEnum):
    """Which world an account lives in: real money, the venue's practice system, or our simulated exchange."""
>>>>>>> config

    LIVE = "live"
    SANDBOX = "sandbox"
    SIM = "sim"


class MarketType(StrEnum):
<<<<<<< HEAD
    """spot; linear: derivatives settled in the quote asset (USD-M); inverse: settled in the base asset (COIN-M)."""
=======
    """What is traded and what it settles in: spot; contracts settled in quote (linear) or in base (inverse)."""
>>>>>>> config

    SPOT = "spot"
    LINEAR = "linear"
    INVERSE = "inverse"


@dataclass(frozen=True, slots=True)
class Account:
    """One set of credentials, or none, at one venue.

<<<<<<< HEAD
    Attributes:
        venue: ccxt's id of the exchange.
        market_types: ordered and unique; what the account is read for.
        has_key: without a key, only market data.
=======
    `venue` is a ccxt id. `market_types` is ordered, unique and not empty. `has_key` is False for an account
    that reads public market data only.

    Raises:
        ValueError: if `market_types` is empty or names a market type twice.
>>>>>>> config
    """

    name: AccountName
    venue: str
    environment: Environment
    market_types: tuple[MarketType, ...]
    has_key: bool
<<<<<<< HEAD
=======

    def __post_init__(self) -> None:
        if not self.market_types:
            raise ValueError(f"account {self.name} has no market type")
        if len(set(self.market_types)) != len(self.market_types):
            raise ValueError(f"account {self.name} names a market type twice")
>>>>>>> config
