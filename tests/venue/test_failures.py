"""What a failed read means: a ruling for every class that ccxt raises, and no secret in any sentence."""

import base64
import json
import socket
import urllib.parse
from collections.abc import Callable, Iterator

import aiohttp
import ccxt.async_support as ccxt
import pytest
from ccxt.base import errors as ccxt_errors
from hypothesis import given
from hypothesis import strategies as st

from exchange_mcp.config.redaction import Redactor
from exchange_mcp.model.errors import BadAnswerError, ErrorCode, VenueUnreachableError
from exchange_mcp.venue.failures import TimedOutError, meaning

E = ErrorCode
SIGNED = "https://api.binance.com/api/v3/account?timestamp=1&signature=0123abcdef"

# Every class of ccxt 4.5.90, and what its bare failure, without a word of the venue's, stands for.
RULINGS = {
    "AccountNotEnabled": E.PERMISSION_MISSING,
    "AccountSuspended": E.AUTHENTICATION_FAILED,
    "AddressPending": E.VENUE_REFUSED,
    "ArgumentsRequired": E.INTERNAL,
    "AuthenticationError": E.AUTHENTICATION_FAILED,
    "BadRequest": E.VENUE_REFUSED,
    "BadResponse": E.BAD_ANSWER,
    "BadSymbol": E.UNKNOWN_SYMBOL,
    "BaseError": E.BAD_ANSWER,
    "CancelPending": E.VENUE_UNAVAILABLE,
    "ChecksumError": E.CLOCK_SKEW,
    "ContractUnavailable": E.VENUE_REFUSED,
    "DDoSProtection": E.RATE_LIMITED,
    "DuplicateOrderId": E.VENUE_REFUSED,
    "ExchangeClosedByUser": E.STOPPING,
    "ExchangeError": E.BAD_ANSWER,
    "ExchangeNotAvailable": E.VENUE_UNAVAILABLE,
    "InsufficientFunds": E.VENUE_REFUSED,
    "InvalidAddress": E.VENUE_REFUSED,
    "InvalidNonce": E.CLOCK_SKEW,
    "InvalidOrder": E.VENUE_REFUSED,
    "InvalidProxySettings": E.INTERNAL,
    "ManualInteractionNeeded": E.VENUE_REFUSED,
    "MarginModeAlreadySet": E.VENUE_REFUSED,
    "MarketClosed": E.VENUE_REFUSED,
    "NetworkError": E.VENUE_UNAVAILABLE,
    "NoChange": E.VENUE_REFUSED,
    "NotSupported": E.INTERNAL,
    "NullResponse": E.BAD_ANSWER,
    "OnMaintenance": E.VENUE_UNAVAILABLE,
    "OperationFailed": E.VENUE_UNAVAILABLE,
    "OperationRejected": E.VENUE_REFUSED,
    "OrderImmediatelyFillable": E.VENUE_REFUSED,
    "OrderNotCached": E.VENUE_REFUSED,
    "OrderNotFillable": E.VENUE_REFUSED,
    "OrderNotFound": E.VENUE_REFUSED,
    "PermissionDenied": E.PERMISSION_MISSING,
    "RateLimitExceeded": E.RATE_LIMITED,
    "RequestTimeout": E.VENUE_UNREACHABLE,
    "RestrictedLocation": E.VENUE_REFUSED,
    "UnsubscribeError": E.INTERNAL,
}


def _classes(root: type[Exception]) -> Iterator[type[Exception]]:
    yield root
    for child in root.__subclasses__():
        if child.__module__ == ccxt_errors.__name__:
            yield from _classes(child)


def _said(code: object, words: str) -> str:
    return json.dumps({"code": code, "msg": words})


def test_every_class_that_ccxt_raises_has_a_ruling_and_no_other() -> None:
    tree = {kind.__name__: kind for kind in _classes(ccxt.BaseError)}
    assert {
        name: meaning(kind(f"binance GET {SIGNED}"), "binance").code for name, kind in tree.items()
    } == RULINGS


def test_every_name_of_the_installed_error_module_is_in_the_tree() -> None:
    defined = {
        name
        for name, kind in vars(ccxt_errors).items()
        if isinstance(kind, type) and issubclass(kind, Exception)
    }
    assert defined == set(RULINGS)


@pytest.mark.parametrize("name", sorted(RULINGS))
def test_a_failure_without_words_quotes_nothing_of_the_exception(name: str) -> None:
    kind = getattr(ccxt_errors, name)
    message = meaning(kind(f"binance GET {SIGNED} 500 oops <html>page</html>"), "binance").message
    assert not any(part in message for part in ("http", "signature", "0123abcdef", "html", "oops"))
    assert message.startswith(("binance ", "the answer of binance", "the server", "this server"))


# https://developers.binance.com/docs/binance-spot-api-docs/errors
@pytest.mark.parametrize(
    ("kind", "code", "meant", "retry"),
    [
        (ccxt.DDoSProtection, -2015, E.AUTHENTICATION_FAILED, "never"),
        (ccxt.AuthenticationError, -2014, E.AUTHENTICATION_FAILED, "never"),
        (ccxt.AuthenticationError, -1022, E.AUTHENTICATION_FAILED, "never"),
        (ccxt.InvalidNonce, -1021, E.CLOCK_SKEW, "never"),
        (ccxt.DDoSProtection, -1003, E.RATE_LIMITED, "safe"),
        (ccxt.OperationFailed, -1000, E.VENUE_UNAVAILABLE, "safe"),
        (ccxt.BadRequest, -1102, E.VENUE_REFUSED, "never"),
    ],
)
def test_the_venues_own_code_and_words_are_the_message(
    kind: type[Exception], code: int, meant: ErrorCode, retry: str
) -> None:
    error = meaning(kind(f"binance {_said(code, 'In its own words.')}"), "binance")
    assert (error.code, error.retry) == (meant, retry)
    assert error.message == f"binance says: In its own words. (code {code})"


# bybit: https://bybit-exchange.github.io/docs/v5/error
# okx: https://www.okx.com/docs-v5/en/#error-code
# kraken: https://docs.kraken.com/api/docs/guides/spot-errors
# gate: https://www.gate.com/docs/developers/apiv4/en/#error-handling
# coinbase: https://docs.cdp.coinbase.com/coinbase-app/advanced-trade-apis/rest-api
# bitget: https://www.bitget.com/api-doc/common/error-code/restapi
@pytest.mark.parametrize(
    ("venue", "error", "meant", "message"),
    [
        (
            "bybit",
            ccxt.ExchangeError('bybit {"retCode":10016,"retMsg":"Server error."}'),
            E.VENUE_UNAVAILABLE,
            "bybit says: Server error. (code 10016)",
        ),
        (
            "bybit",
            ccxt.ExchangeError('bybit {"retCode":10000,"retMsg":"Server Timeout"}'),
            E.VENUE_UNAVAILABLE,
            "bybit says: Server Timeout (code 10000)",
        ),
        (
            "okx",
            ccxt.RateLimitExceeded('okx {"code":"50011","msg":"Too Many Requests","data":[]}'),
            E.RATE_LIMITED,
            "okx says: Too Many Requests (code 50011)",
        ),
        (
            "kraken",
            ccxt.ExchangeNotAvailable('kraken {"error":["EService:Unavailable","EService:Busy"]}'),
            E.VENUE_UNAVAILABLE,
            "kraken says: EService:Unavailable; EService:Busy",
        ),
        (
            "gate",
            ccxt.ExchangeNotAvailable('gate {"label":"SERVER_ERROR","message":"try later"}'),
            E.VENUE_UNAVAILABLE,
            "gate says: try later (code SERVER_ERROR)",
        ),
        (
            "coinbase",
            ccxt.RateLimitExceeded('coinbase {"error":"RATE_LIMIT","message":"slow down"}'),
            E.RATE_LIMITED,
            "coinbase says: slow down",
        ),
        (
            "bitget",
            ccxt.ExchangeError('bitget {"code":"40725","msg":"Service returned an error"}'),
            E.VENUE_UNAVAILABLE,
            "bitget says: Service returned an error (code 40725)",
        ),
    ],
)
def test_each_venues_way_of_saying_it_is_read(
    venue: str, error: Exception, meant: ErrorCode, message: str
) -> None:
    meaning_of_it = meaning(error, venue)
    assert (meaning_of_it.code, meaning_of_it.message) == (meant, message)


@pytest.mark.parametrize(
    ("status", "meant", "retry"),
    [
        (400, E.VENUE_UNAVAILABLE, "safe"),
        (403, E.RATE_LIMITED, "safe"),
        (404, E.BAD_ANSWER, "safe"),
        (451, E.VENUE_REFUSED, "never"),
        (502, E.VENUE_UNAVAILABLE, "safe"),
    ],
)
def test_a_page_without_words_is_judged_by_its_status(status: int, meant: ErrorCode, retry: str) -> None:
    error = meaning(
        ccxt.ExchangeNotAvailable(f"binance GET {SIGNED} {status} Reason <html>{{</html>"), "binance"
    )
    assert (error.code, error.retry) == (meant, retry)


@pytest.mark.parametrize(
    ("raised", "cause", "meant", "message"),
    [
        (ccxt.ExchangeNotAvailable, socket.gaierror(), VenueUnreachableError, "okx could not be reached"),
        (
            ccxt.ExchangeNotAvailable,
            aiohttp.ClientOSError(),
            VenueUnreachableError,
            "okx could not be reached",
        ),
        (
            ccxt.ExchangeError,
            aiohttp.ClientPayloadError(),
            VenueUnreachableError,
            "the answer of okx broke off",
        ),
        (ccxt.RequestTimeout, TimeoutError(), TimedOutError, "okx did not answer in time"),
    ],
)
def test_a_connection_that_fails_is_told_apart_from_a_venue_that_refuses(
    raised: type[Exception], cause: Exception, meant: type[Exception], message: str
) -> None:
    error = raised(f"okx GET {SIGNED}")
    error.__cause__ = cause
    assert isinstance(meaning(error, "okx"), meant)
    assert meaning(error, "okx").message == message


@pytest.mark.parametrize(
    "text",
    [
        "binance {",
        "binance {}",
        "binance []",
        "binance {not json}",
        'binance {"msg":' + "[" * 100_000,
        'binance {"code":null,"msg":null}',
        'binance {"code":{"a":1},"msg":{"b":2}}',
        'binance {"code":' + "1" * 5_000 + "}",
        "binance <style>p {color: red}</style>",
    ],
    ids=lambda text: text[:40],
)
def test_what_the_venue_says_in_no_form_we_know_is_not_quoted(text: str) -> None:
    error = meaning(ccxt.BadRequest(text), "binance")
    assert (error.code, error.message) == (E.VENUE_REFUSED, "binance refused the request")
    # ccxt's own word for an answer without the venue's code of success proves no refusal.
    assert meaning(ccxt.ExchangeError(text), "binance").code is E.BAD_ANSWER


def test_an_error_of_ours_stays_itself_and_a_parsers_fault_is_a_bad_answer_without_its_text() -> None:
    ours = BadAnswerError("binance sent an answer that is not JSON")
    assert meaning(ours, "binance") is ours
    assert (
        meaning(KeyError("signature"), "binance").message == "binance sent an answer that could not be read"
    )


def test_what_the_venue_says_is_short_and_shows_what_is_hidden() -> None:
    error = meaning(ccxt.ExchangeError("x " + _said(1, "a\u202eb" + "c" * 500)), "x")
    assert error.message.startswith(r"x says: a\u{202e}bc")
    assert len(error.message) < 300


def test_addresses_in_what_the_venue_says_are_left_out() -> None:
    error = meaning(ccxt.ExchangeError("x " + _said(1, f"see {SIGNED} for more")), "x")
    assert error.message == "x says: see [url] for more (code 1)"
    for address in ("HTTPS://EVIL.example/x", "www.evil.example/x", "WWW.evil.example"):
        assert meaning(ccxt.ExchangeError("x " + _said(1, f"see {address}")), "x").message == (
            "x says: see [url] (code 1)"
        )


def _base64(raw: bytes) -> str:
    return base64.b64encode(raw).decode()


@pytest.mark.parametrize("size", [32, 48, 64])
@pytest.mark.parametrize("write", [bytes.hex, _base64], ids=["hex", "base64"])
def test_a_signature_that_a_venue_repeats_alone_is_masked(size: int, write: Callable[[bytes], str]) -> None:
    # HMAC-SHA256, -384 and -512: RFC 2104 and FIPS 180-4.
    signature = write(bytes(range(100, 100 + size)))
    error = meaning(ccxt.ExchangeError("x " + _said(1, f"{signature} does not fit")), "x")
    assert error.message == "x says: [redacted] does not fit (code 1)"


@pytest.mark.parametrize(
    "words",
    [
        "no order 0b5d2f6e-7c1a-4b51-9b1e-2f6f0b8f1c55 is known",
        "order 123456789012345678901234567890123456789 is unknown",
        "THEPRICEISTOOHIGHFORTHISACCOUNTANDITSORDERS says all",
    ],
)
def test_an_id_and_a_long_word_of_a_venue_are_shown(words: str) -> None:
    assert meaning(ccxt.ExchangeError("x " + _said(1, words)), "x").message == f"x says: {words} (code 1)"


_SECRETS = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=8, max_size=64)
_WORDS = st.text(max_size=210)


def _percent(secret: str) -> str:
    return urllib.parse.quote(secret, safe="")


_FORMS: st.SearchStrategy[Callable[[str], str]] = st.sampled_from([str, urllib.parse.quote_plus, _percent])


@given(secret=_SECRETS, before=_WORDS, after=_WORDS, form=_FORMS, as_code=st.booleans())
def test_no_secret_is_in_any_message_however_it_is_written_and_wherever_it_is_cut(
    secret: str, before: str, after: str, form: Callable[[str], str], *, as_code: bool
) -> None:
    redactor = Redactor()
    redactor.learn(secret)
    written = form(secret)
    said = _said(written, before) if as_code else _said(-1, before + written + after)
    message = meaning(ccxt.ExchangeError(f"binance {said}"), "binance", redactor).message
    assert secret not in message
    assert written not in message
    # Nor the first half of it, left over at the end of what was cut.
    assert (
        not message.removesuffix(" (code -1)")
        .partition("…")[0]
        .endswith(written[: max(6, len(written) // 2)])
    )
