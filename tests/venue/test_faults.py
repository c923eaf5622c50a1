"""Every source under every fault of the simulated exchange: a named reason, never an empty list."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from exchange_mcp.model.errors import ErrorCode, ExchangeMcpError
from exchange_mcp.model.ports import ReadVenue
from exchange_mcp.sim import SimulatedExchange
from exchange_mcp.tools.asking import ask
from exchange_mcp.venue.opening import Opening
from exchange_mcp.venue.wire import Loopback

from .opened import client_of, handed, opened, simulated

pytestmark = pytest.mark.anyio

E = ErrorCode


@dataclass(frozen=True, slots=True)
class Source:
    """One source of the account: which question it belongs to, and where the venue answers it."""

    question: Callable[[ReadVenue], Any]
    name: str
    path: str

    def read(self, venue: ReadVenue) -> Awaitable[Sequence[object]]:
        (read,) = [read for read in self.question(venue).reads if read.source == self.name]
        return read.read()


SOURCES = {
    "spot balances": Source(lambda v: v.balances(), "spot", "/api/v3/account"),
    "linear balances": Source(lambda v: v.balances(), "linear", "/fapi/v3/account"),
    "positions": Source(lambda v: v.positions(), "linear", "/fapi/v2/positionRisk"),
    "spot orders": Source(lambda v: v.open_orders(None), "spot", "/api/v3/openOrders"),
    "linear orders": Source(lambda v: v.open_orders(None), "linear", "/fapi/v1/openOrders"),
    "conditional orders": Source(
        lambda v: v.open_orders(None), "linear conditional", "/fapi/v1/openAlgoOrders"
    ),
    "ticker": Source(lambda v: v.ticker("BTC/USDT"), "ticker", "/api/v3/ticker/24hr"),
    "book": Source(lambda v: v.order_book("BTC/USDT", 5), "order book", "/api/v3/depth"),
}
# Where an empty list is what the venue documents for "there is none".
LISTS = {"positions", "spot orders", "linear orders", "conditional orders"}

HTML = "<html><body>{ An error occurred }</body></html>"


def _status(
    status: int, body: str, content_type: str = "application/json", **headers: str
) -> dict[str, object]:
    return {
        "kind": "status",
        "status": status,
        "body": body,
        "content_type": content_type,
        "headers": headers,
    }


def _says(status: int, code: int, words: str) -> dict[str, object]:
    return _status(status, f'{{"code":{code},"msg":"{words}"}}')


def _body(body: str, content_type: str = "application/json") -> dict[str, object]:
    return {"kind": "body", "body": body, "content_type": content_type}


@dataclass(frozen=True, slots=True)
class Fault:
    """What goes wrong, what it is called, whether the caller may ask again, and how often we asked."""

    rule: Mapping[str, object]
    code: ErrorCode
    retry: str
    attempts: int
    message: str
    spares: frozenset[str] = frozenset()


UNCOUNTED = 0
NOT_JSON = "binance sent an answer that is not JSON"

# Codes and words: https://developers.binance.com/docs/binance-spot-api-docs/errors
# Statuses: https://developers.binance.com/docs/binance-spot-api-docs/rest-api/general-api-information
FAULTS = {
    "5xx JSON": Fault(
        _says(500, -1000, "An unknown error occurred while processing the request."),
        E.VENUE_UNAVAILABLE,
        "safe",
        3,
        "binance says: An unknown error occurred while processing the request. (code -1000)",
    ),
    "5xx HTML": Fault(
        _status(502, HTML, "text/html"), E.VENUE_UNAVAILABLE, "safe", 3, "binance cannot serve at the moment"
    ),
    "504 HTML": Fault(
        _status(504, HTML, "text/html"), E.VENUE_UNREACHABLE, "safe", 1, "binance did not answer in time"
    ),
    "200 HTML": Fault(_body(HTML, "text/html"), E.BAD_ANSWER, "safe", 3, NOT_JSON),
    "200 HTML called JSON": Fault(_body(HTML), E.BAD_ANSWER, "safe", 3, NOT_JSON),
    "200 empty": Fault(_body(""), E.BAD_ANSWER, "safe", 3, NOT_JSON),
    "200 null": Fault(_body("null"), E.BAD_ANSWER, "safe", 3, NOT_JSON),
    "{}": Fault(_body("{}"), E.BAD_ANSWER, "safe", 3, " sent a"),
    "[]": Fault(_body("[]"), E.BAD_ANSWER, "safe", 3, " sent a", frozenset(LISTS)),
    "truncated JSON": Fault(_body('[{"symbol":"BTCUSDT","pri'), E.BAD_ANSWER, "safe", 3, NOT_JSON),
    "NaN": Fault(_body('{"balances":[{"asset":"BTC","free":NaN}]}'), E.BAD_ANSWER, "safe", 3, NOT_JSON),
    "429": Fault(
        _says(429, -1003, "Too many requests."),
        E.RATE_LIMITED,
        "safe",
        1,
        "binance says: Too many requests. (code -1003)",
    ),
    "418": Fault(
        _says(418, -1003, "Way too much request weight used; IP banned."),
        E.RATE_LIMITED,
        "safe",
        1,
        "binance says: Way too much request weight used; IP banned. (code -1003)",
    ),
    "429 HTML": Fault(
        _status(429, HTML, "text/html"), E.RATE_LIMITED, "safe", 1, "binance asks for fewer requests"
    ),
    "403 HTML": Fault(
        _status(403, HTML, "text/html"),
        E.RATE_LIMITED,
        "safe",
        1,
        "binance turned the request away (HTTP 403): too many requests, or a block on this place",
    ),
    "451 HTML": Fault(
        _status(451, HTML, "text/html"),
        E.VENUE_REFUSED,
        "never",
        1,
        "binance does not serve this place (HTTP 451)",
    ),
    "-1021": Fault(
        _says(400, -1021, "Timestamp for this request is outside of the recvWindow."),
        E.CLOCK_SKEW,
        "never",
        1,
        "binance says: Timestamp for this request is outside of the recvWindow. (code -1021)",
    ),
    "-2015": Fault(
        _says(401, -2015, "Invalid API-key, IP, or permissions for action."),
        E.AUTHENTICATION_FAILED,
        "never",
        1,
        "binance says: Invalid API-key, IP, or permissions for action. (code -2015)",
    ),
    "-1022": Fault(
        _says(400, -1022, "Signature for this request is not valid."),
        E.AUTHENTICATION_FAILED,
        "never",
        1,
        "binance says: Signature for this request is not valid. (code -1022)",
    ),
    "-1003": Fault(
        _says(400, -1003, "Too much request weight used."),
        E.RATE_LIMITED,
        "safe",
        1,
        "binance says: Too much request weight used. (code -1003)",
    ),
    "close": Fault({"kind": "close"}, E.VENUE_UNREACHABLE, "safe", UNCOUNTED, "binance could not be reached"),
    "redirect 302": Fault(
        _status(302, "", "text/html", location="https://api.binance.com/elsewhere"),
        E.BAD_ANSWER,
        "safe",
        3,
        NOT_JSON,
    ),
    "redirect 307": Fault(
        _status(307, "", "text/html", location="https://www.example.com/"), E.BAD_ANSWER, "safe", 3, NOT_JSON
    ),
}


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("fault", FAULTS)
async def test_a_source_that_fails_says_how_and_whether_to_ask_again(
    sim: SimulatedExchange, cache: Path, fault: str, source: str
) -> None:
    asked, expected = SOURCES[source], FAULTS[fault]
    if source in expected.spares:
        pytest.skip("an empty list is a good answer here")
    async with opened(simulated(sim), cache=cache) as venues:
        sim.control.add_fault({**expected.rule, "path": asked.path})
        with pytest.raises(ExchangeMcpError) as raised:
            await asked.read(venues.venues["main"])
    failure, key = raised.value, sim.keys["reader"]
    assert (failure.code, failure.retry) == (expected.code, expected.retry)
    assert expected.message in failure.message
    assert not any(
        secret in failure.message for secret in ("http:", "https:", "signature=", key.api_key, key.secret)
    )
    paths = [entry.path for entry in sim.control.requests()]
    assert paths == [asked.path] * (expected.attempts or len(paths))


async def test_a_connection_that_is_closed_is_asked_for_three_times_and_no_more(
    sim: SimulatedExchange, cache: Path
) -> None:
    async with opened(simulated(sim), cache=cache) as venues:
        sim.control.add_fault({"kind": "close"})
        with pytest.raises(ExchangeMcpError):
            await SOURCES["ticker"].read(venues.venues["main"])
    assert len(sim.control.requests()) == 3


@pytest.mark.parametrize("status", [202, 206, 302, 307, 423, 499, 524])
async def test_a_body_of_the_right_form_under_another_status_than_success_is_no_answer(
    sim: SimulatedExchange, cache: Path, status: int
) -> None:
    async with opened(simulated(sim), cache=cache) as venues:
        sim.control.add_fault(_status(status, "[]", location="https://api.binance.com/elsewhere"))
        with pytest.raises(ExchangeMcpError):
            await SOURCES["spot orders"].read(venues.venues["main"])


@pytest.mark.parametrize("source", SOURCES)
async def test_a_venue_that_says_nothing_is_not_asked_again(
    sim: SimulatedExchange, cache: Path, source: str
) -> None:
    asked = SOURCES[source]
    async with opened(simulated(sim), cache=cache) as venues:
        venue = venues.venues["main"]
        client_of(venue).timeout = 50  # milliseconds, in place of ten seconds
        sim.control.add_fault({"kind": "hang", "path": asked.path})
        with pytest.raises(ExchangeMcpError, match="binance did not answer in time") as raised:
            await asked.read(venue)
    assert (raised.value.code, raised.value.retry) == (E.VENUE_UNREACHABLE, "safe")
    assert len(sim.control.requests()) == 1


@pytest.mark.parametrize("source", SOURCES)
async def test_a_passing_fault_is_not_seen(sim: SimulatedExchange, cache: Path, source: str) -> None:
    asked = SOURCES[source]
    async with opened(simulated(sim), cache=cache) as venues:
        sim.control.add_fault({"kind": "close", "path": asked.path, "times": 1})
        sim.control.add_fault({**_status(502, HTML, "text/html"), "path": asked.path, "times": 1})
        assert await asked.read(venues.venues["main"])
    assert [entry.status for entry in sim.control.requests()] == [None, 502, 200]


@pytest.mark.parametrize("source", SOURCES)
async def test_a_source_that_fails_is_one_named_gap_beside_the_others_answers(
    sim: SimulatedExchange, cache: Path, source: str
) -> None:
    asked = SOURCES[source]
    openings = (simulated(sim), simulated(sim, "alt", key="reader-alt"))
    async with opened(*openings, cache=cache) as venues:
        whole = await ask(handed(venues), None, asked.question)
        assert whole.coverage.complete
        # Only the first request of the path is hit: that of the first account.
        sim.control.add_fault({**_says(400, -1003, "Too much."), "path": asked.path, "times": 1})
        answer = await ask(handed(venues), None, asked.question)
    (gap,) = answer.coverage.gaps
    assert not answer.coverage.complete
    assert (gap.account, gap.source, gap.code, gap.retry) == ("main", asked.name, E.RATE_LIMITED, "safe")
    assert gap.message == "binance says: Too much. (code -1003)"
    assert len(answer.coverage.answered) == len(whole.coverage.answered) - 1


async def test_a_key_that_the_venue_does_not_know_fails_its_account_alone(
    sim: SimulatedExchange, cache: Path
) -> None:
    openings = (simulated(sim), simulated(sim, "alt", key="reader-alt"))
    async with opened(*openings, cache=cache) as venues:
        client_of(venues.venues["alt"]).apiKey = "A" * 64
        answer = await ask(handed(venues), None, lambda venue: venue.balances())
    assert {(gap.account, gap.source, gap.code) for gap in answer.coverage.gaps} == {
        ("alt", "spot", E.AUTHENTICATION_FAILED),
        ("alt", "linear", E.AUTHENTICATION_FAILED),
    }
    assert {done.account for done in answer.coverage.answered} == {"main"}


async def test_a_simulator_that_is_gone_is_a_venue_that_cannot_be_reached(
    sim: SimulatedExchange, cache: Path
) -> None:
    gone = SimulatedExchange(seed=1)
    async with gone.serving():
        port = gone.port
    async with opened(_routed(simulated(sim), port, gone.ca_pem), cache=cache) as venues:
        with pytest.raises(ExchangeMcpError, match="binance could not be reached") as raised:
            await SOURCES["ticker"].read(venues.venues["main"])
    assert raised.value.code is E.VENUE_UNREACHABLE


async def test_a_certificate_of_another_authority_is_not_trusted(sim: SimulatedExchange, cache: Path) -> None:
    other = SimulatedExchange(seed=1)
    async with opened(_routed(simulated(sim), sim.port, other.ca_pem), cache=cache) as venues:
        with pytest.raises(ExchangeMcpError, match="binance could not be reached"):
            await SOURCES["ticker"].read(venues.venues["main"])
    assert sim.control.requests() == []


def _routed(opening: Opening, port: int, ca_pem: str) -> Opening:
    return replace(opening, loopback=Loopback(port, ca_pem))
