"""What goes over the proposal socket: JSON over HTTP on a Unix socket, one model a message.

| route | asks | answers |
|---|---|---|
| POST /v1/handshake | `Handshake` | `Agreement` |
| POST /v1/proposals | `ProposalMessage` | `IntentMessage` |
| GET /v1/intents/{id}?wait_ms=&state= | | `IntentMessage`; waits until the state is another one, at most `wait_ms` |
| POST /v1/intents/{id}/retract | | `IntentMessage` |

Every request carries `Authorization: Bearer CREDENTIAL`, `X-Exchange-MCP-Protocol: 1` and `Host: desk` (`BASE_URL`);
every answer carries the protocol's number too. An error is an `ErrorMessage` with an HTTP status of 4xx or 5xx. The
socket has no other route: none grants, declines, resolves, resumes or changes a limit.
"""

from typing import Annotated, Final, Literal

from pydantic import Field

from exchange_mcp.model.accounts import Environment, MarketType
from exchange_mcp.model.errors import ErrorBody, ErrorCode
from exchange_mcp.model.frozen import Record
from exchange_mcp.model.instants import Instant

PROTOCOL: Final = 1
PROTOCOL_HEADER: Final = "X-Exchange-MCP-Protocol"
HOST: Final = "desk"
BASE_URL: Final = f"http://{HOST}"
"""Of both sockets; the name says nothing, and no other one is answered."""
MOST_WAIT_MS: Final = 45_000
MOST_NOTE: Final = 140
"""A model's note to the approver, in characters; shown apart and called untrusted."""

Action = Literal["place", "cancel", "leverage"]
Agreed = Literal["agreed", "accepted", "unverifiable", "mismatch", "not_held"]
"""agreed: the venue's own account id is the same on both sides. accepted: a live one that cannot be compared, which the
operator accepted by name. unverifiable: the same, in sandbox and sim. mismatch, not_held: no writes."""

_Id = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{8,64}$")]
# Through JSON an enumeration is its text, and a tuple a list.
_Environment = Annotated[Environment, Field(strict=False)]
_MarketTypes = Annotated[tuple[Annotated[MarketType, Field(strict=False)], ...], Field(strict=False)]


class AccountIdentity(Record):
    """An account as one side knows it; `account_id` is the venue's own, None where it is not told."""

    name: str
    venue: str
    environment: _Environment
    market_types: _MarketTypes
    account_id: str | None = None


class Handshake(Record):
    """What serve holds."""

    protocol: int
    version: str
    accounts: Annotated[tuple[AccountIdentity, ...], Field(strict=False)]


class AccountAgreement(Record):
    """Whether both sides mean the same account by a name, and why not."""

    name: str
    agreed: Agreed
    reason: str


class ToolAllowance(Record):
    """Whether the desk lets this client use a tool, and why."""

    tool: str
    is_allowed: bool
    reason: str


class Agreement(Record):
    """What the desk says to a handshake. `halted` and `closed` say why nothing is accepted at the moment, or None."""

    protocol: int
    version: str
    client: str
    accounts: Annotated[tuple[AccountAgreement, ...], Field(strict=False)]
    tools: Annotated[tuple[ToolAllowance, ...], Field(strict=False)]
    halted: str | None = None
    closed: str | None = None


class ProposalMessage(Record):
    """One write that a client asks for.

    Attributes:
        proposal_id: minted by serve before it first sends, and the same when it sends again for want of an answer.
        tool: as the client called it. declaration: digest of the tool's declaration, in hex (`tools.declarations`).
        account: as serve knows it; compared with what the desk holds.
        request: the JSON of an `OrderRequest`, `CancelRequest` or `LeverageRequest` (`orders.requests`), by `action`;
            a cancel may name an intent instead of an order (`intent_id`).
        distinct_from: an earlier intent that this is knowingly not.
        note: what the model wants the approver to read; untrusted.
    """

    proposal_id: _Id
    tool: str
    declaration: str
    account: AccountIdentity
    action: Action
    request: dict[str, object]
    distinct_from: Annotated[str | None, Field(pattern=r"^[0-9a-f]{32}$")] = None
    note: Annotated[str | None, Field(max_length=MOST_NOTE)] = None


class IntentMessage(Record):
    """One intent, as its proposer may see it.

    Attributes:
        state: a state of `desk.intents`. is_final: whether it can still change by itself or by a person.
        next: one sentence: what happens next, or what the proposer may do.
        approval: one sentence: who can approve, and where; None once that is over. Never a link that acts.
        approvals_needed: how many approvers it takes.
        plan_digest: of the wire plan, in hex. preview_lines: what an approver reads, in the words of the preview.
        similar: the latest order like it, which the approver is shown, if there is one: its id and its age in words.
        repeated: whether it is an earlier intent that was asked for again.
        denied_as: where it is denied, the code of the limit that decided.
    """

    intent_id: str
    proposal_id: str
    account: str
    action: Action
    symbol: str
    state: str
    is_final: bool
    reason: str
    next: str
    approval: str | None
    approvals_needed: int
    created_at: Instant
    changed_at: Instant
    expires_at: Instant
    plan_digest: str
    preview_lines: Annotated[tuple[str, ...], Field(strict=False)]
    client_order_id: str | None = None
    order_id: str | None = None
    similar: str | None = None
    repeated: bool = False
    denied_as: ErrorCode | None = None


class ErrorMessage(Record):
    """Why not; `intent_id` of the intent that is in the way or that it is about, `proposal_id` as it was sent."""

    error: ErrorBody
    proposal_id: str | None = None
    intent_id: str | None = None
