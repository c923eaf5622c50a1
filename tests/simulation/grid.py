"""The grid of scenarios: every combination of what can go wrong, numbered, and the order in which a seed takes them."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from math import prod
from typing import Any, Final

from simulation.world import Fate


class Asks(StrEnum):
    """How the model asks, and which hop of its first request is lost."""

    ONCE = "once"
    SAME = "again, the same"
    MOVED = "again, at a moved price"
    BOTH = "again, the same, then at a moved price"
    PROPOSAL_LOST = "the first request is lost on the way"
    ANSWER_LOST = "the answer is lost on its way to the model, which asks again"
    ANSWER_LOST_MOVED = "the same, at a moved price"
    REPEATED = "the first request arrives twice"
    OVERTAKEN = "the first request arrives after the second"
    MUCH_LATER = "again, ten minutes later"
    SECOND = "a second order on purpose, naming the first"


class Crash(StrEnum):
    """Where the desk dies the first time."""

    NEVER = "never"
    BEFORE_C1 = "before the proposal is committed"
    AFTER_C1 = "after the proposal is committed"
    AFTER_C2 = "after the grant is committed"
    BEFORE_C3 = "before the claim is committed"
    AFTER_C3 = "after the claim is committed"
    SENT = "after the request is on the wire"
    BEFORE_C4 = "before the outcome is committed"
    AFTER_C4 = "after the outcome is committed"
    AFTER_LOOK = "after a look at the venue"


class Again(StrEnum):
    """Where it dies the second time, if it does."""

    NEVER = "never"
    BEFORE_RECOVERY = "before the first commit of the recovery"
    IN_RECOVERY = "after the first commit of the recovery"
    AFTER_LOOK = "after the next look at the venue"


class Lookups(StrEnum):
    """How looking things up goes, from the first order on."""

    WORK = "work"
    OUTAGE = "no answer for 25 s"
    LONG_OUTAGE = "no answer for five minutes"
    DEAF = "trades never answer"
    BLIND = "for 40 s, nothing is found where there is something"


class Others(StrEnum):
    """Other hands on the key, or on the journal."""

    NONE = "none"
    BY_HAND = "an order placed by hand"
    OTHER_DESK = "a second desk with a journal of its own, which the model asks the second time"
    CLONE = "a second desk on a copy of the journal, which the model asks the second time"
    RESTORED = "a restart on a copy of the journal from before the claim"
    RESTORED_LATER = "the same, minutes after the orders that the copy does not know"


class Kind(StrEnum):
    """What is written."""

    LIMIT = "a limit order"
    MARKET = "a market order"
    CANCEL = "a cancel"
    LEVERAGE = "a change of leverage"


class Halt(StrEnum):
    """When the operator halts."""

    NEVER = "never"
    AT_CLAIM = "between re-check and claim"


@dataclass(frozen=True, slots=True)
class Scenario:
    """One point of the grid.

    Attributes:
        transit_s: of the first request. lag_s: until the venue shows an order.
        late: how late a request of fate LATE arrives. lies: whether the venue takes it then.
        stall_s: how long the desk's machine stands still between claim and signature.
        clock_ms: how far the desk's idea of the venue's time is ahead.
    """

    number: int
    fate: Fate
    asks: Asks
    crash: Crash
    again: Again
    lookups: Lookups
    others: Others
    kind: Kind
    halt: Halt
    transit_s: float
    lag_s: float
    late: str
    lies: bool
    stall_s: float
    clock_ms: int


# Repeated entries weigh more: the rarer troubles are kept rare, so that a scenario is seldom all of them.
AXES: Final[tuple[tuple[str, tuple[Any, ...]], ...]] = (
    ("fate", tuple(Fate)),
    ("asks", tuple(Asks)),
    ("crash", (*Crash, *(Crash.NEVER,) * 6, Crash.AFTER_C3, Crash.SENT)),
    ("again", (*Again, Again.NEVER, Again.NEVER)),
    ("lookups", (*Lookups, Lookups.WORK, Lookups.WORK, Lookups.WORK)),
    ("others", (*Others, *(Others.NONE,) * 8)),
    ("kind", (*(Kind.LIMIT, Kind.MARKET) * 4, Kind.CANCEL, Kind.LEVERAGE)),
    ("halt", (*(Halt.NEVER,) * 19, Halt.AT_CLAIM)),
    ("transit_s", (0.02, 2.0, 4.0)),
    ("lag_s", (0.0, 2.5)),
    ("late", ("prompt", "soon", "minutes", "hours")),
    ("lies", (False, False, False, True)),
    ("stall_s", (*(0.0,) * 6, 20.0)),
    ("clock_ms", (-400, 0, 400)),
)

SIZE: Final = prod(len(values) for _, values in AXES)
"""How many points the grid has."""


def scenario(number: int) -> Scenario:
    """The point of this number."""
    rest, chosen = number % SIZE, dict[str, Any]()
    for name, values in AXES:
        rest, index = divmod(rest, len(values))
        chosen[name] = values[index]
    return Scenario(number=number, **chosen)


def drawn(seed: int) -> Iterator[Scenario]:
    """Points of the grid in the order of a seed, without end.

    They are dealt axis by axis from shuffled hands, so that every value of an axis comes equally often among any few.
    """
    source = random.Random(seed)  # noqa: S311 - a seed is to be repeated, not to be secret
    hands: dict[str, list[int]] = {name: [] for name, _ in AXES}
    while True:
        number, step = 0, 1
        for name, values in AXES:
            if not hands[name]:
                hands[name] = source.sample(range(len(values)), len(values))
            number += hands[name].pop() * step
            step *= len(values)
        yield scenario(number)


def first(count: int, seed: int) -> list[Scenario]:
    """The first points of a seed."""
    return list(islice(drawn(seed), count))
