"""Time and randomness that a test decides. Nothing like them can be built from the product itself."""

import hashlib
from dataclasses import dataclass

from exchange_mcp.desk.mark import Mark

# 2026-11-30T12:00:00Z, away from midnight on both sides.
NOON_MS = 1_796_040_000_000


class HandClock:
    """A clock that goes where it is put."""

    def __init__(self, now_ms: int = NOON_MS) -> None:
        self.ms = now_ms

    def now_ms(self) -> int:
        return self.ms

    def monotonic(self) -> float:
        return self.ms / 1000


class SeededEntropy:
    """The same tokens for the same seed, in the same order."""

    def __init__(self, seed: int = 1) -> None:
        self._seed = seed
        self._count = 0

    def token(self, size: int) -> bytes:
        self._count += 1
        return hashlib.shake_128(f"{self._seed} {self._count}".encode()).digest(size)


@dataclass
class MemoryMark:
    """A mark that outlives the journal's object, as a file would."""

    mark: Mark | None = None
    durable: Mark | None = None

    def read(self) -> Mark | None:
        return self.mark

    def write(self, mark: Mark, *, is_durable: bool) -> None:
        self.mark = mark
        if is_durable:
            self.durable = mark
