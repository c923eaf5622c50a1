"""The operator's way to the desk: a typed client over the operator socket. It decides nothing and shows nothing.

Every failure is an error with one sentence and the next step. Nothing is asked twice: a lost answer says that it is
lost, since what was asked may have been done.
"""

import os
import socket
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Final, Self, TypeVar

import httpx
from pydantic import ValidationError

from exchange_mcp.desk.locks import holder, journal_lock, socket_lock
from exchange_mcp.desk.operator.messages import (
    ApproverList,
    Challenge,
    ClientList,
    Configuration,
    ConsoleLink,
    Decision,
    Decline,
    Done,
    Failure,
    Halted,
    HaltOrder,
    IntentDetail,
    IntentList,
    IntentView,
    News,
    PasskeyAnswer,
    PasskeyInvitation,
    PasskeyInvited,
    SignedMessage,
    Status,
)
from exchange_mcp.link.messages import BASE_URL, PROTOCOL, PROTOCOL_HEADER, ErrorMessage
from exchange_mcp.model.errors import DeskError, ErrorCode, ExchangeMcpError, InvalidArgumentError
from exchange_mcp.model.frozen import Record
from exchange_mcp.model.venue_text import visible

_Answer = TypeVar("_Answer", bound=Record)
_CONNECT_SECONDS: Final = 3.0
_ANSWER_SECONDS: Final = 30.0
_MOST_BYTES: Final = 16 * 1024 * 1024
_NEVER: Final = 2**53
_MOST_SENTENCE: Final = 600
_START: Final = "Start it: exchange-mcp desk"
_AGAIN: Final = "Ask again in a moment; if it stays so, look at its log."


class DeskAnswerError(ExchangeMcpError):
    """The desk answered with an error of its own; it speaks in the desk's words.

    Attributes:
        intent_id: of the intent that it is about, where it names one.
    """

    outcome = "not_sent"

    def __init__(self, message: ErrorMessage) -> None:
        error = message.error
        super().__init__(visible(error.message, _MOST_SENTENCE), hint=visible(error.hint, _MOST_SENTENCE))
        self.code, self.retry, self.intent_id = error.code, error.retry, message.intent_id


class OperatorClient:
    """One desk's operator socket.

    Every method raises `DeskError` (DESK_UNREACHABLE, DESK_VERSION) where there was no answer to be understood, and
    `DeskAnswerError` where the desk said no.

    Args:
        path: where the desk listens.
        journal: of the desk that listens there, where it is known: who holds it is named while nobody listens.
        answer_seconds: how long an answer may take, beyond what the question itself asks to wait.
    """

    def __init__(
        self, path: Path, *, journal: Path | None = None, answer_seconds: float = _ANSWER_SECONDS
    ) -> None:
        self._socket = path
        self._journal = journal
        self._answer_seconds = answer_seconds
        self._http = httpx.Client(
            base_url=BASE_URL,
            # A Unix socket: there is no TLS to verify, and loading whom to trust takes longer than an answer.
            transport=httpx.HTTPTransport(
                uds=str(path),
                verify=False,
            ),
            headers={PROTOCOL_HEADER: str(PROTOCOL)},
            trust_env=False,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close every connection."""
        self._http.close()

    # Reading.

    def status(self) -> Status:
        """The desk, at a glance."""
        return self._get("/v1/status", Status)

    def intents(self, *, state: str | None = None, account: str | None = None, limit: int = 50) -> IntentList:
        """The newest intents; `state` may also be `open` or `live`."""
        asked = {"state": state, "account": account, "limit": str(limit)}
        return self._get("/v1/intents", IntentList, asked)

    def intent(self, intent_id: str) -> IntentDetail:
        """One intent, with its evidence."""
        return self._get(_of_intent(intent_id), IntentDetail)

    def news(self, *, after: int, wait_ms: int) -> News:
        """What happened since an event; waits for it at most `wait_ms`."""
        asked = {"after": str(after), "wait_ms": str(wait_ms)}
        return self._get("/v1/news", News, asked, more_seconds=wait_ms / 1000)

    def head(self) -> int:
        """The number of the latest event there is."""
        return self.news(after=_NEVER, wait_ms=0).head

    def configuration(self) -> Configuration:
        """`desk.toml` as it stands, against what was accepted."""
        return self._get("/v1/configuration", Configuration)

    def approvers(self) -> ApproverList:
        """Who can approve."""
        return self._get("/v1/approvers", ApproverList)

    def clients(self) -> ClientList:
        """Who can propose, and what."""
        return self._get("/v1/clients", ClientList)

    # What needs no signature.

    def open(self, intent_id: str) -> Decision:
        """Have a proposal previewed afresh; what comes back is checked by `approving`, not here."""
        return self._post(f"{_of_intent(intent_id)}/open", None, Decision)

    def decline(self, intent_id: str, message: Decline) -> IntentView:
        """Say no."""
        return self._post(f"{_of_intent(intent_id)}/decline", message, IntentView)

    def halt(self, order: HaltOrder) -> Halted:
        """Halt at once."""
        return self._post("/v1/halt", order, Halted)

    def failed(self, failure: Failure) -> None:
        """Tell of a wrong passphrase."""
        self._asked("POST", "/v1/failures", failure)

    def challenge(self) -> Challenge:
        """What the next statement has to carry."""
        return self._post("/v1/challenge", None, Challenge)

    def console_link(self) -> ConsoleLink:
        """A link that opens the console in one browser, once."""
        return self._post("/v1/console-link", None, ConsoleLink)

    def invite(self, invitation: PasskeyInvitation) -> PasskeyInvited:
        """Let a browser make a passkey."""
        return self._post("/v1/passkeys", invitation, PasskeyInvited)

    def invited(self, invitation_id: str) -> PasskeyAnswer:
        """What has come of an invitation; its id is one that `invite` gave."""
        return self._get(f"/v1/passkeys/{invitation_id}", PasskeyAnswer)

    # What does.

    def signed(self, message: SignedMessage) -> Done:
        """Hand in one statement with one signature."""
        return self._post("/v1/signed", message, Done)

    def _get(
        self,
        path: str,
        kind: type[_Answer],
        asked: Mapping[str, str | None] | None = None,
        *,
        more_seconds: float = 0.0,
    ) -> _Answer:
        given = {name: value for name, value in (asked or {}).items() if value is not None}
        return _read(kind, self._asked("GET", path, None, given, more_seconds=more_seconds))

    def _post(self, path: str, message: Record | None, kind: type[_Answer]) -> _Answer:
        return _read(kind, self._asked("POST", path, message))

    def _asked(
        self,
        verb: str,
        path: str,
        message: Record | None,
        query: Mapping[str, str] | None = None,
        *,
        more_seconds: float = 0.0,
    ) -> bytes:
        request = self._http.build_request(
            verb,
            path,
            params=query,
            content=None if message is None else message.model_dump_json().encode(),
            headers={} if message is None else {"Content-Type": "application/json"},
            timeout=httpx.Timeout(self._answer_seconds + more_seconds, connect=_CONNECT_SECONDS),
        )
        self._knock()
        try:
            answer = self._http.send(request, stream=True)
            try:
                body = _bounded(answer)
            finally:
                answer.close()
        except httpx.ConnectTimeout:
            raise self._busy() from None
        except httpx.TimeoutException:
            seconds = self._answer_seconds + more_seconds
            raise self._unreachable(f"did not answer within {seconds:g} s", _lost(verb)) from None
        except httpx.HTTPError as error:
            raise self._unreachable(f"ended the conversation ({type(error).__name__})", _lost(verb)) from None
        _check_protocol(answer)
        if not answer.is_success:
            raise _refusal(answer.status_code, body)
        return body

    def _knock(self) -> None:
        """Find out in the system's own words why nobody is there; httpx has one word for all of it.

        Raises:
            DeskError: DESK_UNREACHABLE.
        """
        with socket.socket(socket.AF_UNIX) as knocking:
            knocking.settimeout(_CONNECT_SECONDS)
            try:
                knocking.connect(str(self._socket))
            except PermissionError:
                raise self._unreachable(
                    f"is another user's: this user (uid {os.geteuid()}) may not enter its directory",
                    f"Run this command as the desk's own user, who can enter {self._socket.parent}",
                ) from None
            except (FileNotFoundError, NotADirectoryError):
                raise self._absent(f"is not running: there is no {self._socket}") from None
            except ConnectionRefusedError:
                raise self._absent(f"is not running any more: nobody listens at {self._socket}") from None
            except TimeoutError:
                raise self._busy() from None
            except OSError as error:
                why = error.strerror or str(error)
                raise self._unreachable(f"cannot be reached at {self._socket}: {why}", _START) from None

    def _absent(self, what: str) -> DeskError:
        """Nobody listens: there is no desk, or there is one that starts or ends just now and holds its locks."""
        by = holder(socket_lock(self._socket))
        if by is not None:
            return self._unreachable(f"({by}) {by.doing or 'does not listen yet'}", _AGAIN)
        by = None if self._journal is None else holder(journal_lock(self._journal))
        if by is not None:
            return self._unreachable(
                f"does not listen, and {by} holds its journal: it starts or ends", _AGAIN
            )
        return self._unreachable(what, _START)

    def _busy(self) -> DeskError:
        return self._unreachable("does not take connections", "It is busy or stopped; look at its log.")

    def _unreachable(self, what: str, next_step: str) -> DeskError:
        return DeskError(ErrorCode.DESK_UNREACHABLE, f"The desk {what}.", hint=next_step)


def _lost(verb: str) -> str:
    """What to do about an answer that did not come."""
    if verb == "GET":
        return "Nothing was changed; ask again."
    return "What was asked may have been done: look before asking again, with exchange-mcp status or intents list."


def _of_intent(intent_id: str) -> str:
    # An id that could be part of another path names no intent.
    if not intent_id.isascii() or not intent_id.replace("-", "").replace("_", "").isalnum():
        raise InvalidArgumentError(f"{visible(intent_id, 40)} is not the id of an intent")
    return f"/v1/intents/{intent_id}"


def _bounded(answer: httpx.Response) -> bytes:
    parts: list[bytes] = []
    size = 0
    for part in answer.iter_bytes():
        size += len(part)
        if size > _MOST_BYTES:
            raise _not_understood(f"it is longer than {_MOST_BYTES} bytes")
        parts.append(part)
    return b"".join(parts)


def _check_protocol(answer: httpx.Response) -> None:
    spoken = answer.headers.get(PROTOCOL_HEADER)
    if spoken is not None and spoken != str(PROTOCOL):
        raise DeskError(
            ErrorCode.DESK_VERSION,
            f"The desk speaks protocol {visible(spoken, 20)}, this command {PROTOCOL}.",
            hint="Use the exchange-mcp of the version that the desk runs; exchange-mcp --version tells yours.",
        )


def _read(kind: type[_Answer], body: bytes) -> _Answer:
    try:
        return kind.model_validate_json(body)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])[:80]
        raise _not_understood(f"as a {kind.__name__}, {where or 'it'}: {first['msg'][:120]}") from None


def _refusal(status: int, body: bytes) -> ExchangeMcpError:
    try:
        return DeskAnswerError(ErrorMessage.model_validate_json(body))
    except ValidationError:
        return _not_understood(f"HTTP status {status} without an error message of this protocol")


def _not_understood(why: str) -> DeskError:
    return DeskError(
        ErrorCode.DESK_VERSION,
        f"The desk's answer cannot be understood: {visible(why, 240)}.",
        hint="Whatever listens there may be a desk of another version: compare exchange-mcp --version on both sides.",
    )
