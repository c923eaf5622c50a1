"""What time it is at the simulated venue: the port, and the machine's own clock behind it."""

import time
from typing import Protocol


class Clock(Protocol):
    """Where the venue takes its time from; every price and every signed window follows it."""

    def now_ms(self) -> int:
        """Return the venue's time in UTC milliseconds."""
        ...


class SystemClock:
    """The machine's clock."""

    def now_ms(self) -> int:
        """Return the machine's time in UTC milliseconds."""
        return time.time_ns() // 1_000_000
