"""What an exception says beside a complete answer: it can take proof away, and never gives any.

ccxt picks its classes by URL and status, and some are wrong; a refusal or an acceptance is read from the venue's own
answer. Class names are those of ccxt/base/errors.py, 4.5.90, and of what its parsers raise.
"""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final


class Ruling(StrEnum):
    """What a class of exception does to what the answer proves."""

    SAYS_NOTHING = "says nothing"
    """It was raised on our side after the answer was there: the answer decides alone."""
    NOT_ACCEPTED = "not accepted"
    """ccxt read a refusal or a failure in the answer: with it nothing is called accepted."""
    NO_ANSWER = "no answer"
    """It says that no answer came, or not this one: with it nothing is proved."""


_AFTERWARDS: Final = (
    "CancelledError",
    "TypeError",
    "KeyError",
    "IndexError",
    "AttributeError",
    "ValueError",
    "InvalidOperation",
)
# Everything under ExchangeError, and what ccxt makes of a code that its table calls a failed operation.
_REFUSALS: Final = (
    *("BaseError", "ExchangeError", "AuthenticationError", "PermissionDenied", "AccountNotEnabled"),
    *("AccountSuspended", "ArgumentsRequired", "BadRequest", "BadSymbol", "OperationRejected", "NoChange"),
    *("MarginModeAlreadySet", "MarketClosed", "ManualInteractionNeeded", "RestrictedLocation"),
    *("InsufficientFunds", "InvalidAddress", "AddressPending", "InvalidOrder", "OrderNotFound"),
    *("OrderNotCached", "OrderImmediatelyFillable", "OrderNotFillable", "DuplicateOrderId"),
    *("ContractUnavailable", "NotSupported", "InvalidProxySettings", "OperationFailed", "NetworkError"),
    *("DDoSProtection", "RateLimitExceeded", "ExchangeNotAvailable", "OnMaintenance", "InvalidNonce"),
    # Of the two responses: what is bad in an answer is seen from the answer itself.
    *("ChecksumError", "CancelPending", "UnsubscribeError", "BadResponse", "NullResponse"),
)
_NO_ANSWERS: Final = (
    *("RequestTimeout", "ExchangeClosedByUser"),
    *("EgressBlockedError", "BadAnswerError"),
)

RULINGS: Final[Mapping[str, Ruling]] = MappingProxyType(
    dict.fromkeys(_AFTERWARDS, Ruling.SAYS_NOTHING)
    | dict.fromkeys(_REFUSALS, Ruling.NOT_ACCEPTED)
    | dict.fromkeys(_NO_ANSWERS, Ruling.NO_ANSWER)
)
"""By class name. Whatever is not here proves nothing."""


def ruling(exception: str | None) -> Ruling:
    """The ruling on what was raised, if anything was."""
    return Ruling.SAYS_NOTHING if exception is None else RULINGS.get(exception, Ruling.NO_ANSWER)
