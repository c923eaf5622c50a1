"""Which endpoints move money or debt, or touch keys or sub-accounts, told by words alone and wider than the truth."""

import re
from typing import Final

from exchange_mcp.rules.endpoints import Endpoint

_WORDS: Final = re.compile(
    r"withdraw|transfer|borrow|repay|loan|redeem|subscri|convert|dust|earn|stak|deposit"
    r"|sub[-_]?(account|member|user)|(create|delete|update|modify|add|edit|new)[-_]?(sub[-_]?)?api",
    re.IGNORECASE,
)


def moves_money_or_keys(endpoint: Endpoint) -> bool:
    """Whether a word of the endpoint's path says so, whatever its verb."""
    return _WORDS.search(endpoint.path) is not None
