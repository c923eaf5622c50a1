"""Where a key is made at each venue, what its boxes are called there, and which to untick. Pure data, and its words.

What is ticked is named as the venue's interface names it: the same words stand in its answer about a key.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from exchange_mcp.model.scopes import Ability
from exchange_mcp.rules.venues import VENUES

Boxes = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class KeyPage:
    """A venue's page for API keys: the way to it, and what is ticked there for each ability.

    Two abilities may come with the same box.
    """

    way: str
    boxes: Mapping[Ability, Boxes]


def _page(way: str, *, read: Boxes, trade: Boxes, withdraw: Boxes, transfer: Boxes) -> KeyPage:
    boxes = {
        Ability.READ: read,
        Ability.TRADE: trade,
        Ability.WITHDRAW: withdraw,
        Ability.TRANSFER: transfer,
    }
    return KeyPage(way, MappingProxyType(boxes))


# binance: https://developers.binance.com/docs/wallet/account/api-key-permission
# bybit: https://bybit-exchange.github.io/docs/v5/user/apikey-info
# okx: https://www.okx.com/help/api-faq
# kraken: https://docs.kraken.com/exchange/guides/rest/api-keys
# coinbase: https://docs.cdp.coinbase.com/coinbase-app/advanced-trade-apis/rest-scopes
# kucoin: https://www.kucoin.com/support/900006465403
# bitget: https://www.bitget.com/api-doc/spot/account/Get-Account-Info
# gate: https://www.gate.com/help/guide/faq/17521/how-to-utilize-api
KEY_PAGES: Final[Mapping[str, KeyPage]] = MappingProxyType(
    {
        "binance": _page(
            "API Management",
            read=("Enable Reading",),
            trade=("Enable Spot & Margin Trading", "Enable Futures", "every other box for trading or loans"),
            withdraw=("Enable Withdrawals",),
            transfer=("Permits Universal Transfer", "Enable Internal Transfer"),
        ),
        "bybit": _page(
            "API in the account menu",
            read=("Read-Only",),
            trade=("Read-Write for orders, positions and conversion",),
            withdraw=("Withdrawal, P2P, Bybit Pay and Card",),
            transfer=("Account Transfer", "Subaccount Transfer", "Earn"),
        ),
        "okx": _page(
            "API in the profile menu",
            read=("Read",),
            trade=("Trade",),
            withdraw=("Withdraw",),
            transfer=("Trade",),
        ),
        "kraken": _page(
            "Settings, API",
            read=("Query Funds", "Query Open Orders & Trades", "Query Closed Orders & Trades"),
            trade=("Create & Modify Orders", "Cancel/Close Orders"),
            withdraw=("Withdraw Funds", "the boxes for withdrawal addresses"),
            transfer=("Earn",),
        ),
        "coinbase": _page(
            "API keys in the Coinbase Developer Platform",
            read=("View",),
            trade=("Trade",),
            withdraw=("Transfer",),
            transfer=("Transfer",),
        ),
        "kucoin": _page(
            "API Management",
            read=("General",),
            trade=("Spot", "Margin", "Futures"),
            withdraw=("Transfer", "Withdrawal"),
            transfer=("Transfer", "InnerTransfer", "Earn"),
        ),
        "bitget": _page(
            "API keys",
            read=("Read-only",),
            trade=("Read-write for orders, holdings, spot, margin, copy trading and loans",),
            withdraw=("Withdraw", "P2P"),
            transfer=("Transfer", "the management of sub-accounts"),
        ),
        "gate": _page(
            "API Management",
            read=("Read Only",),
            trade=("Read and Write for spot, margin, contracts, options, loans and the unified account",),
            withdraw=("Read and Write for the wallet",),
            transfer=("Read and Write for the wallet", "Read and Write for earn"),
        ),
    }
)
"""The supported venues by ccxt id."""


def remedy_at(venue: str, *, untick: Collection[Ability], keep: Collection[Ability]) -> str:
    """What to do at the venue's key page so that a key can no longer do what is to be unticked."""
    page, rules = KEY_PAGES.get(venue), VENUES.get(venue)
    if page is None or rules is None:
        return new_key_at(venue, keep)
    kept = _boxes(page, keep)
    boxes = [box for box in _boxes(page, untick) if box not in kept]
    together = [box for box in _boxes(page, untick) if box in kept]
    steps = [f"At {rules.title}, under {page.way}, untick {_listed(boxes)}."] if boxes else []
    if together:
        steps.append(
            f"{rules.title} gives it together with {_listed(together)}: if you want that, allow it for this account "
            "by name in the configuration."
        )
    return " ".join(steps)


def new_key_at(venue: str, keep: Collection[Ability]) -> str:
    """How to make a key that can do this and nothing else."""
    page, rules = KEY_PAGES.get(venue), VENUES.get(venue)
    if page is None or rules is None:
        return f"Make a key that can {' and '.join(keep)} and nothing else."
    return (
        f"At {rules.title}, under {page.way}, make a key with {_listed(_boxes(page, keep))} and nothing else."
    )


def boxes_at(venue: str, keep: Collection[Ability]) -> tuple[list[str], list[str]] | None:
    """Which boxes to tick at the venue's key page for a key that can do this, and which not; None where unknown."""
    page = KEY_PAGES.get(venue)
    if page is None:
        return None
    kept = _boxes(page, keep)
    return kept, [box for box in _boxes(page, Ability) if box not in kept]


def _boxes(page: KeyPage, abilities: Iterable[Ability]) -> list[str]:
    return list(dict.fromkeys(box for ability in abilities for box in page.boxes[ability]))


def _listed(boxes: list[str]) -> str:
    *others, last = [f'"{box}"' if box[0].isupper() else box for box in boxes]
    return f"{', '.join(others)} and {last}" if others else last
