"""What may leave the process. Default deny, checked three times: before signing, after it, and at the socket.

A request needs a capability: an object that names the endpoints that one call may ask, set for the call's
context alone and shut when the call ends, so that a task which outlives the call holds nothing. Only the
functions `reading`, `loading`, `scoping`, `capturing` and `writing` set one; they are called by `reads` and
`finding`, `opening`, `keys`, `render` and `writes`.

1. `Guard.fetch2` sees the endpoint before it is signed: is it one of the capability's?
2. `Guard.fetch` sees the signed URL: is it the frozen address of that endpoint, and only sent once?
3. `wire.Wire` sends exactly that URL, once, without redirects.

A request that was blocked or that failed inside a call poisons the call: it fails when it ends, also where
ccxt swallowed the exception.
"""

import json
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache
from http import HTTPStatus
from typing import Any, Final, cast
from urllib.parse import urlsplit

from exchange_mcp.config.logs import get_logger
from exchange_mcp.model.errors import BadAnswerError, EgressBlockedError
from exchange_mcp.rules import reading as shapes
from exchange_mcp.rules.endpoints import REVIEWED, WRITES, Endpoint
from exchange_mcp.rules.writing import Signing
from exchange_mcp.venue.addresses import Address, has_plain_ids
from exchange_mcp.venue.attempts import CALL, Attempt, Call, SendToken, sending, under_way
from exchange_mcp.venue.line import Line
from exchange_mcp.venue.signed import ClientId, SignedWrite
from exchange_mcp.venue.wire import Wire

_log = get_logger(__name__)

# What ccxt reads from a call's parameters to change how it sends, rather than what.
_STEERING: Final = frozenset(
    {"maxRetriesOnFailure", "defaultMaxRetriesOnFailure", "maxRetriesOnFailureDelay", "callerMethodName"}
)
# Settings that would send requests elsewhere or print them; none may be on when a request leaves.
_FORBIDDEN: Final = (
    *("verbose", "proxyUrl", "proxy_url", "proxyUrlCallback", "proxy_url_callback"),
    *("httpProxy", "http_proxy", "httpProxyCallback", "http_proxy_callback"),
    *("httpsProxy", "https_proxy", "httpsProxyCallback", "https_proxy_callback"),
    *("socksProxy", "socks_proxy", "socksProxyCallback", "socks_proxy_callback"),
    *("aiohttp_proxy", "aiohttp_trust_env", "proxy"),
)


@cache
def _writes_of(venue: str) -> frozenset[Endpoint]:
    return frozenset(line.endpoint for line in REVIEWED.get(venue, ()) if line.cls in WRITES)


@dataclass(frozen=True, slots=True)
class Rendered:
    """A request as ccxt hands it over for signing: endpoint and every parameter, in a canonical form."""

    endpoint: Endpoint
    parameters: str = field(repr=False)

    @classmethod
    def of(cls, endpoint: Endpoint, parameters: Mapping[str, Any]) -> "Rendered":
        """The canonical form; two requests are equal only if every name, value and type is.

        Raises:
            ValueError: a parameter is not text, a whole number, true or false.
        """
        for name, value in parameters.items():
            if not isinstance(cast("object", name), str) or not isinstance(value, str | int | bool):
                raise ValueError(  # noqa: TRY004 - of the request, not of the caller
                    f"its {name!s:.40} is not text, a whole number, true or false"
                )
        return cls(endpoint, json.dumps(parameters, sort_keys=True, separators=(",", ":"), allow_nan=False))

    def fields(self) -> dict[str, Any]:
        """The parameters by name."""
        return cast("dict[str, Any]", json.loads(self.parameters))


@dataclass(slots=True, eq=False)
class Capability(Call):
    """What one call may ask; `optional` are endpoints whose failure does not fail it, by the venue's rules.

    `latest` is what was seen of the last request that was sent for it.
    """

    endpoints: frozenset[Endpoint]
    optional: frozenset[Endpoint] = frozenset()
    latest: Attempt | None = field(default=None, kw_only=True)

    def refusal(self, endpoint: Endpoint, parameters: Any) -> str | None:  # noqa: ANN401 - ccxt is untyped
        """Why this request may not be asked under this capability; None if it may."""
        if not self.is_open:
            return "the call that could ask this has ended"
        if endpoint not in self.endpoints:
            return f"not an endpoint of {self.purpose}"
        if isinstance(parameters, Mapping) and _STEERING & cast("Mapping[str, Any]", parameters).keys():
            return "a parameter would change how it is sent"
        if not has_plain_ids(endpoint, cast("object", parameters)):
            return "an id in its path is not plain"
        return None

    def failed(self, endpoint: Endpoint, error: BaseException) -> None:
        """Remember the first failure that the venue's rules do not call optional."""
        if endpoint not in self.optional:
            is_cut = not isinstance(error, Exception)
            self.poison(BadAnswerError(f"{endpoint} was given up before it ended") if is_cut else error)


@dataclass(slots=True, eq=False)
class WriteCapability(Capability):
    """One write: this request, exactly, once, and nothing else; the venue may not take it after `latest_ms`."""

    rendered: Rendered | None = None
    client_id: ClientId | None = None
    signing: Signing = field(kw_only=True)
    token: SendToken = field(default_factory=SendToken)
    attempt: Attempt | None = None
    latest_ms: int | None = field(kw_only=True)
    line: Line | None = None

    def refusal(self, endpoint: Endpoint, parameters: Any) -> str | None:  # noqa: ANN401 - as above
        """Why this is not the one request; None if it is."""
        # Spelled out: super() does not work in a dataclass with slots.
        refusal = Capability.refusal(self, endpoint, parameters)
        if refusal is not None:
            return refusal
        if self.token.is_spent or self.attempt is not None:
            return "the one send of this write is spent"
        try:
            is_it = Rendered.of(endpoint, parameters) == self.rendered
        except (ValueError, AttributeError):
            is_it = False
        return None if is_it else "not the request that was rendered"


class Captured(BaseException):  # not an Exception: ccxt must not catch it
    """Carries a rendered request out of ccxt before anything is sent."""

    def __init__(self, rendered: Rendered) -> None:
        super().__init__()
        self.rendered = rendered


@dataclass(slots=True, eq=False)
class _Permit:
    """One endpoint on its way from `fetch2` to `fetch`."""

    endpoint: Endpoint
    capability: Capability
    attempt: Attempt | None = None


_PERMIT: ContextVar[_Permit | None] = ContextVar("permit", default=None)


def _running() -> Capability | None:
    return cast("Capability | None", CALL.get())  # only `_held` sets it


@contextmanager
def reading(
    endpoints: frozenset[Endpoint], optional: frozenset[Endpoint] = frozenset()
) -> Generator[Capability]:
    """Ask these read endpoints inside the block.

    Raises:
        Exception: what the first failed request inside the block raised, if the block itself raised nothing.
    """
    capability = Capability("read", endpoints, optional)
    with _held(capability):
        yield capability


@contextmanager
def loading(endpoints: frozenset[Endpoint]) -> Generator[None]:
    """Ask for a venue's markets inside the block; raises as `reading` does."""
    with _held(Capability("markets", endpoints)):
        yield


@contextmanager
def scoping(endpoints: frozenset[Endpoint]) -> Generator[None]:
    """Ask what the key may do inside the block; raises as `reading` does."""
    with _held(Capability("scope", endpoints)):
        yield


@contextmanager
def capturing(endpoints: frozenset[Endpoint]) -> Generator[None]:
    """Let ccxt build one request inside the block; it is raised as `Captured` and never sent."""
    with _held(_Capture("rendering", endpoints)):
        yield


@contextmanager
def writing(  # noqa: PLR0913 - all that a write is compared with
    purpose: str,
    endpoints: frozenset[Endpoint],
    rendered: Rendered,
    client_id: ClientId | None,
    *,
    signing: Signing,
    token: SendToken,
    latest_ms: int | None,
    line: Line | None = None,
) -> Generator[WriteCapability]:
    """Send the rendered request inside the block, once, if it is one of `endpoints`; raises as `reading` does.

    The timestamp and window that are signed may not exceed `latest_ms` (venue time), unless it is None, which no
    write that `writes` sends has. It goes over `line`, or, without
    one, over a connection that is opened for it.
    """
    capability = WriteCapability(
        purpose,
        endpoints & {rendered.endpoint},
        rendered=rendered,
        client_id=client_id,
        signing=signing,
        token=token,
        latest_ms=latest_ms,
        line=line,
    )
    with _held(capability):
        yield capability


class _Capture(Capability):
    """Rendering: the first request that ccxt would send is carried out, and nothing is."""


@contextmanager
def _held(capability: Capability) -> Generator[None]:
    if CALL.get() is not None:
        raise EgressBlockedError(f"a call of {capability.purpose} began inside another call")
    token = CALL.set(capability)
    try:
        yield
    finally:
        capability.is_open = False
        CALL.reset(token)
    if capability.pending:
        capability.poison(EgressBlockedError(f"a call of {capability.purpose} ended before its requests did"))
    if capability.failure is not None:
        raise capability.failure


class Guard:
    """The guard as a mixin over a ccxt async class; it comes before that class and before every other mixin."""

    id: str
    addresses: Mapping[Endpoint, Address]

    async def fetch2(
        self,
        path: str,
        api: Any = "public",  # noqa: ANN401 - ccxt's signature
        method: str = "GET",
        params: Any = None,  # noqa: ANN401 - as above
        config: Any = None,  # noqa: ANN401 - as above
    ) -> Any:  # noqa: ANN401 - a JSON value
        """Ask as ccxt does, if the running call may, and give the answer if it has its documented shape.

        Raises:
            EgressBlockedError: the running call may not ask this.
            BadAnswerError: the answer is HTML, empty, cut off, or lacks a list that it must have.
        """
        capability = _running()
        try:
            endpoint = Endpoint(method, api if isinstance(api, str) else "/".join(api), path)
        except TypeError:
            raise self._blocked(None, capability, "it names no endpoint") from None
        parameters: Any = {} if params is None else params
        refusal = "no call is under way" if capability is None else capability.refusal(endpoint, parameters)
        if refusal is None and type(capability) is Capability and endpoint in _writes_of(self.id):
            refusal = f"it is a write, whatever {capability.purpose} was given"
        if capability is None or refusal is not None:
            raise self._blocked(endpoint, capability, refusal or "")
        if isinstance(capability, _Capture):
            try:
                rendered = Rendered.of(endpoint, parameters)
            except (ValueError, AttributeError) as error:
                raise self._blocked(endpoint, capability, str(error)) from None
            raise Captured(rendered)
        permit = _Permit(endpoint, capability)
        token = _PERMIT.set(permit)
        capability.pending += 1
        try:
            return await self._asked(permit, api, parameters, config)
        except BaseException as error:
            capability.failed(endpoint, error)
            raise
        finally:
            capability.pending -= 1
            _PERMIT.reset(token)

    async def _asked(
        self,
        permit: _Permit,
        api: Any,  # noqa: ANN401 - as above
        parameters: Any,  # noqa: ANN401 - as above
        config: Any,  # noqa: ANN401 - as above
    ) -> Any:  # noqa: ANN401 - as above
        base, endpoint = cast("Any", super()), permit.endpoint
        if isinstance(permit.capability, WriteCapability):
            # Straight on: no waiting in the limiter between the decision and the signature, and no retry loop.
            signed = cast("Any", self).sign(endpoint.path, api, endpoint.verb, parameters)
            return await self.fetch(signed["url"], signed["method"], signed["headers"], signed["body"])
        answer = await base.fetch2(endpoint.path, api, endpoint.verb, parameters, config or {})
        fault = shapes.fault(self.id, endpoint.api, endpoint.path, answer)
        if fault is not None:
            raise BadAnswerError(f"{self.id} sent {fault}")
        # ccxt takes every status that it has no error for as success: 202, 302 and 524 among them.
        if permit.attempt is None or permit.attempt.status != HTTPStatus.OK:
            raise BadAnswerError(f"{self.id} sent an answer whose status is not that of success")
        return answer

    async def fetch(
        self,
        url: str,
        method: str = "GET",
        headers: Any = None,  # noqa: ANN401 - ccxt's signature
        body: Any = None,  # noqa: ANN401 - as above
    ) -> Any:  # noqa: ANN401 - a JSON value
        """Send as ccxt does, if the signed request is where its endpoint is frozen to be.

        Raises:
            EgressBlockedError: it is not, or it is a second send, or a setting would lead it elsewhere.
        """
        permit = _PERMIT.get()
        if permit is None or permit.attempt is not None or not permit.capability.is_open:
            raise self._blocked(permit and permit.endpoint, _running(), "no permit to send")
        attempt = permit.attempt = permit.capability.latest = Attempt(method, url, permit.capability)
        refusal = self._misdirected(permit.endpoint, url, method)
        if refusal is None and isinstance(permit.capability, WriteCapability):
            refusal = _prepared(permit.capability, attempt, headers, body)
        if refusal is not None:
            raise self._blocked(permit.endpoint, permit.capability, refusal)
        with sending(attempt):
            return await cast("Any", super()).fetch(url, method, headers, body)

    def on_rest_response(self, code: int, *rest: Any) -> Any:  # noqa: ANN401 - ccxt's signature
        """Stand in for ccxt's: keep the raw answer as evidence, before anything parses it."""
        attempt = under_way()
        answered = cast("Any", super()).on_rest_response(code, *rest)
        if attempt is not None:
            attempt.status, attempt.body = code, rest[4]
        return answered

    def get_socks_proxy_session(self, socks_proxy: object) -> object:  # noqa: ARG002 - ccxt's signature
        """Refuse: it would be a session that no guard stands over."""
        raise self._blocked(None, _running(), "SOCKS proxies are refused")

    def client(self, url: str) -> object:
        """Refuse: WebSockets do not pass the guard."""
        reason = f"WebSockets are refused ({urlsplit(url).hostname})"
        raise self._blocked(None, _running(), reason)

    def _misdirected(self, endpoint: Endpoint, url: str, method: str) -> str | None:
        settings = [name for name in _FORBIDDEN if getattr(self, name, None)]
        if settings:
            return f"the setting {settings[0]} is on"
        client = cast("Any", self)
        # Of a client that was shut, ccxt tells that itself and opens no session of its own.
        is_shut = client.session is None and client.closed_by_user
        if not is_shut and not isinstance(client.session, Wire):
            return "its session is not ours"
        if method != endpoint.verb:
            return "signing changed its verb"
        address = self.addresses.get(endpoint)
        if address is None or not address.is_of(url):
            return "its URL is not the frozen address of this endpoint"
        return None

    def _blocked(
        self, endpoint: Endpoint | None, capability: Capability | None, reason: str
    ) -> EgressBlockedError:
        shown = "a request" if endpoint is None else str(endpoint)
        purpose = "no call" if capability is None else capability.purpose
        error = EgressBlockedError(f"{self.id}: {shown} was blocked: {reason}")
        _log.warning("request blocked", venue=self.id, endpoint=shown, purpose=purpose, reason=reason)
        if capability is not None:
            # Blocked requests always fail the call; no rule makes them optional.
            capability.poison(error)
        return error


def _prepared(capability: WriteCapability, attempt: Attempt, headers: object, body: object) -> str | None:
    """Attach token and evidence to a write's attempt, and spend the token; why it may not be sent, if it may not."""
    rendered = capability.rendered
    if rendered is None or capability.token.is_spent:
        return "the one send of this write is spent"
    try:
        signed = SignedWrite.of(attempt.url, headers, body)
    except ValueError:
        return "what was signed is not a form"
    fault = signed.fault(rendered.endpoint, rendered.fields(), capability.signing, capability.client_id)
    if fault is not None:
        return fault
    attempt.credentials = signed.credentials
    attempt.signed_ms, attempt.window_ms = signed.integer("timestamp"), signed.integer("recvWindow")
    late = _late(attempt, capability.latest_ms)
    if late is not None:
        return late
    attempt.token, attempt.line, capability.attempt = capability.token, capability.line, attempt
    capability.token.is_spent = True
    return None


def _late(attempt: Attempt, latest_ms: int | None) -> str | None:
    """Why this may not be sent, where the venue could take it after the last moment that its claim states."""
    if latest_ms is None:
        return None
    if attempt.signed_ms is None or attempt.window_ms is None:
        return "it does not say until when the venue may take it"
    if attempt.signed_ms + attempt.window_ms > latest_ms:
        return "the venue could take it after the deadline of its claim"
    return None
