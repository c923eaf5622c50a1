"""Who calls over HTTP: from the credential that a request shows to a caller, or to a refusal.

`Authenticator` is all that the HTTP side knows of it. Tokens of our own are one implementation; an OAuth resource
server that checks the tokens of an authorization server would be a second, with another `challenge`.
Source: RFC 6750 (bearer tokens), sections 2.1 and 3; MCP specification 2025-11-25, Authorization.
"""

from dataclasses import dataclass
from typing import Final, Protocol

from exchange_mcp.config.faults import SecretError
from exchange_mcp.config.logs import get_logger
from exchange_mcp.config.tokens import TOKEN, TokenStore
from exchange_mcp.model.callers import Caller
from exchange_mcp.model.ports import Clock

_log = get_logger(__name__)

_SCHEME: Final = b"bearer "
_LONGEST_CREDENTIAL: Final = 4096


@dataclass(frozen=True, slots=True)
class Admitted:
    """A caller, and the id (no secret) of its credential, to which sessions and streams belong."""

    caller: Caller
    credential: str


class NotAdmittedError(Exception):
    """The request shows no credential, or none that is accepted.

    `is_ours` says that nothing is wrong with the credential: we cannot check it at the moment.
    """

    def __init__(self, message: str, *, was_shown: bool, is_ours: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.was_shown = was_shown
        self.is_ours = is_ours


class Authenticator(Protocol):
    """Judges credentials."""

    @property
    def challenge(self) -> str:
        """The value of WWW-Authenticate for a request without a credential (RFC 6750, section 3)."""
        ...

    async def admit(self, credential: str) -> Admitted:
        """Whose credential this is. Raises NotAdmittedError if nobody's, or not any more."""
        ...

    async def is_valid(self, credential_id: str) -> bool:
        """Whether the credential with this id would still be admitted: asked again and again for what stays open."""
        ...


class TokenAuthenticator:
    """Admits the tokens of `exchange-mcp tokens`; a change of their file counts from the next question on."""

    challenge = 'Bearer realm="exchange-mcp"'

    def __init__(self, store: TokenStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def admit(self, credential: str) -> Admitted:
        """The token's client and scopes.

        Raises:
            NotAdmittedError: it is unknown, revoked or expired (which of these is not told), or the file of the
                tokens cannot be used.
        """
        try:
            record = (
                self._store.match(credential, self._clock.now_ms()) if TOKEN.fullmatch(credential) else None
            )
        except SecretError as error:
            _log.error("tokens cannot be checked, so nobody is admitted", reason=str(error))
            raise NotAdmittedError(
                "this server cannot check tokens at the moment; its log says why",
                was_shown=True,
                is_ours=True,
            ) from None
        if record is None:
            raise NotAdmittedError("the token is unknown, revoked or expired", was_shown=True)
        return Admitted(Caller(record.client, frozenset(record.scopes)), record.id)

    async def is_valid(self, credential_id: str) -> bool:
        """Whether the token is neither revoked nor expired; no, where that cannot be told."""
        try:
            return self._store.is_valid(credential_id, self._clock.now_ms())
        except SecretError:
            return False


def shown_credential(authorization: list[bytes]) -> str:
    """The credential in a request's Authorization headers.

    Raises:
        NotAdmittedError: there is none, there are several, or it is of another scheme.
    """
    if not authorization:
        raise NotAdmittedError("this server needs a token: Authorization: Bearer TOKEN", was_shown=False)
    if len(authorization) > 1:
        raise NotAdmittedError("the request has more than one Authorization header", was_shown=True)
    (value,) = authorization
    if value[: len(_SCHEME)].lower() != _SCHEME or len(value) > _LONGEST_CREDENTIAL:
        raise NotAdmittedError(
            "the Authorization header is not of the form: Authorization: Bearer TOKEN", was_shown=True
        )
    return value[len(_SCHEME) :].strip(b" ").decode("latin-1")
