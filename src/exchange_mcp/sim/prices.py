"""What anything costs at a given millisecond: a function of seed, instrument and time, and of nothing else.

All arithmetic is on integers, so one seed gives one history on every machine. A path is linear between
marks 20 seconds apart, so the extremes of any window lie at its ends or at a mark: statistics built on the
marks are exact. A path stays within BOUND of its anchor for ever, which is what lets an order that rests
further away rest for ever too.
"""

from decimal import Decimal
from functools import lru_cache
from hashlib import blake2b

MARK_MS = 20_000
"""How far the points are apart between which a path is straight, in milliseconds."""

PICO = 10**12
"""Prices are integers of 10**-12 quote units here."""

_BILLION = 10**9
# Length of a wave in marks (5 days, 6 hours, 20 minutes, a minute, a mark), height in parts per billion.
_WAVES = ((21_600, 28_000_000), (1_080, 9_000_000), (60, 2_000_000), (3, 500_000), (1, 200_000))
_BASIS_WAVES = ((360, 300_000), (9, 60_000))

BOUND = Decimal(sum(height for _, height in _WAVES + _BASIS_WAVES)) / _BILLION
"""How far a USDT path may be from its anchor, as a fraction of it."""


def draw(*parts: object) -> int:
    """Return 64 evenly spread bits that depend on the parts alone."""
    return int.from_bytes(blake2b("|".join(map(str, parts)).encode(), digest_size=8).digest())


class Wave:
    """A sum of value-noise waves, in parts per billion, at every mark."""

    def __init__(self, seed: int, name: str, waves: tuple[tuple[int, int], ...]) -> None:
        self._seed = seed
        self._name = name
        self._waves = waves
        self._knot = lru_cache(maxsize=16_384)(self._draw_knot)

    def at(self, mark: int) -> int:
        """Return the deviation at one mark."""
        total = 0
        for length, height in self._waves:
            index, rest = divmod(mark, length)
            left = self._knot(length, height, index)
            if rest:
                left += (self._knot(length, height, index + 1) - left) * rest // length
            total += left
        return total

    def _draw_knot(self, length: int, height: int, index: int) -> int:
        return draw(self._seed, self._name, length, index) % (2 * height + 1) - height


class Path:
    """One price over time, in pico units of the quote asset.

    Attributes:
        reach: the lowest and the highest price that there can ever be.
    """

    def __init__(self, reach: tuple[int, int]) -> None:
        self.reach = reach
        self._marks = lru_cache(maxsize=16_384)(self._at_mark)

    def pico(self, at_ms: int) -> int:
        """Return the price at a millisecond."""
        mark, rest = divmod(at_ms, MARK_MS)
        left = self._marks(mark)
        return left + (self._marks(mark + 1) - left) * rest // MARK_MS

    def pico_at_mark(self, mark: int) -> int:
        """Return the price at a mark, counted in MARK_MS since the epoch."""
        return self._marks(mark)

    def price(self, at_ms: int) -> Decimal:
        """Return the price at a millisecond, with eight decimals."""
        return Decimal(self.pico(at_ms) // 10**4).scaleb(-8)

    def first(self, limit: int, after_ms: int, until_ms: int, *, is_rise: bool) -> int | None:
        """Return the first millisecond after one moment, and up to another, at which the price is there.

        Args:
            limit: in pico units; a rise gets to it or above, a fall below it.
            after_ms: the moment that is known already.
            until_ms: the last moment that counts.
            is_rise: whether the price has to rise to the limit, or to fall below it.
        """
        lowest, highest = self.reach
        if (highest < limit) if is_rise else (lowest >= limit):
            return None
        start = after_ms + 1
        while start <= until_ms:
            end = min(until_ms, (start // MARK_MS + 1) * MARK_MS)
            for moment in (start, end):
                if (self.pico(moment) >= limit) is is_rise:
                    return (
                        start if moment == start else self._first_within(limit, start, end, is_rise=is_rise)
                    )
            start = end + 1
        return None

    def _first_within(self, limit: int, start_ms: int, end_ms: int, *, is_rise: bool) -> int:
        # Straight between two marks, hence there from one moment on: the moment is searched by halving.
        while start_ms < end_ms:
            middle = (start_ms + end_ms) // 2
            if (self.pico(middle) >= limit) is is_rise:
                end_ms = middle
            else:
                start_ms = middle + 1
        return end_ms

    def _at_mark(self, mark: int) -> int:
        raise NotImplementedError


class AssetPath(Path):
    """The price of an asset in USDT; `basis` adds the deviation of a derivative from it."""

    def __init__(self, seed: int, asset: str, nominal: Decimal, *, basis: int = 0) -> None:
        """Anchor the path.

        Args:
            seed: what everything follows from.
            asset: whose price it is; the same asset has the same path on every market.
            nominal: the price that the anchor is drawn around, within a tenth.
            basis: 0 for the asset itself, 2 for a contract's trades, 1 for its mark price, half way.
        """
        self.anchor = anchor(seed, asset, nominal)
        swing = int(self.anchor * BOUND) + 1
        super().__init__((self.anchor - swing, self.anchor + swing))
        self._wave = Wave(seed, asset, _WAVES)
        self._premium = Wave(seed, f"{asset}-basis", _BASIS_WAVES)
        self._basis = basis

    def premium(self, at_ms: int) -> Decimal:
        """Return by which fraction the contract's trades are above the asset itself."""
        return Decimal(self._premium.at(at_ms // MARK_MS)).scaleb(-9)

    def _at_mark(self, mark: int) -> int:
        deviation = self._wave.at(mark)
        if self._basis:
            deviation += self._premium.at(mark) * self._basis // 2
        return self.anchor * (_BILLION + deviation) // _BILLION


class CrossPath(Path):
    """The price of one asset in another, by way of USDT."""

    def __init__(self, base: Path, quote: Path) -> None:
        (base_low, base_high), (quote_low, quote_high) = base.reach, quote.reach
        super().__init__((base_low * PICO // quote_high, base_high * PICO // quote_low + 1))
        self._base = base
        self._quote = quote

    def _at_mark(self, mark: int) -> int:
        return self._base.pico_at_mark(mark) * PICO // self._quote.pico_at_mark(mark)


def anchor(seed: int, asset: str, nominal: Decimal) -> int:
    """Return the pico price that an asset's path swings around: the nominal one, up to a tenth off."""
    return int(nominal * PICO) * (900_000 + draw(seed, "anchor", asset) % 200_001) // 1_000_000
