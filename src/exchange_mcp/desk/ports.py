"""What the engine asks of the world: one account's venue, and the operator's policy. The engine does no I/O of its own.

Every member says what it may raise. A `DeskVenue` is handed to the engine ready for use; how it reaches its venue is
nobody's business here, so that a model venue in virtual time is as good as a real one.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Protocol

from exchange_mcp.desk.absence import AbsenceTerms
from exchange_mcp.desk.records import Counted
from exchange_mcp.model.decimals import from_wire
from exchange_mcp.model.findings import Findings, Sought
from exchange_mcp.model.outcomes import Evidence, Verdict
from exchange_mcp.model.plans import WirePlan
from exchange_mcp.model.positions import EffectClass, MarginMode, PositionMode
from exchange_mcp.model.trading import Effect, Ready, Sighting


@dataclass(frozen=True, slots=True, kw_only=True)
class Footing:
    """What a plan would do where the account stands now: what an approval rests on, and what is read again before it.

    Attributes:
        effect: what the order does to the position it meets; None where the write is no order.
        position_mode: of the account; None on spot.
        mid: of the market, in quote; None where there is no quote.
        worst_case: the most that the write can cost, in the policy's reference currency; zero where it can cost
            nothing; None where nothing bounds it.
        is_reduce_enforced: whether the venue itself takes care that the order only reduces.
        leverage, margin_mode: of the market, as set; None on spot, and where the write does not depend on it.
        key_fault: why the key may not be used, or None; told at most 60 s ago.
    """

    effect: EffectClass | None
    position_mode: PositionMode | None
    mid: Decimal | None
    worst_case: Decimal | None
    is_reduce_enforced: bool = False
    leverage: int | None = None
    margin_mode: MarginMode | None = None
    key_fault: str | None = None

    def as_object(self) -> dict[str, object]:
        """For the journal; `key_fault` is of the moment and is left out."""
        return {
            "effect": self.effect,
            "position_mode": self.position_mode,
            "mid": self.mid,
            "worst_case": self.worst_case,
            "is_reduce_enforced": self.is_reduce_enforced,
            "leverage": self.leverage,
            "margin_mode": self.margin_mode,
        }

    @classmethod
    def of(cls, recorded: Mapping[str, Any]) -> "Footing":
        """What `as_object` wrote, read from its canonical JSON.

        Raises:
            ValueError: it is something else.
        """
        try:
            return cls(
                effect=recorded["effect"],
                position_mode=recorded["position_mode"],
                mid=from_wire(recorded["mid"]),
                worst_case=from_wire(recorded["worst_case"]),
                is_reduce_enforced=recorded["is_reduce_enforced"],
                leverage=recorded["leverage"],
                margin_mode=recorded["margin_mode"],
            )
        except (KeyError, TypeError) as error:
            raise ValueError(f"no footing was recorded: {type(error).__name__}") from None


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """A write, planned and previewed by what was read just now.

    Attributes:
        preview: what would be shown to a person; anything that `canonical_json` takes.
        subject: what the limits judge; the engine only passes it on.
    """

    plan: WirePlan
    preview: Mapping[str, object]
    footing: Footing
    subject: object = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitRuling:
    """What the operator's limits say to a write.

    Attributes:
        reason: a sentence for a person.
        details: every rule's say, for the record; anything that `canonical_json` takes.
    """

    is_allowed: bool
    reason: str
    details: Mapping[str, object] = field(default_factory=dict[str, object])


class Limits(Protocol):
    """The operator's limits, as they are in force now."""

    @property
    def digest(self) -> str:
        """Of the policy, in hex."""
        ...

    @property
    def currency(self) -> str:
        """The reference currency of its amounts."""
        ...

    def rule(self, planned: Planned, counted: Counted, now_ms: int) -> LimitRuling:
        """Whether this write is allowed on top of what is counted of all that covers it; pure."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectTerms:
    """When a cancel or a change of leverage that shows no effect has had none.

    Attributes:
        first_look_ms: the venue's time before which a look proves nothing, UTC milliseconds.
        spacing_ms: how far two looks have to be apart.
        refuses_late: whether the venue is documented, or was shown, to refuse a request after its window.
    """

    first_look_ms: int
    spacing_ms: int
    refuses_late: bool


class DeskVenue(Protocol):
    """One account's venue, as the desk uses it."""

    longest_client_id: int
    """The longest client order id that the venue takes, in characters."""

    async def plan(self, request: object, client_order_id: str) -> Planned:
        """Read what the request needs, plan it with this client order id, and preview it.

        Raises:
            ExchangeMcpError: it cannot be planned; nothing was sent.
        """
        ...

    async def recheck(self, plan: WirePlan) -> Planned:
        """The same plan, previewed by where the account and the market stand now, everything read afresh.

        Raises:
            ExchangeMcpError: it could not be read.
        """
        ...

    async def ready(self, plan: WirePlan) -> Ready:
        """Wait for all that a send waits for.

        Raises:
            ExchangeMcpError: it could not be had; nothing was sent.
        """
        ...

    def venue_ms(self) -> int:
        """The venue's time now as far as known, UTC milliseconds; without asking."""
        ...

    async def find(self, sought: Sought) -> Findings:
        """What each source says of one order of ours; nothing is raised."""
        ...

    def absence_terms(self, plan: WirePlan, latest_ms: int) -> AbsenceTerms:
        """What the proof of an order's absence depends on at this venue, by its rules."""
        ...

    def effect_terms(self, plan: WirePlan, latest_ms: int) -> EffectTerms:
        """What it takes to call a cancel or a change of leverage without effect at this venue, by its rules."""
        ...

    async def seen(self, since_ms: int, symbols: frozenset[str]) -> tuple[Sighting, ...]:
        """Every order of this key that can be seen, as far as it was placed since then (venue time).

        `symbols` are the markets that the journal knows of: some venues tell what has ended for one market at a time.
        The first question of a run is about all the time since the last run's answer, be it weeks: an answer for a
        part of that is none.

        Raises:
            ExchangeMcpError: a source did not answer; then nothing is concluded.
        """
        ...

    async def effect_of(self, plan: WirePlan) -> Effect:
        """What a cancel or a change of leverage has come to; nothing is raised, no answer is `UNTOLD`.

        Of a cancel: done where the order is shown as canceled, pending where it is open, too late where it ended
        otherwise. Of leverage: done where the market has it, else pending.
        """
        ...


class Judge(Protocol):
    """What a finished or failed send proves."""

    def __call__(self, evidence: Evidence) -> Verdict:
        """The verdict on this evidence; pure."""
        ...
