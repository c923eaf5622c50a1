"""What operators get: `OperatorOffice`, over the engine. Reads, halts and declines need nothing; all else is signed."""

from collections.abc import Mapping
from typing import Final

from exchange_mcp.desk.grants import OpenDecision
from exchange_mcp.desk.intents import LIVE, State
from exchange_mcp.desk.journal import Note
from exchange_mcp.desk.offices.asked import own_intent
from exchange_mcp.desk.offices.floor import Floor, Trading, in_words
from exchange_mcp.desk.offices.signed import SignedActs
from exchange_mcp.desk.offices.told import UNREADABLE, preview_lines
from exchange_mcp.desk.offices.views import changes, event_view, intent_view
from exchange_mcp.desk.operator.messages import (
    AccountStatus,
    ApproverList,
    ApproverView,
    Challenge,
    ClientList,
    ClientTool,
    ClientView,
    Configuration,
    Decision,
    Done,
    Halted,
    HaltOrder,
    IntentDetail,
    IntentList,
    IntentView,
    News,
    SignedMessage,
    Status,
)
from exchange_mcp.desk.records import Halt
from exchange_mcp.model.accounts import AccountName
from exchange_mcp.model.decimals import text
from exchange_mcp.model.errors import (
    InvalidArgumentError,
    JournalError,
    UnknownAccountError,
    WritesClosedError,
)

_MOST_INTENTS: Final = 500
_MOST_NEWS: Final = 500
_MOST_WAIT_MS: Final = 45_000
_FILTERS: Final[Mapping[str, frozenset[State]]] = {
    "open": frozenset({State.PROPOSED}),
    "live": LIVE,
    **{state.value: frozenset({state}) for state in State},
}


class Operations:
    """`desk.office.OperatorOffice`."""

    def __init__(self, floor: Floor) -> None:
        self._floor = floor
        self._acts = SignedActs(floor)

    # What is asked.

    def status(self) -> Status:
        """As `OperatorOffice.status`."""
        floor, journal, profile = self._floor, self._floor.journal, self._floor.profile
        trading = floor.trading
        halts = {halt.account: halt for halt in journal.halts()}
        identity = journal.identity()
        return Status(
            desk_id=identity.desk_id,
            tag=identity.tag,
            version=profile.version,
            started_at=profile.started_ms,
            policy_digest="" if trading is None else trading.limits.digest,
            closed=floor.closed(),
            halted=halts[None].reason if None in halts else None,
            edited=None if trading is None else self._edited(),
            accounts=() if trading is None else self._accounts(trading, halts),
            pending=len(journal.in_states(State.PROPOSED)),
            waiting={} if trading is None else dict(trading.engine.waiting()),
            approvers=tuple(approver.name for approver in journal.approvers()),
            clients=tuple(client.name for client in journal.clients()),
            proposal_socket=profile.proposal_socket,
            console=profile.console,
            protection=profile.protection,
        )

    def _edited(self) -> str | None:
        """That the file is not what was accepted, while what was accepted is in force."""
        now = self._floor.standing()
        if self._floor.is_accepted(now.digest):
            return None
        told = f"{now.file} was changed, and what was accepted before stays in force"
        if now.faults:
            return f"{told}; as it stands it cannot be used: {now.faults[0]}"
        return f"{told} until an approver signs the change: exchange-mcp desk accept"

    def _accounts(
        self, trading: Trading, halts: Mapping[AccountName | None, Halt]
    ) -> tuple[AccountStatus, ...]:
        journal, now_ms = self._floor.journal, self._floor.clock.now_ms()
        told: list[AccountStatus] = []
        for name, held in trading.accounts.items():
            account, counted = held.account, journal.counters(name, now_ms)
            told.append(
                AccountStatus(
                    name=name,
                    venue=account.venue,
                    environment=account.environment.value,
                    market_types=tuple(kind.value for kind in account.market_types),
                    account_id=held.account_id(),
                    key=held.key(),
                    closed=trading.engine.closed(name),
                    halted=halts[name].reason if name in halts else None,
                    notional_24h={asset: text(sum_) for asset, sum_ in counted.notional_24h.items()},
                    orders_last_minute=counted.orders_last_minute,
                    orders_24h=counted.orders_24h,
                    unknown=counted.unknown,
                )
            )
        return tuple(told)

    def intents(self, *, state: str | None, account: str | None, limit: int) -> IntentList:
        """As `OperatorOffice.intents`.

        Raises:
            InvalidArgumentError: there is no such state.
        """
        if state is not None and state not in _FILTERS:
            raise InvalidArgumentError(f"no state is called {state[:32]!r}; open and live are taken too")
        found = self._floor.journal.listed(
            states=None if state is None else _FILTERS[state],
            account=None if account is None else AccountName(account),
            most=min(max(limit, 1), _MOST_INTENTS),
        )
        return IntentList(intents=tuple(intent_view(intent) for intent in found))

    def intent(self, intent_id: str) -> IntentDetail:
        """As `OperatorOffice.intent`."""
        floor = self._floor
        intent = own_intent(floor.journal, intent_id, None)
        try:
            shown = preview_lines(intent.preview_text)
        except (ValueError, KeyError, TypeError):
            shown = (UNREADABLE,)
        return IntentDetail(
            intent=intent_view(intent),
            plan_text=intent.plan_text,
            preview_text=intent.preview_text,
            lines=shown,
            note=floor.journal.remark(intent.id),
            similar=tuple(intent_view(one) for one in floor.similar(intent)),
            events=tuple(event_view(event) for event in floor.journal.events_of(intent.id)),
            waiting=None if floor.trading is None else floor.trading.engine.waiting().get(intent.id),
        )

    async def news(self, *, after: int, wait_ms: int) -> News:
        """As `OperatorOffice.news`; waits 45 s at most, and until the desk stops."""
        floor = self._floor
        until = floor.clock.monotonic() + min(max(wait_ms, 0), _MOST_WAIT_MS) / 1000
        events = floor.journal.events(after, _MOST_NEWS)
        while not events and await floor.bell.rung(until - floor.clock.monotonic()):
            events = floor.journal.events(after, _MOST_NEWS)
        return News(head=floor.journal.head().seq, events=tuple(event_view(event) for event in events))

    def configuration(self) -> Configuration:
        """As `OperatorOffice.configuration`."""
        now, accepted = self._floor.standing(), self._floor.journal.accepted_configuration()
        return Configuration(
            file=now.file,
            text=now.text,
            digest=now.digest,
            accepted_text=None if accepted is None else accepted.text,
            accepted_digest=None if accepted is None else accepted.digest,
            faults=now.faults,
            is_accepted=self._floor.is_accepted(now.digest),
        )

    def approvers(self) -> ApproverList:
        """As `OperatorOffice.approvers`."""
        return ApproverList(
            approvers=tuple(
                ApproverView(name=one.name, kind=one.kind, public=one.public, added_at=one.added_ms)
                for one in self._floor.journal.approvers()
            )
        )

    def clients(self) -> ClientList:
        """As `OperatorOffice.clients`."""
        floor = self._floor
        return ClientList(
            clients=tuple(
                ClientView(name=client.name, added_at=client.added_ms, tools=self._tools(client.name))
                for client in floor.journal.clients()
            )
        )

    def _tools(self, client: str) -> tuple[ClientTool, ...]:
        rulings = [(tool, self._floor.tool_ruling(client, tool)) for tool in self._floor.tools.values()]
        return tuple(
            ClientTool(
                tool=tool.name,
                risk=tool.risk,
                source=tool.source,
                is_allowed=ruling.is_allowed,
                reason=ruling.reason,
            )
            for tool, ruling in rulings
        )

    # What is decided.

    async def open(self, intent_id: str) -> Decision:
        """As `OperatorOffice.open`.

        Raises:
            ProposalRefusedError: UNKNOWN_INTENT; INTENT_MOVED_ON: it waits for no decision.
            WritesClosedError: its preview cannot be shown, so nobody can be asked.
        """
        trading = self._floor.now_trading()
        try:
            decision = await self._floor.decisions.open(
                trading.engine, trading.policy_text(), trading.limits.digest, intent_id
            )
        except JournalError as error:
            raise in_words(error, intent_id) from None
        return self._shown(decision)

    def _shown(self, decision: OpenDecision) -> Decision:
        floor, intent = self._floor, decision.intent
        try:
            changed = changes(floor.journal.first_preview(intent.id), intent.preview_text)
        except (ValueError, KeyError, TypeError) as error:
            floor.decisions.forget(intent.id)
            raise WritesClosedError(f"the preview of intent {intent.id} cannot be shown: {error}") from None
        if not decision.ruling.is_allowed:
            changed = (*changed, f"the limits would refuse it now: {decision.ruling.reason}")
        return Decision(
            intent=intent_view(intent),
            desk_id=floor.journal.desk.desk_id,
            plan_text=intent.plan_text,
            preview_text=intent.preview_text,
            policy_text=decision.policy_text,
            nonce=decision.nonce,
            expires_ms=decision.expires_ms,
            needed=decision.needed,
            halted=floor.halted(intent),
            signed_by=floor.decisions.signed_by(decision),
            changed=changed,
            similar=tuple(intent_view(one) for one in floor.similar(intent)),
            note=floor.journal.remark(intent.id),
        )

    async def decline(self, intent_id: str, *, by: str, note: str) -> IntentView:
        """As `OperatorOffice.decline`.

        Raises:
            ProposalRefusedError: UNKNOWN_INTENT; INTENT_MOVED_ON.
        """
        floor = self._floor
        try:
            if floor.trading is None:
                declined = floor.journal.decline(intent_id, by=by, note=note)
            else:
                declined = floor.trading.engine.decline(intent_id, by, note)
        except JournalError as error:
            raise in_words(error, intent_id) from None
        floor.decisions.forget(intent_id)
        return intent_view(declined)

    def halt(self, order: HaltOrder) -> Halted:
        """As `OperatorOffice.halt`; works whether or not anything is open for trading.

        Raises:
            UnknownAccountError: the desk holds no such account; nothing is halted.
        """
        floor = self._floor
        account = None if order.account is None else AccountName(order.account)
        if floor.trading is not None:
            floor.trading.engine.halt(account, order.by, order.reason)
        elif account is not None:
            raise UnknownAccountError(
                "no account is open for trading, so none can be halted by name", hint="Halt the whole desk."
            )
        else:
            floor.journal.halt(None, by=order.by, reason=order.reason)
        return Halted(halted=tuple(self._halted_words()))

    def _halted_words(self) -> list[str]:
        return [f"{halt.what}: {halt.reason} (by {halt.by})" for halt in self._floor.journal.halts()]

    def passphrase_failed(self, approver: str, times: int) -> None:
        """As `OperatorOffice.passphrase_failed`."""
        self._floor.journal.record(Note.PASSPHRASE_FAILED, {"approver": approver[:64], "times": times})

    # What is signed.

    def challenge(self) -> Challenge:
        """As `OperatorOffice.challenge`."""
        nonce, expires_ms = self._floor.challenges.mint()
        return Challenge(desk_id=self._floor.journal.desk.desk_id, nonce=nonce, expires_ms=expires_ms)

    async def signed(self, message: SignedMessage) -> Done:
        """As `OperatorOffice.signed`; what was begun goes on, whoever goes away."""
        return await self._floor.owned(self._acts.do(message), f"{message.purpose} that was signed")
