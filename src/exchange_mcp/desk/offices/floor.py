"""What both offices stand on: the journal, what is open for trading, the tools, and who has a say just now."""

import asyncio
import json
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar, cast

from exchange_mcp.desk.approvers import Verifier
from exchange_mcp.desk.challenges import Challenges
from exchange_mcp.desk.claiming import goes_through_halts
from exchange_mcp.desk.engine import Engine
from exchange_mcp.desk.grants import Decisions
from exchange_mcp.desk.journal import Journal, Note
from exchange_mcp.desk.journal_errors import ConflictError, NoSuchIntentError, StateChangedError
from exchange_mcp.desk.offices.agreement import HeldAccount
from exchange_mcp.desk.offices.tools import OfferedTool, ToolRuling, Widened, ruling
from exchange_mcp.desk.ports import Limits
from exchange_mcp.desk.records import Halt, Intent
from exchange_mcp.desk.register import Allowance
from exchange_mcp.desk.repeats import RepeatLimits
from exchange_mcp.desk.tasks import OwnedTasks
from exchange_mcp.desk.waiting import Bell
from exchange_mcp.model.accounts import AccountName
from exchange_mcp.model.errors import (
    DeskError,
    ErrorCode,
    ExchangeMcpError,
    InternalError,
    InvalidArgumentError,
    ProposalRefusedError,
)
from exchange_mcp.model.ports import Clock, Entropy

T = TypeVar("T")

_LONGEST: Final = 400
_REPEAT_WINDOW_MS: Final = RepeatLimits().window_ms


@dataclass(frozen=True, slots=True, kw_only=True)
class Trading:
    """What is open for trading, once the configuration is accepted.

    Attributes:
        policy_text: the canonical text of the policy in force; its digest is the limits'.
    """

    engine: Engine
    limits: Limits
    policy_text: Callable[[], str]
    accounts: Mapping[AccountName, HeldAccount]


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """`desk.toml` as it stands on the disk now; `faults` are those that keep it from being used, a line each."""

    file: str
    text: str
    digest: str
    faults: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """What the desk says of itself; see `operator.messages.Status`."""

    version: str
    started_ms: int
    proposal_socket: str
    console: str | None
    protection: str


class Floor:
    """One desk's offices share this. `trading` is None until the program opens it, and `closed_by` says why.

    Args:
        tools: by name, as this release knows them. kinds: of keys that are taken, by `approvers.verifiers`.
        standing: reads `desk.toml`. accepted: told when another configuration was accepted.
    """

    def __init__(  # noqa: PLR0913 - its ports
        self,
        *,
        journal: Journal,
        clock: Clock,
        entropy: Entropy,
        kinds: Mapping[str, Verifier],
        tools: Sequence[OfferedTool],
        widened: Widened,
        profile: Profile,
        standing: Callable[[], Standing],
        grant_ms: int,
        accepted: Callable[[], None] = lambda: None,
    ) -> None:
        self.journal = journal
        self.clock = clock
        self.entropy = entropy
        self.kinds = kinds
        self.tools: Mapping[str, OfferedTool] = {tool.name: tool for tool in tools}
        self.profile = profile
        self.standing = standing
        self.accepted = accepted
        self.challenges = Challenges(clock, entropy)
        self.decisions = Decisions(journal, clock, entropy, kinds, grant_ms)
        self.bell = Bell()
        journal.tell(self.bell.ring)
        self.trading: Trading | None = None
        self.closed_by = "The desk is starting."
        self._widened = widened
        self._tasks = OwnedTasks(lambda _: None)

    def opened(self, trading: Trading) -> None:
        """From now on proposals are taken, under this engine, these limits and these accounts."""
        self.trading = trading

    def closed_for(self, reason: str) -> None:
        """From now on nothing is proposed, opened or granted; reads, halts and what is signed remain."""
        self.trading, self.closed_by = None, reason

    async def stop(self) -> None:
        """Answer everybody who waits, and end what is under way for an operator."""
        self.bell.close()
        await self._tasks.stop()

    async def owned(self, work: Coroutine[Any, Any, T], what: str) -> T:
        """The work's result; whoever waits for it may go away, and it goes on."""
        result: asyncio.Future[T] = asyncio.get_running_loop().create_future()

        async def done() -> None:
            try:
                value = await work
            except ExchangeMcpError as error:
                if not result.done():
                    result.set_exception(error)
            except Exception:
                if not result.done():
                    result.set_exception(InternalError(f"{what} failed; what it came to is in the journal"))
                raise
            else:
                if not result.done():
                    result.set_result(value)

        self._tasks.must_end(done(), what)
        return await result

    # Who has a say, and what stands in the way.

    def is_accepted(self, digest: str) -> bool:
        """Whether this is the digest of the configuration that was accepted last."""
        accepted = self.journal.accepted_configuration()
        return accepted is not None and accepted.digest == digest

    def closed(self) -> str | None:
        """Why nothing at all is proposed now; None where it is."""
        if not self.journal.approvers():
            return "Nobody is enrolled as an approver."
        if self.trading is None:
            return self.closed_by
        return None

    def now_trading(self) -> Trading:
        """What is open for trading.

        Raises:
            DeskError: NO_APPROVER or CONFIGURATION_NOT_ACCEPTED.
        """
        if not self.journal.approvers():
            raise DeskError(
                ErrorCode.NO_APPROVER,
                "nobody is enrolled as an approver, so nothing can be proposed",
                hint="The operator enrols one at the desk: exchange-mcp desk --setup.",
            )
        if self.trading is None:
            raise DeskError(
                ErrorCode.CONFIGURATION_NOT_ACCEPTED,
                f"the desk is not open for trading: {self.closed_by}",
                hint="The operator looks at the difference and signs it: exchange-mcp desk accept.",
            )
        return self.trading

    def halt_of(self, account: AccountName) -> Halt | None:
        """What stops this account: its own halt, or the desk's."""
        return self.journal.halt_of(account)

    def halted(self, intent: Intent) -> str | None:
        """What a halt does to this intent if it is approved now, in two clauses; None where nothing is halted."""
        halt = self.halt_of(intent.account)
        if halt is None:
            return None
        told = f"{halt.what} is halted by {halt.by} ({halt.reason[:_LONGEST]})"
        if goes_through_halts(intent):
            return f"{told}; this goes all the same, as an operator's cancel or venue-enforced reduce"
        return f"{told}: nothing of this is sent while that holds, and an approval given meanwhile lapses"

    def check_halt(self, account: AccountName) -> None:
        """See that neither the desk nor this account is halted.

        Raises:
            DeskError: HALTED.
        """
        halt = self.halt_of(account)
        if halt is not None:
            raise DeskError(
                ErrorCode.HALTED,
                f"{halt.what} is halted: {halt.reason[:_LONGEST]}",
                hint="Only an approver's signature resumes it; do not ask again until you are told.",
            )

    def tool_ruling(self, client: str, tool: OfferedTool) -> ToolRuling:
        """Whether this client may use this tool."""
        return ruling(tool, self.journal.allowances(client).get(tool.name), self._more)

    def _more(self, said: Allowance, tool: OfferedTool) -> str | None:
        before = read_declaration(said.declaration)
        return (
            "its declaration of then cannot be read"
            if before is None
            else self._widened(before, tool.declaration)
        )

    def similar(self, intent: Intent) -> tuple[Intent, ...]:
        """Recent orders like this one, newest first."""
        return self.journal.like(intent, self.clock.now_ms() - _REPEAT_WINDOW_MS)

    def turned_away(self, note: Note, error: ExchangeMcpError, said: Mapping[str, object]) -> None:
        """Journal that something was refused, with what was said capped."""
        capped = {key: value[:_LONGEST] if isinstance(value, str) else value for key, value in said.items()}
        self.journal.record(note, {**capped, "code": error.code.value, "message": error.message[:_LONGEST]})


def read_declaration(text: str) -> Mapping[str, Any] | None:
    """A declaration from its canonical text; None where it is none."""
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else None


def in_words(error: ExchangeMcpError, intent_id: str | None = None) -> ExchangeMcpError:
    """What the journal refused, as whoever asked can use it; anything else as it is."""
    match error:
        case NoSuchIntentError():
            return ProposalRefusedError(ErrorCode.UNKNOWN_INTENT, error.message)
        case StateChangedError():
            return ProposalRefusedError(ErrorCode.INTENT_MOVED_ON, error.message, intent_id=intent_id)
        case ConflictError():
            return InvalidArgumentError(error.message, hint="Nothing was changed.")
        case _:
            return error
