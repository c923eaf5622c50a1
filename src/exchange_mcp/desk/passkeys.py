"""Passkeys as approvers: how one is made in a browser, and what a signature by one has to be.

The challenge is a statement's hash and nothing else, so a signature belongs to one statement. The authenticator has to
have verified its user, and the page has to have been ours: every page of this machine shares the relying party
`localhost`, so it is the exact origin, port included, that tells ours from another program's.
Source: Web Authentication, Level 3, sections 5.8.1, 7.1 and 7.2 (https://www.w3.org/TR/webauthn-3/).
"""

import base64
import binascii
import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from webauthn import (
    generate_registration_options,
    options_to_json,
    verify_authentication_response,
    verify_registration_response,
)
from webauthn.helpers.cose import COSEAlgorithmIdentifier
from webauthn.helpers.structs import (
    AuthenticatorSelectionCriteria,
    PublicKeyCredentialDescriptor,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)

from exchange_mcp.desk.approvers import PASSKEY, Verified
from exchange_mcp.desk.register import Approver
from exchange_mcp.model.canonical import canonical_json

KIND: Final = PASSKEY
RP_ID: Final = "localhost"
FIELDS: Final = frozenset({"credential_id", "authenticator_data", "client_data_json", "signature"})
"""What a signature message of a passkey has, each as base64url without padding."""

_PROMPT_MS: Final = 60_000
_LONGEST: Final = 8_192
_CHALLENGE_BYTES: Final = 32
_ALGORITHMS: Final = [COSEAlgorithmIdentifier.EDDSA, COSEAlgorithmIdentifier.ECDSA_SHA_256]


class PasskeyRefusedError(ValueError):
    """What came is not a passkey, or no signature by this one over this statement; `args[0]` says why in a sentence."""


@dataclass(frozen=True, slots=True)
class Passkey:
    """A passkey's public half.

    Attributes:
        credential_id: by which browsers and authenticators know it.
        key: its public key, COSE-encoded.
    """

    credential_id: bytes
    key: bytes

    def text(self) -> str:
        """An approver's `public`: the one text of it."""
        return canonical_json({"credential_id": b64(self.credential_id), "key": b64(self.key)})

    @classmethod
    def read(cls, public: str) -> "Passkey":
        """What `text` wrote.

        Raises:
            PasskeyRefusedError: it is something else.
        """
        try:
            parts: Any = json.loads(public) if len(public) <= _LONGEST else None
            passkey = cls(unb64(parts["credential_id"]), unb64(parts["key"]))
        except (ValueError, TypeError, KeyError, RecursionError):
            raise PasskeyRefusedError("the public key is not one of a passkey") from None
        if passkey.text() != public or not passkey.credential_id or not passkey.key:
            raise PasskeyRefusedError("the public key of the passkey is written in another way than ours")
        return passkey


def check_words(name: str, public: str) -> str:
    """What page and terminal both show of a new passkey, so that a person sees that they mean the same one."""
    digest = hashlib.sha256(canonical_json({"name": name, "public": public}).encode()).hexdigest()
    return " ".join(digest[at : at + 4] for at in range(0, 16, 4))


def registration_options(*, name: str, challenge: bytes, known: Iterable[Passkey]) -> dict[str, Any]:
    """What `navigator.credentials.create` is called with, as JSON with base64url.

    The user of a passkey of ours is its name alone, so that making it twice on one authenticator replaces it.
    """
    options = generate_registration_options(
        rp_id=RP_ID,
        rp_name="exchange-mcp desk",
        user_name=name,
        user_id=hashlib.sha256(b"exchange-mcp approver\n" + name.encode()).digest(),
        challenge=challenge,
        timeout=_PROMPT_MS,
        authenticator_selection=AuthenticatorSelectionCriteria(
            resident_key=ResidentKeyRequirement.DISCOURAGED,
            user_verification=UserVerificationRequirement.REQUIRED,
        ),
        exclude_credentials=[PublicKeyCredentialDescriptor(id=each.credential_id) for each in known],
        supported_pub_key_algs=_ALGORITHMS,
    )
    made: dict[str, Any] = json.loads(options_to_json(options))
    return made


def register(fields: Mapping[str, object], *, challenge: bytes, origin: str) -> Passkey:
    """The passkey that a browser made for this challenge.

    Args:
        fields: exactly credential_id, attestation_object and client_data_json, as base64url.
        challenge: what the browser was given.
        origin: of the console, such as http://localhost:8767.

    Raises:
        PasskeyRefusedError: made elsewhere, for something else, or without verifying the user.
    """
    wanted = {"credential_id", "attestation_object", "client_data_json"}
    given = _texts(fields, wanted)
    _require_plain_client_data(given["client_data_json"])
    credential = {
        "id": given["credential_id"],
        "rawId": given["credential_id"],
        "type": "public-key",
        "response": {
            "attestationObject": given["attestation_object"],
            "clientDataJSON": given["client_data_json"],
        },
    }
    try:
        made = verify_registration_response(
            credential=credential,
            expected_challenge=challenge,
            expected_rp_id=RP_ID,
            expected_origin=origin,
            require_user_verification=True,
            supported_pub_key_algs=_ALGORITHMS,
        )
    except Exception as error:  # noqa: BLE001 - whatever the library stumbles over, nothing is verified
        raise PasskeyRefusedError(f"the browser's answer makes no passkey: {_told(error)}") from None
    return Passkey(made.credential_id, made.credential_public_key)


def request_options(challenge: bytes, passkeys: Iterable[Passkey]) -> dict[str, Any]:
    """What `navigator.credentials.get` is called with, as JSON with base64url."""
    return {
        "challenge": b64(challenge),
        "rpId": RP_ID,
        "timeout": _PROMPT_MS,
        "userVerification": "required",
        "allowCredentials": [{"type": "public-key", "id": b64(each.credential_id)} for each in passkeys],
    }


def verify(public: str, challenge: bytes, fields: Mapping[str, object], *, counter: int, origin: str) -> int:
    """Verify a signature by one passkey over one statement's hash; answers the counter to keep from now on.

    Args:
        public: the approver's public key, as `Passkey.text` writes it.
        challenge: `Statement.hash()` of the statement as the desk itself built it.
        fields: of the signature message: exactly `FIELDS`.
        counter: as kept after the last signature; 0 before the first.
        origin: of the console, such as http://localhost:8767.

    Raises:
        PasskeyRefusedError: with nothing to be kept.
    """
    if len(challenge) != _CHALLENGE_BYTES:
        raise PasskeyRefusedError("what a passkey signs is a statement's hash of 32 bytes")
    passkey = Passkey.read(public)
    given = _texts(fields, FIELDS)
    if unb64(given["credential_id"]) != passkey.credential_id:
        raise PasskeyRefusedError("the signature is by another passkey than this approver's")
    _require_plain_client_data(given["client_data_json"])
    credential = {
        "id": given["credential_id"],
        "rawId": given["credential_id"],
        "type": "public-key",
        "response": {
            "authenticatorData": given["authenticator_data"],
            "clientDataJSON": given["client_data_json"],
            "signature": given["signature"],
        },
    }
    try:
        verified = verify_authentication_response(
            credential=credential,
            expected_challenge=challenge,
            expected_rp_id=RP_ID,
            expected_origin=origin,
            credential_public_key=passkey.key,
            credential_current_sign_count=counter,
            require_user_verification=True,
        )
    except Exception as error:  # noqa: BLE001 - whatever the library stumbles over, nothing is verified
        raise PasskeyRefusedError(f"the passkey's signature does not hold: {_told(error)}") from None
    return verified.new_sign_count


class Passkeys:
    """Passkeys as a kind of key that the desk takes (`approvers.Verifier`).

    Attributes:
        origin: of the console, whose pages alone may use one.
    """

    def __init__(self, *, port: int) -> None:
        self.origin = f"http://{RP_ID}:{port}"

    def check(self, public: str) -> str:
        """The public key in the one form in which it is kept.

        Raises:
            ValueError: it is none of a passkey.
        """
        return Passkey.read(public).text()

    def verify(self, approver: Approver, hash_: bytes, fields: Mapping[str, str]) -> Verified:
        """See that this approver's passkey signed these 32 bytes, its user verified, on our page.

        Raises:
            ValueError: it did not; the text says why.
        """
        kept = approver.counter or 0
        return Verified(counter=verify(approver.public, hash_, fields, counter=kept, origin=self.origin))


def b64(raw: bytes) -> str:
    """Base64url without padding."""
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def unb64(text: str) -> bytes:
    """What `b64` wrote; two texts never mean the same bytes.

    Raises:
        ValueError: it is something else.
    """
    try:
        raw = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, TypeError) as error:
        raise ValueError("not base64url") from error
    if b64(raw) != text:
        raise ValueError("not base64url")
    return raw


def _texts(fields: Mapping[str, object], wanted: Iterable[str]) -> dict[str, str]:
    names = set(wanted)
    if set(fields) != names:
        raise PasskeyRefusedError(f"a passkey's answer has exactly {', '.join(sorted(names))}")
    given: dict[str, str] = {}
    for name, value in fields.items():
        if not isinstance(value, str) or not 0 < len(value) <= _LONGEST:
            raise PasskeyRefusedError(f"{name} is no text of a fitting length")
        try:
            unb64(value)
        except ValueError:
            raise PasskeyRefusedError(f"{name} is not base64url") from None
        given[name] = value
    return given


def _require_plain_client_data(encoded: str) -> None:
    """What the library does not look at: a page of ours in another's frame, and a member that stands twice."""
    members: list[tuple[str, Any]] = []
    try:
        json.loads(unb64(encoded), object_pairs_hook=lambda pairs: members.extend(pairs) or dict(pairs))
    except (ValueError, RecursionError):
        raise PasskeyRefusedError("client_data_json is no JSON") from None
    said = dict(members)
    if len(said) != len(members):
        raise PasskeyRefusedError("client_data_json says something twice")
    if said.get("crossOrigin") not in {None, False} or "topOrigin" in said:
        raise PasskeyRefusedError("the passkey was used in a page inside another page")


def _told(error: Exception) -> str:
    said = str(error).split("\n", 1)[0][:160]
    return said or type(error).__name__
