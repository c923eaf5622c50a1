"""What is not repeated of a venue's words: the key that was asked with, what was signed with it, and their likes.

A venue, or a gateway before it, may answer an error with the request that it refuses, headers included.
"""

import re
from typing import Any, Final

from exchange_mcp.config.redaction import Redactor
from exchange_mcp.config.secret import MASK
from exchange_mcp.venue.attempts import Attempt

# The signature of a request stands alone in a sentence as hex or base64 of 32 bytes or more. No word, order id or
# code of a venue is so long without a hyphen or an underscore; an identifier of capitals has no digit.
_OPAQUE: Final = re.compile(r"(?=[A-Za-z+/%=]{0,200}[0-9])[A-Za-z0-9+/%=]{40,}")


def redactor_of(client: Any) -> Redactor:  # noqa: ANN401 - ccxt is untyped
    """A redactor that knows what this client signs with."""
    redactor = Redactor()
    for secret in (client.apiKey, client.secret, client.password):
        if secret:
            redactor.learn(secret)
    return redactor


def masked_words(words: str, redactor: Redactor) -> str:
    """What a venue says, for a message: without secrets, and without anything that could be a signature."""
    return _OPAQUE.sub(MASK, redactor.scrub(words))


def masked_body(client: Any, attempt: Attempt) -> str | None:  # noqa: ANN401 - as above
    """The body of an answer for a record that is kept; None where it can be kept as it came."""
    body = attempt.body
    if not body:
        return None
    redactor = redactor_of(client)
    for credential in attempt.credentials:
        redactor.learn(credential)
    masked = redactor.scrub(body)
    return None if masked == body else masked
