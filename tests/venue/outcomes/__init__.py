"""Vendors' answers to writes, written after their pages, with what they prove."""

from .answers import Answer
from .binance_spot import ANSWERS as BINANCE_SPOT
from .binance_usdm import ANSWERS as BINANCE_USDM
from .bitget import ANSWERS as BITGET
from .bybit import ANSWERS as BYBIT
from .coinbase import ANSWERS as COINBASE
from .kraken import ANSWERS as KRAKEN
from .kucoin import ANSWERS as KUCOIN
from .okx import ANSWERS as OKX

ANSWERS: tuple[Answer, ...] = (
    *BINANCE_SPOT,
    *BINANCE_USDM,
    *BYBIT,
    *OKX,
    *KRAKEN,
    *COINBASE,
    *KUCOIN,
    *BITGET,
)
