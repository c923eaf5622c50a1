"""Which fields of a venue's own ticker are shown, so that nothing in it is a figure that ccxt worked out.

Only fields that count 24 hours back are named as such; where a venue has none, or tells another period, nothing is.

binance: https://developers.binance.com/docs/binance-spot-api-docs/rest-api/market-data-endpoints and
https://developers.binance.com/docs/derivatives/coin-margined-futures/market-data/rest-api/24hr-Ticker-Price-Change-Statistics
bybit: https://bybit-exchange.github.io/docs/v5/market/tickers (inverse: volume24h is in USD and turnover24h in base)
okx: https://www.okx.com/docs-v5/en/#order-book-trading-market-data-get-ticker (contracts: vol24h counts contracts and
volCcy24h base; it tells the price of 24 hours ago and no change)
kraken: https://docs.kraken.com/api/docs/rest-api/get-ticker-information (the second of each pair is the last 24 hours;
its `o` is the opening of the day)
coinbase: https://docs.cdp.coinbase.com/api-reference/advanced-trade-api/rest-api/public/get-public-market-trades
kucoin: https://www.kucoin.com/docs-new/rest/spot-trading/market-data/get-24hr-stats and
https://www.kucoin.com/docs-new/rest/futures-trading/market-data/get-ticker
bitget: https://www.bitget.com/api-doc/spot/market/Get-Tickers and https://www.bitget.com/api-doc/contract/market/Get-Ticker
gate: https://www.gate.com/docs/developers/apiv4/en/#retrieve-ticker-information
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

from exchange_mcp.model.accounts import MarketType


@dataclass(frozen=True, slots=True, kw_only=True)
class TickerFields:
    """Dotted paths into the venue's row; a number in a path is a place in a list. None is shown as null.

    Attributes:
        market: the venue's id of the market that the row is of.
        percent: the change over 24 hours in per cent; `ratio` the same as a fraction, of which a hundred make one.
        beside: what the venue tells beside its row, and is taken as ccxt hands it over.
        unknown: a text that stands for no number.
    """

    last: str
    market: str | None = "symbol"
    bid: str | None = None
    ask: str | None = None
    high: str | None = None
    low: str | None = None
    percent: str | None = None
    ratio: str | None = None
    base_volume: str | None = None
    quote_volume: str | None = None
    beside: frozenset[str] = frozenset()
    unknown: str | None = None


_BINANCE: Final = TickerFields(
    last="lastPrice",
    bid="bidPrice",
    ask="askPrice",
    high="highPrice",
    low="lowPrice",
    percent="priceChangePercent",
    base_volume="volume",
    quote_volume="quoteVolume",
)
_BYBIT: Final = TickerFields(
    last="lastPrice",
    bid="bid1Price",
    ask="ask1Price",
    high="highPrice24h",
    low="lowPrice24h",
    ratio="price24hPcnt",
    base_volume="volume24h",
    quote_volume="turnover24h",
)
_OKX: Final = TickerFields(
    market="instId",
    last="last",
    bid="bidPx",
    ask="askPx",
    high="high24h",
    low="low24h",
    base_volume="volCcy24h",
)
_KRAKEN: Final = TickerFields(
    market=None, last="c.0", bid="b.0", ask="a.0", high="h.1", low="l.1", base_volume="v.1"
)
_COINBASE: Final = TickerFields(market="product_id", last="price", beside=frozenset({"bid", "ask"}))
_KUCOIN: Final = TickerFields(
    last="last",
    bid="buy",
    ask="sell",
    high="high",
    low="low",
    ratio="changeRate",
    base_volume="vol",
    quote_volume="volValue",
)
_KUCOIN_CONTRACTS: Final = TickerFields(last="price", bid="bestBidPrice", ask="bestAskPrice")
_BITGET: Final = TickerFields(
    last="lastPr",
    bid="bidPr",
    ask="askPr",
    high="high24h",
    low="low24h",
    ratio="change24h",
    base_volume="baseVolume",
    quote_volume="quoteVolume",
)
_GATE: Final = TickerFields(
    market="currency_pair",
    last="last",
    bid="highest_bid",
    ask="lowest_ask",
    high="high_24h",
    low="low_24h",
    percent="change_percentage",
    base_volume="base_volume",
    quote_volume="quote_volume",
    unknown="nan",
)
_GATE_CONTRACTS: Final = replace(
    _GATE, market="contract", base_volume="volume_24h_base", quote_volume="volume_24h_quote"
)

_FIELDS: Final[Mapping[str, TickerFields]] = MappingProxyType(
    {
        "binance": _BINANCE,
        "bybit": _BYBIT,
        "okx": _OKX,
        "kraken": _KRAKEN,
        "coinbase": _COINBASE,
        "kucoin": _KUCOIN,
        "bitget": _BITGET,
        "gate": _GATE,
    }
)
_OF_TYPE: Final[Mapping[tuple[str, MarketType], TickerFields]] = MappingProxyType(
    {
        ("binance", MarketType.INVERSE): replace(_BINANCE, base_volume="baseVolume", quote_volume=None),
        ("bybit", MarketType.INVERSE): replace(_BYBIT, base_volume="turnover24h", quote_volume="volume24h"),
        ("okx", MarketType.SPOT): replace(_OKX, base_volume="vol24h", quote_volume="volCcy24h"),
        ("kucoin", MarketType.LINEAR): _KUCOIN_CONTRACTS,
        ("kucoin", MarketType.INVERSE): _KUCOIN_CONTRACTS,
        ("gate", MarketType.LINEAR): _GATE_CONTRACTS,
        ("gate", MarketType.INVERSE): _GATE_CONTRACTS,
    }
)


def ticker_fields(venue: str, market_type: MarketType) -> TickerFields | None:
    """Where this venue's ticker of this type tells what; None for a venue whose page was not read for it."""
    return _OF_TYPE.get((venue, market_type)) or _FIELDS.get(venue)
