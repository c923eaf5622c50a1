"""Which instruments the simulated venue lists, and on which grid each trades. Data.

Filters are those that the venue documents: https://github.com/binance/binance-spot-api-docs/blob/master/filters.md
and https://developers.binance.com/docs/derivatives/usds-margined-futures/common-definition
"""

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum


class Market(StrEnum):
    """Which of the venue's two markets an instrument trades on."""

    SPOT = "spot"
    USDM = "usdm"


@dataclass(frozen=True, slots=True)
class Instrument:
    """What spot pairs and perpetual contracts have in common.

    Attributes:
        nominal: the price around which the path is anchored, in the quote asset.
        tick: the price grid; every price is a multiple of it.
        price_places: how many decimals the venue writes a price with (not always those of the tick).
        step: the quantity grid in the base asset; `quantity_places` decimals are written.
        typical_lots: what one level of the book holds near the top, in steps.
    """

    market: Market
    name: str
    base: str
    quote: str
    nominal: Decimal
    tick: Decimal
    price_places: int
    max_price: Decimal
    step: Decimal
    quantity_places: int
    max_quantity: Decimal
    max_market_quantity: Decimal
    min_notional: Decimal
    typical_lots: int
    status: str = "TRADING"


def _pair(  # noqa: PLR0913 - one row of a table
    base: str,
    quote: str,
    nominal: str,
    tick: str,
    step: str,
    *,
    lots: int,
    max_quantity: str = "9000",
    min_notional: str = "5",
    status: str = "TRADING",
) -> Instrument:
    return Instrument(
        market=Market.SPOT,
        name=base + quote,
        base=base,
        quote=quote,
        nominal=Decimal(nominal),
        tick=Decimal(tick),
        price_places=8,
        max_price=Decimal(1_000_000),
        step=Decimal(step),
        quantity_places=8,
        max_quantity=Decimal(max_quantity),
        max_market_quantity=Decimal(max_quantity) / 50,
        min_notional=Decimal(min_notional),
        typical_lots=lots,
        status=status,
    )


def _perpetual(  # noqa: PLR0913 - one row of a table
    base: str,
    nominal: str,
    tick: str,
    places: tuple[int, int],
    *,
    lots: int,
    max_quantity: str,
    min_notional: str,
) -> Instrument:
    price_places, quantity_places = places
    return Instrument(
        market=Market.USDM,
        name=f"{base}USDT",
        base=base,
        quote="USDT",
        nominal=Decimal(nominal),
        tick=Decimal(tick),
        price_places=price_places,
        max_price=Decimal(nominal).to_integral_value() * 40 + 200,
        step=Decimal(1).scaleb(-quantity_places),
        quantity_places=quantity_places,
        max_quantity=Decimal(max_quantity),
        max_market_quantity=Decimal(max_quantity) / 10,
        min_notional=Decimal(min_notional),
        typical_lots=lots,
    )


SPOT: tuple[Instrument, ...] = (
    _pair("BTC", "USDT", "97000", "0.01", "0.00001", lots=120_000),
    _pair("ETH", "USDT", "3400", "0.01", "0.0001", lots=300_000),
    # The price of a cross is the quotient of its two legs, so `nominal` only documents it.
    _pair("ETH", "BTC", "0.03505", "0.00001", "0.0001", lots=150_000, min_notional="0.0001"),
    _pair("SOL", "USDT", "190", "0.01", "0.001", lots=400_000, max_quantity="90000"),
    _pair("XRP", "USDT", "2.2", "0.0001", "0.1", lots=90_000, max_quantity="9000000"),
    _pair("LUNA", "USDT", "0.4", "0.0001", "0.01", lots=60_000, max_quantity="9000000", status="BREAK"),
)

USDM: tuple[Instrument, ...] = (
    _perpetual("BTC", "97000", "0.1", (2, 3), lots=9_000, max_quantity="1000", min_notional="100"),
    _perpetual("ETH", "3400", "0.01", (2, 3), lots=90_000, max_quantity="10000", min_notional="20"),
    _perpetual("SOL", "190", "0.01", (4, 2), lots=40_000, max_quantity="100000", min_notional="5"),
    _perpetual("XRP", "2.2", "0.0001", (4, 1), lots=90_000, max_quantity="10000000", min_notional="5"),
    _perpetual(
        "1000PEPE", "0.0172", "0.0000001", (7, 0), lots=900_000, max_quantity="500000000", min_notional="5"
    ),
)

CROSSES: dict[str, tuple[str, str]] = {"ETHBTC": ("ETHUSDT", "BTCUSDT")}
"""Spot pairs whose price follows from two others: the first divided by the second."""
