"""How a private read is declared: one request, where its rows are, how it is read on. Pure data types.

What a venue keeps apart (by market type, settlement coin, plain and conditional orders, kind of account) is one source
each, so that a failure is the gap of that one.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, Generic, Literal, TypeVar

from exchange_mcp.model.accounts import MarketType

Told = str | int | bool

ALL: Final = (MarketType.SPOT, MarketType.LINEAR, MarketType.INVERSE)
CONTRACTS: Final = (MarketType.LINEAR, MarketType.INVERSE)
SPOT: Final = (MarketType.SPOT,)
LINEAR: Final = (MarketType.LINEAR,)
INVERSE: Final = (MarketType.INVERSE,)

KEY: Final = "_key"
"""The field in which a row that the venue keeps under a name, instead of in a list, holds that name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """How a list that is cut at `size` rows is read on.

    Attributes:
        param: the parameter that asks for what follows.
        by: what it is given: the answer's own cursor, an id of the last row, the number of the page (from 1), or
            how many rows to skip.
        told: the dotted path of the cursor in the answer, or the id's field in a row.
        limit: the parameter that takes `size`; None where the venue fixes it.
        more: the dotted path of a flag that says whether anything follows; without one, a full page is read on.
    """

    size: int
    param: str
    by: Literal["cursor", "row", "number", "offset"]
    told: str = ""
    limit: str | None = "limit"
    more: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EachListed:
    """Ask once for each text in a list that the venue gives first, such as the markets with an open order."""

    param: str
    call: str
    rows: str
    params: Mapping[str, Told] = field(default_factory=dict[str, Told])


@dataclass(frozen=True, slots=True, kw_only=True)
class EachSettlement:
    """Ask once for each coin in which a listed market of the source's types settles."""

    param: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BalanceFields:
    """Where a row of a wallet tells an asset and its amounts.

    `free` and `total` are the first field that is told, `used` the sum of those that are. Where no field tells the
    total it is free and used together. `only` keeps the rows whose field has this value.
    `wallet` is a field that is zero where there is nothing, whatever the others say.
    """

    asset: str
    free: tuple[str, ...] = ()
    used: tuple[str, ...] = ()
    total: tuple[str, ...] = ()
    only: tuple[str, str] | None = None
    wallet: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PositionFields:
    """Where a row tells a position.

    Attributes:
        market: the venue's market id.
        size: the amount, signed where `side` is not told; zero is no position.
        in_base: whether it counts in base and not in contracts.
        side: the field of the side, whose values `sides` translates; those in `signed` leave the sign of the size to
            tell. Without the field it is the sign.
        short_is_negative: whether the size has a sign also where the side is told; otherwise it then has none.
        hedge: the field that tells of hedge mode, whose values `hedges` translates.
        hedge_sides: the side that values of `hedge` tell as well.
        margin: the field of the margin mode, whose values `margins` translates.
        zero_leverage_is_cross: whether the leverage tells the mode.
        updated: when it last changed, in seconds where `in_seconds`, else `per_millisecond` units a millisecond.
    """

    market: str
    size: str
    in_base: bool = False
    side: str | None = None
    sides: Mapping[str, Literal["long", "short"]] = field(default_factory=dict[str, Literal["long", "short"]])
    signed: frozenset[str] = frozenset()
    short_is_negative: bool = False
    hedge: str | None = None
    hedge_sides: Mapping[str, Literal["long", "short"]] = field(
        default_factory=dict[str, Literal["long", "short"]]
    )
    hedges: Mapping[str, bool] = field(default_factory=dict[str, bool])
    margin: str | None = None
    margins: Mapping[str, Literal["cross", "isolated"]] = field(
        default_factory=dict[str, Literal["cross", "isolated"]]
    )
    zero_leverage_is_cross: bool = False
    entry: str
    mark: str | None = None
    liquidation: str | None = None
    notional: str | None = None
    leverage: str | None = None
    pnl: str | None = None
    updated: str | None = None
    per_millisecond: int = 1
    in_seconds: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderFields:
    """Where a row tells an order's market; its terms are told by `exchange_mcp.venue.terms`."""

    market: str


_APART: Final = frozenset({"algo", "conditional", "stop", "tpsl", "trailing", "trigger"})

F = TypeVar("F", BalanceFields, PositionFields, OrderFields)


@dataclass(frozen=True, slots=True, kw_only=True)
class Source(Generic[F]):
    """One source of an account.

    Attributes:
        name: where the answer came from, as the account's owner reads it. Sources of one name are one source, asked
            in the way of the account's kind.
        types: the market types that it holds.
        call: ccxt's implicit method.
        rows: the dotted path of its rows; "*" goes through a list, an empty path is the answer itself.
        shape: whether the rows are a list, a list or null, one object, or objects by name.
        kinds: the kinds of account that have it; none named means that all do.
        settle: the one coin in which its markets settle.
        dated: whether its markets expire; None where it holds both.
        symbol: the parameter that narrows it to one market; None where it is always asked whole.
        gap: why it is not read, as a sentence's end after "account x"; empty where it is.
        by_symbol_only: the gap is one only where no market is named.
    """

    name: str
    types: tuple[MarketType, ...]
    call: str
    rows: str
    fields: F
    shape: Literal["list", "list or null", "one", "by name"] = "list"
    params: Mapping[str, Told] = field(default_factory=dict[str, Told])
    page: Page | None = None
    each: EachListed | EachSettlement | None = None
    kinds: frozenset[str] = frozenset()
    settle: str | None = None
    dated: bool | None = None
    symbol: str | None = "symbol"
    gap: str = ""
    by_symbol_only: bool = False

    @property
    def is_apart(self) -> bool:
        """Whether it is a list of orders that wait for something, kept apart from the others; its name says so."""
        return not _APART.isdisjoint(self.name.split())


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivateReads:
    """Every source of a venue's account, by question.

    `in_turn` says that the venue takes a key's requests only in the order in which they were signed, so that one has to
    be answered before the next is sent.
    """

    balances: tuple[Source[BalanceFields], ...] = ()
    positions: tuple[Source[PositionFields], ...] = ()
    orders: tuple[Source[OrderFields], ...] = ()
    in_turn: bool = False


def frozen(**values: Told) -> Mapping[str, Told]:
    """Parameters that nothing can change."""
    return MappingProxyType(values)
