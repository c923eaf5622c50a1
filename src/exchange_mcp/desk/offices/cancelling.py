"""`halt --cancel-open`: halt at once, then one cancel an open order, each its own intent, under one signature."""

from dataclasses import dataclass, field
from typing import Final

from exchange_mcp.desk.engine import Ask
from exchange_mcp.desk.intents import State
from exchange_mcp.desk.offices.agreement import HeldAccount
from exchange_mcp.desk.offices.asked import digest_of
from exchange_mcp.desk.offices.floor import Floor, Trading
from exchange_mcp.desk.offices.operator_proposals import operator_client
from exchange_mcp.desk.offices.refusing import denial, refusal
from exchange_mcp.desk.offices.said import SaidAccount
from exchange_mcp.desk.offices.views import intent_view
from exchange_mcp.desk.operator.messages import Done
from exchange_mcp.desk.records import Grant, Intent, IsRefused, Origin, Repeated, Signed
from exchange_mcp.desk.statements import Purpose
from exchange_mcp.desk.trading.asking import told
from exchange_mcp.model.accounts import AccountName
from exchange_mcp.model.errors import (
    ExchangeMcpError,
    UnknownAccountError,
    WritesClosedError,
)
from exchange_mcp.model.orders import OpenOrder
from exchange_mcp.orders.requests import CancelRequest

_NONCE_BYTES: Final = 16
_NAMED: Final = 5


async def cancel_open(floor: Floor, said: SaidAccount, signed: Signed) -> Done:
    """Halt one account, or the desk, and cancel what rests there; answers once each cancel is on its way.

    Raises:
        ExchangeMcpError: the signature was used before, or nothing is open for trading; nothing is cancelled then.
    """
    trading = floor.now_trading()
    named = None if said.account is None else AccountName(said.account)
    if named is not None and named not in trading.accounts:
        raise UnknownAccountError(
            f"the desk holds no account {named[:64]}; nothing is halted",
            hint="exchange-mcp status has the names.",
        )
    floor.journal.acted(Purpose.CANCEL_OPEN, signed, {"account": named})
    trading.engine.halt(named, signed.approver, "halted to cancel every open order")
    cancels = _Cancels(floor, trading, signed)
    for name, held in trading.accounts.items():
        if named in {None, name}:
            await cancels.all_of(held)
    return cancels.done()


@dataclass(slots=True)
class _Cancels:
    """The cancels under one signature: what is under way, and what is not."""

    floor: Floor
    trading: Trading
    signed: Signed
    intents: list[Intent] = field(default_factory=list[Intent])
    faults: list[str] = field(default_factory=list[str])

    def done(self) -> Done:
        """What came of it."""
        faults = self.faults
        more = f" and {len(faults) - _NAMED} more" if len(faults) > _NAMED else ""
        missed = f" Not done: {'; '.join(faults[:_NAMED])}{more}." if faults else ""
        return Done(
            message=f"Halted; cancels on their way: {len(self.intents)}.{missed}",
            intents=tuple(intent_view(intent) for intent in self.intents),
            is_complete=not faults,
        )

    async def all_of(self, held: HeldAccount) -> None:
        """Cancel every open order of one account that its venue shows; what it does not tell is a fault by name."""
        name = held.account.name
        resting = await told(held.reading.open_orders(None), self.floor.clock)
        self.faults += [f"{name}, {each.source}: {each.error.message[:200]}" for each in resting.unanswered]
        for order in resting.items:
            try:
                self.intents.append(await self._one(name, order))
            except ExchangeMcpError as error:
                self.faults.append(f"{name}, order {order.id[:80]}: {error.message[:200]}")

    async def _one(self, account: AccountName, order: OpenOrder) -> Intent:
        request = CancelRequest(symbol=order.symbol, order_id=order.id)
        intent = await self._proposed(account, request, None)
        if intent.state is not State.PROPOSED:
            return intent
        if intent.policy_digest is None:
            raise WritesClosedError("the limits have not decided on it yet")
        grant = Grant(
            nonce=self.floor.entropy.token(_NONCE_BYTES).hex(),
            plan_digest=intent.plan_digest,
            preview_digest=intent.preview_digest,
            policy_digest=intent.policy_digest,
            expires_ms=intent.expires_ms,
            approvers=(self.signed.approver,),
            record=self.signed.record,
        )
        return self.trading.engine.approve(intent.id, grant)

    async def _proposed(
        self, account: AccountName, request: CancelRequest, distinct_from: str | None
    ) -> Intent:
        """A cancel of the operator's own: one that a client proposed would be stopped by the halt."""
        proposed = await self.trading.engine.propose(
            Ask(
                proposal_id=self.floor.entropy.token(_NONCE_BYTES).hex(),
                client=operator_client(self.signed.approver),
                account=account,
                request=request,
                request_digest=digest_of(account, "cancel", request),
                origin=Origin.OPERATOR,
                distinct_from=distinct_from,
            )
        )
        if isinstance(proposed, IsRefused):
            raise refusal(proposed, may_know=True)
        intent = proposed.intent
        is_anothers = isinstance(proposed, Repeated) and intent.origin is not Origin.OPERATOR
        if is_anothers and distinct_from is None:
            return await self._proposed(account, request, intent.id)
        if intent.state is State.DENIED:
            raise denial(self.floor.journal, intent)
        return intent
