"""The event log's chain: each entry's hash covers its text and the hash before it.

`audit/verify.py` computes the same by itself, with nothing of this package, so that one can check the other.
"""

import hashlib
from typing import Final

from exchange_mcp.model.canonical import canonical_json

GENESIS_PREV: Final = "0" * 64


def event_text(seq: int, at_ms: int, kind: str, intent: str | None, body: object) -> str:
    """The one text of an event.

    Raises:
        TypeError: the body has no exact form in JSON.
    """
    return canonical_json({"at_ms": at_ms, "body": body, "intent": intent, "kind": kind, "seq": seq})


def event_hash(text: str, prev: str) -> str:
    """SHA-256 over a zero byte, the text, and the 32 bytes of the hash before it; hex."""
    return hashlib.sha256(b"\x00" + text.encode() + bytes.fromhex(prev)).hexdigest()


def exported(text: str, hash_: str) -> str:
    """An event as one line of the exported log, without its line end. It is canonical JSON as a whole."""
    return f'{{"event":{text},"hash":"{hash_}"}}'


def export_end(count: int, head: str) -> str:
    """The last line of an exported log; one that lacks it was cut."""
    return canonical_json({"end": {"count": count, "head": head}})
