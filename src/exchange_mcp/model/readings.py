"""What one source tells of an account's standing in a market. The parts of `Standing`, as they come in.

Each part is told by one source or by several of its kind; a part that did not come is not told, and never zero.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal

from exchange_mcp.model.positions import MarginMode, PositionMode
from exchange_mcp.model.terms import Bracket, Fees, Held, Resting


@dataclass(frozen=True, slots=True, kw_only=True)
class SpotWallet:
    """What one of the `lists` wallets of an account holds that spot orders may be paid from.

    Attributes:
        free, locked: by asset: what can be spent, and what resting orders hold back; an asset that is not there is zero
            only where `is_whole` and it is not listed.
        is_whole: whether the venue tells every asset.
        listed: every asset that the venue named, also where it did not tell how much of it is free.
    """

    free: Mapping[str, Decimal]
    locked: Mapping[str, Decimal]
    is_whole: bool
    lists: int = 1
    listed: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """The venue's last prices, by unified spot symbol; None for a pair that it does not list."""

    of: Callable[[str], Decimal | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class MarginAccount:
    """A futures wallet, in the settlement asset of the market that was asked about; see `Standing` for each.

    Attributes:
        why: why figures are not told although the venue answered, as a sentence; empty where none is missing.
    """

    available: Decimal | None
    equity: Decimal | None
    wallet_balance: Decimal | None
    maintenance_others: Decimal | None
    unrealised_others: Decimal | None
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountModes:
    """What holds for every market of the account alike.

    Attributes:
        shares_margin: whether other assets than the settlement asset stand for its positions (multi-assets mode).
    """

    position_mode: PositionMode
    shares_margin: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class MarketSettings:
    """Leverage and margin mode of the market, as set."""

    leverage: int | None
    margin_mode: MarginMode | None


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenPositions:
    """Positions of the market in one of the `lists` that a venue keeps them in; none is flat there."""

    held: tuple[Held, ...]
    settings: MarketSettings | None = None
    position_mode: PositionMode | None = None
    lists: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class RestingOrders:
    """Orders of the market in one of the `lists` that a venue keeps them in."""

    orders: tuple[Resting, ...]
    lists: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Brackets:
    """The market's notional brackets, from the lowest up."""

    rows: tuple[Bracket, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Realised:
    """One amount that derivatives realised: a profit, a loss, a fee or funding; what was paid is negative.

    Attributes:
        symbol: the unified symbol, or the venue's own id of a market that is not listed any more; None where the
            amount belongs to no market.
        asset: in which it was settled.
        at_ms: when, by the venue, UTC milliseconds.
    """

    symbol: str | None
    asset: str
    amount: Decimal
    at_ms: int


StandingPart = (
    SpotWallet | Prices | MarginAccount | AccountModes | OpenPositions | RestingOrders | Brackets | Fees
)
"""What one source answers about an account's standing in a market."""
