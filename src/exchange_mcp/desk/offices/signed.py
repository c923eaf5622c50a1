"""One signed message: verified over a statement that the desk wrote itself, then done; or refused, and journaled."""

from typing import Final

from exchange_mcp.desk.approvers import PASSKEY, refused, verified
from exchange_mcp.desk.intents import Cause, State, ends_of
from exchange_mcp.desk.journal import Note
from exchange_mcp.desk.offices.cancelling import cancel_open
from exchange_mcp.desk.offices.floor import Floor, in_words
from exchange_mcp.desk.offices.operator_proposals import propose
from exchange_mcp.desk.offices.said import (
    Said,
    SaidAccount,
    SaidApprover,
    SaidClient,
    SaidConfiguration,
    SaidProposal,
    SaidResolve,
    SaidResume,
    SaidTool,
    said,
    written,
)
from exchange_mcp.desk.offices.views import intent_view
from exchange_mcp.desk.operator.messages import Done, SignedMessage
from exchange_mcp.desk.records import Signed
from exchange_mcp.desk.register import AcceptedConfiguration, Allowance, Approver, Client
from exchange_mcp.desk.statements import Purpose, Statement
from exchange_mcp.model.accounts import AccountName
from exchange_mcp.model.canonical import canonical_json
from exchange_mcp.model.errors import (
    DeskError,
    ErrorCode,
    ExchangeMcpError,
    InvalidArgumentError,
    ProposalRefusedError,
)

_NAMED: Final = 64


class SignedActs:
    """Everything that a signature does at one desk."""

    def __init__(self, floor: Floor) -> None:
        self._floor = floor

    async def do(self, message: SignedMessage) -> Done:
        """Verify, then do.

        Raises:
            DeskError: SIGNATURE_REFUSED, with nothing done. ExchangeMcpError: it is signed, and cannot be done.
        """
        try:
            if message.purpose is Purpose.GRANT:
                return self._granted(message)
            read, signed = self._verified(message)
        except DeskError as error:
            if error.code is ErrorCode.SIGNATURE_REFUSED:
                self._floor.turned_away(
                    Note.SIGNATURE_REFUSED,
                    error,
                    {
                        "purpose": message.purpose.value,
                        "approver": message.signature.approver[:_NAMED],
                        "nonce": message.nonce[:_NAMED],
                    },
                )
            raise
        try:
            return await self._done(message.purpose, read, signed)
        except ExchangeMcpError as error:
            raise in_words(error) from None

    def _granted(self, message: SignedMessage) -> Done:
        trading = self._floor.now_trading()
        try:
            signing = self._floor.decisions.sign(trading.engine, trading.limits.digest, message)
        except ExchangeMcpError as error:
            raise in_words(error) from None
        halted = self._floor.halted(signing.intent)
        if signing.is_granted:
            told = "Approved; the desk sends it now." if halted is None else f"Approved, and {halted}."
        else:
            told = f"Signed: {signing.collected} of {signing.needed} approvers."
        return Done(message=told, intents=(intent_view(signing.intent),), is_complete=signing.is_granted)

    def _verified(self, message: SignedMessage) -> tuple[Said, Signed]:
        floor = self._floor
        floor.challenges.take(message.nonce, message.expires_ms)
        read = said(message.purpose, message.body)
        statement = Statement(
            purpose=message.purpose,
            desk_id=floor.journal.desk.desk_id,
            nonce=message.nonce,
            expires_ms=message.expires_ms,
            body=written(read),
        )
        name = message.signature.approver
        approver = floor.journal.approver(name)
        found = verified(floor.kinds, approver, statement.hash(), message.signature.fields)
        if approver is None:
            raise refused("nobody of that name is enrolled as an approver")
        if found.counter is not None and found.counter > (approver.counter or 0):
            floor.journal.count_approver(approver.name, found.counter)
        record = {
            "statement": statement.canonical(),
            "kind": approver.kind,
            "public": approver.public,
            "fields": message.signature.fields,
        }
        return read, Signed(approver=approver.name, nonce=message.nonce, record=canonical_json(record))

    async def _done(self, purpose: Purpose, read: Said, signed: Signed) -> Done:
        match read:
            case SaidProposal():
                return await propose(self._floor, read, signed)
            case SaidAccount():
                return await cancel_open(self._floor, read, signed)
            case SaidResolve():
                done = self._resolve(read, signed)
            case SaidResume():
                done = self._resume(read, signed)
            case SaidConfiguration():
                done = self._accept(read, signed)
            case SaidApprover():
                done = self._approver(purpose, read, signed)
            case SaidClient():
                done = self._client(purpose, read, signed)
            case SaidTool():
                done = self._tool(read, signed)
        return done

    def _resolve(self, read: SaidResolve, signed: Signed) -> Done:
        journal, end = self._floor.journal, State(read.outcome)
        intent = journal.intent(read.intent)
        if intent.state is not State.UNKNOWN:
            raise ProposalRefusedError(
                ErrorCode.INTENT_MOVED_ON,
                f"intent {intent.id} is {intent.state}; only what is unknown is resolved",
                intent_id=intent.id,
            )
        if end not in ends_of(intent.action, Cause.RESOLVED, State.UNKNOWN):
            raise InvalidArgumentError(f"a {intent.action} does not end as {end}")
        resolved = self._floor.now_trading().engine.resolve(intent.id, end, read.note, signed)
        return Done(message=f"Resolved as {end}.", intents=(intent_view(resolved),))

    def _resume(self, read: SaidResume, signed: Signed) -> Done:
        account = None if read.account is None else AccountName(read.account)
        self._floor.journal.resume(account, signed, reason=read.reason)
        return Done(message=f"{account or 'The desk'} is resumed. Other halts, if there are any, remain.")

    def _accept(self, read: SaidConfiguration, signed: Signed) -> Done:
        now = self._floor.standing()
        if now.digest != read.configuration:
            raise InvalidArgumentError(
                "desk.toml is another one by now than what was signed",
                hint="Look at the difference again: exchange-mcp desk accept.",
            )
        if now.faults:
            raise InvalidArgumentError(
                f"desk.toml has {len(now.faults)} faults, the first: {now.faults[0][:200]}"
            )
        self._floor.journal.accept_configuration(
            AcceptedConfiguration(digest=now.digest, text=now.text), signed
        )
        self._floor.accepted()
        fault = None if self._floor.trading is None else self._floor.trading.engine.fault
        if fault is not None:
            return Done(message=f"The configuration is accepted, and in force after a restart. {fault}")
        return Done(message="The configuration is accepted and in force.")

    def _approver(self, purpose: Purpose, read: SaidApprover, signed: Signed) -> Done:
        journal = self._floor.journal
        if purpose is Purpose.REMOVE_APPROVER:
            if read.public:
                raise InvalidArgumentError("who is removed is named without a key")
            self._check_others(read.name)
            journal.remove_approver(read.name, signed)
            return Done(message=f"{read.name} can approve nothing any more.")
        kind = self._floor.kinds.get(read.kind)
        if kind is None:
            raise InvalidArgumentError(f"this desk takes no {read.kind} key")
        try:
            public = kind.check(read.public)
        except ValueError as error:
            raise InvalidArgumentError(f"{read.name} cannot be enrolled: {error}") from None
        journal.add_approver(Approver(name=read.name, kind=read.kind, public=public), signed)
        return Done(message=f"{read.name} can approve from now on.")

    def _check_others(self, leaving: str) -> None:
        """See that somebody is left who can sign a change of who has a say: the console's passkeys never do.

        Raises:
            InvalidArgumentError: nobody is.
        """
        kinds = {one.name: one.kind for one in self._floor.journal.approvers()}
        left = [kind for name, kind in kinds.items() if name != leaving]
        if (
            leaving in kinds
            and left
            and not any(kind != PASSKEY and kind in self._floor.kinds for kind in left)
        ):
            raise InvalidArgumentError(
                f"{leaving} is the last approver who signs in a terminal, where approvers, clients, tools and"
                " configurations are signed; passkeys sign none of them",
                hint="Enrol another one first: exchange-mcp approvers add NAME.",
            )

    def _client(self, purpose: Purpose, read: SaidClient, signed: Signed) -> Done:
        journal = self._floor.journal
        if purpose is Purpose.REMOVE_CLIENT:
            if read.credential_sha256:
                raise InvalidArgumentError("who is removed is named without a credential")
            journal.remove_client(read.name, signed)
            return Done(
                message=f"{read.name} can propose nothing any more. What it proposed stays until it is decided."
            )
        journal.add_client(Client(name=read.name, credential_sha256=read.credential_sha256), signed)
        return Done(message=f"{read.name} is registered; allow it the tools that it may use, by name.")

    def _tool(self, read: SaidTool, signed: Signed) -> Done:
        tool = self._floor.tools.get(read.tool)
        if tool is None:
            raise InvalidArgumentError(f"the desk knows no tool {read.tool}")
        if read.declaration != tool.digest:
            raise InvalidArgumentError(
                f"what was signed is another declaration of {tool.name} than this release of the desk has"
            )
        allowance = Allowance(
            client=read.client, tool=tool.name, is_allowed=read.allowed, declaration=tool.text
        )
        self._floor.journal.allow_tool(allowance, signed)
        return Done(message=f"{read.client} {'may' if read.allowed else 'may not'} use {tool.name}.")
