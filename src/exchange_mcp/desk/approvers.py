"""Whether a signature is an approver's: one verifier for each kind of key, over a statement's hash and nothing else.

| kind | public | fields of a signature |
|---|---|---|
| `ed25519` | the 32 bytes of the key, base64url without padding | `signature`: its 64 bytes, the same way |
| `scripted` | the same | the same; taken only where every account is simulated, for its key lies open |
| `passkey` | see `passkeys` | see `passkeys` |

Ed25519: RFC 8032. Whoever verifies made the statement from its own parts; a hash that somebody handed over is not seen
here.
"""

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Protocol

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from exchange_mcp.desk.register import Approver
from exchange_mcp.model.errors import DeskError, ErrorCode

ED25519: Final = "ed25519"
SCRIPTED: Final = "scripted"
PASSKEY: Final = "passkey"

_PUBLIC_BYTES: Final = 32
_SIGNATURE_BYTES: Final = 64


@dataclass(frozen=True, slots=True)
class Verified:
    """A signature that is good; `counter` is what a passkey told, to be kept."""

    counter: int | None = None


class Verifier(Protocol):
    """What one kind of key needs. It changes nothing."""

    def check(self, public: str) -> str:
        """The public key in the one form in which it is kept.

        Raises:
            ValueError: it is no key of this kind.
        """
        ...

    def verify(self, approver: Approver, hash_: bytes, fields: Mapping[str, str]) -> Verified:
        """See that this approver's key signed these 32 bytes.

        Raises:
            ValueError: it did not; the text says why, to a person.
        """
        ...


class Ed25519:
    """A key whose signature is over the hash itself."""

    def check(self, public: str) -> str:
        """As `Verifier.check`."""
        raw = _decoded(public, _PUBLIC_BYTES, "the public key")
        Ed25519PublicKey.from_public_bytes(raw)
        return public

    def verify(self, approver: Approver, hash_: bytes, fields: Mapping[str, str]) -> Verified:
        """As `Verifier.verify`."""
        if set(fields) != {"signature"}:
            raise ValueError("an Ed25519 signature has one field, signature")
        key = Ed25519PublicKey.from_public_bytes(_decoded(approver.public, _PUBLIC_BYTES, "the public key"))
        try:
            key.verify(_decoded(fields["signature"], _SIGNATURE_BYTES, "the signature"), hash_)
        except InvalidSignature:
            raise ValueError(f"it is not {approver.name}'s signature of this statement") from None
        return Verified()


def verifiers(
    *, is_all_simulated: bool, passkey: Verifier | None = None, has_scripted: bool = True
) -> Mapping[str, Verifier]:
    """The kinds that a desk takes: scripted keys only where no account could cost anybody anything."""
    taken: dict[str, Verifier] = {ED25519: Ed25519()}
    if is_all_simulated and has_scripted:
        taken[SCRIPTED] = Ed25519()
    if passkey is not None:
        taken[PASSKEY] = passkey
    return taken


def verified(
    kinds: Mapping[str, Verifier], approver: Approver | None, hash_: bytes, fields: Mapping[str, str]
) -> Verified:
    """See that an enrolled approver signed these bytes.

    Raises:
        DeskError: SIGNATURE_REFUSED, with the reason.
    """
    if approver is None:
        raise refused("nobody of that name is enrolled as an approver")
    verifier = kinds.get(approver.kind)
    if verifier is None:
        scripted = "; a scripted key is taken only where every account is simulated"
        raise refused(
            f"this desk takes no {approver.kind} key{scripted if approver.kind == SCRIPTED else ''}"
        )
    try:
        return verifier.verify(approver, hash_, fields)
    except ValueError as error:
        raise refused(str(error)) from None


def refused(why: str) -> DeskError:
    """The one error of a signature that does not count."""
    return DeskError(
        ErrorCode.SIGNATURE_REFUSED,
        f"The signature is refused: {why}.",
        hint="Nothing was done. Open it again, look at it, and sign what is shown now.",
    )


def base64url(raw: bytes) -> str:
    """Bytes as base64url without padding, RFC 4648 section 5."""
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def _decoded(text: str, size: int, what: str) -> bytes:
    try:
        raw = base64.urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4))
    except (UnicodeEncodeError, binascii.Error):
        raise ValueError(f"{what} is not base64url") from None
    if (
        len(raw) != size or base64url(raw) != text
    ):  # one text for one key, or one person could be enrolled twice
        raise ValueError(f"{what} is not {size} bytes in base64url without padding")
    return raw
