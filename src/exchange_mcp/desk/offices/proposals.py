"""What clients get: `ProposerOffice`, over the engine. Nothing here grants, declines, resolves, resumes or allows."""

from typing import Final

from exchange_mcp.desk.engine import Ask
from exchange_mcp.desk.intents import State
from exchange_mcp.desk.journal import Note
from exchange_mcp.desk.journal_errors import ConflictError
from exchange_mcp.desk.offices.agreement import MAY_WRITE, HeldAccount, agreement
from exchange_mcp.desk.offices.asked import Request, about, asked, digest_of, own_intent, resolved
from exchange_mcp.desk.offices.floor import Floor, Trading, in_words
from exchange_mcp.desk.offices.refusing import denial, denied_as, refusal, repeats_another
from exchange_mcp.desk.offices.told import intent_message
from exchange_mcp.desk.offices.tools import ACTIONS
from exchange_mcp.desk.records import Intent, IsRefused, Origin, Repeated
from exchange_mcp.link.messages import (
    MOST_WAIT_MS,
    PROTOCOL,
    Agreement,
    Handshake,
    IntentMessage,
    ProposalMessage,
    ToolAllowance,
)
from exchange_mcp.model.accounts import AccountName
from exchange_mcp.model.errors import (
    DeskError,
    ErrorCode,
    ExchangeMcpError,
    InvalidArgumentError,
    JournalError,
    ProposalRefusedError,
    UnknownAccountError,
)

_TOLD_EVERY_MS: Final = 60_000


class Proposals:
    """`desk.office.ProposerOffice`."""

    def __init__(self, floor: Floor) -> None:
        self._floor = floor
        self._strangers = 0
        self._told_ms: int | None = None

    def client_of(self, credential: str) -> str:
        """As `ProposerOffice.client_of`."""
        client = self._floor.journal.client_of(credential)
        if client is not None:
            return client.name
        error = DeskError(
            ErrorCode.CREDENTIAL_REFUSED,
            "the desk knows no client by this credential",
            hint="The operator registers one at the desk: exchange-mcp clients add NAME.",
        )
        self._note_stranger(error)
        raise error

    def _note_stranger(self, error: DeskError) -> None:
        """At most one event a minute, with how many there were: whoever has no credential may not fill the journal."""
        self._strangers += 1
        now_ms = self._floor.clock.now_ms()
        if self._told_ms is None or now_ms - self._told_ms >= _TOLD_EVERY_MS:
            self._floor.turned_away(Note.CREDENTIAL_REFUSED, error, {"times": self._strangers})
            self._strangers, self._told_ms = 0, now_ms

    async def handshake(self, client: str, said: Handshake) -> Agreement:
        """As `ProposerOffice.handshake`."""
        floor = self._floor
        if said.protocol != PROTOCOL:
            error = DeskError(
                ErrorCode.DESK_VERSION,
                f"serve speaks protocol {said.protocol}, and this desk {PROTOCOL} (release {floor.profile.version})",
                hint="Run the same release of exchange-mcp on both sides.",
            )
            floor.turned_away(Note.TURNED_AWAY, error, {"client": client})
            raise error
        held = floor.trading.accounts if floor.trading is not None else dict[AccountName, HeldAccount]()
        halts = {halt.account: halt for halt in floor.journal.halts()}
        rulings = {name: floor.tool_ruling(client, tool) for name, tool in floor.tools.items()}
        compared = tuple(agreement(one, held) for one in said.accounts)
        for each in compared:
            if each.agreed not in MAY_WRITE:  # serve ends it here: no proposal will say so
                error = DeskError(ErrorCode.ACCOUNT_MISMATCH, each.reason)
                floor.turned_away(Note.TURNED_AWAY, error, {"client": client, "account": each.name})
        return Agreement(
            protocol=PROTOCOL,
            version=floor.profile.version,
            client=client,
            accounts=compared,
            tools=tuple(
                ToolAllowance(tool=name, is_allowed=each.is_allowed, reason=each.reason)
                for name, each in rulings.items()
            ),
            halted=halts[None].reason if None in halts else None,
            closed=floor.closed(),
        )

    async def propose(self, client: str, message: ProposalMessage) -> IntentMessage:
        """As `ProposerOffice.propose`.

        Raises:
            ProposalRefusedError, DeskError, CallerError: it is not taken; the refusal is in the journal.
            JournalError, ExchangeMcpError: as `Engine.propose`.
        """
        try:
            ask = self._checked(client, message)
        except JournalError:
            raise
        except ExchangeMcpError as error:
            self._floor.turned_away(Note.TURNED_AWAY, error, {"client": client, **_said(message)})
            raise
        if isinstance(ask, Intent):
            return self._message(ask, repeated=True)
        try:
            proposed = await self._floor.now_trading().engine.propose(ask)
        except ConflictError as error:
            raise self._id_used(client, message) or in_words(error) from None
        if isinstance(proposed, IsRefused):
            raise refusal(proposed, may_know=self._is_own(client, proposed.id))
        intent = proposed.intent
        if intent.client != client:
            raise repeats_another()
        if intent.state is State.DENIED:
            raise denial(self._floor.journal, intent)
        return self._message(intent, repeated=isinstance(proposed, Repeated))

    def _checked(self, client: str, message: ProposalMessage) -> Ask | Intent:
        """What to ask the engine; or the intent that this very proposal became before.

        Raises:
            ExchangeMcpError: it is not taken.
        """
        floor = self._floor
        if ACTIONS.get(message.tool) != message.action:
            raise InvalidArgumentError(f"tool {message.tool[:64]!r} does not propose a {message.action}")
        read = asked(message.action, message.request)
        digest = digest_of(message.account.name, message.action, read)
        before = floor.journal.intent_of_proposal(message.proposal_id)
        if before is not None:
            if (before.client, before.request_digest) == (client, digest):
                return before  # an answer was lost; nothing is asked for anew, whatever was changed since
            raise _used(client, before)
        trading = floor.now_trading()
        self._check_tool(client, message)
        account = self._agreed(trading, message)
        floor.check_halt(account)
        if message.distinct_from is not None:
            own_intent(floor.journal, message.distinct_from, client)
        return self._ask(client, message, account, resolved(read, floor.journal, account, client), digest)

    def _ask(
        self, client: str, message: ProposalMessage, account: AccountName, request: Request, digest: str
    ) -> Ask:
        return Ask(
            proposal_id=message.proposal_id,
            client=client,
            account=account,
            request=request,
            request_digest=digest,
            origin=Origin.CLIENT,
            distinct_from=message.distinct_from,
            about=about(account, request, digest, message.distinct_from),
            note=message.note,
        )

    def _check_tool(self, client: str, message: ProposalMessage) -> None:
        tool = self._floor.tools.get(message.tool)
        if tool is None:
            raise _not_allowed(client, message.tool, "This release of the desk knows no such tool.")
        if message.declaration != tool.digest:
            raise _not_allowed(
                client,
                message.tool,
                f"serve declares it otherwise than the desk (release {self._floor.profile.version}): they are of"
                f" different versions. Declared {message.declaration[:12]!r}, known {tool.digest[:12]!r}.",
            )
        ruling = self._floor.tool_ruling(client, tool)
        if not ruling.is_allowed:
            raise _not_allowed(client, message.tool, ruling.reason)

    def _agreed(self, trading: Trading, message: ProposalMessage) -> AccountName:
        found = agreement(message.account, trading.accounts)
        if found.agreed == "not_held":
            raise UnknownAccountError(
                found.reason, hint="The operator adds it to desk.toml, or uses the same name there."
            )
        if found.agreed not in MAY_WRITE:
            raise DeskError(
                ErrorCode.ACCOUNT_MISMATCH,
                f"account {found.name[:64]} is not the same at serve and at the desk: {found.reason}",
                hint="The operator compares serve.toml and desk.toml; nothing is written on it until both agree.",
            )
        return AccountName(found.name)

    def _id_used(self, client: str, message: ProposalMessage) -> ProposalRefusedError | None:
        before = self._floor.journal.intent_of_proposal(message.proposal_id)
        return None if before is None else _used(client, before)

    def _is_own(self, client: str, intent_id: str | None) -> bool:
        return intent_id is None or self._floor.journal.intent(intent_id).client == client

    async def read(self, client: str, intent_id: str, *, wait_ms: int, state: str | None) -> IntentMessage:
        """As `ProposerOffice.read`; waits 45 s at most, and until the desk stops."""
        floor = self._floor
        until = floor.clock.monotonic() + min(max(wait_ms, 0), MOST_WAIT_MS) / 1000
        intent = own_intent(floor.journal, intent_id, client)
        while intent.state.value == state and await floor.bell.rung(until - floor.clock.monotonic()):
            intent = own_intent(floor.journal, intent_id, client)
        return self._message(intent)

    async def retract(self, client: str, intent_id: str) -> IntentMessage:
        """As `ProposerOffice.retract`.

        Raises:
            ProposalRefusedError: UNKNOWN_INTENT; INTENT_MOVED_ON: it was decided, or is on its way.
        """
        intent = own_intent(self._floor.journal, intent_id, client)
        trading = self._floor.trading
        try:
            if trading is None:
                retracted = self._floor.journal.retract(intent.id, client=client)
            else:
                retracted = trading.engine.retract(intent.id, client)
        except JournalError as error:
            raise in_words(error, intent.id) from None
        self._floor.decisions.forget(intent.id)
        return self._message(retracted)

    def _message(self, intent: Intent, *, repeated: bool = False) -> IntentMessage:
        floor = self._floor
        return intent_message(
            intent,
            approvers=[approver.name for approver in floor.journal.approvers()],
            needed=floor.decisions.needed(intent.id),
            similar=next(iter(floor.similar(intent)), None),
            now_ms=floor.clock.now_ms(),
            repeated=repeated,
            denied_as=denied_as(floor.journal, intent) if intent.state is State.DENIED else None,
        )


def _said(message: ProposalMessage) -> dict[str, object]:
    return {
        "proposal_id": message.proposal_id,
        "tool": message.tool[:64],
        "account": message.account.name[:64],
    }


def _not_allowed(client: str, tool: str, reason: str) -> DeskError:
    return DeskError(
        ErrorCode.NOT_ALLOWED_FOR_CLIENT,
        f"the desk does not let this client use {tool[:64]}: {reason}",
        hint=f"The operator decides this at the desk: exchange-mcp clients show {client}.",
    )


def _used(client: str, before: Intent) -> ProposalRefusedError:
    return ProposalRefusedError(
        ErrorCode.PROPOSAL_ID_USED,
        "this proposal id was used before, for something else",
        hint="Mint another one; nothing was proposed.",
        intent_id=before.id if before.client == client else None,
    )
