"""What an approver signs: one sentence of the desk's protocol, bound to one desk, used once, for a short time.

A statement is made by whoever signs it, from what it saw, and made again by the desk from what it holds; neither ever
signs or believes a hash that the other handed over. Pure: no key is touched here.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from exchange_mcp.model.canonical import canonical_json

_DOMAIN: Final = b"exchange-mcp desk statement v1\n"


class Purpose(StrEnum):
    """What a signature changes. Nothing else at the desk is done by one, and none of these is done without."""

    GRANT = "grant"
    RESOLVE = "resolve"
    RESUME = "resume"
    ACCEPT_CONFIGURATION = "accept_configuration"
    ADD_APPROVER = "add_approver"
    REMOVE_APPROVER = "remove_approver"
    ADD_CLIENT = "add_client"
    REMOVE_CLIENT = "remove_client"
    ALLOW_TOOL = "allow_tool"
    PROPOSE = "propose"
    CANCEL_OPEN = "cancel_open"


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One statement.

    Attributes:
        desk_id: of the desk that it is for.
        nonce: 32 hex digits, minted by the desk for this one statement.
        expires_ms: until when the desk takes it, UTC milliseconds.
        body: what is said, by its purpose (see the functions below); anything that `canonical_json` takes.
    """

    purpose: Purpose
    desk_id: str
    nonce: str
    expires_ms: int
    body: Mapping[str, object]

    def canonical(self) -> str:
        """Its one text; kept in the journal beside its signatures."""
        return canonical_json(
            {
                "purpose": self.purpose.value,
                "desk": self.desk_id,
                "nonce": self.nonce,
                "expires_ms": self.expires_ms,
                "body": self.body,
            }
        )

    def hash(self) -> bytes:
        """What is signed, 32 bytes: SHA-256 of the canonical text, under this protocol's name."""
        return hashlib.sha256(_DOMAIN + self.canonical().encode()).digest()


def sha256_of(text: str) -> str:
    """The digest of a text, in hex; as the journal's digests of plans and previews are."""
    return hashlib.sha256(text.encode()).hexdigest()


def grant_body(*, intent: str, plan_text: str, preview_text: str, policy_digest: str) -> dict[str, object]:
    """What a grant says: this intent, the wire plan and the preview by their own bytes, under this policy."""
    return {
        "intent": intent,
        "plan": sha256_of(plan_text),
        "preview": sha256_of(preview_text),
        "policy": policy_digest,
    }


def resolve_body(*, intent: str, outcome: str, note: str) -> dict[str, object]:
    """What became of an unknown: placed, absent; of a cancel: canceled, too_late; of leverage: set, not_set."""
    return {"intent": intent, "outcome": outcome, "note": note}


def resume_body(*, account: str | None, reason: str) -> dict[str, object]:
    """Which halt is lifted, of one account or of the desk (None), and all that it was told to stand for."""
    return {"account": account, "reason": reason}


def accept_body(*, configuration_digest: str) -> dict[str, object]:
    """SHA-256 of the bytes of `desk.toml`, in hex."""
    return {"configuration": configuration_digest}


def approver_body(*, name: str, kind: str, public: str) -> dict[str, object]:
    """An approver to be added, with its public key as text; or, with an empty one, to be removed."""
    return {"name": name, "kind": kind, "public": public}


def client_body(*, name: str, credential_sha256: str) -> dict[str, object]:
    """A client to be added, with the hash of its credential; or, with an empty one, to be removed."""
    return {"name": name, "credential_sha256": credential_sha256}


def allow_body(*, client: str, tool: str, is_allowed: bool, declaration_digest: str) -> dict[str, object]:
    """A tool that a client may, or may not, use, as it is declared by this digest."""
    return {"client": client, "tool": tool, "allowed": is_allowed, "declaration": declaration_digest}


def propose_body(
    *, account: str, action: str, request: Mapping[str, object], distinct_from: str | None = None
) -> dict[str, object]:
    """What an operator proposes over the operator socket, and the earlier intent that this is knowingly not."""
    return {"account": account, "action": action, "request": request, "distinct_from": distinct_from}


def cancel_open_body(*, account: str | None) -> dict[str, object]:
    """Every open order of one account, or of all (None), is to be cancelled, one intent each."""
    return {"account": account}
