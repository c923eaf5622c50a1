"""The routes of the proposal socket. There is no more: none grants, resolves, resumes or changes a limit."""

from typing import TYPE_CHECKING, Annotated, Final

from pydantic import Field

from exchange_mcp.desk.apps.door import Door
from exchange_mcp.desk.apps.operation import Call, Operation
from exchange_mcp.desk.apps.shares import Share, Shares
from exchange_mcp.http.rates import Rates
from exchange_mcp.link.messages import MOST_WAIT_MS, Handshake, ProposalMessage
from exchange_mcp.model.frozen import Record

if TYPE_CHECKING:
    from collections.abc import Mapping

    from exchange_mcp.desk.office import ProposerOffice
    from exchange_mcp.link.messages import Agreement, IntentMessage
    from exchange_mcp.model.ports import Clock

_WORKING: Final = Share(all=32, of_one=8)
_WAITING: Final = Share(all=64, of_one=16)
_ASKED_A_MINUTE: Final = 600
_LOGGED_A_MINUTE: Final = 60


class Reading(Record):
    """How long to wait for another state than this one."""

    wait_ms: Annotated[int, Field(ge=0, le=MOST_WAIT_MS)] = 0
    state: Annotated[str | None, Field(pattern=r"^[a-zA-Z_]{1,32}$")] = None


class _Answers:
    """The answers, by the office."""

    def __init__(self, office: "ProposerOffice") -> None:
        self._office = office

    async def handshake(self, call: Call) -> "Agreement":
        return await self._office.handshake(call.client, call.said)

    async def propose(self, call: Call) -> "IntentMessage":
        return await self._office.propose(call.client, call.said)

    async def read(self, call: Call) -> "IntentMessage":
        query: Reading = call.query
        return await self._office.read(call.client, call.intent_id, wait_ms=query.wait_ms, state=query.state)

    async def retract(self, call: Call) -> "IntentMessage":
        return await self._office.retract(call.client, call.intent_id)


def operations(office: "ProposerOffice") -> "Mapping[str, Operation]":
    """The table of `link.messages`."""
    answers = _Answers(office)
    return {
        "handshake": Operation(method="POST", path="/v1/handshake", asks=Handshake, answer=answers.handshake),
        "propose": Operation(
            method="POST", path="/v1/proposals", asks=ProposalMessage, answer=answers.propose
        ),
        "read": Operation(
            method="GET", path="/v1/intents/{id}", query=Reading, answer=answers.read, waits=True
        ),
        "retract": Operation(method="POST", path="/v1/intents/{id}/retract", answer=answers.retract),
    }


def proposal_app(office: "ProposerOffice", clock: "Clock") -> Door:
    """The proposal socket's application; every request shows a client's credential."""
    return Door(
        operations(office),
        client_of=office.client_of,
        shares=Shares(_WORKING, _WAITING),
        rates=Rates(_ASKED_A_MINUTE, clock),
        log_rates=Rates(_LOGGED_A_MINUTE, clock),
    )
