"""Asking for a passkey: one statement, one prompt, and at most one prompt a minute for each thing that is decided.

A ceremony belongs to one session; it is used once, whatever comes of it. The statement is made here from the parts that
the desk gave out, and made again by the desk from what it holds when the signature comes.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from exchange_mcp.desk.console.kept import Kept
from exchange_mcp.desk.console.refusals import RefusedError
from exchange_mcp.desk.console.sessions import Session
from exchange_mcp.desk.office import OperatorOffice
from exchange_mcp.desk.operator.messages import ApproverList, Done, SignatureMessage, SignedMessage
from exchange_mcp.desk.passkeys import FIELDS, KIND, Passkey, PasskeyRefusedError, request_options, unb64
from exchange_mcp.desk.statements import Statement
from exchange_mcp.model.ports import Clock

PROMPT_MS: Final = 60_000
_MOST_OF_ONE: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a prompt is about.

    Attributes:
        key: by which the page names it when it answers.
        subject: what is decided, for the pause between prompts.
        to: where the page goes once it is signed.
        without: approvers whose signature is there already.
        check: raises where what is signed is not what is shown any more; asked again before the desk is.
    """

    key: str
    subject: str
    to: str
    without: tuple[str, ...] = ()
    check: Callable[[], None] = lambda: None


@dataclass(frozen=True, slots=True)
class Ceremony:
    """One prompt that was asked for."""

    session: Session
    statement: Statement
    passkeys: dict[str, Passkey]
    asked: Asked


class Ceremonies:
    """The few that are under way."""

    def __init__(self, office: OperatorOffice, clock: Clock) -> None:
        self._office = office
        self._clock = clock
        self._open = Kept[Ceremony](_MOST_OF_ONE)
        self._prompted: dict[str, tuple[int, Session]] = {}

    def require_pause(self, session: Session, subject: str) -> None:
        """See that no passkey was asked for within the last minute about this subject, nor too many in this session.

        Raises:
            RefusedError: it was; it says how long to wait.
        """
        now = self._clock.now_ms()
        self._forget_the_past(now)
        last, _ = self._prompted.get(subject, (None, None))
        if last is None and self._asked_by(session) >= _MOST_OF_ONE:
            raise RefusedError(
                429,
                "PROMPTED_BEFORE",
                "Passkeys were asked for about many things within a minute. Wait a minute.",
                retry_after=PROMPT_MS // 1000,
            )
        if last is not None:
            wait = (last + PROMPT_MS - now + 999) // 1000
            raise RefusedError(
                429,
                "PROMPTED_BEFORE",
                f"A passkey was asked for about this a moment ago. Take the time to look; wait {wait} s.",
                retry_after=wait,
            )

    def begin(
        self,
        session: Session,
        statement: Statement,
        asked: "Asked",
    ) -> dict[str, Any]:
        """What the page needs to ask for a passkey: the statement itself, and every passkey that may sign it.

        Raises:
            RefusedError: no passkey could sign it, or one was asked for a moment ago.
        """
        self.require_pause(session, asked.subject)
        passkeys = enrolled(self._office.approvers(), asked.without)
        if not passkeys:
            raise RefusedError(
                409,
                "NO_PASSKEY",
                "No passkey of another approver is enrolled. Sign in the terminal, or make one: "
                "exchange-mcp approvers add NAME --passkey",
            )
        self._prompted[asked.subject] = self._clock.now_ms(), session
        self._open.put(asked.key, Ceremony(session, statement, passkeys, asked))
        options = request_options(statement.hash(), passkeys.values())
        # The page works the challenge out by itself, from what it shows.
        del options["challenge"]
        return {"ceremony": asked.key, "statement": statement.canonical(), "options": options}

    async def finish(self, session: Session, key: str, fields: dict[str, str]) -> tuple[Done, str]:
        """Hand a signature to the desk, with the statement by its parts; answers also where the page goes then.

        Raises:
            RefusedError: the ceremony is over, or is another session's. ExchangeMcpError: the desk refuses it.
        """
        ceremony = self._open.take(key, session)
        if ceremony is None:
            raise RefusedError(409, "FORM_USED", "This was answered already, or is too old. Reload the page.")
        ceremony.asked.check()
        statement = ceremony.statement
        message = SignedMessage(
            purpose=statement.purpose,
            nonce=statement.nonce,
            expires_ms=statement.expires_ms,
            body=dict(statement.body),
            signature=SignatureMessage(approver=_owner(ceremony, fields), fields=fields),
        )
        return await self._office.signed(message), ceremony.asked.to

    def _asked_by(self, session: Session) -> int:
        return sum(1 for _, each in self._prompted.values() if each is session)

    def _forget_the_past(self, now_ms: int) -> None:
        """Prompts of more than a minute ago, or of a time that a clock that was set back has not reached again."""
        self._prompted = {
            subject: prompt
            for subject, prompt in self._prompted.items()
            if prompt[0] <= now_ms < prompt[0] + PROMPT_MS
        }


def enrolled(approvers: ApproverList, without: tuple[str, ...] = ()) -> dict[str, Passkey]:
    """The passkeys that may sign, by their approver's name; one whose text cannot be read is none."""
    found: dict[str, Passkey] = {}
    for each in approvers.approvers:
        if each.kind == KIND and each.name not in without:
            try:
                found[each.name] = Passkey.read(each.public)
            except PasskeyRefusedError:
                continue
    return found


def _owner(ceremony: Ceremony, fields: dict[str, str]) -> str:
    if fields.keys() != FIELDS:
        raise RefusedError(400, "FORM_REFUSED", "The browser's answer is not one of a passkey.")
    try:
        credential_id = unb64(fields["credential_id"])
    except ValueError:
        credential_id = b""
    for name, passkey in ceremony.passkeys.items():
        if passkey.credential_id == credential_id:
            return name
    raise RefusedError(403, "PASSKEY_REFUSED", "This passkey is no approver's here.")
