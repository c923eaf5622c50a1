"""Which notional brackets each contract has. Data.

The BTC table is the one that the vendor's page on maintenance margin computes with (0.4 %, 0.5 %, 1 % ...; an
amount of 1,300 USDT on the third level): https://www.binance.com/en/support/faq/b3c689c1f50a44cabb3a84e663b81d93
"""

from exchange_mcp.sim.margin import Bracket, brackets

_MAJOR = brackets(
    [
        (50_000, 125, "0.004"),
        (250_000, 100, "0.005"),
        (1_000_000, 50, "0.01"),
        (10_000_000, 20, "0.025"),
        (20_000_000, 10, "0.05"),
        (50_000_000, 5, "0.1"),
        (100_000_000, 4, "0.125"),
        (200_000_000, 3, "0.15"),
        (300_000_000, 2, "0.25"),
        (500_000_000, 1, "0.5"),
    ]
)
_MINOR = brackets(
    [
        (10_000, 75, "0.0065"),
        (50_000, 50, "0.01"),
        (200_000, 25, "0.02"),
        (1_000_000, 10, "0.05"),
        (2_000_000, 5, "0.1"),
        (5_000_000, 4, "0.125"),
        (10_000_000, 2, "0.25"),
        (20_000_000, 1, "0.5"),
    ]
)

BRACKETS: dict[str, tuple[Bracket, ...]] = {
    "BTCUSDT": _MAJOR,
    "ETHUSDT": _MAJOR,
    "SOLUSDT": _MINOR,
    "XRPUSDT": _MINOR,
    "1000PEPEUSDT": _MINOR,
}
