"""One request of one session: who asks, for what, and how the answer goes back. No page and no act is decided here."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final, TypeVar

from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response

from exchange_mcp.config.logs import get_logger
from exchange_mcp.desk.console.ceremonies import Ceremonies
from exchange_mcp.desk.console.opened import OpenedDecisions
from exchange_mcp.desk.console.refusals import RefusedError
from exchange_mcp.desk.console.rendering import Pages
from exchange_mcp.desk.console.sessions import COOKIE, Session, Sessions
from exchange_mcp.desk.office import OperatorOffice
from exchange_mcp.model.errors import ExchangeMcpError
from exchange_mcp.model.frozen import Record
from exchange_mcp.model.ports import Clock

_log = get_logger(__name__)
_MOST_COOKIES: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """What every page and every act has at hand."""

    office: OperatorOffice
    clock: Clock
    sessions: Sessions
    ceremonies: Ceremonies
    decisions: OpenedDecisions
    pages: Pages
    type_above: Callable[[], Decimal]


@dataclass(frozen=True, slots=True)
class Visit:
    """One request."""

    room: Room
    request: Request
    session: Session

    def parameter(self, name: str) -> str:
        """A part of the path."""
        return str(self.request.path_params[name])

    def form(self, purpose: str) -> str:
        """The nonce of a form on the page that is made."""
        return self.room.sessions.form(self.session, purpose)

    def page(self, template: str, **given: Any) -> Response:  # noqa: ANN401 - whatever the template names
        """A page of the console."""
        status = self.room.office.status()
        return HTMLResponse(
            self.room.pages.render(
                template,
                status=status,
                now_ms=self.room.clock.now_ms(),
                root=self.session.path,
                form=self.form,
                **given,
            )
        )


Form = TypeVar("Form", bound=Record)
Reading = Callable[[Visit], Awaitable[Response] | Response]
Acting = Callable[[Visit, Any], Awaitable[dict[str, object]]]


class Visits:
    """Makes endpoints of pages and acts."""

    def __init__(self, room: Room) -> None:
        self._room = room

    def reading(self, page: Reading) -> Callable[[Request], Awaitable[Response]]:
        """An endpoint that shows something."""

        async def endpoint(request: Request) -> Response:
            session = self._session(request)
            try:
                answer = page(Visit(self._room, request, session))
                response = answer if isinstance(answer, Response) else await answer
            except ExchangeMcpError as error:
                response = self._trouble(error, session)
            if request.headers.get("sec-fetch-dest") == "document":
                self._renew(session, response)
            return response

        return endpoint

    def acting(
        self, act: Acting, form: type[Record], purpose: Callable[[Visit, Any], str] | None
    ) -> Callable[[Request], Awaitable[Response]]:
        """An endpoint that does something; the form's nonce is used up first, whatever comes of it.

        Args:
            act: what is done.
            form: what is sent.
            purpose: what the nonce has to be for; None where something else stands for it.
        """

        async def endpoint(request: Request) -> Response:
            session = self._session(request)
            visit = Visit(self._room, request, session)
            wanted = ""
            try:
                sent = read(form, await request.body())
                if purpose is not None:
                    wanted = purpose(visit, sent)
                    self._room.sessions.spend(session, getattr(sent, "nonce", ""), wanted)
                said = await act(visit, sent)
                # A page that asks for a passkey stays, and may have to ask again.
                return JSONResponse({**said, "nonce": visit.form(wanted)} if "ceremony" in said else said)
            except RefusedError as refusal:
                return self._refused(visit, wanted, refusal)
            except ExchangeMcpError as error:
                message = f"{error.message} {error.next_step}".strip()
                return self._refused(visit, wanted, RefusedError(409, error.code.value, message))

        return endpoint

    def _refused(self, visit: Visit, purpose: str, refusal: RefusedError) -> Response:
        """The refusal, with another nonce, so that a person can mend what was wrong without losing the page."""
        _log.info("console refused", code=refusal.code, status=refusal.status)
        said: dict[str, object] = {"error": refusal.message, "code": refusal.code}
        if purpose:
            said["nonce"] = visit.form(purpose)
        headers = {} if refusal.retry_after is None else {"Retry-After": str(refusal.retry_after)}
        return JSONResponse(said, refusal.status, headers)

    def _trouble(self, error: ExchangeMcpError, session: Session) -> Response:
        given = {"message": error.message, "hint": error.next_step, "root": session.path}
        return HTMLResponse(self._room.pages.render("trouble.html", **given), 409)

    def _session(self, request: Request) -> Session:
        values = [
            value for line in request.headers.getlist("cookie")[:_MOST_COOKIES] for value in _cookies(line)
        ]
        return self._room.sessions.find(str(request.path_params["door"]), values)

    def _renew(self, session: Session, response: Response) -> None:
        value = self._room.sessions.renewed(session)
        if value is not None:
            response.headers.append("set-cookie", cookie(session, value))


def read(form: type[Form], body: bytes) -> Form:
    """What was sent, if it is of this form and nothing more.

    Raises:
        RefusedError: it is not.
    """
    try:
        return form.model_validate_json(body)
    except ValidationError:
        raise RefusedError(
            400, "FORM_REFUSED", "The page sent something else than its form. Reload it."
        ) from None


def cookie(session: Session, value: str) -> str:
    """The header that hands a session's cookie out; only the session's own path ever gets it back."""
    return f"{COOKIE}={value}; Path={session.path}; HttpOnly; SameSite=Strict"


def _cookies(line: str) -> list[str]:
    """The values of our cookie; another program of this machine may have added some under the same name."""
    pairs = (part.strip().partition("=") for part in line.split(";")[: 4 * _MOST_COOKIES])
    return [value for name, _, value in pairs if name == COOKIE]
