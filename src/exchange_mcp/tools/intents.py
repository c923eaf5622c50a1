"""get_intent and retract_proposal, and how an intent of the desk's is told to a client."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated, Final

from pydantic import Field

from exchange_mcp.model.errors import ExchangeMcpError
from exchange_mcp.model.frozen import Record
from exchange_mcp.model.instants import Instant
from exchange_mcp.model.venue_text import visible
from exchange_mcp.tools.declared import intent_tool, retracting_tool
from exchange_mcp.tools.handed import IntentHanded, Progress, RetractHanded
from exchange_mcp.tools.spec import Arguments, Hint, Hints

if TYPE_CHECKING:
    from exchange_mcp.link.messages import IntentMessage
    from exchange_mcp.model.ports import Clock

MOST_WAIT_SECONDS: Final = 45
LONGEST_SECONDS: Final = 55.0
"""A read of an intent with its longest wait: under the minute that clients give a call."""

_STEP_SECONDS: Final = 5.0
_MOST_LINES: Final = 60
_LONGEST_LINE: Final = 300

IntentId = Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]
Read = Callable[..., Awaitable["IntentMessage"]]


class Intent(Record):
    """One write as the desk has it recorded.

    `state` says where it stands, `next` what happens now, `approval` who can approve and where; None once that is over.
    `preview` is what an approver reads. `repeated` where it is an earlier intent that was asked for again.
    """

    intent_id: str
    proposal_id: str
    account: str
    action: str
    symbol: str
    state: str
    is_final: bool
    reason: str
    next: str
    approval: str | None
    approvals_needed: int
    created_at: Instant
    changed_at: Instant
    expires_at: Instant
    plan_digest: str
    preview: tuple[str, ...]
    client_order_id: str | None
    order_id: str | None
    similar: str | None
    repeated: bool


def told(message: "IntentMessage") -> Intent:
    """The intent as a client is told it; nothing hidden in any text."""
    return Intent(
        intent_id=visible(message.intent_id),
        proposal_id=visible(message.proposal_id),
        account=visible(message.account),
        action=message.action,
        symbol=visible(message.symbol),
        state=visible(message.state),
        is_final=message.is_final,
        reason=visible(message.reason, _LONGEST_LINE),
        next=_next(message),
        approval=None if message.approval is None else visible(message.approval, _LONGEST_LINE),
        approvals_needed=message.approvals_needed,
        created_at=message.created_at,
        changed_at=message.changed_at,
        expires_at=message.expires_at,
        plan_digest=visible(message.plan_digest),
        preview=tuple(visible(line, _LONGEST_LINE) for line in message.preview_lines[:_MOST_LINES]),
        client_order_id=None if message.client_order_id is None else visible(message.client_order_id),
        order_id=None if message.order_id is None else visible(message.order_id),
        similar=None if message.similar is None else visible(message.similar, _LONGEST_LINE),
        repeated=message.repeated,
    )


def _next(message: "IntentMessage") -> str:
    said = visible(message.next, 2 * _LONGEST_LINE)
    if not message.repeated:
        return said
    return (
        f"This is the earlier intent {message.intent_id}, asked for again: nothing new was proposed. {said}"
    )


async def followed(  # noqa: PLR0913 - what it waits by
    message: "IntentMessage",
    read: Read,
    *,
    seconds: float,
    clock: "Clock",
    progress: Progress,
    to_the_end: bool,
) -> "IntentMessage":
    """The intent once its state is another one, or once it is over or unknown (`to_the_end`), or when the time is up.

    Whoever follows an unknown one waits until more is known of it, as of any other state.

    A desk that cannot be asked meanwhile ends the wait and nothing else: what was read last still holds.
    """
    started = clock.monotonic()
    first = message.state
    # A write is not waited out once it is unknown: that is an answer by itself. Whoever asks about an unknown waits.
    while not message.is_final and (message.state != "unknown" if to_the_end else message.state == first):
        waited = clock.monotonic() - started
        left = seconds - waited
        if left <= 0:
            break
        await progress(waited, seconds, f"intent {message.intent_id} is {message.state}")
        step = round(min(left, _STEP_SECONDS) * 1000)
        try:
            message = await read(message.intent_id, wait_ms=max(step, 1), state=message.state)
        except ExchangeMcpError:
            break
    return message


class GetIntent(Arguments):
    """Which intent, and how long to wait until its state is another one."""

    intent_id: IntentId
    wait_seconds: Annotated[int, Field(ge=0, le=MOST_WAIT_SECONDS)] = 0


async def get_intent(arguments: GetIntent, handed: IntentHanded) -> Intent:
    """Read the desk's record."""
    message = await handed.read(arguments.intent_id)
    if arguments.wait_seconds:
        message = await followed(
            message,
            handed.read,
            seconds=arguments.wait_seconds,
            clock=handed.clock,
            progress=handed.progress,
            to_the_end=False,
        )
    return told(message)


class RetractProposal(Arguments):
    """Which of one's own proposals."""

    intent_id: IntentId


async def retract_proposal(arguments: RetractProposal, handed: RetractHanded) -> Intent:
    """Take it back at the desk."""
    return told(await handed.retract(arguments.intent_id))


_AT_THE_DESK: Final = Hint(value=False, reason="The desk answers from its own record; no venue is asked.")

TOOLS: Final = (
    intent_tool(
        name="get_intent",
        title="Intent",
        description=(
            "Where a proposed write stands: its state, what happens next, who approves it and where, and the ids of "
            "its order. With `wait_seconds` the answer comes as soon as the state is another one. While the state is "
            "`unknown` nobody knows yet whether the venue did it: say so, do not propose it again, read it again."
        ),
        arguments=GetIntent,
        data=Intent,
        hints=Hints(
            read_only=Hint(
                value=True,
                reason="It reads the desk's record of the write, through a handle that can only read.",
            ),
            destructive=Hint(value=False, reason="It changes nothing."),
            idempotent=Hint(
                value=True, reason="Asking twice changes nothing; the answer may differ as the write goes on."
            ),
            open_world=_AT_THE_DESK,
        ),
        commitment="nothing",
        handler=get_intent,
        deadline_seconds=LONGEST_SECONDS,
    ),
    retracting_tool(
        name="retract_proposal",
        title="Retract a proposal",
        description=(
            "Takes back what this client proposed, as long as it was not sent. What is at the venue stays there: "
            "for that there is cancel_order."
        ),
        arguments=RetractProposal,
        data=Intent,
        hints=Hints(
            read_only=Hint(value=False, reason="It ends a proposal at the desk."),
            destructive=Hint(
                value=False, reason="It undoes nothing but the caller's own asking, which can be asked again."
            ),
            idempotent=Hint(value=True, reason="What is taken back stays so; a second time finds it so."),
            open_world=_AT_THE_DESK,
        ),
        commitment="the end of that proposal; nothing at a venue",
        handler=retract_proposal,
        deadline_seconds=LONGEST_SECONDS,
    ),
)
