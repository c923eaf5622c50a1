"""Approvers that a test signs with: real Ed25519 keys, made from their names."""

import hashlib
from dataclasses import dataclass
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from exchange_mcp.desk.approvers import ED25519, base64url
from exchange_mcp.desk.operator.messages import SignatureMessage, SignedMessage
from exchange_mcp.desk.register import Approver
from exchange_mcp.desk.statements import Purpose, Statement


@dataclass(frozen=True)
class Hand:
    """One approver's key."""

    name: str
    kind: str = ED25519

    @property
    def key(self) -> Ed25519PrivateKey:
        return Ed25519PrivateKey.from_private_bytes(hashlib.sha256(self.name.encode()).digest())

    @property
    def public(self) -> str:
        return base64url(self.key.public_key().public_bytes_raw())

    @property
    def approver(self) -> Approver:
        return Approver(name=self.name, kind=self.kind, public=self.public)

    def fields(self, hash_: bytes) -> dict[str, str]:
        return {"signature": base64url(self.key.sign(hash_))}

    def message(self, statement: Statement, **changed: Any) -> SignedMessage:  # noqa: ANN401 - a field of the record
        """The statement with this approver's signature over it; `changed` is changed after it was signed."""
        values: dict[str, Any] = {
            "purpose": statement.purpose,
            "nonce": statement.nonce,
            "expires_ms": statement.expires_ms,
            "body": dict(statement.body),
            "signature": SignatureMessage(approver=self.name, fields=self.fields(statement.hash())),
        }
        return SignedMessage(**{**values, **changed})


def statement(purpose: Purpose, body: dict[str, object], **changed: Any) -> Statement:  # noqa: ANN401 - a field of the record
    """A statement of no desk in particular."""
    values: dict[str, Any] = {
        "purpose": purpose,
        "desk_id": "d" * 32,
        "nonce": "0" * 32,
        "expires_ms": 0,
        "body": body,
    }
    return Statement(**{**values, **changed})


ANNA, BEN, CLEO = Hand("anna"), Hand("ben"), Hand("cleo")
