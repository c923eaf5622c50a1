"""How often somebody may ask: a bucket of requests a client, refilled at a steady rate."""

import math
from dataclasses import dataclass
from typing import Final

from exchange_mcp.model.ports import Clock

_BURST_MINUTES: Final = 0.25


@dataclass(slots=True)
class _Bucket:
    level: float
    at: float


class Rates:
    """One bucket a name. A full one holds a quarter of a minute's requests, and at least one."""

    def __init__(self, per_minute: int, clock: Clock) -> None:
        self._per_second = per_minute / 60
        self._capacity = max(1.0, per_minute * _BURST_MINUTES)
        self._clock = clock
        self._buckets: dict[str, _Bucket] = {}

    def take(self, name: str) -> int:
        """Take one request out of the bucket; 0, or in how many whole seconds there will be one."""
        now = self._clock.monotonic()
        bucket = self._buckets.setdefault(name, _Bucket(self._capacity, now))
        bucket.level = min(self._capacity, bucket.level + (now - bucket.at) * self._per_second)
        bucket.at = now
        if bucket.level < 1:
            return math.ceil((1 - bucket.level) / self._per_second)
        bucket.level -= 1
        return 0
