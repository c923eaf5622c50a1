"""Which limits orders have on every pair, or on every contract, alike. Data.

exchangeInfo writes them, and the matching holds orders to them.
"""

from decimal import Decimal

SPOT_UP, SPOT_DOWN = Decimal(5), Decimal("0.2")
"""How far from the average price a spot limit price may be, as a share of it (PERCENT_PRICE_BY_SIDE)."""

SPOT_AVERAGE_MINUTES = 5
"""Over how many minutes the price is averaged that a limit price and a market order are measured with."""

SPOT_MAX_NOTIONAL = Decimal(9_000_000)
SPOT_MAX_ORDERS = 200
SPOT_MAX_ALGO_ORDERS = 5

USDM_UP, USDM_DOWN = Decimal("1.05"), Decimal("0.95")
"""How far from the mark price a limit price may be, as a share of it (PERCENT_PRICE)."""

USDM_MAX_ORDERS = 200
USDM_MAX_ALGO_ORDERS = 10
