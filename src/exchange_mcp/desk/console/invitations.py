"""Making a passkey: begun at the terminal, made in the browser, and nothing until an approver signs it in.

The terminal shows a link and a code; the page asks for the code, so that a page alone, or a link that leaked, makes
nothing. What was made is shown in both places by the same words before somebody signs.
"""

import hmac
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from exchange_mcp.desk.console.refusals import RefusedError
from exchange_mcp.desk.operator.messages import PasskeyAnswer
from exchange_mcp.desk.passkeys import (
    PasskeyRefusedError,
    b64,
    check_words,
    register,
    registration_options,
)
from exchange_mcp.model.errors import InvalidArgumentError
from exchange_mcp.model.ports import Clock, Entropy

LASTS_MS: Final = 10 * 60_000
MOST_TRIES: Final = 5
_MOST: Final = 4
# Without letters and digits that look alike.
_ALPHABET: Final = "23456789ABCDEFGHJKMNPQRSTVWXYZ"
_CODE: Final = 8


@dataclass(eq=False)
class Invitation:
    """One invitation; the secret stands in its link alone."""

    id: str
    secret: str
    code: str
    name: str
    expires_ms: int
    tries: int = 0
    challenge: bytes | None = None
    public: str | None = None


class Invitations:
    """The few that are open."""

    def __init__(self, clock: Clock, entropy: Entropy, *, origin: str) -> None:
        self._clock = clock
        self._entropy = entropy
        self._origin = origin
        self._open: OrderedDict[str, Invitation] = OrderedDict()

    def __iter__(self) -> Iterator[Invitation]:
        """Oldest first."""
        return iter(tuple(self._open.values()))

    def invite(self, name: str) -> Invitation:
        """A new one; the oldest ends where there are too many."""
        invitation = Invitation(
            id=b64(self._entropy.token(12)),
            secret=b64(self._entropy.token(32)),
            code=self._code(),
            name=name,
            expires_ms=self._clock.now_ms() + LASTS_MS,
        )
        self._open[invitation.id] = invitation
        while len(self._open) > _MOST:
            self._open.popitem(last=False)
        return invitation

    def answer(self, invitation_id: str) -> PasskeyAnswer:
        """What has come of it.

        Raises:
            InvalidArgumentError: there is none by this id, or its time is over.
        """
        found = self._open.get(invitation_id)
        if found is None or self._clock.now_ms() >= found.expires_ms:
            raise InvalidArgumentError(
                "this invitation to make a passkey is over", hint="Begin again: exchange-mcp approvers add."
            )
        check = None if found.public is None else check_words(found.name, found.public)
        return PasskeyAnswer(name=found.name, public=found.public, check=check)

    def begin(self, secret: str, code: str) -> dict[str, Any]:
        """What the browser is asked to make, once the code is right.

        Raises:
            RefusedError: the link is over, or the code is wrong.
        """
        invitation = self._with(secret)
        # Counted first, so that no two tries at once are one.
        invitation.tries += 1
        typed = "".join(code.split()).replace("-", "").upper()
        if not hmac.compare_digest(typed.encode(), invitation.code.encode()):
            if invitation.tries >= MOST_TRIES:
                del self._open[invitation.id]
                raise _over()
            raise RefusedError(403, "CODE_REFUSED", "This is not the code that the terminal shows.")
        invitation.challenge = self._entropy.token(32)
        return registration_options(name=invitation.name, challenge=invitation.challenge, known=())

    def finish(self, secret: str, fields: dict[str, str]) -> str:
        """Keep what the browser made; answers the words to compare.

        Raises:
            RefusedError: the link is over, or it is no passkey that was asked for here.
        """
        invitation = self._with(secret)
        challenge, invitation.challenge = invitation.challenge, None
        if challenge is None:
            raise RefusedError(409, "FORM_USED", "Type the code of the terminal first.")
        try:
            made = register(fields, challenge=challenge, origin=self._origin)
        except PasskeyRefusedError as error:
            raise RefusedError(422, "PASSKEY_REFUSED", f"{error}.") from None
        invitation.public = made.text()
        return check_words(invitation.name, invitation.public)

    def _with(self, secret: str) -> Invitation:
        for each in list(self._open.values()):
            if hmac.compare_digest(each.secret.encode(), secret.encode("utf-8", "surrogateescape")):
                if self._clock.now_ms() >= each.expires_ms or each.public is not None:
                    break
                return each
        raise _over()

    def _code(self) -> str:
        """Each letter by a byte below the largest multiple of their number, so that all are equally likely."""
        fair = 256 - 256 % len(_ALPHABET)
        letters = ""
        while len(letters) < _CODE:
            (byte,) = self._entropy.token(1)
            letters += _ALPHABET[byte % len(_ALPHABET)] if byte < fair else ""
        return letters


def _over() -> RefusedError:
    return RefusedError(
        410, "INVITATION_OVER", "This link is over. Begin again in the terminal: exchange-mcp approvers add."
    )
