"""What one attempt at a write proved, and the evidence from which that is concluded.

The verdict itself is `venue.verdict`; what is concluded here is nothing. These are the words that the verdict,
the journal and an auditor share.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

Action = Literal["place", "cancel", "leverage"]


class Outcome(StrEnum):
    """What is proved of one send. Whatever is not proved is unknown."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"
    NOT_SENT = "not_sent"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """All that was seen of one attempt.

    Attributes:
        venue: ccxt id.
        url: what was asked, without its query; error codes differ by market, and the URL says which it was.
        is_sent: whether anything may have reached the venue. False is a statement: no byte left.
        is_token_spent: whether a second pass at the wire was stopped: then an exception speaks of that pass.
        status: HTTP status of the answer, None where none came.
        body: of the answer as far as it came, undecodable bytes replaced; None where none came.
        masked: the same body for the record, without the credentials that it repeats; None where it repeats none. The
            verdict is of `body`, so that nothing that was masked decides.
        exception: the class name of what was raised, if anything was. It argues only towards unknown.
        client_order_id: ours, by which a true answer can be told from another's; of a cancel, the one it names.
        order_id: of a cancel that names its order by the venue's id.
        leverage: what a change of leverage asked for.
    """

    venue: str
    action: Action
    url: str = field(repr=False)
    is_sent: bool
    is_token_spent: bool = False
    status: int | None = None
    body: str | None = field(default=None, repr=False)
    masked: str | None = field(default=None, repr=False)
    exception: str | None = None
    client_order_id: str | None = None
    order_id: str | None = None
    leverage: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """An outcome and the ground that it stands on.

    Attributes:
        reason: one sentence, for a person; it holds no secret and no text of the venue beyond its code.
        ground: the code or rule that decided, such as `-2019` or `no status`.
        order_id: the venue's own, where the answer told it.
    """

    outcome: Outcome
    reason: str
    ground: str
    order_id: str | None = None
