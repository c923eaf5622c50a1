"""From the parts that an account's sources told to its standing in a market. Pure.

A part that did not come leaves its figures None. What its sources answered and still does not tell a figure is named
with the reason, so that no gap goes unsaid.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final, TypeVar

from exchange_mcp.model.accounts import MarketType
from exchange_mcp.model.decimals import add, divide, multiply
from exchange_mcp.model.readings import (
    AccountModes,
    Brackets,
    MarginAccount,
    OpenPositions,
    Prices,
    RestingOrders,
    SpotWallet,
    StandingPart,
)
from exchange_mcp.model.terms import Fees, MarketTerms, Reference, Resting, Standing

T = TypeVar("T")

_ZERO: Final = Decimal(0)
_BRIDGES: Final = ("USDT", "USDC", "FDUSD", "BTC", "BNB", "ETH")
"""The assets over which another is valued that has no pair with the quote."""
_MOST_NAMED: Final = 5


@dataclass(frozen=True, slots=True)
class Assembled:
    """What is known.

    Attributes:
        terms: with the market's highest leverage, where the account's brackets tell it.
        reference: every price that one of the sources told.
        standing: of the account.
        untold: figures that are None although the sources answered: what it is, and why, as a sentence's end.
    """

    terms: MarketTerms
    reference: Reference
    standing: Standing
    untold: Mapping[str, str]


def assembled(
    terms: MarketTerms,
    references: Iterable[Reference],
    parts: Sequence[StandingPart],
    *,
    as_of_ms: int,
) -> Assembled:
    """Everything that the sources told of one account in one market.

    Args:
        terms: of the market, as it is listed.
        references: one a source, each with the prices that it tells.
        parts: of the account's standing, in any order.
        as_of_ms: when the oldest of them was read, UTC milliseconds.
    """
    untold: dict[str, str] = {}
    standing = Standing(
        position_mode=None,
        held=None,
        free_base=None,
        free_quote=None,
        equity=None,
        wallet_balance=None,
        leverage=None,
        margin_mode=None,
        fees=_only(Fees, parts),
        brackets=(),
        maintenance_others=None,
        unrealised_others=None,
        resting=_resting(parts),
        as_of_ms=as_of_ms,
    )
    brackets = _only(Brackets, parts)
    if brackets is not None:
        standing = replace(standing, brackets=brackets.rows)
        terms = replace(terms, max_leverage=max(each.max_leverage for each in brackets.rows))
    if terms.market_type is MarketType.SPOT:
        standing = _on_spot(standing, terms, parts, untold)
    else:
        standing = _on_futures(standing, parts, untold)
    return Assembled(terms, _merged(references), standing, untold)


def _only(kind: type[T], parts: Sequence[StandingPart]) -> T | None:
    return next((part for part in parts if isinstance(part, kind)), None)


def _all(kind: type[T], parts: Sequence[StandingPart]) -> list[T]:
    return [part for part in parts if isinstance(part, kind)]


def _merged(references: Iterable[Reference]) -> Reference:
    told = Reference(last=None, mark=None, average=None)
    for each in references:
        told = Reference(
            last=told.last if each.last is None else each.last,
            mark=told.mark if each.mark is None else each.mark,
            average=told.average if each.average is None else each.average,
        )
    return told


def _resting(parts: Sequence[StandingPart]) -> tuple[Resting, ...] | None:
    """The orders of every list; None where one of the lists is missing."""
    found = _all(RestingOrders, parts)
    if not found or len(found) < found[0].lists:
        return None
    return tuple(order for part in found for order in part.orders)


def _on_spot(
    standing: Standing, terms: MarketTerms, parts: Sequence[StandingPart], untold: dict[str, str]
) -> Standing:
    wallets = _all(SpotWallet, parts)
    standing = replace(standing, held=())
    if not wallets or len(wallets) < wallets[0].lists:
        return standing
    base, quote = terms.base, terms.quote
    free_base, locked_base = _told(wallets, base)
    free_quote, _ = _told(wallets, quote)
    for asset, free in ((base, free_base), (quote, free_quote)):
        if free is None:
            untold[f"free {asset}"] = _why_free(wallets, asset)
    if free_base is not None and locked_base is None:
        untold[f"locked {base}"] = "the venue does not tell how much of it orders hold back"
    return replace(
        standing,
        free_base=free_base,
        locked_base=locked_base,
        free_quote=free_quote,
        equity=_worth(wallets, quote, _only(Prices, parts), untold),
    )


def _told(wallets: Sequence[SpotWallet], asset: str) -> tuple[Decimal | None, Decimal | None]:
    """Free and locked of the one wallet that has the asset."""
    having = [each for each in wallets if asset in each.free]
    if len(having) == 1:
        return having[0].free[asset], having[0].locked.get(asset)
    if not having and all(each.is_whole and asset not in _named(each) for each in wallets):
        return _ZERO, _ZERO
    return None, None


def _named(wallet: SpotWallet) -> frozenset[str]:
    return wallet.listed | wallet.locked.keys()


def _why_free(wallets: Sequence[SpotWallet], asset: str) -> str:
    if sum(asset in each.free for each in wallets) > 1:
        return "it is in more than one wallet, and which of them an order is paid from is not known here"
    return "the venue does not tell how much of it is free"


def _worth(
    wallets: Sequence[SpotWallet], quote: str, prices: Prices | None, untold: dict[str, str]
) -> Decimal | None:
    """What everything in the wallets is worth at last prices, in quote; cut at the eighteenth decimal."""
    if prices is None:
        return None
    if not all(each.is_whole for each in wallets):
        untold["worth of the account"] = "the venue does not list every asset"
        return None
    total, without = _ZERO, list[str]()
    for wallet in wallets:
        for asset in sorted(wallet.free.keys() | _named(wallet)):
            free, locked = wallet.free.get(asset), wallet.locked.get(asset)
            if free is None or locked is None:
                untold["worth of the account"] = f"the venue does not tell how much {asset} it holds"
                return None
            amount = add(free, locked)
            price = _price(asset, quote, prices) if amount else _ZERO
            if price is None:
                without.append(asset)
            else:
                total = add(total, multiply(amount, price))
    if without:
        named = ", ".join(without[:_MOST_NAMED]) + (" and others" if len(without) > _MOST_NAMED else "")
        untold["worth of the account"] = f"it holds {named}, which has no price in {quote}"
        return None
    return total


def _price(asset: str, quote: str, prices: Prices) -> Decimal | None:
    """The last price of an asset in quote, over at most one other asset."""
    direct = _pair(asset, quote, prices)
    if direct is not None:
        return direct
    for bridge in _BRIDGES:
        first = _pair(asset, bridge, prices)
        second = None if first is None else _pair(bridge, quote, prices)
        if first is not None and second is not None:
            return multiply(first, second)
    return None


def _pair(asset: str, quote: str, prices: Prices) -> Decimal | None:
    if asset == quote:
        return Decimal(1)
    price = prices.of(f"{asset}/{quote}")
    if price is not None:
        return price
    inverse = prices.of(f"{quote}/{asset}")
    return None if inverse is None else divide(Decimal(1), inverse)


def _on_futures(standing: Standing, parts: Sequence[StandingPart], untold: dict[str, str]) -> Standing:
    modes, margin = _only(AccountModes, parts), _only(MarginAccount, parts)
    lists = _all(OpenPositions, parts)
    is_whole = bool(lists) and len(lists) >= lists[0].lists
    told = {part.position_mode for part in lists} - {None}
    mode = modes.position_mode if modes is not None else told.pop() if len(told) == 1 else None
    held = [held for part in lists for held in part.held]
    if mode == "one_way" and len(held) > 1:
        untold["position"] = "the venue sent several, and in one-way mode there is one"
        is_whole = False
    settings = next((part.settings for part in lists if part.settings is not None), None)
    standing = replace(
        standing,
        position_mode=mode,
        held=tuple(held) if is_whole else None,
        leverage=None if settings is None else settings.leverage,
        margin_mode=None if settings is None else settings.margin_mode,
    )
    if margin is None:
        return standing
    standing = replace(standing, free_quote=margin.available)
    if modes is None or modes.shares_margin:
        # With several assets standing for every position, no figure of one of them says what the account is worth.
        untold["margin"] = (
            "whether other assets are margin too is not known"
            if modes is None
            else "the account is in multi-assets mode, in which every asset stands for each position"
        )
        return standing
    if margin.why:
        untold["margin of other positions"] = margin.why
    return replace(
        standing,
        equity=margin.equity,
        wallet_balance=margin.wallet_balance,
        maintenance_others=margin.maintenance_others,
        unrealised_others=margin.unrealised_others,
    )
