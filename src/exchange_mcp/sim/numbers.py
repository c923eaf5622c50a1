"""Which numbers the venue gives to what happens, in the order in which it happens."""

from itertools import count

from exchange_mcp.sim.prices import draw

_FIRST_ORDER = 1_000_000_001
_FIRST_TRADE = 500_000_001
_CLIENT_ID_LENGTH = 22


class Numbers:
    """One market's counters; what was there at the opening has nine digits, and what comes later has ten."""

    def __init__(self, seed: int, market: str) -> None:
        self._seed = seed
        self._market = market
        self._orders = count(_FIRST_ORDER)
        self._trades = count(_FIRST_TRADE)

    def order(self) -> int:
        """Return the next order number."""
        return next(self._orders)

    def trade(self) -> int:
        """Return the next trade number."""
        return next(self._trades)

    def client_id(self, number: object) -> str:
        """Return the client order id of an order, or of a cancel, that came without one."""
        letters = "".join(f"{draw(self._seed, self._market, 'client', number, half):016x}" for half in "ab")
        return letters[:_CLIENT_ID_LENGTH]
