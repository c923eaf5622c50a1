"""Where a key is made at each venue, what its boxes are called there, and which to untick. Pure data, and its words.

What is ticked is named as the venue's interface names it: the same words stand in its answer about a key.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from exchange_mcp.model.scopes import Ability
from exchange_mcp.rules.venues import VENUES


@dataclass(frozen=True, slots=True)
class KeyPage:
    """A venue's page for API keys.

    `boxes` has what is ticked there for each ability. An ability that comes with another one's box says so.
    """

    way: str
    boxes: Mapping[Ability, str]


def _page(way: str, *, read: str, trade: str, withdraw: str, transfer: str) -> KeyPage:
    return KeyPage(
        way,
        MappingProxyType(
            {
                Ability.READ: read,
                Ability.TRADE: trade,
                Ability.WITHDRAW: withdraw,
                Ability.TRANSFER: transfer,
            }
        ),
    )


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
            read='"Enable Reading"',
            trade='every box for trading ("Enable Spot & Margin Trading", "Enable Futures", margin loans, options)',
            withdraw='"Enable Withdrawals"',
            transfer='"Permits Universal Transfer" and internal transfers',
        ),
        "bybit": _page(
            "API (in the account menu)",
            read='"Read-Only"',
            trade='"Read-Write" (choose "Read-Only"), or its boxes for orders, positions and conversion',
            withdraw='"Withdrawal" under Wallet, P2P and Bybit Pay',
            transfer='"Account Transfer" and "Subaccount Transfer" under Wallet, and Earn',
        ),
        "okx": _page(
            "API (in the profile menu)",
            read='"Read"',
            trade='"Trade"',
            withdraw='"Withdraw"',
            transfer='"Trade", which moves money between accounts too',
        ),
        "kraken": _page(
            "Settings, API",
            read='"Query Funds", "Query Open Orders & Trades" and "Query Closed Orders & Trades"',
            trade='"Create & Modify Orders" and "Cancel/Close Orders"',
            withdraw='"Withdraw Funds" and the boxes for withdrawal addresses',
            transfer='"Earn" and "Withdraw Funds"',
        ),
        "coinbase": _page(
            "API keys of the Coinbase Developer Platform, API restrictions",
            read='"View"',
            trade='"Trade"',
            withdraw='"Transfer"',
            transfer='"Transfer"',
        ),
        "kucoin": _page(
            "API Management",
            read='"General"',
            trade='"Spot", "Margin" and "Futures" trading',
            withdraw='"Transfer" and "Withdrawal"',
            transfer='"Transfer", inner and flexible transfers, and "Earn"',
        ),
        "bitget": _page(
            "API keys",
            read='"Read-only"',
            trade='"Read-write" for orders, holdings, spot, margin, copy trading and loans',
            withdraw='"Withdraw" and P2P',
            transfer='"Transfer" and the management of sub-accounts',
        ),
        "gate": _page(
            "API Management",
            read='"Read Only" for every permission',
            trade='"Read and Write" for spot, margin, futures, delivery, options and the unified account',
            withdraw='"Read and Write" for the wallet',
            transfer='"Read and Write" for the wallet and for earn',
        ),
    }
)
"""The supported venues by ccxt id."""


def remedy_at(venue: str, *, untick: Iterable[Ability], tick: Iterable[Ability], replace: bool) -> str:
    """What to do at the venue's key page, in a sentence or two; `replace` where the key itself is of no use."""
    page, rules = KEY_PAGES.get(venue), VENUES.get(venue)
    if page is None or rules is None:
        return f"Use a key that can {_and(tick)} and nothing else."
    unticked = list(dict.fromkeys(page.boxes[ability] for ability in untick))
    steps = "; ".join(f"untick {box}" for box in unticked)
    kept = _and(page.boxes[ability] for ability in tick)
    if replace:
        return f"At {rules.title}, under {page.way}, make a new key with {kept} and nothing else."
    return f"At {rules.title}, under {page.way}, {steps}; or make a new key with {kept} and nothing else."


def _and(words: Iterable[str]) -> str:
    return " and ".join(str(word) for word in words)
