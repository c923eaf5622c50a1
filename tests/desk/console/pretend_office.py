"""An office over nothing but a dictionary: what the console asks is answered, and a signature is verified for real."""

import asyncio
from dataclasses import dataclass, field, replace
from typing import Any

from exchange_mcp.desk.approvers import verified
from exchange_mcp.desk.operator import messages as m
from exchange_mcp.desk.passkeys import KIND, Passkeys
from exchange_mcp.desk.register import Approver
from exchange_mcp.desk.statements import Purpose, Statement, grant_body, sha256_of
from exchange_mcp.model.canonical import canonical_json
from exchange_mcp.model.errors import DeskError, ErrorCode, ProposalRefusedError
from exchange_mcp.model.plans import WirePlan
from exchange_mcp.model.ports import Clock
from exchange_mcp.orders.screen import lines

from .proposals import Proposed

DESK_ID = "d" * 32
POLICY = canonical_json({"desk": {"reference": "USDT"}, "accounts": {}, "symbols": {}, "forbid": []})
EXPIRES_MS, GRANT_MS = 600_000, 120_000
TOML = """[policy]
reference = "USDT"
symbols = ["BTC/USDT:USDT"]
max_order_notional = "150000"
max_daily_notional = "400000"
max_orders_per_minute = 4
[policy.account.main]
max_leverage = 10
[[policy.forbid]]
reason = "no stop is taken away"
when_protective = true
"""


@dataclass
class Held:
    """One intent."""

    view: m.IntentView
    proposed: Proposed
    preview_text: str
    note: str | None = None
    similar: tuple[m.IntentView, ...] = ()
    changed: tuple[str, ...] = ()
    signed_by: tuple[str, ...] = ()
    statement: Statement | None = None


@dataclass(eq=False)
class PretendOffice:
    """`OperatorOffice`, as far as the console asks it."""

    clock: Clock
    port: int
    needed: int = 1
    held: dict[str, Held] = field(default_factory=dict[str, Held])
    people: dict[str, Approver] = field(default_factory=dict[str, Approver])
    events: list[m.EventView] = field(default_factory=list[m.EventView])
    challenges: dict[str, int] = field(default_factory=dict[str, int])
    halts: dict[str | None, str] = field(default_factory=dict[str | None, str])
    granted: list[str] = field(default_factory=list[str])
    resolved: list[dict[str, object]] = field(default_factory=list[dict[str, object]])
    policy_text: str = POLICY

    def __post_init__(self) -> None:
        self.happened = asyncio.Event()
        self._count = 0

    # What a test does.

    def enrol(self, name: str, public: str, kind: str = KIND) -> None:
        self.people[name] = Approver(name=name, kind=kind, public=public)

    def propose(
        self,
        proposed: Proposed,
        *,
        state: str = "proposed",
        note: str | None = None,
        **more: Any,  # noqa: ANN401 - fields of the view
    ) -> str:
        plan, now = proposed.plan, self.clock.now_ms()
        intent_id = f"{len(self.held) + 1:032x}"
        given: dict[str, Any] = {
            "id": intent_id,
            "seq": len(self.held) + 1,
            "state": state,
            "action": plan.action,
            "account": plan.account,
            "environment": plan.environment.value,
            "venue": plan.venue,
            "symbol": plan.market.symbol,
            "summary": _summary(plan),
            "effect": proposed.effect,
            "client": "assistant",
            "origin": "client",
            "created_at": now,
            "changed_at": now,
            "expires_at": now + EXPIRES_MS,
            "reason": "",
            "client_order_id": plan.client_order_id,
            "order_id": None,
        }
        view = m.IntentView(**{**given, **more})
        self.held[intent_id] = Held(view, proposed, proposed.preview_text(), note)
        self.record("proposed", intent_id)
        return intent_id

    def move(self, intent_id: str, state: str, **more: Any) -> None:  # noqa: ANN401 - fields of the view
        self.update(intent_id, state=state, changed_at=self.clock.now_ms(), **more)
        self.record(state, intent_id)

    def update(self, intent_id: str, **more: Any) -> None:  # noqa: ANN401 - fields of the view
        held = self.held[intent_id]
        held.view = held.view.model_copy(update=more)

    def record(self, kind: str, intent_id: str | None) -> None:
        seq = len(self.events) + 1
        text = canonical_json({"seq": seq, "kind": kind, "intent": intent_id})
        self.events.append(m.EventView(seq=seq, at=self.clock.now_ms(), kind=kind, text=text))
        self.happened.set()
        self.happened = asyncio.Event()

    # What the console asks.

    def status(self) -> m.Status:
        main = m.AccountStatus(
            name="main",
            venue="binance",
            environment="live",
            market_types=("spot", "linear"),
            account_id="90210777",
            key="may read and trade; may not withdraw or transfer",
            closed=None,
            halted=self.halts.get("main"),
            notional_24h={"USDT": "12500"},
            orders_last_minute=0,
            orders_24h=3,
            unknown=sum(each.view.state == "unknown" for each in self.held.values()),
        )
        return m.Status(
            desk_id=DESK_ID,
            tag="x7",
            version="0",
            started_at=self.clock.now_ms(),
            policy_digest=sha256_of(self.policy_text),
            closed=None,
            halted=self.halts.get(None),
            accounts=(main,),
            pending=sum(each.view.state == "proposed" for each in self.held.values()),
            waiting={},
            approvers=tuple(self.people),
            clients=("assistant",),
            proposal_socket="/run/p.sock",
            console=None,
            protection="The desk runs as your own user: approvals hold a model off, not a program that runs as you.",
        )

    def intents(self, *, state: str | None, account: str | None, limit: int) -> m.IntentList:
        wanted = {"open": {"proposed"}, "live": {"proposed", "approved", "dispatching", "unknown"}}
        rows = [
            each.view
            for each in reversed(self.held.values())
            if (state is None or each.view.state in wanted.get(state, {state}))
            and account in {None, each.view.account}
        ]
        return m.IntentList(intents=tuple(rows[:limit]))

    def intent(self, intent_id: str) -> m.IntentDetail:
        held = self._held(intent_id)
        return m.IntentDetail(
            intent=held.view,
            plan_text=held.proposed.plan.canonical(),
            preview_text=held.preview_text,
            lines=lines(held.proposed.preview),
            note=held.note,
            similar=held.similar,
            events=tuple(each for each in self.events if intent_id in each.text),
            waiting="what happened since cannot be read" if held.view.state == "unknown" else None,
        )

    async def news(self, *, after: int, wait_ms: int) -> m.News:
        if len(self.events) <= after and wait_ms:
            try:
                async with asyncio.timeout(wait_ms / 1000):
                    await self.happened.wait()
            except TimeoutError:
                pass
        return m.News(head=len(self.events), events=tuple(self.events[after:]))

    def configuration(self) -> m.Configuration:
        return m.Configuration(
            file="desk.toml",
            text=TOML,
            digest=sha256_of(TOML),
            accepted_text=TOML,
            accepted_digest=sha256_of(TOML),
            faults=(),
            is_accepted=True,
        )

    def approvers(self) -> m.ApproverList:
        return m.ApproverList(
            approvers=tuple(
                m.ApproverView(name=each.name, kind=each.kind, public=each.public, added_at=0)
                for each in self.people.values()
            )
        )

    def clients(self) -> m.ClientList:
        tool = m.ClientTool(
            tool="place_order",
            risk="destructive",
            source="its hints",
            is_allowed=True,
            reason="allowed by name",
        )
        return m.ClientList(clients=(m.ClientView(name="assistant", added_at=0, tools=(tool,)),))

    async def open(self, intent_id: str) -> m.Decision:
        held = self._held(intent_id)
        if held.view.state != "proposed":
            raise ProposalRefusedError(ErrorCode.INTENT_MOVED_ON, f"It is {held.view.state}.")
        # Read afresh: the same figures at a later moment.
        preview = held.proposed.preview.model_copy(update={"as_of": self.clock.now_ms() + self._tick()})
        held.proposed = replace(held.proposed, preview=preview)
        held.preview_text = held.proposed.preview_text()
        held.signed_by = ()
        self.record("previewed", intent_id)
        expires_ms = min(self.clock.now_ms() + GRANT_MS, held.view.expires_at)
        body = grant_body(
            intent=intent_id,
            plan_text=held.proposed.plan.canonical(),
            preview_text=held.preview_text,
            policy_digest=sha256_of(self.policy_text),
        )
        held.statement = Statement(
            purpose=Purpose.GRANT, desk_id=DESK_ID, nonce=self._nonce(), expires_ms=expires_ms, body=body
        )
        return m.Decision(
            intent=held.view,
            desk_id=DESK_ID,
            plan_text=held.proposed.plan.canonical(),
            preview_text=held.preview_text,
            policy_text=self.policy_text,
            nonce=held.statement.nonce,
            expires_ms=expires_ms,
            needed=self.needed,
            signed_by=held.signed_by,
            changed=held.changed,
            similar=held.similar,
            note=held.note,
        )

    async def decline(self, intent_id: str, *, by: str, note: str) -> m.IntentView:
        del note
        if self._held(intent_id).view.state != "proposed":
            raise ProposalRefusedError(ErrorCode.INTENT_MOVED_ON, "It was decided already.")
        self.move(intent_id, "declined", reason=f"declined by {by}")
        return self.held[intent_id].view

    def halt(self, order: m.HaltOrder) -> m.Halted:
        self.halts[order.account] = f"{order.reason}, by {order.by}"
        self.record("halted", None)
        return m.Halted(halted=tuple(str(each) for each in self.halts))

    def passphrase_failed(self, approver: str, times: int) -> None:
        raise AssertionError(f"the console has no passphrase of {approver} ({times})")

    def challenge(self) -> m.Challenge:
        nonce, expires_ms = self._nonce(), self.clock.now_ms() + GRANT_MS
        self.challenges[nonce] = expires_ms
        return m.Challenge(desk_id=DESK_ID, nonce=nonce, expires_ms=expires_ms)

    async def signed(self, message: m.SignedMessage) -> m.Done:
        statement = self._statement(message)
        approver = self.people.get(message.signature.approver)
        kinds = {KIND: Passkeys(port=self.port)}
        found = verified(kinds, approver, statement.hash(), message.signature.fields)
        assert approver is not None
        self.people[approver.name] = replace(approver, counter=found.counter)
        body = statement.body
        match statement.purpose:
            case Purpose.GRANT:
                return self._grant(str(body["intent"]), approver.name)
            case Purpose.RESUME:
                account = None if body["account"] is None else str(body["account"])
                assert self.halts.pop(account) == body["reason"]
                self.record("resumed", None)
            case Purpose.RESOLVE:
                self.resolved.append(dict(body))
                self.move(str(body["intent"]), str(body["outcome"]), reason=f"resolved by {approver.name}")
            case _:
                raise AssertionError(statement.purpose)
        return m.Done(message="Done.")

    def _grant(self, intent_id: str, approver: str) -> m.Done:
        held = self.held[intent_id]
        held.signed_by = (*held.signed_by, approver)
        if len(held.signed_by) < self.needed:
            return m.Done(message="One more signature.", is_complete=False)
        held.statement = None
        self.granted.append(intent_id)
        self.move(intent_id, "placed", reason="the venue has it", order_id="4711")
        return m.Done(message="Approved.")

    def _statement(self, message: m.SignedMessage) -> Statement:
        statement = Statement(
            purpose=message.purpose,
            desk_id=DESK_ID,
            nonce=message.nonce,
            expires_ms=message.expires_ms,
            body=message.body,
        )
        if message.purpose is Purpose.GRANT:
            held = self._held(str(message.body.get("intent")))
            is_good = held.statement == statement and held.view.state == "proposed"
        else:
            is_good = self.challenges.pop(message.nonce, None) == message.expires_ms
        if not is_good or self.clock.now_ms() >= statement.expires_ms:
            raise DeskError(
                ErrorCode.SIGNATURE_REFUSED, "The signature is of something that is not waited for."
            )
        return statement

    def _held(self, intent_id: str) -> Held:
        if intent_id not in self.held:
            raise ProposalRefusedError(ErrorCode.UNKNOWN_INTENT, "There is no such intent.")
        return self.held[intent_id]

    def _tick(self) -> int:
        self._count += 1
        return self._count

    def _nonce(self) -> str:
        return f"{self._tick():032x}"


def _summary(plan: WirePlan) -> str:
    write = plan.write
    side, amount = getattr(write, "side", plan.action), getattr(write, "amount", None)
    return (
        f"{side} {amount} {plan.market.base} on {plan.market.symbol}"
        if amount
        else f"{plan.action} on {plan.market.symbol}"
    )
