"""How long the engine waits for what, how often it looks, and when it gives up looking on its own."""

from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """The engine's times, in seconds unless the name says milliseconds.

    Attributes:
        recheck_age: how old a re-check may be when its claim is committed.
        patience: how long re-checking and getting ready may take, each.
        send_patience: how long a send may take before nothing more is known of it; far above any port's own timeout.
        look_patience: how long one look at the venue may take before it counts as no answer.
        rechecks: how often getting ready may take longer than that before the grant lapses.
        margin_ms: how much later than at the claim the request may be signed.
        collar_bps: how far the mid may move between approval and re-check, in basis points.
        read_back: the waits before each look for an accepted order; their sum covers the venue's lag.
        looks: the waits before each look for an unknown outcome; the last one repeats. No person is asked before.
        proof_looks: how many looks that could be part of a proof have to fail before a person is asked.
        hopeless_looks: after how many looks a person is asked where no look can ever prove it.
        slow_look: the wait between looks once a person is asked to decide.
        sweep: between two looks at everything that the key has at its venue.
        sweep_age: how old the last whole sweep may be before a re-check; an older one is repeated.
        sweep_overlap_ms: how much further back a sweep looks than the one before it began.
        late_looks: the waits between the looks for an order that was ruled absent; the last one repeats.
        watched_ms: how long such an order is watched.
        checkpoint: between two questions whether a checkpoint of the log is due.
        tick: between two looks at the clock, for proposals that nobody decided.
    """

    recheck_age: float = 2.0
    patience: float = 30.0
    send_patience: float = 120.0
    look_patience: float = 120.0
    rechecks: int = 3
    margin_ms: int = 1_000
    collar_bps: Decimal = Decimal(50)
    read_back: tuple[float, ...] = (0.0, 0.5, 1.0, 2.0, 4.0)
    looks: tuple[float, ...] = (0.2, 1.0, 3.0, 6.0, 10.0, 15.0, 30.0, 60.0)
    proof_looks: int = 5
    hopeless_looks: int = 5
    slow_look: float = 300.0
    sweep: float = 30.0
    sweep_age: float = 5.0
    sweep_overlap_ms: int = 120_000
    late_looks: tuple[float, ...] = (30.0, 60.0, 300.0, 900.0, 3600.0)
    watched_ms: int = 86_400_000
    checkpoint: float = 3600.0
    tick: float = 1.0
