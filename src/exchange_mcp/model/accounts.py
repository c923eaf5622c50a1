"""Accounts as the rest of the product sees them: a name, a venue, an environment; no credentials."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NewType

AccountName = NewType("AccountName", str)
"""The operator's name for an account."""


class Environment(StrEnum):
    """live is real money; sandbox the venue's own test or demo environment; sim our simulated exchange."""

    LIVE = "live"
    SANDBOX = "sandbox"
    SIM = "sim"


class MarketType(StrEnum):
    """spot; linear: derivatives settled in the quote asset (USD-M); inverse: in the base asset (COIN-M)."""

    SPOT = "spot"
    LINEAR = "linear"
    INVERSE = "inverse"


@dataclass(frozen=True, slots=True)
class Account:
    """One set of credentials, or none, at one venue.

    Attributes:
        venue: ccxt's id of the exchange.
        market_types: ordered and unique; what the account is read for.
        has_key: without a key, only market data.
    """

    name: AccountName
    venue: str
    environment: Environment
    market_types: tuple[MarketType, ...]
    has_key: bool
