"""Asking the desk over its proposal socket. An answer that was lost is asked for again under the same proposal id.

httpx is imported when the desk is asked for the first time: a server that lists tools starts without it.
"""

import errno
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, TypeVar

import anyio
from pydantic import ValidationError

from exchange_mcp.link.messages import (
    BASE_URL,
    MOST_WAIT_MS,
    PROTOCOL,
    PROTOCOL_HEADER,
    AccountIdentity,
    Agreement,
    ErrorMessage,
    Handshake,
    IntentMessage,
    ProposalMessage,
)
from exchange_mcp.link.refusals import refusal
from exchange_mcp.model.errors import BusyError, DeskError, ErrorCode, ExchangeMcpError
from exchange_mcp.model.frozen import Record
from exchange_mcp.model.venue_text import visible

if TYPE_CHECKING:
    import httpx

    from exchange_mcp.link.ports import Draft
    from exchange_mcp.model.ports import Clock, Entropy

_LARGEST_ANSWER: Final = 262_144
_ID_BYTES: Final = 16
_OK: Final = 200
# Beyond its wait, in seconds: clients have been seen that give a call a minute.
_LONGEST_READ: Final = 5.0
_LONGEST_HANDSHAKE: Final = 5.0
_AskedFor = TypeVar("_AskedFor", bound=Record)
_Method = Literal["GET", "POST"]

_START: Final = "The operator starts it: exchange-mcp desk. Reading accounts goes on without it."
_AGAIN: Final = (
    "Calling again with the same arguments is safe: a desk that took the proposal answers with that intent, and makes "
    "no second one."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long and how often the desk is asked, in seconds.

    Attributes:
        connect: until it takes a connection. answer: until its answer is here, beyond what it was asked to wait.
        pauses: before a question is put for the second time, the third and so on; so many times more at most.
        longest: what all of that may take, beyond what the desk was asked to wait.
    """

    connect: float = 2.0
    answer: float = 10.0
    pauses: tuple[float, ...] = (0.2, 1.0)
    longest: float = 25.0


class _LostError(Exception):
    """No answer that can be read: whether the question arrived is not known. The message completes "the desk ..."."""


class _AbsentError(Exception):
    """The question did not leave us. The message is a sentence; `hint` the next step."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


class DeskClient:
    """One desk's proposal socket, for as many callers as have a credential for it.

    Args:
        socket: where it is.
        version: of this product, told to the desk.
        entropy: where proposal ids come from.
        clock: how long a question has taken already.
        sleep: waits between two attempts.
    """

    def __init__(  # noqa: PLR0913 - its ports
        self,
        socket: Path,
        *,
        version: str,
        entropy: "Entropy",
        clock: "Clock",
        patience: Patience | None = None,
        sleep: Callable[[float], Awaitable[None]] = anyio.sleep,
    ) -> None:
        self._socket = socket
        self._version = version
        self._entropy = entropy
        self._clock = clock
        self._patience = patience or Patience()
        self._sleep = sleep
        self._http: httpx.AsyncClient | None = None

    def linked(self, credential: str) -> "Linked":
        """The desk, as the client asks it that has this credential."""
        return Linked(self, credential)

    async def close(self) -> None:
        """Close every connection; whoever asks afterwards opens new ones."""
        http, self._http = self._http, None
        if http is not None:
            await http.aclose()

    def minted(self) -> str:
        """A proposal id that was never used and cannot be guessed."""
        return self._entropy.token(_ID_BYTES).hex()

    def said(self, accounts: tuple[AccountIdentity, ...]) -> Handshake:
        """What serve says in a handshake."""
        return Handshake(protocol=PROTOCOL, version=self._version, accounts=accounts)

    async def ask(  # noqa: PLR0913 - a request's parts
        self,
        method: _Method,
        path: str,
        answer: type[_AskedFor],
        *,
        credential: str,
        body: Record | None = None,
        query: Mapping[str, str] | None = None,
        wait_ms: int = 0,
        longest: float | None = None,
        proposal_id: str | None = None,
        fits: Callable[[_AskedFor], bool] = lambda _: True,
    ) -> _AskedFor:
        """The answer to one question, which is put again, the very same, where the answer was lost or the desk busy.

        An answer that does not fit the question, being about another intent, is none.

        It takes what the desk was asked to wait and `longest` at most (seconds; by default the patience's own).

        Raises:
            ExchangeMcpError: what the desk answered instead, or DeskError where it cannot be asked.
        """
        lost: str | None = None
        busy: BusyError | None = None
        content = None if body is None else body.model_dump_json().encode()
        until = self._clock.monotonic() + (longest or self._patience.longest) + wait_ms / 1000
        tried = 0
        for pause in (0.0, *self._patience.pauses):
            left = until - self._clock.monotonic() - pause
            if left <= 0:
                break
            if pause:
                await self._sleep(pause)
            tried += 1
            seconds = min(left, self._patience.answer + wait_ms / 1000)
            try:
                status, raw, protocol = await self._once(
                    method, path, seconds, credential=credential, content=content, query=query
                )
                return _fitting(_read(status, raw, protocol, answer, proposal_id), fits)
            except _AbsentError as error:
                if lost is None:
                    raise _unreachable(
                        f"{error}; nothing was asked of the desk", error.hint, proposal_id
                    ) from None
                lost = str(error)
            except BusyError as error:
                # It took nothing of this one. What became of one before it, whose answer was lost, that does not say.
                busy = error
            except _LostError as error:
                lost = str(error)
        if busy is not None and lost is None:
            raise busy
        said = f"{lost}; it was asked {tried} times"
        if proposal_id is None:
            raise _unreachable(said, "Call again in a moment.", None)
        raise _unreachable(f"{said}, and may have taken the proposal", _AGAIN, proposal_id)

    async def _once(  # noqa: PLR0913 - a request's parts
        self,
        method: _Method,
        path: str,
        seconds: float,
        *,
        credential: str,
        content: bytes | None,
        query: Mapping[str, str] | None,
    ) -> tuple[int, bytes, str | None]:
        """Status, body and protocol of one answer."""
        import httpx  # noqa: PLC0415 - not at the start of a server

        headers = {"Authorization": f"Bearer {credential}", PROTOCOL_HEADER: str(PROTOCOL)}
        if content is not None:
            headers["Content-Type"] = "application/json"
        try:
            with anyio.fail_after(seconds):
                http = self._opened()
                async with http.stream(
                    method, path, params=query, content=content, headers=headers
                ) as response:
                    raw = bytearray()
                    async for part in response.aiter_raw():
                        raw += part
                        if len(raw) > _LARGEST_ANSWER:
                            raise _LostError(f"the desk's answer is longer than {_LARGEST_ANSWER} bytes")
                    return response.status_code, bytes(raw), response.headers.get(PROTOCOL_HEADER)
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            raise _absent(error) from None
        except (TimeoutError, httpx.TimeoutException):
            raise _LostError(f"the desk gave no answer within {seconds:g} s") from None
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError):
            raise _LostError("the desk's answer broke off") from None

    def _opened(self) -> "httpx.AsyncClient":
        if self._http is None:
            import httpx  # noqa: PLC0415 - not at the start of a server

            self._http = httpx.AsyncClient(
                base_url=BASE_URL,
                # A Unix socket: there is no TLS to verify, no proxy to pass, and nowhere to be redirected to.
                # A connection a question: bytes that came after one answer are never read as the answer to the next.
                transport=httpx.AsyncHTTPTransport(
                    uds=str(self._socket),
                    verify=False,
                    trust_env=False,
                    limits=httpx.Limits(max_keepalive_connections=0),
                ),
                trust_env=False,
                follow_redirects=False,
                timeout=httpx.Timeout(None, connect=self._patience.connect),
            )
        return self._http


class Linked:
    """A `DeskLink` over the socket: the desk, as one client may ask it."""

    def __init__(self, desk: DeskClient, credential: str) -> None:
        self._desk = desk
        self._credential = credential
        self._agreed: set[AccountIdentity] = set()

    def __repr__(self) -> str:
        return "Linked()"

    async def handshake(self, accounts: tuple[AccountIdentity, ...]) -> Agreement:
        """Compare these accounts with the desk's.

        Raises:
            DeskError: the desk cannot be asked, or is of another version.
        """
        agreement = await self._desk.ask(
            "POST",
            "/v1/handshake",
            Agreement,
            credential=self._credential,
            body=self._desk.said(accounts),
            longest=_LONGEST_HANDSHAKE,
        )
        if agreement.protocol != PROTOCOL:
            raise _another_version(str(agreement.protocol), agreement.version, None)
        return agreement

    async def propose(self, draft: "Draft") -> IntentMessage:
        """Propose one write under an id that is minted here, once.

        The first proposal of an account follows a handshake about it; the desk compares again with each proposal.
        """
        proposal_id = self._desk.minted()
        message = ProposalMessage(
            proposal_id=proposal_id,
            tool=draft.tool,
            declaration=draft.declaration,
            account=draft.account,
            action=draft.action,
            request=dict(draft.request),
            distinct_from=draft.distinct_from,
            note=draft.note,
        )
        if draft.account not in self._agreed:
            await self._agree(draft.account, proposal_id)
        try:
            return await self._desk.ask(
                "POST",
                "/v1/proposals",
                IntentMessage,
                credential=self._credential,
                body=message,
                proposal_id=proposal_id,
                # An earlier intent that was asked for again says so, and has its own proposal's id.
                fits=lambda told: told.repeated or told.proposal_id == proposal_id,
            )
        except DeskError:
            self._agreed.clear()  # the desk that answers next may be another one
            raise

    async def read(self, intent_id: str, *, wait_ms: int = 0, state: str | None = None) -> IntentMessage:
        """An intent of this client's, at once, or as soon as its state is another one than `state`."""
        wait_ms = max(0, min(wait_ms, MOST_WAIT_MS))
        query = {"wait_ms": str(wait_ms)} if state is None else {"wait_ms": str(wait_ms), "state": state}
        return await self._desk.ask(
            "GET",
            f"/v1/intents/{intent_id}",
            IntentMessage,
            credential=self._credential,
            query=query if wait_ms else None,
            wait_ms=wait_ms,
            longest=_LONGEST_READ if wait_ms else None,
            fits=lambda told: told.intent_id == intent_id,
        )

    async def retract(self, intent_id: str) -> IntentMessage:
        """Take back what this client proposed; done twice it is done once."""
        path = f"/v1/intents/{intent_id}/retract"
        return await self._desk.ask(
            "POST",
            path,
            IntentMessage,
            credential=self._credential,
            fits=lambda told: told.intent_id == intent_id,
        )

    async def _agree(self, account: AccountIdentity, proposal_id: str) -> None:
        try:
            agreement = await self.handshake((account,))
        except ExchangeMcpError as error:
            raise refusal(ErrorMessage(error=error.body()), proposal_id=proposal_id) from None
        for each in agreement.accounts:
            if each.name == account.name and each.agreed in {"mismatch", "not_held"}:
                raise DeskError(
                    ErrorCode.ACCOUNT_MISMATCH,
                    f"account {account.name}: {visible(each.reason, 400)} (proposal {proposal_id})",
                    hint="The operator gives the account the same name and venue in serve.toml and desk.toml.",
                )
        self._agreed.add(account)


def _read(
    status: int, raw: bytes, protocol: str | None, answer: type[_AskedFor], proposal_id: str | None
) -> _AskedFor:
    if protocol is not None and protocol != str(PROTOCOL):
        raise _another_version(protocol, None, proposal_id)
    try:
        if status == _OK and protocol is not None:
            return answer.model_validate_json(raw)
        said = ErrorMessage.model_validate_json(raw) if status > _OK else None
    except ValidationError:
        said = None
    if said is None:
        raise _LostError(f"what answered (HTTP {status}) is not the answer of a desk of this version")
    raise refusal(said, proposal_id=proposal_id)


def _fitting(told: _AskedFor, fits: Callable[[_AskedFor], bool]) -> _AskedFor:
    if not fits(told):
        raise _LostError("what answered spoke of another intent than was asked about")
    return told


def _absent(error: Exception) -> _AbsentError:
    """Why no connection came about, by the operating system's own reason."""
    reason = next((each.errno for each in _causes(error) if isinstance(each, OSError)), None)
    if reason in {errno.EACCES, errno.EPERM}:
        return _AbsentError(
            "this server's user may not use the desk's socket",
            "The operator gives that user the group that desk.toml names as proposal_group, and starts serve again.",
        )
    if reason in {errno.ENOENT, errno.ENOTDIR}:
        return _AbsentError("the desk is not running: there is no socket where serve.toml names it", _START)
    return _AbsentError("the desk is not running: nobody answers at its socket", _START)


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The error and all that led to it, each once: libraries have been seen to tie them in a ring."""
    seen: dict[int, BaseException] = {}
    open_: list[BaseException | None] = [error]
    while open_:
        each = open_.pop()
        if each is not None and id(each) not in seen:
            seen[id(each)] = each
            yield each
            open_ += (each.__context__, each.__cause__)


def _unreachable(message: str, hint: str, proposal_id: str | None) -> DeskError:
    about = "" if proposal_id is None else f" (proposal {proposal_id})"
    return DeskError(ErrorCode.DESK_UNREACHABLE, f"{message}{about}", hint=hint)


def _another_version(protocol: str, version: str | None, proposal_id: str | None) -> DeskError:
    about = "" if proposal_id is None else f" (proposal {proposal_id})"
    release = "" if version is None else f" (release {visible(version, 32)})"
    return DeskError(
        ErrorCode.DESK_VERSION,
        f"the desk{release} speaks version {visible(protocol, 16)} of the protocol, and this server {PROTOCOL}{about}",
        hint="The operator runs serve and desk from the same release.",
    )
