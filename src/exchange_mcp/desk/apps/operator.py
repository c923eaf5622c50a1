"""The routes of the operator socket. Its file is what lets in; what changes anything but a halt carries a signature."""

from typing import TYPE_CHECKING, Annotated, Final

from pydantic import Field

from exchange_mcp.desk.apps.door import Door
from exchange_mcp.desk.apps.operation import Call, Operation
from exchange_mcp.desk.apps.shares import Share, Shares
from exchange_mcp.desk.operator.messages import Decline, Failure, HaltOrder, PasskeyInvitation, SignedMessage
from exchange_mcp.http.rates import Rates
from exchange_mcp.link.messages import MOST_WAIT_MS
from exchange_mcp.model.frozen import Record

if TYPE_CHECKING:
    from collections.abc import Mapping

    from exchange_mcp.desk.office import ConsoleDoor, OperatorOffice
    from exchange_mcp.desk.operator.messages import (
        ApproverList,
        Challenge,
        ClientList,
        Configuration,
        ConsoleLink,
        Decision,
        Done,
        Halted,
        IntentDetail,
        IntentList,
        IntentView,
        News,
        PasskeyAnswer,
        PasskeyInvited,
        Status,
    )
    from exchange_mcp.model.ports import Clock

_WORKING: Final = Share(all=32, of_one=32)
_WAITING: Final = Share(all=64, of_one=64)
ASKED_A_MINUTE: Final = 6_000
_LOGGED_A_MINUTE: Final = 60
_MOST_INTENTS: Final = 500


class Listing(Record):
    """Which intents, and how many."""

    state: Annotated[str | None, Field(pattern=r"^[a-zA-Z_]{1,32}$")] = None
    account: Annotated[str | None, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")] = None
    limit: Annotated[int, Field(ge=1, le=_MOST_INTENTS)] = 50


class Since(Record):
    """After which event, and how long to wait for one."""

    after: Annotated[int, Field(ge=0, le=2**53)] = 0
    wait_ms: Annotated[int, Field(ge=0, le=MOST_WAIT_MS)] = 0


class _Answers:
    """The answers, by the office, and of the ways into the console, by the console."""

    def __init__(self, office: "OperatorOffice", console: "ConsoleDoor") -> None:
        self._office = office
        self._console = console

    async def status(self, _: Call) -> "Status":
        return self._office.status()

    async def intents(self, call: Call) -> "IntentList":
        query: Listing = call.query
        return self._office.intents(state=query.state, account=query.account, limit=query.limit)

    async def intent(self, call: Call) -> "IntentDetail":
        return self._office.intent(call.intent_id)

    async def news(self, call: Call) -> "News":
        query: Since = call.query
        return await self._office.news(after=query.after, wait_ms=query.wait_ms)

    async def configuration(self, _: Call) -> "Configuration":
        return self._office.configuration()

    async def approvers(self, _: Call) -> "ApproverList":
        return self._office.approvers()

    async def clients(self, _: Call) -> "ClientList":
        return self._office.clients()

    async def open(self, call: Call) -> "Decision":
        return await self._office.open(call.intent_id)

    async def decline(self, call: Call) -> "IntentView":
        said: Decline = call.said
        return await self._office.decline(call.intent_id, by=said.by, note=said.note)

    async def halt(self, call: Call) -> "Halted":
        return self._office.halt(call.said)

    async def failed(self, call: Call) -> None:
        said: Failure = call.said
        self._office.passphrase_failed(said.approver, said.times)

    async def challenge(self, _: Call) -> "Challenge":
        return self._office.challenge()

    async def signed(self, call: Call) -> "Done":
        return await self._office.signed(call.said)

    async def link(self, _: Call) -> "ConsoleLink":
        return self._console.link()

    async def invite(self, call: Call) -> "PasskeyInvited":
        return self._console.invite(call.said)

    async def invited(self, call: Call) -> "PasskeyAnswer":
        return self._console.answer(call.named)


def operations(office: "OperatorOffice", console: "ConsoleDoor") -> "Mapping[str, Operation]":
    """The table of `desk.operator.messages`."""
    by = _Answers(office, console)
    return {
        "status": Operation(method="GET", path="/v1/status", answer=by.status),
        "intents": Operation(method="GET", path="/v1/intents", query=Listing, answer=by.intents),
        "intent": Operation(method="GET", path="/v1/intents/{id}", answer=by.intent),
        "news": Operation(method="GET", path="/v1/news", query=Since, answer=by.news, waits=True),
        "configuration": Operation(method="GET", path="/v1/configuration", answer=by.configuration),
        "approvers": Operation(method="GET", path="/v1/approvers", answer=by.approvers),
        "clients": Operation(method="GET", path="/v1/clients", answer=by.clients),
        "open": Operation(method="POST", path="/v1/intents/{id}/open", answer=by.open),
        "decline": Operation(method="POST", path="/v1/intents/{id}/decline", asks=Decline, answer=by.decline),
        "halt": Operation(method="POST", path="/v1/halt", asks=HaltOrder, answer=by.halt, is_urgent=True),
        "failures": Operation(method="POST", path="/v1/failures", asks=Failure, answer=by.failed),
        "challenge": Operation(method="POST", path="/v1/challenge", answer=by.challenge),
        "signed": Operation(method="POST", path="/v1/signed", asks=SignedMessage, answer=by.signed),
        "console_link": Operation(method="POST", path="/v1/console-link", answer=by.link),
        "invite": Operation(method="POST", path="/v1/passkeys", asks=PasskeyInvitation, answer=by.invite),
        "invited": Operation(method="GET", path="/v1/passkeys/{named}", answer=by.invited),
    }


def operator_app(office: "OperatorOffice", console: "ConsoleDoor", clock: "Clock") -> Door:
    """The operator socket's application."""
    return Door(
        operations(office, console),
        client_of=None,
        shares=Shares(_WORKING, _WAITING),
        rates=Rates(ASKED_A_MINUTE, clock),
        log_rates=Rates(_LOGGED_A_MINUTE, clock),
    )
