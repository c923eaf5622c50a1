"""What a client wants of a desk that is killed, and on which markets."""

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final

MARKETS: Final = {  # an amount, and a price step that the venue's grid has
    "BTC/USDT": ("0.0015", "1"),
    "SOL/USDT": ("0.5", "0.1"),
    "ETH/USDT": ("0.03", "1"),
    "XRP/USDT:USDT": ("50", "0.001"),
    "BTC/USDT:USDT": ("0.002", "1"),
    "ETH/USDT:USDT": ("0.03", "1"),
    "SOL/USDT:USDT": ("1", "0.1"),
    "1000PEPE/USDT:USDT": ("1000", "0.0000001"),
}
FEW_MARKETS: Final = {
    name: MARKETS[name]
    for name in ("BTC/USDT", "SOL/USDT", "XRP/USDT:USDT", "ETH/USDT:USDT", "1000PEPE/USDT:USDT")
}
"""One for each asset."""


@dataclass(eq=False)
class Wish:
    """What a client wants once, however often it asks; `intents` are those that its asking led to."""

    symbol: str
    side: str
    amount: str
    price: Decimal
    after: str | None
    intents: set[str] = field(default_factory=set[str])

    def request(self, price: Decimal) -> dict[str, object]:
        return {
            "symbol": self.symbol,
            "side": self.side,
            "type": "limit",
            "amount": self.amount,
            "price": str(price),
        }
