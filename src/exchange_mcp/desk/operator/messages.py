"""What goes over the operator socket: JSON over HTTP on a Unix socket in a directory that only the desk's user enters.

| route | asks | answers |
|---|---|---|
| GET /v1/status | | `Status` |
| GET /v1/intents?state=&account=&limit= | | `IntentList` |
| GET /v1/intents/{id} | | `IntentDetail` |
| GET /v1/news?after=&wait_ms= | | `News`; waits until something happened after that event, at most `wait_ms` |
| GET /v1/configuration | | `Configuration` |
| GET /v1/approvers, /v1/clients | | `ApproverList`, `ClientList` |
| POST /v1/intents/{id}/open | | `Decision`: a fresh preview, journaled; what a grant binds from now on |
| POST /v1/intents/{id}/decline | `Decline` | `IntentView` |
| POST /v1/halt | `HaltOrder` | `Halted` |
| POST /v1/failures | `Failure` | nothing: a wrong passphrase, for the journal |
| POST /v1/challenge | | `Challenge`: what the next statement has to carry |
| POST /v1/signed | `SignedMessage` | `Done`: everything that needs a signature, by its purpose |
| POST /v1/console-link | | `ConsoleLink`: a way into the console, once |
| POST /v1/passkeys | `PasskeyInvitation` | `PasskeyInvited`: a way to make a passkey in the browser, once |
| GET /v1/passkeys/{id} | | `PasskeyAnswer`: the passkey, once it is made; a signature adds it |

`/v1/signed` verifies before it looks at anything else. Every request carries the headers of `link.messages` but for the
credential: the protocol's number, and `Host: desk`. An error is a `link.messages.ErrorMessage`.
"""

from typing import Annotated

from pydantic import Field

from exchange_mcp.desk.statements import Purpose
from exchange_mcp.model.frozen import Record
from exchange_mcp.model.instants import Instant


class AccountStatus(Record):
    """One account at the desk.

    Attributes:
        closed: why no write of it is accepted at the moment. halted: why it is halted. Both None where it is open.
        key: what its key was found to be able to do, in words. account_id: the venue's own.
        notional_24h: what is counted of its orders of the last 24 hours, by currency, as decimal text.
        unknown: intents whose outcome is unknown.
    """

    name: str
    venue: str
    environment: str
    market_types: tuple[str, ...]
    account_id: str | None
    key: str
    closed: str | None
    halted: str | None
    notional_24h: dict[str, str]
    orders_last_minute: int
    orders_24h: int
    unknown: int


class Status(Record):
    """The desk, at a glance.

    Attributes:
        closed: why nothing at all is accepted (configuration not accepted, no approver, a fault), or None.
        halted: why the whole desk is halted, or None.
        edited: that `desk.toml` is another one than is in force, and what to do, or None; where nothing is in force
            for that reason, `closed` says it.
        waiting: unknown intents that wait for a person, and what could not be proved of each.
        protection: how much the approvals of this setup are worth, in one sentence (same user, other user).
    """

    desk_id: str
    tag: str
    version: str
    started_at: Instant
    policy_digest: str
    closed: str | None
    halted: str | None
    edited: str | None = None
    accounts: tuple[AccountStatus, ...]
    pending: int
    waiting: dict[str, str]
    approvers: tuple[str, ...]
    clients: tuple[str, ...]
    proposal_socket: str
    console: str | None
    protection: str


class IntentView(Record):
    """One intent in a list; money is in the texts of its preview."""

    id: str
    seq: int
    state: str
    action: str
    account: str
    environment: str
    venue: str
    symbol: str
    summary: str
    effect: str | None
    client: str
    origin: str
    created_at: Instant
    changed_at: Instant
    expires_at: Instant
    reason: str
    client_order_id: str | None
    order_id: str | None


class IntentList(Record):
    """Intents, newest first."""

    intents: tuple[IntentView, ...]


class EventView(Record):
    """One event of the log: `text` is its canonical JSON."""

    seq: int
    at: Instant
    kind: str
    text: str


class IntentDetail(Record):
    """One intent with everything that is recorded of it.

    Attributes:
        plan_text: the wire plan's canonical text. preview_text: of the preview shown last.
        lines: that preview, as a person reads it. note: what the proposer wrote; untrusted.
        similar: recent orders like it.
    """

    intent: IntentView
    plan_text: str
    preview_text: str
    lines: tuple[str, ...]
    note: str | None
    similar: tuple[IntentView, ...]
    events: tuple[EventView, ...]
    waiting: str | None


class Decision(Record):
    """Everything that an approver signs over, as bytes: nothing here is a hash of what is not here.

    Attributes:
        policy_text: the canonical text of the policy in force; its digest is what a grant names.
        changed: what is different since it was proposed, a sentence each.
        halted: what is halted and what that does to this proposal if it is approved now; None where nothing is.
        similar: recent orders like it.
        nonce, expires_ms: for the statement. needed: how many approvers it takes; signed_by: who has signed already.
    """

    intent: IntentView
    desk_id: str
    plan_text: str
    preview_text: str
    policy_text: str
    nonce: str
    expires_ms: int
    needed: int
    signed_by: tuple[str, ...]
    changed: tuple[str, ...]
    halted: str | None = None
    similar: tuple[IntentView, ...]
    note: str | None


class Decline(Record):
    """A person says no; `by` is who says so, as they call themselves."""

    by: Annotated[str, Field(min_length=1, max_length=64)]
    note: Annotated[str, Field(max_length=400)] = ""


class HaltOrder(Record):
    """Halt one account, or the whole desk where `account` is None."""

    account: str | None = None
    by: Annotated[str, Field(min_length=1, max_length=64)]
    reason: Annotated[str, Field(min_length=1, max_length=400)]


class Halted(Record):
    """What is halted now."""

    halted: tuple[str, ...]


class Failure(Record):
    """An approver's passphrase was wrong, so many times in a row."""

    approver: Annotated[str, Field(max_length=64)]
    times: Annotated[int, Field(ge=1, le=99)]


class Challenge(Record):
    """What a statement has to carry."""

    desk_id: str
    nonce: str
    expires_ms: int


class SignatureMessage(Record):
    """One signature over a statement's hash; the fields are those of the approver's kind (`desk.approvers`)."""

    approver: str
    fields: dict[str, str]


class SignedMessage(Record):
    """A statement, by its parts, and one signature. The desk builds the statement itself and verifies over that."""

    purpose: Annotated[Purpose, Field(strict=False)]
    nonce: str
    expires_ms: int
    body: dict[str, object]
    signature: SignatureMessage


class Done(Record):
    """What a signed message led to: a sentence, and the intents that it is about."""

    message: str
    intents: tuple[IntentView, ...] = ()
    is_complete: bool = True


class Configuration(Record):
    """`desk.toml` as it stands and as it was accepted last; both texts hold references to secrets and no secret.

    Attributes:
        faults: what is wrong with the file as it stands, a line each.
        is_accepted: whether it is the one in force.
    """

    file: str
    text: str
    digest: str
    accepted_text: str | None
    accepted_digest: str | None
    faults: tuple[str, ...]
    is_accepted: bool


class ApproverView(Record):
    """One approver; `public` is its public key as text."""

    name: str
    kind: str
    public: str
    added_at: Instant


class ApproverList(Record):
    """Everybody who can approve."""

    approvers: tuple[ApproverView, ...]


class ClientTool(Record):
    """A tool, its risk and where that comes from, whether this client may use it, and why."""

    tool: str
    risk: str
    source: str
    is_allowed: bool
    reason: str


class ClientView(Record):
    """One client and what it may use."""

    name: str
    added_at: Instant
    tools: tuple[ClientTool, ...]


class ClientList(Record):
    """Everybody who can propose."""

    clients: tuple[ClientView, ...]


class News(Record):
    """Events after the one that was asked about, oldest first; `head` is the latest there is."""

    head: int
    events: tuple[EventView, ...]


class ConsoleLink(Record):
    """A link for one browser, once; `url` ends in a secret that no request carries (it stands behind the #)."""

    url: str
    expires_ms: int


class PasskeyInvitation(Record):
    """Whose passkey is to be made."""

    name: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,31}$")]


class PasskeyInvited(Record):
    """Where it is made, and the code that the page asks for: only who reads the terminal knows it."""

    id: str
    url: str
    code: str
    expires_ms: int


class PasskeyAnswer(Record):
    """What has come of an invitation.

    Attributes:
        public: the passkey's public key as an approver's `public`; None until it is made.
        check: what page and terminal both show of it, so that a person sees that they mean the same one.
    """

    name: str
    public: str | None
    check: str | None
