"""What may leave the process. Default deny, checked three times: before signing, after it, and at the socket.

A request needs a capability: an object that names the endpoints that one call may ask, set for the call's
context alone and shut when the call ends, so that a task which outlives the call holds nothing. Only the
functions `reading`, `loading`, `scoping`, `capturing` and `writing` set one; they are called by `reads`,
`opening`, `keys`, `render` and `writes`.

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
from http import HTTPStatus
from typing import Any, Final, cast
from urllib.parse import parse_qsl, urlsplit

from exchange_mcp.config.logs import get_logger
from exchange_mcp.model.errors import BadAnswerError, EgressBlockedError
from exchange_mcp.rules import reading as shapes
from exchange_mcp.rules.endpoints import Endpoint
from exchange_mcp.venue.addresses import Address, has_plain_ids
from exchange_mcp.venue.attempts import Attempt, SendToken, sending, under_way

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


@dataclass(frozen=True, slots=True)
class Rendered:
    """A request as ccxt hands it over for signing: endpoint and every parameter, in a canonical form."""

    endpoint: Endpoint
    parameters: str = field(repr=False)

    @classmethod
    def of(cls, endpoint: Endpoint, parameters: Mapping[str, Any]) -> "Rendered":
        """The canonical form; two requests are equal only if every name, value and type is."""
        return cls(endpoint, json.dumps(parameters, sort_keys=True, separators=(",", ":"), allow_nan=False))

    def fields(self) -> dict[str, Any]:
        """The parameters by name."""
        return cast("dict[str, Any]", json.loads(self.parameters))


@dataclass(frozen=True, slots=True)
class ClientId:
    """The client order id of a write: the field that the venue reads it from on this route, and its value."""

    name: str
    value: str


@dataclass(slots=True, eq=False)
class Capability:
    """What one call may ask.

    Attributes:
        purpose: for messages, such as "read".
        optional: endpoints whose failure does not fail the call, by the venue's rules.
    """

    purpose: str
    endpoints: frozenset[Endpoint]
    optional: frozenset[Endpoint] = frozenset()
    is_open: bool = True
    failure: Exception | None = None

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

    def failed(self, endpoint: Endpoint, error: Exception) -> None:
        """Remember the first failure that the venue's rules do not call optional."""
        if self.failure is None and endpoint not in self.optional:
            self.failure = error


@dataclass(slots=True, eq=False)
class WriteCapability(Capability):
    """One write: this request, exactly, once, and nothing else."""

    rendered: Rendered | None = None
    client_id: ClientId | None = None
    token: SendToken = field(default_factory=SendToken)
    attempt: Attempt | None = None

    def refusal(self, endpoint: Endpoint, parameters: Any) -> str | None:  # noqa: ANN401 - as above
        """Why this is not the one request; None if it is."""
        # Spelled out: super() does not work in a dataclass with slots.
        refusal = Capability.refusal(self, endpoint, parameters)
        if refusal is not None:
            return refusal
        if self.token.is_spent or self.attempt is not None:
            return "the one send of this write is spent"
        if Rendered.of(endpoint, parameters) != self.rendered:
            return "not the request that was rendered"
        return None


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


_CAPABILITY: ContextVar[Capability | None] = ContextVar("capability", default=None)
_PERMIT: ContextVar[_Permit | None] = ContextVar("permit", default=None)


@contextmanager
def reading(endpoints: frozenset[Endpoint], optional: frozenset[Endpoint] = frozenset()) -> Generator[None]:
    """Ask these read endpoints inside the block.

    Raises:
        Exception: what the first failed request inside the block raised, if the block itself raised nothing.
    """
    with _held(Capability("read", endpoints, optional)):
        yield


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
def writing(
    purpose: str, endpoints: frozenset[Endpoint], rendered: Rendered, client_id: ClientId | None
) -> Generator[WriteCapability]:
    """Send the rendered request inside the block, once, if it is one of `endpoints`; raises as `reading` does."""
    allowed = endpoints & {rendered.endpoint}
    capability = WriteCapability(purpose, allowed, rendered=rendered, client_id=client_id)
    with _held(capability):
        yield capability


class _Capture(Capability):
    """Rendering: the first request that ccxt would send is carried out, and nothing is."""


@contextmanager
def _held(capability: Capability) -> Generator[None]:
    if _CAPABILITY.get() is not None:
        raise EgressBlockedError(f"a call of {capability.purpose} began inside another call")
    token = _CAPABILITY.set(capability)
    try:
        yield
    finally:
        capability.is_open = False
        _CAPABILITY.reset(token)
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
        endpoint = Endpoint(method, api if isinstance(api, str) else "/".join(api), path)
        parameters: Any = {} if params is None else params
        capability = _CAPABILITY.get()
        refusal = "no call is under way" if capability is None else capability.refusal(endpoint, parameters)
        if capability is None or refusal is not None:
            raise self._blocked(endpoint, capability, refusal or "")
        if isinstance(capability, _Capture):
            raise Captured(Rendered.of(endpoint, parameters))
        permit = _Permit(endpoint, capability)
        token = _PERMIT.set(permit)
        try:
            return await self._asked(permit, api, parameters, config)
        except Exception as error:
            capability.failed(endpoint, error)
            raise
        finally:
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
            raise self._blocked(permit and permit.endpoint, permit and permit.capability, "no permit to send")
        attempt = permit.attempt = Attempt(method, url)
        refusal = self._misdirected(permit.endpoint, url, method)
        if refusal is None and isinstance(permit.capability, WriteCapability):
            refusal = _prepared(permit.capability, attempt, body)
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
        raise EgressBlockedError(f"{self.id}: SOCKS proxies are refused")

    def client(self, url: str) -> object:
        """Refuse: WebSockets do not pass the guard."""
        raise EgressBlockedError(f"{self.id}: WebSockets are refused ({urlsplit(url).hostname})")

    def _misdirected(self, endpoint: Endpoint, url: str, method: str) -> str | None:
        settings = [name for name in _FORBIDDEN if getattr(self, name, None)]
        if settings:
            return f"the setting {settings[0]} is on"
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
            capability.failure = capability.failure or error
        return error


def _prepared(capability: WriteCapability, attempt: Attempt, body: object) -> str | None:
    """Attach token and evidence to a write's attempt; why it may not be sent, if it may not."""
    query = [*parse_qsl(urlsplit(attempt.url).query, keep_blank_values=True)]
    query += parse_qsl(body, keep_blank_values=True) if isinstance(body, str) else []
    expected = capability.client_id
    if expected is not None and [value for name, value in query if name == expected.name] != [expected.value]:
        return f"its {expected.name} is not the journaled client order id, once"
    signed = dict(query)
    attempt.signed_ms = _integer(signed.get("timestamp"))
    attempt.window_ms = _integer(signed.get("recvWindow"))
    attempt.token = capability.token
    capability.attempt = attempt
    return None


def _integer(text: str | None) -> int | None:
    return int(text) if text is not None and text.isascii() and text.isdigit() else None
