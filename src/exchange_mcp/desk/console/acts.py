"""What a page can ask to be done. To open, decline or halt takes a session; the rest takes a passkey's signature."""

from typing import Annotated, Final

from pydantic import Field

from exchange_mcp.desk.console.ceremonies import Asked
from exchange_mcp.desk.console.decoded import decoded
from exchange_mcp.desk.console.opened import Opened
from exchange_mcp.desk.console.policy_text import reference_of
from exchange_mcp.desk.console.refusals import RefusedError
from exchange_mcp.desk.console.visits import Visit
from exchange_mcp.desk.intents import RESOLUTIONS, State
from exchange_mcp.desk.operator.approving import NotSignableError, read_decision
from exchange_mcp.desk.operator.messages import HaltOrder
from exchange_mcp.desk.records import LONGEST_REASON
from exchange_mcp.desk.statements import Purpose, Statement, resolve_body, resume_body
from exchange_mcp.model.frozen import Record

_BY: Final = "console"
_Nonce = Annotated[str, Field(max_length=64)]
_Account = Annotated[str | None, Field(min_length=1, max_length=64)]
_Part = Annotated[str, Field(max_length=8192)]


class Form(Record):
    """A form without fields."""

    nonce: _Nonce


class ApproveForm(Form):
    """Approve what is on the page; the amount, where it has to be typed."""

    typed: Annotated[str, Field(max_length=80)] = ""


class AccountForm(Form):
    """About one account, or the whole desk."""

    account: _Account = None


class ResumeForm(AccountForm):
    """About the halt of one account, or of the whole desk, for this reason."""

    reason: Annotated[str, Field(max_length=LONGEST_REASON)]


class ResolveForm(Form):
    """What became of an unknown, as a person found out."""

    outcome: Annotated[str, Field(max_length=16)] = ""
    note: Annotated[str, Field(max_length=400)] = ""


class SignatureForm(Record):
    """What a passkey answered."""

    ceremony: _Nonce
    credential_id: _Part
    authenticator_data: _Part
    client_data_json: _Part
    signature: _Part


async def open_decision(visit: Visit, _: Form) -> dict[str, object]:
    """Preview afresh, and put that on a page."""
    office, room = visit.room.office, visit.room
    intent_id = visit.parameter("intent")
    decision = await office.open(intent_id)
    status, now = office.status(), room.clock.now_ms()
    try:
        decidable = read_decision(
            decision,
            intent_id=intent_id,
            desk_id=status.desk_id,
            policy_digest=status.policy_digest,
            now_ms=now,
        )
    except NotSignableError as error:
        raise RefusedError(409, "NOT_SIGNABLE", str(error)) from None
    page = decoded(
        decidable,
        reference=reference_of(decision.policy_text),
        type_above=room.type_above(),
        now_ms=now,
    )
    key = room.sessions.secret(16)
    room.decisions.keep(key, Opened(visit.session, decidable, page))
    return {"to": f"{visit.session.path}decisions/{key}"}


async def decline(visit: Visit, _: Form) -> dict[str, object]:
    """No."""
    intent_id = visit.parameter("intent")
    await visit.room.office.decline(intent_id, by=_BY, note="")
    return {"to": f"{visit.session.path}intents/{intent_id}"}


async def halt(visit: Visit, form: AccountForm) -> dict[str, object]:
    """Stop at once."""
    visit.room.office.halt(HaltOrder(account=form.account, by=_BY, reason="halted in the console"))
    return {"to": visit.session.path}


async def leave(visit: Visit, _: Form) -> dict[str, object]:
    """End the session."""
    visit.room.sessions.end(visit.session)
    return {"to": "/"}


async def approve(visit: Visit, form: ApproveForm) -> dict[str, object]:
    """Ask for a passkey over what is on the page."""
    room = visit.room
    opened = room.decisions.find(visit.session, visit.parameter("decision"))
    room.decisions.require_current(opened)
    opened.require_typed(form.typed)
    decision = opened.decidable.decision
    asked = room.ceremonies.begin(
        visit.session,
        opened.decidable.statement,
        Asked(
            key=room.sessions.secret(16),
            subject=f"grant {opened.intent_id}",
            to=f"{visit.session.path}intents/{opened.intent_id}",
            without=decision.signed_by,
            check=lambda: room.decisions.require_current(opened),
        ),
    )
    return {**asked, "parts": {"plan": decision.plan_text, "preview": decision.preview_text}}


async def resolve(visit: Visit, form: ResolveForm) -> dict[str, object]:
    """Ask for a passkey over what became of an unknown."""
    intent_id = visit.parameter("intent")
    view = visit.room.office.intent(intent_id).intent
    if view.state != State.UNKNOWN.value:
        raise RefusedError(
            409, "NOT_UNKNOWN", f"Its outcome is not unknown: it is {view.state}. Reload the page."
        )
    if form.outcome not in RESOLUTIONS.get(view.action, ()) or not form.note.strip():
        raise RefusedError(422, "NOT_RESOLVED", "Say what became of it, and in a sentence how you found out.")
    body = resolve_body(intent=intent_id, outcome=form.outcome, note=form.note.strip())
    return _ask(visit, Purpose.RESOLVE, body, f"resolve {intent_id}", f"intents/{intent_id}")


async def resume(visit: Visit, form: ResumeForm) -> dict[str, object]:
    """Ask for a passkey over lifting a halt, as the page showed it."""
    if form.reason != _halt_of(visit, form.account):
        raise RefusedError(
            409, "HALT_CHANGED", "It is not halted any more, or for something else as well. Reload the page."
        )
    body = resume_body(account=form.account, reason=form.reason)
    return _ask(visit, Purpose.RESUME, body, f"resume {form.account}", "")


def _halt_of(visit: Visit, account: str | None) -> str | None:
    status = visit.room.office.status()
    if account is None:
        return status.halted
    return next((each.halted for each in status.accounts if each.name == account), None)


async def sign(visit: Visit, form: SignatureForm) -> dict[str, object]:
    """Hand the passkey's signature to the desk."""
    fields = form.model_dump(exclude={"ceremony"})
    done, to = await visit.room.ceremonies.finish(visit.session, form.ceremony, fields)
    return {"message": done.message, "is_complete": done.is_complete, "to": to}


def _ask(visit: Visit, purpose: Purpose, body: dict[str, object], subject: str, to: str) -> dict[str, object]:
    room = visit.room
    # First, so that asking too often costs the desk no nonce.
    room.ceremonies.require_pause(visit.session, subject)
    challenge = room.office.challenge()
    statement = Statement(
        purpose=purpose,
        desk_id=challenge.desk_id,
        nonce=challenge.nonce,
        expires_ms=challenge.expires_ms,
        body=body,
    )
    asked = Asked(key=room.sessions.secret(16), subject=subject, to=visit.session.path + to)
    return room.ceremonies.begin(visit.session, statement, asked)
