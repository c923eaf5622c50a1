"""The client order ids of desks: made from entropy, told apart from everyone else's, and from one another's.

An id is `xm`, the tag of its desk, random characters, and a check of all that: 30 characters, or 18 where a venue
takes no more. All are lower-case letters and digits, which every supported venue takes, and none begins with a
prefix that a venue keeps for its brokers (`x-` at Binance).

The id is how an order is found again. It is no protection against a second send: most venues free an id as soon as
its order is closed.
"""

import hashlib
import re
from typing import Final, NewType

from exchange_mcp.model.ports import Entropy

DeskTag = NewType("DeskTag", str)
"""Five characters that every order of one desk carries."""

# Without i, l, o and u: a person may have to read one aloud.
ALPHABET: Final = "0123456789abcdefghjkmnpqrstvwxyz"
PREFIX: Final = "xm"
LONG: Final = 30
SHORT: Final = 18
_TAG: Final = 5
_CHECK: Final = 2
_ID: Final = re.compile(rf"{PREFIX}[{ALPHABET}]+")


def new_desk_tag(entropy: Entropy) -> DeskTag:
    """A tag for a new desk: one of 33 million."""
    return DeskTag(_letters(entropy.token(_TAG)))


def desk_tag(text: str) -> DeskTag:
    """The tag that was written down.

    Raises:
        ValueError: it is none.
    """
    if len(text) != _TAG or not set(text) <= set(ALPHABET):
        raise ValueError(f"a desk's tag is {_TAG} of the characters {ALPHABET}")
    return DeskTag(text)


def new_client_order_id(tag: DeskTag, entropy: Entropy, longest: int) -> str:
    """An id for one order at a venue that takes up to `longest` characters: 105 random bits, or 45 where it is short.

    Raises:
        ValueError: the venue takes fewer than 18 characters.
    """
    length = LONG if longest >= LONG else SHORT
    if longest < length:
        raise ValueError(f"a client order id has {SHORT} characters at least, and the venue takes {longest}")
    body = PREFIX + tag + _letters(entropy.token(length - len(PREFIX) - _TAG - _CHECK))
    return body + _check(body)


def tag_of(client_order_id: str | None) -> DeskTag | None:
    """The tag of the desk that made this id; None where no desk did.

    One of a million foreign ids of the same length and alphabet would pass for a desk's.
    """
    if client_order_id is None or len(client_order_id) not in {LONG, SHORT}:
        return None
    body, check = client_order_id[:-_CHECK], client_order_id[-_CHECK:]
    if _ID.fullmatch(client_order_id) is None or check != _check(body):
        return None
    return DeskTag(body[len(PREFIX) : len(PREFIX) + _TAG])


def _letters(random: bytes) -> str:
    # 256 is a multiple of 32, so no character is likelier than another.
    return "".join(ALPHABET[byte % len(ALPHABET)] for byte in random)


def _check(body: str) -> str:
    return _letters(hashlib.sha256(body.encode()).digest()[:_CHECK])
