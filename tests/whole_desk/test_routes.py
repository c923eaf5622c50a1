"""Every route of both sockets of a running desk, and what each needs: nothing, a credential, or a signature.

The tables are the applications' own. A route that has no case here fails, and so does a case without a route.
"""

from collections.abc import Generator, Mapping
from typing import TYPE_CHECKING, Any, Final, Literal, cast

import httpx
import pytest

from exchange_mcp.cli.clock import SystemClock
from exchange_mcp.desk.apps.operator import operator_app
from exchange_mcp.desk.apps.proposals import proposal_app
from exchange_mcp.desk.operator.messages import SignatureMessage, SignedMessage
from exchange_mcp.desk.statements import Purpose, Statement, propose_body
from exchange_mcp.link.messages import BASE_URL, PROTOCOL, PROTOCOL_HEADER

from .desk import APPROVER, CREDENTIAL, WholeDesk, whole_desk

if TYPE_CHECKING:
    from exchange_mcp.desk.office import ConsoleDoor, OperatorOffice, ProposerOffice

Needs = Literal["nothing", "credential", "signature"]
Case = tuple[Needs, dict[str, Any] | None]

IDENTITY: Final = {"name": "main", "venue": "binance", "environment": "sim", "market_types": ["spot"]}
ORDER: Final[dict[str, object]] = {"symbol": "BTC/USDT", "side": "buy", "type": "market", "amount": "0.001"}
PROPOSAL: Final[dict[str, object]] = {
    "proposal_id": "proposal-of-a-test",
    "tool": "place_order",
    "declaration": "0" * 64,
    "account": IDENTITY,
    "action": "place",
    "request": ORDER,
}

AT_PROPOSALS: Final[Mapping[tuple[str, str], Case]] = {
    ("POST", "/v1/handshake"): ("credential", {"protocol": 1, "version": "test", "accounts": [IDENTITY]}),
    ("POST", "/v1/proposals"): ("credential", PROPOSAL),
    ("GET", "/v1/intents/{id}"): ("credential", None),
    ("POST", "/v1/intents/{id}/retract"): ("credential", None),
}
AT_OPERATOR: Final[Mapping[tuple[str, str], Case]] = {
    ("GET", "/v1/status"): ("nothing", None),
    ("GET", "/v1/intents"): ("nothing", None),
    ("GET", "/v1/intents/{id}"): ("nothing", None),
    ("GET", "/v1/news"): ("nothing", None),
    ("GET", "/v1/configuration"): ("nothing", None),
    ("GET", "/v1/approvers"): ("nothing", None),
    ("GET", "/v1/clients"): ("nothing", None),
    ("POST", "/v1/intents/{id}/open"): ("nothing", None),
    ("POST", "/v1/intents/{id}/decline"): ("nothing", {"by": "somebody"}),
    ("POST", "/v1/halt"): ("nothing", {"by": "somebody", "reason": "a test"}),
    ("POST", "/v1/failures"): ("nothing", {"approver": APPROVER, "times": 1}),
    ("POST", "/v1/challenge"): ("nothing", None),
    ("POST", "/v1/console-link"): ("nothing", None),
    ("POST", "/v1/passkeys"): ("nothing", {"name": "somebody"}),
    ("GET", "/v1/passkeys/{named}"): ("nothing", None),
    ("POST", "/v1/signed"): ("signature", None),
}
BODIES: Final[Mapping[Purpose, dict[str, object]]] = {
    Purpose.GRANT: {"intent": "0" * 32, "plan": "0" * 64, "preview": "0" * 64, "policy": "0" * 64},
    Purpose.RESOLVE: {"intent": "0" * 32, "outcome": "absent", "note": "a test"},
    Purpose.RESUME: {"account": None, "reason": "a test"},
    Purpose.ACCEPT_CONFIGURATION: {"configuration": "0" * 64},
    Purpose.ADD_APPROVER: {"name": "mallory", "kind": "scripted", "public": "A" * 43},
    Purpose.REMOVE_APPROVER: {"name": APPROVER, "kind": "", "public": ""},
    Purpose.ADD_CLIENT: {"name": "mallory", "credential_sha256": "0" * 64},
    Purpose.REMOVE_CLIENT: {"name": "assistant", "credential_sha256": ""},
    Purpose.ALLOW_TOOL: {"client": "assistant", "tool": "x", "allowed": True, "declaration": "0" * 64},
    Purpose.PROPOSE: propose_body(account="main", action="place", request=ORDER, distinct_from=None),
    Purpose.CANCEL_OPEN: {"account": None},
}


@pytest.fixture(scope="module")
def desk() -> Generator[WholeDesk]:
    with whole_desk() as made:
        made.start()
        yield made


def at_operator(desk: WholeDesk) -> httpx.Client:
    return httpx.Client(
        transport=httpx.HTTPTransport(uds=str(desk.places.operator_socket), verify=False),
        base_url=BASE_URL,
        headers={PROTOCOL_HEADER: str(PROTOCOL)},
        timeout=30,
    )


def asked(http: httpx.Client, method: str, path: str, body: object, intent: str) -> httpx.Response:
    named = path.replace("{id}", intent).replace("{named}", "nothing-has-this-name")
    return http.request(method, named, json=body) if body is not None else http.request(method, named)


def forged(desk: WholeDesk, purpose: Purpose) -> SignedMessage:
    """A statement as it should be, under a signature that is nobody's."""
    with desk.operator() as client:
        challenge = client.challenge()
    statement = Statement(
        purpose=purpose,
        desk_id=challenge.desk_id,
        nonce=challenge.nonce,
        expires_ms=challenge.expires_ms,
        body=BODIES[purpose],
    )
    return SignedMessage(
        purpose=purpose,
        nonce=statement.nonce,
        expires_ms=statement.expires_ms,
        body=dict(statement.body),
        signature=SignatureMessage(approver=APPROVER, fields={"signature": "A" * 86}),
    )


def standing(desk: WholeDesk) -> tuple[object, ...]:
    """Everything that only a signature may change."""
    with desk.operator() as client:
        status, clients = client.status(), client.clients()
        accepted = client.configuration().accepted_digest
        states = [(each.id, each.state) for each in client.intents().intents]
    return status.approvers, clients, accepted, status.policy_digest, status.halted, states


def test_every_route_of_both_sockets_has_a_case_and_every_case_a_route() -> None:
    clock, nobody = SystemClock(), object()
    proposer = proposal_app(cast("ProposerOffice", _Nobody()), clock)
    operator = operator_app(cast("OperatorOffice", nobody), cast("ConsoleDoor", nobody), clock)
    for app, cases in ((proposer, AT_PROPOSALS), (operator, AT_OPERATOR)):
        assert {(method, route.path) for route in app.routes for method in route.methods or ()} == set(cases)


def test_every_route_of_the_proposal_socket_needs_a_clients_credential(desk: WholeDesk) -> None:
    intent = desk.buy(symbol="ETH/USDT", amount="0.01").id
    for (method, path), (needs, body) in AT_PROPOSALS.items():
        assert needs == "credential"
        for credential, is_let_in in ((None, False), ("another", False), (CREDENTIAL, True)):
            with desk.client(credential) as http:
                answer = asked(http, method, path, body, intent)
            assert (answer.status_code != 401) is is_let_in, (method, path, answer.text)
            if not is_let_in:
                assert answer.json()["error"]["code"] == "CREDENTIAL_REFUSED"


def test_nothing_that_a_client_can_send_approves_resolves_resumes_or_changes_a_limit(desk: WholeDesk) -> None:
    desk.buy("0.01", symbol="ETH/USDT", side="sell")
    before = standing(desk)
    with desk.client() as http:
        for (method, path), (_, body) in AT_OPERATOR.items():
            if (method, path) not in AT_PROPOSALS:
                assert asked(http, method, path, body, "0" * 32).status_code in {404, 405}, path
        for purpose in Purpose:
            text = forged(desk, purpose).model_dump(mode="json")
            assert http.post("/v1/signed", json=text).status_code == 404
            assert http.post("/v1/proposals", json=text).status_code == 400
        # A client that says that it is the operator, or that its proposal is approved, is one that says too much.
        for more in ("origin", "approved", "signature", "state"):
            assert http.post("/v1/proposals", json={**PROPOSAL, more: "approved"}).status_code == 400
        assert http.post("/v1/proposals", json=PROPOSAL).status_code in {200, 400, 403}
    after = standing(desk)
    assert after[:-1] == before[:-1]
    assert dict(cast("list[tuple[str, str]]", before[-1])).items() <= dict(cast("Any", after[-1])).items()


def test_what_needs_nothing_at_the_operators_socket_is_answered_and_is_no_grant(desk: WholeDesk) -> None:
    intent = desk.buy(symbol="ETH/USDT:USDT", amount="0.01").id
    changing = {"/v1/intents/{id}/decline", "/v1/halt"}
    before = standing(desk)[:-1]
    with at_operator(desk) as http:
        for (method, path), (needs, body) in AT_OPERATOR.items():
            if needs == "nothing" and path not in changing:
                answer = asked(http, method, path, body, intent)
                expected = {400, 404} if "{named}" in path else {200, 204}
                assert answer.status_code in expected, (path, answer.text)
        assert standing(desk)[:-1] == before
        assert desk.intent(intent).state == "proposed"
        assert asked(http, "POST", "/v1/intents/{id}/decline", {"by": "somebody"}, intent).status_code == 200
        assert desk.intent(intent).state == "declined"


@pytest.mark.parametrize("purpose", list(Purpose))
def test_what_needs_a_signature_is_refused_without_an_approvers_and_changes_nothing(
    desk: WholeDesk, purpose: Purpose
) -> None:
    before = standing(desk)
    with at_operator(desk) as http:
        answer = http.post("/v1/signed", json=forged(desk, purpose).model_dump(mode="json"))
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "SIGNATURE_REFUSED")
    assert standing(desk) == before


def test_a_halt_needs_nothing_and_its_end_a_signature(desk: WholeDesk) -> None:
    with at_operator(desk) as http:
        answer = http.post("/v1/halt", json={"by": "somebody", "reason": "a test"})
        assert answer.status_code == 200
        assert desk.status().halted is not None
        refused = http.post("/v1/signed", json=forged(desk, Purpose.RESUME).model_dump(mode="json"))
        assert refused.status_code == 403
        assert desk.status().halted is not None
    desk.sign(Purpose.RESUME, BODIES[Purpose.RESUME])
    assert desk.status().halted is None


class _Nobody:
    """An office of which only the table's own side is asked."""

    def client_of(self, credential: str) -> str:
        raise NotImplementedError(credential)
