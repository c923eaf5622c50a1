"""Who may read here: links that work once, the sessions that they open, and the nonces of the forms in them.

A cookie of `localhost` goes to every port of it, so a session's cookie is bound to a path that nobody can guess:
another program of this machine is never asked for that path. A session reads; it decides nothing without a passkey.
"""

import hashlib
import hmac
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from exchange_mcp.desk.console.refusals import no_session, used_form
from exchange_mcp.desk.console.streams import Streams
from exchange_mcp.desk.passkeys import b64
from exchange_mcp.model.ports import Clock, Entropy

COOKIE: Final = "exchange_mcp_console"
LINK_MS: Final = 120_000
LONGEST_MS: Final = 8 * 3_600_000
"""How long a session lasts at most: a console left open overnight is closed in the morning."""
ALONE_MS: Final = 10 * 60_000
"""How long it lasts with no page of it open."""
ROTATE_MS: Final = 5 * 60_000
_OVERLAP_MS: Final = 30_000
_FORM_MS: Final = 30 * 60_000
_MOST_LINKS: Final = 8
MOST_SESSIONS: Final = 8
_MOST_FORMS: Final = 400
_SECRET_BYTES: Final = 32
_DOOR_BYTES: Final = 16
_NONCE_BYTES: Final = 16


@dataclass(eq=False)
class Session:
    """One browser.

    Attributes:
        door: the part of its path that nobody can guess.
        streams: what is open of it.
    """

    door: str
    opened_ms: int
    seen_ms: int
    rotated_ms: int
    current: bytes
    previous: bytes = b""
    forms: OrderedDict[str, tuple[str, int]] = field(default_factory=OrderedDict[str, tuple[str, int]])
    streams: Streams = field(default_factory=Streams)

    @property
    def path(self) -> str:
        """What every page of it lies under."""
        return f"/d/{self.door}/"


class Sessions:
    """All of them. Times are of the wall clock: a machine that slept through the night did not stop it."""

    def __init__(self, clock: Clock, entropy: Entropy) -> None:
        self._clock = clock
        self._entropy = entropy
        self._links: OrderedDict[bytes, int] = OrderedDict()
        self._sessions: OrderedDict[str, Session] = OrderedDict()

    def __len__(self) -> int:
        return len(self._sessions)

    def __iter__(self) -> Iterator[Session]:
        """Oldest first."""
        return iter(tuple(self._sessions.values()))

    def link(self) -> tuple[str, int]:
        """The secret of a new link, and until when it opens a session."""
        secret, expires_ms = self.secret(_SECRET_BYTES), self._clock.now_ms() + LINK_MS
        self._links[_digest(secret)] = expires_ms
        while len(self._links) > _MOST_LINKS:
            self._links.popitem(last=False)
        return secret, expires_ms

    def enter(self, secret: str) -> tuple[Session, str]:
        """A new session for a link that was not used yet, with its cookie's value.

        Raises:
            RefusedError: it was used, is too old, or never was one.
        """
        now = self._clock.now_ms()
        expires_ms = self._links.pop(_digest(secret), None)
        if expires_ms is None or not expires_ms - LINK_MS <= now < expires_ms:
            raise no_session()
        value = self.secret(_SECRET_BYTES)
        session = Session(
            door=self.secret(_DOOR_BYTES), opened_ms=now, seen_ms=now, rotated_ms=now, current=_digest(value)
        )
        self._sessions[session.door] = session
        while len(self._sessions) > MOST_SESSIONS:
            _, oldest = self._sessions.popitem(last=False)
            oldest.streams.end()
        return session, value

    def find(self, door: str, values: list[str]) -> Session:
        """The session behind this path, for a browser that shows its cookie.

        A value that was replaced a while ago comes from somewhere else than the browser that has the new one: the
        session ends.

        Raises:
            RefusedError: there is none, it is over, or the cookie is not its own.
        """
        session = self._sessions.get(door)
        if session is None:
            raise no_session()
        now = self._clock.now_ms()
        if self._is_over(session, now):
            self.end(session)
            raise no_session()
        shown = [_digest(value) for value in values[:4]]
        if any(hmac.compare_digest(each, session.current) for each in shown):
            session.seen_ms = now
            return session
        if session.previous and any(hmac.compare_digest(each, session.previous) for each in shown):
            if now <= session.rotated_ms + _OVERLAP_MS:
                session.seen_ms = now
                return session
            self.end(session)
        raise no_session()

    def renewed(self, session: Session) -> str | None:
        """Another value for its cookie, where it is time for one."""
        now = self._clock.now_ms()
        if now < session.rotated_ms + ROTATE_MS:
            return None
        value = self.secret(_SECRET_BYTES)
        session.previous, session.current, session.rotated_ms = session.current, _digest(value), now
        return value

    def is_over(self, session: Session) -> bool:
        """Whether it has ended, by its time or by a person."""
        return session.door not in self._sessions or self._is_over(session, self._clock.now_ms())

    def end(self, session: Session) -> None:
        """End it, with all that is open of it."""
        self._sessions.pop(session.door, None)
        session.streams.end()

    def end_all(self) -> None:
        """End every one of them, and every link."""
        self._links.clear()
        for session in list(self._sessions.values()):
            self.end(session)

    def form(self, session: Session, purpose: str) -> str:
        """The nonce of a form that may be sent once, for this purpose, in this session."""
        nonce = self.secret(_NONCE_BYTES)
        session.forms[nonce] = (purpose, self._clock.now_ms() + _FORM_MS)
        while len(session.forms) > _MOST_FORMS:
            session.forms.popitem(last=False)
        return nonce

    def spend(self, session: Session, nonce: str, purpose: str) -> None:
        """Use a form's nonce up.

        Raises:
            RefusedError: it was used, is too old, or is another form's.
        """
        was_for, expires_ms = session.forms.pop(nonce, ("", 0))
        if was_for != purpose or self._clock.now_ms() >= expires_ms:
            raise used_form()

    def secret(self, size: int) -> str:
        """So many random bytes, as text."""
        return b64(self._entropy.token(size))

    def _is_over(self, session: Session, now: int) -> bool:
        is_alone = not len(session.streams)
        return not session.opened_ms <= now < session.opened_ms + LONGEST_MS or (
            is_alone and now >= session.seen_ms + ALONE_MS
        )


def _digest(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).digest()
