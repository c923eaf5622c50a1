"""The console as an ASGI application, and its door for whoever sits at the terminal."""

from collections.abc import Awaitable, Callable
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated

from pydantic import Field
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Route

from exchange_mcp.desk.console import acts, reading
from exchange_mcp.desk.console.acts import (
    AccountForm,
    ApproveForm,
    Form,
    ResolveForm,
    ResumeForm,
    SignatureForm,
)
from exchange_mcp.desk.console.ceremonies import Ceremonies
from exchange_mcp.desk.console.guard import Guard, refuse
from exchange_mcp.desk.console.invitations import Invitations
from exchange_mcp.desk.console.opened import OpenedDecisions
from exchange_mcp.desk.console.refusals import RefusedError
from exchange_mcp.desk.console.rendering import ASSETS, Pages, asset
from exchange_mcp.desk.console.sessions import Sessions
from exchange_mcp.desk.console.visits import Acting, Reading, Room, Visit, Visits, cookie, read
from exchange_mcp.desk.office import OperatorOffice
from exchange_mcp.desk.operator.messages import (
    ConsoleLink,
    PasskeyAnswer,
    PasskeyInvitation,
    PasskeyInvited,
)
from exchange_mcp.model.frozen import Record
from exchange_mcp.model.ports import Clock, Entropy

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

_Secret = Annotated[str, Field(max_length=64)]
Endpoint = Callable[[Request], Awaitable[Response]]


class EnterForm(Record):
    """A link's secret."""

    secret: _Secret


class BeginForm(Record):
    """An invitation's secret, and the code that the terminal shows."""

    secret: _Secret
    code: Annotated[str, Field(max_length=32)]


class FinishForm(Record):
    """An invitation's secret, and what the browser made."""

    secret: _Secret
    credential_id: Annotated[str, Field(max_length=2048)]
    attestation_object: Annotated[str, Field(max_length=16_384)]
    client_data_json: Annotated[str, Field(max_length=4096)]


class Console:
    """The application; `link`, `invite` and `answer` are what the operator socket asks (`ConsoleDoor`).

    Attributes:
        origin: where it has to be served, on 127.0.0.1 and ::1: WebAuthn knows no address, only this name.
        room, invitations: what is open in it.
    """

    def __init__(self, room: Room, invitations: Invitations, *, port: int) -> None:
        self.room = room
        self.invitations = invitations
        self.routes = _routes(room, invitations)
        # Starlette's own pages of errors say what a program wants to hear; ours are in words.
        inner = Starlette(
            routes=self.routes,
            exception_handlers={RefusedError: _refused, 404: _not_found, 405: _not_found, 500: _failed},
        )
        inner.router.redirect_slashes = False
        self._guard = Guard(inner, port=port)
        self.origin = self._guard.origin

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Answer one request."""
        await self._guard(scope, receive, send)

    def link(self) -> ConsoleLink:
        """A link that opens the console in one browser, once, within two minutes."""
        secret, expires_ms = self.room.sessions.link()
        return ConsoleLink(url=f"{self.origin}/enter#{secret}", expires_ms=expires_ms)

    def invite(self, invitation: PasskeyInvitation) -> PasskeyInvited:
        """Let the browser make a passkey; what is made waits for an approver's signature."""
        made = self.invitations.invite(invitation.name)
        code = f"{made.code[:4]}-{made.code[4:]}"
        url = f"{self.origin}/enrol#{made.secret}"
        return PasskeyInvited(id=made.id, url=url, code=code, expires_ms=made.expires_ms)

    def answer(self, invitation_id: str) -> PasskeyAnswer:
        """What has come of an invitation.

        Raises:
            InvalidArgumentError: there is none by this id, or its time is over.
        """
        return self.invitations.answer(invitation_id)

    def close(self) -> None:
        """End every session with its streams: the desk stops."""
        self.room.sessions.end_all()


def console_app(
    office: OperatorOffice,
    *,
    port: int,
    type_above: Callable[[], Decimal],
    clock: Clock,
    entropy: Entropy,
) -> Console:
    """The console over this office.

    Args:
        office: what is asked; it verifies every signature itself.
        port: where it is served; part of the origin that passkeys are bound to.
        type_above: from which worst case, in the policy's reference currency, the amount has to be typed; asked each
            time, since the configuration may change.
        clock: wall time.
        entropy: of links, cookies and nonces.
    """
    sessions = Sessions(clock, entropy)
    room = Room(
        office=office,
        clock=clock,
        sessions=sessions,
        ceremonies=Ceremonies(office, clock),
        decisions=OpenedDecisions(office, clock),
        pages=Pages(),
        type_above=type_above,
    )
    return Console(room, Invitations(clock, entropy, origin=f"http://localhost:{port}"), port=port)


def _routes(room: Room, invitations: Invitations) -> list[BaseRoute]:
    visits = Visits(room)

    def page(path: str, shows: Reading) -> Route:
        return Route(f"/d/{{door}}/{path}", visits.reading(shows), methods=["GET"])

    def act(
        path: str, does: Acting, form: type[Record], purpose: Callable[[Visit, object], str] | None
    ) -> Route:
        return Route(f"/d/{{door}}/{path}", visits.acting(does, form, purpose), methods=["POST"])

    def of(word: str, part: str) -> Callable[[Visit, object], str]:
        return lambda visit, _: f"{word} {visit.parameter(part)}"

    def about_account(word: str) -> Callable[[Visit, object], str]:
        return lambda _, form: f"{word} {getattr(form, 'account', None)}"

    return [
        Route("/", _shows(room, "door.html"), methods=["GET"]),
        Route("/enter", _shows(room, "enter.html"), methods=["GET"]),
        Route("/enter", _enters(room), methods=["POST"]),
        Route("/enrol", _shows(room, "enrol.html"), methods=["GET"]),
        Route("/enrol/begin", _begins(invitations), methods=["POST"]),
        Route("/enrol/finish", _finishes(invitations), methods=["POST"]),
        Route("/assets/{name}", _asset, methods=["GET"]),
        page("", reading.pending),
        page("events", reading.events),
        page("intents", reading.intents),
        page("intents/{intent}", reading.intent),
        page("decisions/{decision}", reading.decision),
        page("decisions/{decision}/state", reading.decision_state),
        page("limits", reading.limits),
        page("accounts", reading.accounts),
        page("people", reading.people),
        act("intents/{intent}/open", acts.open_decision, Form, of("open", "intent")),
        act("intents/{intent}/decline", acts.decline, Form, of("decline", "intent")),
        act("intents/{intent}/resolve", acts.resolve, ResolveForm, of("resolve", "intent")),
        act("decisions/{decision}/approve", acts.approve, ApproveForm, of("approve", "decision")),
        act("halt", acts.halt, AccountForm, about_account("halt")),
        act("resume", acts.resume, ResumeForm, about_account("resume")),
        act("leave", acts.leave, Form, lambda _visit, _form: "leave"),
        act("sign", acts.sign, SignatureForm, None),
    ]


def _shows(room: Room, template: str) -> Endpoint:
    async def endpoint(_: Request) -> Response:
        return HTMLResponse(room.pages.render(template))

    return endpoint


def _enters(room: Room) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        session, value = room.sessions.enter(read(EnterForm, await request.body()).secret)
        return JSONResponse({"to": session.path}, headers={"set-cookie": cookie(session, value)})

    return endpoint


def _begins(invitations: Invitations) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        sent = read(BeginForm, await request.body())
        return JSONResponse({"options": invitations.begin(sent.secret, sent.code)})

    return endpoint


def _finishes(invitations: Invitations) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        sent = read(FinishForm, await request.body())
        return JSONResponse({"check": invitations.finish(sent.secret, sent.model_dump(exclude={"secret"}))})

    return endpoint


async def _asset(request: Request) -> Response:
    name = str(request.path_params["name"])
    if name not in ASSETS:
        raise RefusedError(404, "NO_SUCH_PAGE", "There is nothing at this address.")
    return Response(asset(name), media_type=ASSETS[name])


async def _refused(request: Request, refusal: Exception) -> Response:
    assert isinstance(refusal, RefusedError)  # noqa: S101 - registered for nothing else
    return _Refusal(refusal, as_json=request.method != "GET")


async def _not_found(request: Request, _: Exception) -> Response:
    refusal = RefusedError(404, "NO_SUCH_PAGE", "There is nothing at this address.")
    return _Refusal(refusal, as_json=request.method != "GET")


async def _failed(request: Request, _: Exception) -> Response:
    refusal = RefusedError(500, "INTERNAL", "The console failed at this. The desk's log has the details.")
    return _Refusal(refusal, as_json=request.method != "GET")


class _Refusal(Response):
    """A refusal, as the guard writes them."""

    def __init__(self, refusal: RefusedError, *, as_json: bool) -> None:
        super().__init__()
        self._refusal = refusal
        self._as_json = as_json

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:  # noqa: ARG002 - the signature of ASGI
        await refuse(self._refusal, send, as_json=self._as_json)
