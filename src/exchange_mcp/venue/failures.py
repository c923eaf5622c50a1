"""What the failure of a read means, in this product's words.

ccxt's exception texts hold signed URLs, and its classes are picked by URL and status in ways that mislead
(a 404 page is ExchangeNotAvailable). So the class chooses a family, and the words come from the venue's
own JSON message or from here, never from the exception's text as it stands.
"""

import json
import re
from typing import Any, Final, cast

import aiohttp
import ccxt.async_support as ccxt

from exchange_mcp.config.logs import get_logger
from exchange_mcp.config.redaction import Redactor
from exchange_mcp.model.errors import (
    AuthenticationFailedError,
    BadAnswerError,
    ClockSkewError,
    ExchangeMcpError,
    InternalError,
    PermissionMissingError,
    RateLimitedError,
    StoppingError,
    UnknownSymbolError,
    VenueError,
    VenueRefusedError,
    VenueUnavailableError,
    VenueUnreachableError,
)
from exchange_mcp.model.venue_text import visible
from exchange_mcp.venue.masking import masked_words

_log = get_logger(__name__)

# Codes whose ccxt class says something else than the vendor's page does.
# binance, -2015 is "Invalid API-key, IP, or permissions for action": https://developers.binance.com/docs/binance-spot-api-docs/errors
# bybit, 10000 is a server timeout and 10016 a server error: https://bybit-exchange.github.io/docs/v5/error
# bitget, "system is abnormal", "service returned an error", "unknown error": https://www.bitget.com/api-doc/common/error-code/restapi
_BY_CODE: Final[dict[tuple[str, str], type[VenueError]]] = {
    ("binance", "-2015"): AuthenticationFailedError,
    ("binance", "-2014"): AuthenticationFailedError,
    ("binance", "-1022"): AuthenticationFailedError,
    ("binance", "-1021"): ClockSkewError,
    ("binance", "-1003"): RateLimitedError,
    ("bybit", "10000"): VenueUnavailableError,
    ("bybit", "10016"): VenueUnavailableError,
    ("bitget", "40015"): VenueUnavailableError,
    ("bitget", "40725"): VenueUnavailableError,
    ("bitget", "45001"): VenueUnavailableError,
}

# Most specific first: the first class that fits decides. What fits none proves nothing, so it is a bad answer.
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

# What ccxt raises of its own accord, before anything is sent: the question was wrong, and it was ours.
_OURS: Final = (ccxt.ArgumentsRequired, ccxt.NotSupported, ccxt.InvalidProxySettings, ccxt.UnsubscribeError)

# Pages without the venue's own words, by HTTP status.
# 403 is a firewall's limit at binance and "access too frequent" at bybit, each to be left alone for minutes:
# https://developers.binance.com/docs/binance-spot-api-docs/rest-api/general-api-information
# https://bybit-exchange.github.io/docs/v5/rate-limit
_BY_STATUS: Final[dict[str, tuple[type[VenueError], str]]] = {
    "403": (
        RateLimitedError,
        "{} turned the request away (HTTP 403): too many requests, or a block on this place",
    ),
    "404": (BadAnswerError, "{} has no such page (HTTP 404)"),
    "451": (VenueRefusedError, "{} does not serve this place (HTTP 451)"),
}

_CODE_KEYS: Final = ("code", "retCode", "sCode", "label", "error_code")
_MESSAGE_KEYS: Final = ("msg", "message", "retMsg", "sMsg", "error", "error_description", "detail")
_URL = re.compile(r"(?:https?://|www\.)\S+", re.IGNORECASE)
# How ccxt words an HTTP status: id, method, URL, status, reason, body.
_STATUS = re.compile(r"^\S+ (?:GET|POST) \S+ ([0-9]{3}) ")


class TimedOutError(VenueUnreachableError):
    """The connection stood and nothing came; asking at once again would only wait again."""


class TooLongError(BadAnswerError):
    """More than is parsed came; asking again would only bring it again."""


def meaning(error: Exception, venue: str, redactor: Redactor | None = None) -> ExchangeMcpError:
    """The error of ours that a failed read stands for. `redactor` masks secrets in what the venue says."""
    if isinstance(error, ExchangeMcpError):
        return error
    if not isinstance(error, ccxt.BaseError):
        # ccxt's parsers fail like this on answers that they do not expect; it may also be a fault of ours.
        _log.warning("a read failed outside of ccxt's own errors", venue=venue, exc_info=error)
        return BadAnswerError(f"{venue} sent an answer that could not be read")
    if isinstance(error, ccxt.BadSymbol):
        return UnknownSymbolError(f"{venue} does not know this symbol")
    text = str(error)
    code, words = _said(text, redactor or Redactor())
    kind = _BY_CODE.get((venue, code)) or next(
        (ours for theirs, ours in _BY_CLASS if isinstance(error, theirs)), BadAnswerError
    )
    status = _STATUS.search(text)
    # By its class alone, ccxt takes a refusal to serve a place for a venue that is down: https://docs.ccxt.com/README?id=errors
    kind = VenueRefusedError if status is not None and status[1] == "451" else kind
    if words:
        return kind(f"{venue} says: {words}" + (f" (code {code})" if code else ""))
    if type(error) is ccxt.ExchangeError and not code:
        # What ccxt raises of an answer that has no code of success either, such as {}: no refusal is in it.
        kind = BadAnswerError
    return _unsaid(error, venue, status) or kind(_WITHOUT_WORDS[kind].format(venue))


def code_of(error: Exception) -> str:
    """The venue's own code in what ccxt raised; empty where there is none."""
    return _said(str(error), Redactor())[0] if isinstance(error, ccxt.BaseError) else ""


def _unsaid(error: Exception, venue: str, status: re.Match[str] | None) -> ExchangeMcpError | None:
    """What a failure means without the venue's own words, where its class does not tell."""
    if isinstance(error, ccxt.RequestTimeout):
        return TimedOutError(f"{venue} did not answer in time")
    if isinstance(error.__cause__, aiohttp.ClientConnectionError | OSError):
        return VenueUnreachableError(f"{venue} could not be reached")
    if isinstance(error.__cause__, aiohttp.ClientError):
        return VenueUnreachableError(f"the answer of {venue} broke off")
    if isinstance(error, ccxt.ExchangeClosedByUser):
        return StoppingError("the server is shutting down")
    if isinstance(error, _OURS):
        _log.error("ccxt refused a request of ours", venue=venue, exc_info=error)
        return InternalError(f"this server asked {venue} in a way that cannot be asked")
    kind, words = _BY_STATUS.get(status[1] if status else "", (None, ""))
    return kind(words.format(venue)) if kind else None


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


def _said(text: str, redactor: Redactor) -> tuple[str, str]:
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
    words = _URL.sub("[url]", masked_words(message, redactor)) if isinstance(message, str) else ""
    # Scrubbed before it is cut, so that no half of a secret is left at the end.
    return visible(masked_words(code, redactor), 40), visible(words, 200)
