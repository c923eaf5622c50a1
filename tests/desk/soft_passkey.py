"""An authenticator in software, honest or not: what a browser and a security key would hand over together."""

import hashlib
import json
from dataclasses import dataclass, field
from typing import Any

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from webauthn.helpers import encode_cbor

from exchange_mcp.desk.passkeys import Passkey, b64

ORIGIN = "http://localhost:8767"
PRESENT, VERIFIED, ATTESTED = 0x01, 0x04, 0x40


@dataclass
class SoftPasskey:
    """One passkey. What it says of itself can be made up, one part at a time."""

    credential_id: bytes = b"credential-one!!"
    key: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))
    counter: int = 0

    @property
    def passkey(self) -> Passkey:
        point = self.key.public_key().public_numbers()
        # COSE_Key: an elliptic curve point for ES256 (RFC 9053, 2.1 and 7.1.1).
        cose = {1: 2, 3: -7, -1: 1, -2: point.x.to_bytes(32, "big"), -3: point.y.to_bytes(32, "big")}
        return Passkey(self.credential_id, encode_cbor(cose))

    def made(
        self,
        challenge: bytes,
        *,
        origin: str = ORIGIN,
        flags: int = PRESENT | VERIFIED,
        rp_id: str = "localhost",
    ) -> dict[str, str]:
        """What a registration answers."""
        credential = (
            bytes(16) + len(self.credential_id).to_bytes(2, "big") + self.credential_id + self.passkey.key
        )
        data = _authenticator_data(rp_id, flags | ATTESTED, 0) + credential
        attestation = encode_cbor({"fmt": "none", "attStmt": {}, "authData": data})
        return {
            "credential_id": b64(self.credential_id),
            "attestation_object": b64(attestation),
            "client_data_json": b64(_client_data("webauthn.create", challenge, origin)),
        }

    def signed(
        self,
        challenge: bytes,
        *,
        origin: str = ORIGIN,
        flags: int = PRESENT | VERIFIED,
        rp_id: str = "localhost",
        counts: bool = True,
        **more: Any,  # noqa: ANN401 - further members of the client data
    ) -> dict[str, str]:
        """What an assertion answers."""
        self.counter += counts
        data = _authenticator_data(rp_id, flags, self.counter)
        client = _client_data("webauthn.get", challenge, origin, **more)
        signature = self.key.sign(data + hashlib.sha256(client).digest(), ec.ECDSA(SHA256()))
        return {
            "credential_id": b64(self.credential_id),
            "authenticator_data": b64(data),
            "client_data_json": b64(client),
            "signature": b64(signature),
        }


def _authenticator_data(rp_id: str, flags: int, counter: int) -> bytes:
    return hashlib.sha256(rp_id.encode()).digest() + bytes([flags]) + counter.to_bytes(4, "big")


def _client_data(kind: str, challenge: bytes, origin: str, **more: Any) -> bytes:  # noqa: ANN401 - as above
    said = {"type": kind, "challenge": b64(challenge), "origin": origin, "crossOrigin": False, **more}
    return json.dumps(said, separators=(",", ":")).encode()
