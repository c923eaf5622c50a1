"""What a venue answers about one account, what each source of it costs, and every digit that has to come out."""

from collections.abc import Mapping
from dataclasses import dataclass, field

Row = tuple[object, ...]
Urls = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountCase:
    """One kind of account at one venue.

    `answers` hold the markets too. `kind_urls` are asked once, before whatever depends on the kind. The `*_urls` say
    by source which requests it costs. `empty` is what the venue says where there is nothing, by URL.
    Balances are (source, asset, free, used, total); positions (source, symbol, side, amount, contracts, entry, mark,
    liquidation, notional, leverage, margin mode, profit, hedge mode, updated); orders (source, symbol, id, client id,
    side, type, price, trigger, amount, filled, remaining, in contracts, reduce only, closes, position side, created).
    """

    name: str
    venue: str
    answers: Mapping[str, object]
    kind_urls: tuple[str, ...] = ()
    balance_urls: Urls
    balances: tuple[Row, ...]
    position_urls: Urls = field(default_factory=dict[str, tuple[str, ...]])
    positions: tuple[Row, ...] = ()
    order_urls: Urls
    orders: tuple[Row, ...]
    empty: Mapping[str, object]
    gaps: Mapping[str, str] = field(default_factory=dict[str, str])
