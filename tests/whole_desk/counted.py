"""What a run of kills came to: how often the desk died where, and every order and intent, counted."""

from collections import Counter
from dataclasses import dataclass
from enum import Enum
from typing import Final


class Interval(Enum):
    """Where in a write the desk died. C1 it is recorded, C2 approved, C3 claimed, C4 its outcome recorded."""

    C1_C2 = "C1-C2"
    C2_C3 = "C2-C3"
    C3_SEND = "C3-send"
    SEND_C4 = "send-C4"
    ELSEWHERE = "elsewhere"


WANTED: Final = (Interval.C1_C2, Interval.C2_C3, Interval.C3_SEND, Interval.SEND_C4)
LEAST: Final = 10
FULL: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """What a run came to.

    Attributes:
        by: kills by interval. unsettled: intents that never came to an outcome; `left` says the last of each.
        duplicates: orders beyond the first, of one intent or of one wish. orphans: orders with this desk's tag
            that the journal does not know as sent, and intents said to be placed without an order.
        resent: order requests that reached the venue's door beyond the first of their intent, whatever it made of them.
        unclaimed: those of an intent that the journal has no claim of. altered: orders at the venue that are not, field
            by field, what was approved. leaks: files of the desk that hold a secret. log: what is wrong with its log.
        late: orders that reached the venue only after the desk's next start, when it had looked for them in vain.
    """

    by: Counter[Interval]
    intents: int
    venue_orders: int
    duplicates: int
    orphans: int
    unsettled: int
    resent: int
    unclaimed: int = 0
    altered: int = 0
    leaks: int = 0
    log: str = ""
    late: int = 0
    left: tuple[str, ...] = ()

    @property
    def kills(self) -> int:
        return self.by.total()

    def faults(self) -> list[str]:
        """What a run of this size may not come to."""
        least = max(1, LEAST * min(self.kills, FULL) // FULL)
        few = [f"{each.value}: {self.by[each]} kills of {least}" for each in WANTED if self.by[each] < least]
        counts = {
            "duplicates": self.duplicates,
            "orphans": self.orphans,
            "unsettled": self.unsettled,
            "resent": self.resent,
            "unclaimed": self.unclaimed,
            "altered": self.altered,
            "leaks": self.leaks,
        }
        broken = [f"log: {self.log}"] if self.log else []
        return few + broken + [f"{name}={count}" for name, count in counts.items() if count]

    def lines(self) -> list[str]:
        """For whoever ran it; the last line is the one that counts."""
        return [
            "kills by interval: " + ", ".join(f"{each.value} {self.by[each]}" for each in Interval),
            f"orders that reached the venue only after the next start: {self.late}",
            *(f"FAILED {fault}" for fault in self.faults()),
            *(f"unsettled {each}" for each in self.left),
            (
                f"kills={self.kills} intents={self.intents} venue_orders={self.venue_orders}"
                f" duplicates={self.duplicates} orphans={self.orphans}"
            ),
        ]
