"""Binance spot: prices and the account's fee rate.

https://developers.binance.com/docs/binance-spot-api-docs/rest-api/market-data-endpoints
https://developers.binance.com/docs/binance-spot-api-docs/faqs/commission_faq
"""

from decimal import Decimal
from typing import Final

from exchange_mcp.model.decimals import add, from_wire
from exchange_mcp.model.errors import BadAnswerError
from exchange_mcp.model.readings import Prices, StandingPart
from exchange_mcp.model.terms import Fees, Reference
from exchange_mcp.venue.standing.question import About, Question, mapping, rows
from exchange_mcp.venue.terms import Parsed, number, positive

_KINDS: Final = ("standardCommission", "specialCommission", "taxCommission")


def _last(answer: object, about: About) -> Reference:
    return Reference(last=_price(about.own(answer), "price"), mark=None, average=None)


def _average(answer: object, _: About) -> Reference:
    return Reference(last=None, mark=None, average=_price(mapping(answer), "price"))


def _price(row: Parsed, name: str) -> Decimal:
    price = positive(row, name)
    if price is None:
        raise BadAnswerError(f"the venue sent no {name}")
    return price


def _prices(answer: object, about: About) -> Prices:
    # Some thousand: each is read only when something is valued with it.
    told = {row.get("symbol"): row.get("price") for row in rows(answer)}

    def of(symbol: str) -> Decimal | None:
        try:
            price = from_wire(told.get(about.id_of(symbol)))
        except ValueError:
            return None
        return price if price is not None and price > 0 else None

    return Prices(of=of)


def _fees(answer: object, about: About) -> Fees:
    """The sum of all commissions; where buying and selling cost differently besides, the dearer of the two."""
    row = about.own(answer)
    side = max(_sum(row, "buyer"), _sum(row, "seller"))
    discount = mapping(row.get("discount") or {})
    is_cheaper = all(discount.get(name) is True for name in ("enabledForAccount", "enabledForSymbol"))
    paid_in = discount.get("discountAsset") if is_cheaper else None
    source = (
        f"the account's own rate, before the discount in {paid_in}" if paid_in else "the account's own rate"
    )
    return Fees(maker=add(_sum(row, "maker"), side), taker=add(_sum(row, "taker"), side), source=source)


def _sum(row: Parsed, name: str) -> Decimal:
    total = Decimal(0)
    for kind in _KINDS:
        rate = number(row, f"{kind}.{name}")
        if rate is None and kind == "standardCommission":
            raise BadAnswerError(f"the venue sent no {kind}.{name}")
        total = add(total, rate or Decimal(0))
    return total


REFERENCE: Final[tuple[Question[Reference], ...]] = (
    Question(source="last price", call="publicGetTickerPrice", read=_last),
    Question(source="average price", call="publicGetAvgPrice", read=_average),
)
STANDING: Final[tuple[Question[StandingPart], ...]] = (
    Question(source="prices of all pairs", call="publicGetTickerPrice", read=_prices, by_symbol=False),
    Question(source="fee rate", call="privateGetAccountCommission", read=_fees),
)
