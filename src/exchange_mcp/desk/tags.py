"""The tag that one desk's client order ids carry, from what its journal says of itself."""

import hashlib

from exchange_mcp.desk.records import Identity
from exchange_mcp.model.client_ids import ALPHABET, DeskTag, desk_tag


def own_tag(identity: Identity) -> DeskTag:
    """The tag; one of another form than a client order id's is brought into it, always in the same way."""
    try:
        return desk_tag(identity.tag)
    except ValueError:
        digest = hashlib.sha256(identity.tag.encode()).digest()
        return DeskTag("".join(ALPHABET[byte % len(ALPHABET)] for byte in digest[:5]))
