"""What a signed message says, by its purpose: read strictly, and written again by `statements` to be verified."""

from collections.abc import Mapping
from typing import Annotated, Final, Literal

from pydantic import Field, ValidationError

from exchange_mcp.desk import statements
from exchange_mcp.desk.approvers import refused
from exchange_mcp.desk.records import LONGEST_REASON
from exchange_mcp.desk.statements import Purpose
from exchange_mcp.model.canonical import canonical_json
from exchange_mcp.model.frozen import Record

_Name = Annotated[str, Field(min_length=1, max_length=64)]
_IntentId = Annotated[str, Field(min_length=1, max_length=64)]
_Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
# The desk is None, and nothing else: the journal has it as "".
_Account = Annotated[str | None, Field(min_length=1, max_length=64)]


class SaidResolve(Record):
    """What became of an unknown."""

    intent: _IntentId
    outcome: Literal["placed", "absent", "canceled", "too_late", "set", "not_set"]
    note: Annotated[str, Field(min_length=1, max_length=400)]


class SaidAccount(Record):
    """One account, or the desk and all of them."""

    account: _Account


class SaidResume(Record):
    """Which halt is lifted, and what it stood for when it was looked at."""

    account: _Account
    reason: Annotated[str, Field(min_length=1, max_length=LONGEST_REASON)]


class SaidConfiguration(Record):
    """Which `desk.toml` is accepted."""

    configuration: _Digest


class SaidApprover(Record):
    """An approver to be added, or, with an empty key, to be removed."""

    name: _Name
    kind: Annotated[str, Field(max_length=32)]
    public: Annotated[str, Field(max_length=4096)]


class SaidClient(Record):
    """A client to be added, or, with an empty hash, to be removed."""

    name: _Name
    credential_sha256: Annotated[str, Field(max_length=64)]


class SaidTool(Record):
    """Whether a client may use a tool, as it is declared by this digest."""

    client: _Name
    tool: _Name
    allowed: bool
    declaration: _Digest


class SaidProposal(Record):
    """What an operator proposes."""

    account: _Name
    action: Literal["place", "cancel", "leverage"]
    request: dict[str, object]
    distinct_from: Annotated[str | None, Field(pattern=r"^[0-9a-f]{32}$")]


Said = (
    SaidResolve
    | SaidResume
    | SaidAccount
    | SaidConfiguration
    | SaidApprover
    | SaidClient
    | SaidTool
    | SaidProposal
)

_MODELS: Final[Mapping[Purpose, type[Said]]] = {
    Purpose.RESOLVE: SaidResolve,
    Purpose.RESUME: SaidResume,
    Purpose.ACCEPT_CONFIGURATION: SaidConfiguration,
    Purpose.ADD_APPROVER: SaidApprover,
    Purpose.REMOVE_APPROVER: SaidApprover,
    Purpose.ADD_CLIENT: SaidClient,
    Purpose.REMOVE_CLIENT: SaidClient,
    Purpose.ALLOW_TOOL: SaidTool,
    Purpose.PROPOSE: SaidProposal,
    Purpose.CANCEL_OPEN: SaidAccount,
}


def said(purpose: Purpose, body: Mapping[str, object]) -> Said:
    """What a body says.

    Raises:
        DeskError: SIGNATURE_REFUSED: it has a member more, less or of another form than this purpose has.
    """
    model = _MODELS.get(purpose)
    if model is None:
        raise refused(f"{purpose} is signed over an opened decision, or is nothing that this desk knows")
    try:
        read = model.model_validate(dict(body))
        canonical_json(written(read))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        where = ".".join(str(part) for part in first["loc"])[:60]
        raise refused(f"what it says is not of its purpose: {where}: {first['msg'][:120]}") from None
    except (TypeError, RecursionError):
        raise refused("what it says has no exact form") from None
    return read


def written(read: Said) -> dict[str, object]:
    """The body as the desk's own functions write it."""
    match read:
        case SaidResolve():
            body = statements.resolve_body(intent=read.intent, outcome=read.outcome, note=read.note)
        case SaidResume():
            body = statements.resume_body(account=read.account, reason=read.reason)
        case SaidAccount():
            body = statements.cancel_open_body(account=read.account)
        case SaidConfiguration():
            body = statements.accept_body(configuration_digest=read.configuration)
        case SaidApprover():
            body = statements.approver_body(name=read.name, kind=read.kind, public=read.public)
        case SaidClient():
            body = statements.client_body(name=read.name, credential_sha256=read.credential_sha256)
        case SaidTool():
            body = statements.allow_body(
                client=read.client,
                tool=read.tool,
                is_allowed=read.allowed,
                declaration_digest=read.declaration,
            )
        case SaidProposal():
            body = statements.propose_body(
                account=read.account,
                action=read.action,
                request=read.request,
                distinct_from=read.distinct_from,
            )
    return body
