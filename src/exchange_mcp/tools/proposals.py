"""place_order, cancel_order and set_leverage: each proposes one write, which a person approves, or not."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Final

from pydantic import Field

from exchange_mcp.link.messages import MOST_NOTE, Action
from exchange_mcp.link.ports import Draft
from exchange_mcp.model.errors import DENIALS, ErrorCode, InvalidArgumentError, ProposalRefusedError
from exchange_mcp.model.venue_text import visible
from exchange_mcp.orders.requests import OrderRequest
from exchange_mcp.tools.declared import write_tool
from exchange_mcp.tools.handed import WriteHanded
from exchange_mcp.tools.intents import Intent, IntentId, followed, told
from exchange_mcp.tools.spec import Arguments, Hint, Hints
from exchange_mcp.tools.symbols import Symbol

if TYPE_CHECKING:
    from exchange_mcp.link.messages import IntentMessage

# An identity (5 s), a handshake (5 s), a proposal (25 s) and its wait (10 s), each bounded on its own: an error that
# names the proposal comes before this does.
_LONGEST_SECONDS: Final = 50.0

_Note = Annotated[str | None, Field(max_length=MOST_NOTE, description="to the approver")]


class PlaceOrder(OrderRequest, Arguments):
    """The order as asked, and whose it is."""

    symbol: Symbol
    account: str
    distinct_from: Annotated[
        IntentId | None, Field(description="the latest similar intent, if another order is wanted beside it")
    ] = None
    note: _Note = None


class CancelOrder(Arguments):
    """The order, by the venue's id of it or by the intent that placed it."""

    account: str
    symbol: Symbol
    order_id: Annotated[str | None, Field(pattern=r"^[A-Za-z0-9_.:-]{1,80}$")] = None
    intent_id: IntentId | None = None
    note: _Note = None


class SetLeverage(Arguments):
    """The leverage of one market, from now on."""

    account: str
    symbol: Symbol
    leverage: Annotated[int, Field(ge=1, le=1000)]
    note: _Note = None


async def place_order(arguments: PlaceOrder, handed: WriteHanded) -> Intent:
    """Propose the order."""
    request = arguments.model_dump(
        mode="json", exclude={"account", "distinct_from", "note"}, exclude_none=True
    )
    return await _proposed(
        "place", request, handed, arguments.account, arguments.note, distinct_from=arguments.distinct_from
    )


async def cancel_order(arguments: CancelOrder, handed: WriteHanded) -> Intent:
    """Propose the cancel."""
    if (arguments.order_id is None) is (arguments.intent_id is None):
        raise InvalidArgumentError(
            "order_id, intent_id: exactly one of them names the order",
            hint="Take the id from get_open_orders, or from the intent that placed the order.",
        )
    request = arguments.model_dump(mode="json", exclude={"account", "note"}, exclude_none=True)
    return await _proposed("cancel", request, handed, arguments.account, arguments.note)


async def set_leverage(arguments: SetLeverage, handed: WriteHanded) -> Intent:
    """Propose the change."""
    request = {"symbol": arguments.symbol, "leverage": arguments.leverage}
    return await _proposed("leverage", request, handed, arguments.account, arguments.note)


async def _proposed(  # noqa: PLR0913 - a proposal's parts
    action: Action,
    request: Mapping[str, object],
    handed: WriteHanded,
    account: str,
    note: str | None,
    *,
    distinct_from: str | None = None,
) -> Intent:
    desk = handed.desk()
    draft = Draft(
        tool=handed.tool,
        declaration=handed.declaration,
        account=await handed.identity(account),
        action=action,
        request=request,
        distinct_from=distinct_from,
        note=note,
    )
    message = await desk.propose(draft)
    if handed.wait_seconds:
        # Told again is what the first answer said of it: that it is an earlier one is not in the record.
        repeated = message.repeated
        message = await followed(
            message,
            desk.read,
            seconds=handed.wait_seconds,
            clock=handed.clock,
            progress=handed.progress,
            to_the_end=True,
        )
        message = message.model_copy(update={"repeated": repeated})
    return _judged(message)


def _judged(message: "IntentMessage") -> Intent:
    """The intent, unless it is one that must not be taken for an answer.

    Raises:
        ProposalRefusedError: its outcome is not known, or the limits forbid it.
    """
    about = f"intent {message.intent_id} (proposal {message.proposal_id})"
    reason = visible(message.reason, 600)
    if message.state == "unknown":
        raise ProposalRefusedError(
            ErrorCode.OUTCOME_UNKNOWN,
            f"{about}: it was sent, and whether the venue did it is not known yet: {reason}",
            hint=f"Do not propose it again. Call get_intent with {message.intent_id} until its state is another one.",
            intent_id=message.intent_id,
        )
    if message.state == "denied":
        raise ProposalRefusedError(
            next((code for code in DENIALS if code == message.denied_as), ErrorCode.POLICY_DENIED),
            f"{about}: the operator's limits forbid it: {reason}",
            hint="Nothing was sent, and nobody is asked. Propose something within the limits, or ask the operator.",
            intent_id=message.intent_id,
        )
    return told(message)


_NOT_READ_ONLY: Final = Hint(value=False, reason="Once a person approves it, the desk sends it to the venue.")
_OPEN: Final = Hint(value=True, reason="What is approved acts at an exchange.")

TOOLS: Final = (
    write_tool(
        name="place_order",
        title="Propose an order",
        description=(
            "Proposes one order to the operator's desk, which holds it to the operator's limits; nothing is sent "
            "until a person approves it there. Not approved yet is no error: tell the user `preview` and `approval`, "
            "and follow it with get_intent. The same order asked for again is the same intent, and a similar one is "
            "refused with the earlier one's id: name that in `distinct_from` only if the user wants a second order. "
            "Try it with preview_order first."
        ),
        arguments=PlaceOrder,
        data=Intent,
        hints=Hints(
            read_only=_NOT_READ_ONLY,
            destructive=Hint(value=True, reason="What was traded cannot be undone, only traded back."),
            idempotent=Hint(
                value=False,
                reason="The desk knows a repeat for a day only; after that it may become another order.",
            ),
            open_world=_OPEN,
        ),
        commitment=(
            "a proposal until it is decided or expires; once approved, an order that may fill at any later time, and "
            "the position that it makes"
        ),
        handler=place_order,
        deadline_seconds=_LONGEST_SECONDS,
    ),
    write_tool(
        name="cancel_order",
        title="Propose a cancel",
        description=(
            "Proposes the cancel of one order to the operator's desk, by the venue's order id or by the intent that "
            "placed it; a person approves it there. An order that is gone by then is told as it ended: too_late. "
            "Follow it with get_intent."
        ),
        arguments=CancelOrder,
        data=Intent,
        hints=Hints(
            read_only=_NOT_READ_ONLY,
            destructive=Hint(
                value=True, reason="A canceled order has lost its place, and what it protected is bare."
            ),
            idempotent=Hint(
                value=False,
                reason="A repeat asks a person again, and venues have been seen to use ids again.",
            ),
            open_world=_OPEN,
        ),
        commitment="a proposal until it is decided or expires; once approved, the order's absence, of a stop as well",
        handler=cancel_order,
        deadline_seconds=_LONGEST_SECONDS,
    ),
    write_tool(
        name="set_leverage",
        title="Propose a leverage",
        description=(
            "Proposes another leverage for one derivatives market to the operator's desk; a person approves it there. "
            "It holds for the open position and for every later order in that market. Follow it with get_intent."
        ),
        arguments=SetLeverage,
        data=Intent,
        hints=Hints(
            read_only=_NOT_READ_ONLY,
            destructive=Hint(value=True, reason="It moves the liquidation price of an open position."),
            idempotent=Hint(
                value=True, reason="The second identical change finds the leverage as it sets it."
            ),
            open_world=_OPEN,
        ),
        commitment=(
            "a proposal until it is decided or expires; once approved, that leverage until it is changed again"
        ),
        handler=set_leverage,
        deadline_seconds=_LONGEST_SECONDS,
    ),
)
