"""What the failure of a read means, in this product's words.

ccxt's exception texts hold signed URLs, and its classes are picked by URL and status in ways that mislead
(a 404 page is ExchangeNotAvailable). So the class chooses a family, and the words come from the venue's
own JSON message or from here, never from the exception's text as it stands.
"""

import json
import re
from collections.abc import Iterable
from typing import Any, Final, cast

import ccxt.async_support as ccxt

from exchange_mcp.config.logs import get_logger
from exchange_mcp.model.errors import (
    AuthenticationFailedError,
    BadAnswerError,
    ClockSkewError,
    ExchangeMcpError,
    PermissionMissingError,
    RateLimitedError,
    UnknownSymbolError,
    VenueError,
    VenueRefusedError,
    VenueUnavailableError,
    VenueUnreachableError,
)
from exchange_mcp.model.venue_text import visible

_log = get_logger(__name__)

# Codes whose ccxt class says something else than the vendor's page does.
# -2015 is "Invalid API-key, IP, or permissions for action": https://developers.binance.com/docs/binance-spot-api-docs/errors
_BY_CODE: Final[dict[tuple[str, str], type[VenueError]]] = {
    ("binance", "-2015"): AuthenticationFailedError,
    ("binance", "-2014"): AuthenticationFailedError,
    ("binance", "-1022"): AuthenticationFailedError,
    ("binance", "-1021"): ClockSkewError,
    ("binance", "-1003"): RateLimitedError,
}

# Most specific first: the first class that fits decides.
_BY_CLASS: Final[tuple[tuple[type[Exception], type[VenueError]], ...]] = (
    (ccxt.PermissionDenied, PermissionMissingError),
    (ccxt.AuthenticationError, AuthenticationFailedError),
    (ccxt.RateLimitExceeded, RateLimitedError),
    (ccxt.DDoSProtection, RateLimitedError),
    (ccxt.InvalidNonce, ClockSkewError),
    (ccxt.RequestTimeout, VenueUnreachableError),
    (ccxt.OnMaintenance, VenueUnavailableError),
    (ccxt.ExchangeNotAvailable, VenueUnavailableError),
    (ccxt.BadResponse, BadAnswerError),
    (ccxt.OperationFailed, VenueUnavailableError),
    (ccxt.ExchangeError, VenueRefusedError),
)

_CODE_KEYS: Final = ("code", "retCode", "sCode", "label", "error_code")
_MESSAGE_KEYS: Final = ("msg", "message", "retMsg", "sMsg", "error", "error_description", "detail")
_URL = re.compile(r"https?://\S+")


class TimedOutError(VenueUnreachableError):
    """The connection stood and nothing came; asking at once again would only wait again."""


def meaning(error: Exception, venue: str, secrets: Iterable[str] = ()) -> ExchangeMcpError:
    """The error of ours that a failed read stands for. `secrets` are cut from what the venue says."""
    if isinstance(error, ExchangeMcpError):
        return error
    if isinstance(error, ccxt.BadSymbol):
        return UnknownSymbolError(f"{venue} does not know this symbol")
    code, words = _said(str(error))
    for secret in secrets:
        words = words.replace(secret, "[redacted]") if secret else words
    if isinstance(error, ccxt.RequestTimeout) and not words:
        return TimedOutError(f"{venue} did not answer in time")
    if not isinstance(error, ccxt.BaseError):
        # ccxt's parsers fail like this on answers that they do not expect; it may also be a fault of ours.
        _log.warning("a read failed outside of ccxt's own errors", venue=venue, exc_info=error)
        return BadAnswerError(f"{venue} sent an answer that could not be read")
    kind = _BY_CODE.get((venue, code)) or next(
        (ours for theirs, ours in _BY_CLASS if isinstance(error, theirs)), VenueRefusedError
    )
    if not words:
        # Without the venue's own words, "not available" is mostly a refused connection or a gateway's page.
        unreachable = kind is VenueUnavailableError and error.__cause__ is not None
        return (
            VenueUnreachableError(f"{venue} could not be reached")
            if unreachable
            else kind(_WITHOUT_WORDS[kind].format(venue))
        )
    return kind(f"{venue} says: {words}" + (f" (code {code})" if code else ""))


_WITHOUT_WORDS: Final[dict[type[VenueError], str]] = {
    PermissionMissingError: "{} refuses this to the key",
    AuthenticationFailedError: "{} does not accept the key",
    RateLimitedError: "{} asks for fewer requests",
    ClockSkewError: "{} refuses the time of the request",
    VenueUnreachableError: "{} could not be reached",
    VenueUnavailableError: "{} cannot serve at the moment",
    BadAnswerError: "{} sent an answer that is not what its documentation promises",
    VenueRefusedError: "{} refused the request",
}


def _said(text: str) -> tuple[str, str]:
    """The code and the message in the venue's own JSON, each empty where there is none."""
    start = text.find("{")
    if start < 0:
        return "", ""
    try:
        body: Any = json.loads(text[start:])
    except (ValueError, RecursionError):
        return "", ""
    if not isinstance(body, dict):
        return "", ""
    fields = cast("dict[str, Any]", body)
    code = next((str(fields[key]) for key in _CODE_KEYS if isinstance(fields.get(key), str | int)), "")
    message: Any = next((fields[key] for key in _MESSAGE_KEYS if fields.get(key)), "")
    if isinstance(message, list):
        message = "; ".join(str(part) for part in cast("list[Any]", message))
    words = _URL.sub("[url]", message) if isinstance(message, str) else ""
    return visible(code, 40), visible(words, 200)
