"""Evidence as it comes from real sends, and the verdict on it."""

import base64
import json
from urllib.parse import parse_qsl

import pytest

from exchange_mcp.desk.looks import evidence_values
from exchange_mcp.model.outcomes import Outcome
from exchange_mcp.rules.endpoints import EndpointClass
from exchange_mcp.rules.outcomes import ROUTES
from exchange_mcp.rules.writing import ROUTES as WRITABLE
from exchange_mcp.rules.writing import CancelRoute, LeverageRoute, PlaceRoute
from exchange_mcp.venue.evidence import evidence
from exchange_mcp.venue.render import render
from exchange_mcp.venue.verdict import judge
from exchange_mcp.venue.wire import Loopback

from .faulty_venue import Behaviour, faulty, says
from .guarded import ALLOWED, HOSTS, guarded
from .sending import ACCEPTED, LIMIT, WRITES, always, sent

pytestmark = pytest.mark.anyio

REFUSED = '{"code":-1121,"msg":"Invalid symbol."}'
CANCELLED = ACCEPTED.replace("}", ',"origClientOrderId":"abc123","status":"CANCELED"}')


async def judged(behaviour: Behaviour, cls: EndpointClass = EndpointClass.ORDER) -> tuple[Outcome, int]:
    async with faulty(behaviour, *HOSTS) as venue, guarded(venue.loopback) as client:
        write = render(client, WRITES[cls][0], ALLOWED[cls])
        result = await sent(client, cls, write)
        return judge(evidence(write, result)).outcome, len(venue.arrived)


async def test_an_order_that_the_venue_took_is_accepted() -> None:
    assert await judged(always(says(200, ACCEPTED))) == (Outcome.ACCEPTED, 1)


async def test_an_order_that_the_venue_refused_is_rejected() -> None:
    assert await judged(always(says(400, REFUSED))) == (Outcome.REJECTED, 1)


async def test_a_cancel_and_a_leverage_are_judged_by_their_own_answers() -> None:
    assert await judged(always(says(200, CANCELLED)), EndpointClass.CANCEL) == (Outcome.ACCEPTED, 1)
    assert await judged(always(says(200, ACCEPTED)), EndpointClass.CANCEL) == (Outcome.UNKNOWN, 1)
    assert await judged(always(says(200, ACCEPTED)), EndpointClass.LEVERAGE) == (Outcome.ACCEPTED, 1)
    another = ACCEPTED.replace('"leverage":5', '"leverage":6')
    assert await judged(always(says(200, another)), EndpointClass.LEVERAGE) == (Outcome.UNKNOWN, 1)


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        says(200, ""),
        says(200, "<html></html>"),
        says(204, ""),
        says(302, "", "Location: https://api.binance.com/"),
        says(500, REFUSED),
        says(524, ACCEPTED),
    ],
    ids=["closed", "empty", "HTML", "204", "302", "500 with a code", "524 with an order"],
)
async def test_an_answer_that_proves_nothing_is_unknown_and_one_order_was_sent(answer: bytes) -> None:
    assert await judged(always(answer)) == (Outcome.UNKNOWN, 1)


async def test_a_venue_that_refuses_the_connection_was_sent_nothing() -> None:
    async with faulty(always(b""), *HOSTS) as venue:
        gone = Loopback(1, venue.loopback.ca_pem)
    async with guarded(gone) as client:
        write = render(client, LIMIT, ALLOWED[EndpointClass.ORDER])
        seen = evidence(write, await sent(client, EndpointClass.ORDER, write))
    assert (seen.is_sent, seen.is_token_spent, seen.status) == (False, False, None)
    assert judge(seen).outcome is Outcome.NOT_SENT


async def test_a_second_send_of_one_write_is_unknown_and_not_unsent() -> None:
    async with faulty(always(says(200, ACCEPTED)), *HOSTS) as venue, guarded(venue.loopback) as client:
        write = render(client, LIMIT, ALLOWED[EndpointClass.ORDER])
        first, second = [evidence(write, await sent(client, EndpointClass.ORDER, write)) for _ in range(2)]
    assert judge(first).outcome is Outcome.ACCEPTED
    assert (second.is_sent, second.is_token_spent) == (False, True)
    assert judge(second).outcome is Outcome.UNKNOWN


async def test_evidence_names_the_place_without_its_query() -> None:
    async with faulty(always(says(200, ACCEPTED)), *HOSTS) as venue, guarded(venue.loopback) as client:
        write = render(client, LIMIT, ALLOWED[EndpointClass.ORDER])
        seen = evidence(write, await sent(client, EndpointClass.ORDER, write))
    assert seen.url == "https://api.binance.com/api/v3/order"
    assert (seen.venue, seen.action, seen.client_order_id) == ("binance", "place", "abc123")


async def test_the_record_of_an_answer_lacks_what_it_repeats_of_the_signed_request_and_the_verdict_does_not() -> (
    None
):
    def repeats(_: str) -> bytes:
        # By now the whole request is there; -1121 is a refusal, and its words do not matter.
        signature = dict(parse_qsl(venue.bodies[-1]))["signature"]
        key = base64.b64encode(b"test-api-key").decode()
        told = f"{signature}, test-api-key, {key} and {b'test-secret'.hex()} are not known to us"
        return says(400, json.dumps({"code": -1121, "msg": told}))

    async with faulty(repeats, *HOSTS) as venue, guarded(venue.loopback) as client:
        write = render(client, LIMIT, ALLOWED[EndpointClass.ORDER])
        seen = evidence(write, await sent(client, EndpointClass.ORDER, write))
    kept = json.loads(str(evidence_values(seen)["body"]))
    assert kept == {
        "code": -1121,
        "msg": "[redacted], [redacted], [redacted] and [redacted] are not known to us",
    }
    assert "test-api-key" in (seen.body or "")
    assert judge(seen).outcome is Outcome.REJECTED


async def test_an_answer_that_repeats_nothing_is_kept_byte_for_byte() -> None:
    answer = f"{ACCEPTED} "
    async with faulty(always(says(200, answer)), *HOSTS) as venue, guarded(venue.loopback) as client:
        write = render(client, LIMIT, ALLOWED[EndpointClass.ORDER])
        seen = evidence(write, await sent(client, EndpointClass.ORDER, write))
    assert evidence_values(seen)["body"] == answer


async def test_every_route_that_can_be_sent_has_rules_on_what_it_answers() -> None:
    actions = {PlaceRoute: "place", CancelRoute: "cancel", LeverageRoute: "leverage"}
    async with faulty(always(b""), *HOSTS) as venue, guarded(venue.loopback) as client:
        for endpoint, route in WRITABLE["binance"].items():
            address = client.addresses[endpoint]
            path = address.path.pattern.replace("\\", "")
            assert [
                known
                for known in ROUTES["binance"]
                if known.action == actions[type(route)]
                and known.path.fullmatch(path)
                and address.origin.removeprefix("https://") in known.hosts
            ]
