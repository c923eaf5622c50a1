"""The system's clock, where a command hands it to those who take time from outside."""

import time


class SystemClock:
    """Wall time and monotonic time of this machine."""

    def now_ms(self) -> int:
        """UTC milliseconds since the epoch."""
        return time.time_ns() // 1_000_000

    def monotonic(self) -> float:
        """Seconds that only go forward."""
        return time.monotonic()
