"""A whole desk in virtual time, with people at it: the offices over the engine, the journal and the model venue."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from desk.running import Running, until
from desk.signing import ANNA, Hand
from exchange_mcp.desk.approvers import Verifier, verifiers
from exchange_mcp.desk.intents import State
from exchange_mcp.desk.offices.agreement import HeldAccount
from exchange_mcp.desk.offices.floor import Floor, Profile, Standing, Trading
from exchange_mcp.desk.offices.operations import Operations
from exchange_mcp.desk.offices.proposals import Proposals
from exchange_mcp.desk.offices.tools import OfferedTool, Widened
from exchange_mcp.desk.operator.messages import Decision, Done
from exchange_mcp.desk.ports import LimitRuling, Limits, Planned
from exchange_mcp.desk.records import Counted, Intent
from exchange_mcp.desk.register import AcceptedConfiguration, Allowance, Client
from exchange_mcp.desk.statements import Purpose, Statement, grant_body, sha256_of
from exchange_mcp.link.messages import AccountIdentity, IntentMessage, ProposalMessage
from exchange_mcp.model.accounts import Account, AccountName, Environment, MarketType
from exchange_mcp.model.coverage import SourceRead, Sources
from exchange_mcp.model.errors import VenueUnreachableError
from exchange_mcp.model.orders import OpenOrder
from exchange_mcp.model.plans import WirePlan
from exchange_mcp.model.writes import CancelOrder, PlaceOrder
from exchange_mcp.orders.change_previews import preview_cancel, preview_leverage
from exchange_mcp.orders.changing import plan_cancel, plan_leverage
from exchange_mcp.orders.preview import Preview
from exchange_mcp.orders.requests import CancelRequest, LeverageRequest, OrderRequest
from orders.made import (
    ASKS,
    BIDS,
    FLAT,
    LINEAR,
    REFERENCE,
    SPOT,
    SPOT_STANDING,
    holding,
    made_book,
    previewed,
    short,
)
from simulation.port import ACCOUNT, CancelWish, LeverageWish, ModelVenue, Wish
from simulation.world import Fate, Habits, World

CREDENTIAL = "claude's credential"
MAIN = AccountIdentity(
    name="main",
    venue="binance",
    environment=Environment.SIM,
    market_types=(MarketType.SPOT,),
    account_id="1001",
)
BUY: Mapping[str, object] = {
    "symbol": "BTC/USDT",
    "side": "buy",
    "type": "limit",
    "amount": "0.01",
    "price": "60000",
}
TOOLS = tuple(
    OfferedTool(name=name, risk="destructive", source="its hints", declaration={"name": name, "hints": {}})
    for name in ("place_order", "cancel_order", "set_leverage")
)
TOOL_OF = {"place": "place_order", "cancel": "cancel_order", "leverage": "set_leverage"}


@dataclass
class Policy:
    """Limits whose text a test decides."""

    text: str = '{"policy":1}'
    approvals: int = 1
    refuses: str | None = None
    refuses_by: tuple[str, ...] = ()
    currency: str = "USDT"

    @property
    def digest(self) -> str:
        return sha256_of(self.text)

    def rule(self, planned: Planned, counted: Counted, now_ms: int) -> LimitRuling:
        del planned, counted, now_ms
        reason = self.refuses or "Every limit allows it."
        details = {"approvals": self.approvals, "denied_by": list(self.refuses_by)}
        return LimitRuling(is_allowed=self.refuses is None, reason=reason, details=details)


@dataclass(slots=True, eq=False)
class Shown(ModelVenue):
    """The model venue, asked with real requests, with real previews; the book can move."""

    moved: Decimal = Decimal(0)
    wrong_preview: bool = False
    is_dark: bool = False

    async def plan(self, request: object, client_order_id: str) -> Planned:
        if self.is_dark:
            raise VenueUnreachableError("no answer")
        return await ModelVenue.plan(self, _wish(request, self.world), client_order_id)

    def _planned(self, plan: WirePlan) -> Planned:
        nothing: dict[str, Any] = {}
        preview = nothing if self.wrong_preview else _preview(plan, self.moved).model_dump()
        return replace(ModelVenue._planned(self, plan), preview=preview)  # pyright: ignore[reportPrivateUsage] - one seam of it


def _wish(request: object, world: World) -> Wish | CancelWish | LeverageWish:
    match request:
        case OrderRequest():
            return Wish(
                type=request.type,
                price=request.price,
                amount=request.amount or Decimal(0),
                is_reduce_only=request.reduce_only,
            )
        case CancelRequest():
            named = next((o for o in world.orders if o.order_id == request.order_id), None)
            return CancelWish(request.client_order_id or (named and named.client_order_id) or "none")
        case LeverageRequest():
            return LeverageWish(request.leverage)
        case _:
            raise TypeError(type(request).__name__)


def _preview(plan: WirePlan, moved: Decimal) -> Preview:
    write = plan.write
    if isinstance(write, PlaceOrder):
        terms, standing = (LINEAR, holding(short("1"))) if write.is_reduce_only else (SPOT, SPOT_STANDING)
        request = OrderRequest(
            symbol=terms.symbol,
            side=write.side,
            type=write.type,
            amount=write.amount,
            price=write.price,
            reduce_only=write.is_reduce_only,
        )
        bids, asks = (
            [(str(Decimal(price) + moved), amount) for price, amount in side] for side in (BIDS, ASKS)
        )
        return previewed(request, terms, standing, book=made_book(bids, asks))
    if isinstance(write, CancelOrder):
        asked = CancelRequest(symbol=write.symbol, client_order_id=write.client_order_id)
        return preview_cancel(plan_cancel(asked, SPOT, SPOT_STANDING), SPOT, SPOT_STANDING)
    changed = LeverageRequest(symbol=write.symbol, leverage=write.leverage)
    return preview_leverage(plan_leverage(changed, LINEAR, FLAT), LINEAR, REFERENCE, FLAT)


@dataclass
class Resting:
    """What `halt --cancel-open` reads."""

    world: World
    faults: tuple[Any, ...] = ()

    def open_orders(self, symbol: str | None) -> Sources[OpenOrder]:
        del symbol

        async def read() -> Sequence[OpenOrder]:
            return [_open(o.order_id, o.client_order_id) for o in self.world.orders if o.is_open]

        return Sources(reads=(SourceRead("spot", read),), unread=self.faults)


def _open(order_id: str, client_order_id: str | None) -> OpenOrder:
    empty = dict.fromkeys(
        ("type", "price", "trigger_price", "amount", "filled", "remaining", "reduce_only", "closes_position")
    )
    more = dict.fromkeys(("post_only", "time_in_force", "position_side", "created"))
    return OpenOrder(
        account="main",
        source="spot",
        symbol="BTC/USDT",
        id=order_id,
        client_order_id=client_order_id,
        side="buy",
        contracts=False,
        **{**empty, **more},
    )


@dataclass(eq=False)
class Manned(Running):
    """A desk with `anna` as its approver and `claude` as its client, who may use every tool."""

    habits: Habits = field(default_factory=lambda: Habits(fates=(Fate.ACCEPTED,)))
    venue_type: type[ModelVenue] = Shown
    limits: Limits = field(default_factory=Policy)
    configuration: Standing = field(
        default_factory=lambda: Standing(file="desk.toml", text="[desk]\n", digest="c" * 64)
    )
    kinds: Mapping[str, Verifier] = field(default_factory=lambda: verifiers(is_all_simulated=False))
    is_enrolled: bool = True
    tools: Sequence[OfferedTool] = TOOLS
    widened: Widened = lambda _before, _now: None
    account_id: str | None = "1001"
    environment: Environment = Environment.SIM
    accept_unmatched: str | None = None
    proposals_made: int = 0

    @property
    def policy(self) -> Policy:
        assert isinstance(self.limits, Policy)
        return self.limits

    @property
    def shown(self) -> Shown:
        assert isinstance(self.venue, Shown)
        return self.venue

    def boot(self, name: str = "main") -> None:
        super().boot(name)
        if self.is_enrolled and not self.journal.was_enrolled():
            self.journal.enrol_first(
                ANNA.approver,
                Client(name="claude", credential_sha256=hashlib.sha256(CREDENTIAL.encode()).hexdigest()),
                AcceptedConfiguration(digest=self.configuration.digest, text=self.configuration.text),
                [
                    Allowance(client="claude", tool=tool.name, is_allowed=True, declaration=tool.text)
                    for tool in TOOLS
                ],
            )
        self.resting = Resting(self.world)
        self.floor = Floor(
            journal=self.journal,
            clock=self.clock,
            entropy=self.entropy,
            kinds=self.kinds,
            tools=self.tools,
            widened=self.widened,
            profile=Profile(
                version="1.0", started_ms=1, proposal_socket="/p", console=None, protection="the same user"
            ),
            standing=lambda: self.configuration,
            grant_ms=120_000,
            accepted=lambda: self.accepts.append(self.configuration.digest),
        )
        self.accepts: list[str] = []
        self.clients = Proposals(self.floor)
        self.operators = Operations(self.floor)
        self.open_for_trading()

    def open_for_trading(self) -> None:
        account = Account(
            name=ACCOUNT,
            venue="binance",
            environment=self.environment,
            market_types=(MarketType.SPOT, MarketType.LINEAR),
            has_key=True,
        )
        held = HeldAccount(
            account=account,
            reading=self.resting,
            account_id=lambda: self.account_id,
            key=lambda: "reads and trades",
            accept_unmatched=self.accept_unmatched,
        )
        self.floor.opened(
            Trading(
                engine=self.engine,
                limits=self.limits,
                policy_text=lambda: self.policy.text,
                accounts={ACCOUNT: held},
            )
        )

    # What a client does.

    def message(
        self,
        request: Mapping[str, object] = BUY,
        *,
        action: str = "place",
        **changed: Any,  # noqa: ANN401 - a field of the record
    ) -> ProposalMessage:
        self.proposals_made += 1
        tool = next(tool for tool in TOOLS if tool.name == TOOL_OF[action])
        values: dict[str, Any] = {
            "proposal_id": f"proposal-{self.proposals_made}",
            "tool": tool.name,
            "declaration": tool.digest,
            "account": MAIN,
            "action": action,
            "request": dict(request),
        }
        return ProposalMessage(**{**values, **changed})

    async def asked(self, request: Mapping[str, object] = BUY, **changed: Any) -> IntentMessage:  # noqa: ANN401 - as above
        return await self.clients.propose("claude", self.message(request, **changed))

    # What approvers do.

    def granting(self, decision: Decision, **changed: Any) -> Statement:  # noqa: ANN401 - a field of the record
        values: dict[str, Any] = {
            "purpose": Purpose.GRANT,
            "desk_id": decision.desk_id,
            "nonce": decision.nonce,
            "expires_ms": decision.expires_ms,
            "body": grant_body(
                intent=decision.intent.id,
                plan_text=decision.plan_text,
                preview_text=decision.preview_text,
                policy_digest=sha256_of(decision.policy_text),
            ),
        }
        return Statement(**{**values, **changed})

    async def approve(self, decision: Decision, hand: Hand = ANNA) -> Done:
        return await self.operators.signed(hand.message(self.granting(decision)))

    def said(self, purpose: Purpose, body: Mapping[str, object]) -> Statement:
        challenge = self.operators.challenge()
        return Statement(
            purpose=purpose,
            desk_id=challenge.desk_id,
            nonce=challenge.nonce,
            expires_ms=challenge.expires_ms,
            body=dict(body),
        )

    async def sign(self, purpose: Purpose, body: Mapping[str, object], hand: Hand = ANNA) -> Done:
        return await self.operators.signed(hand.message(self.said(purpose, body)))

    async def enrol(self, hand: Hand) -> None:
        body = {"name": hand.name, "kind": hand.kind, "public": hand.public}
        await self.sign(Purpose.ADD_APPROVER, body)

    # What came of it.

    async def placed(self, **changed: Any) -> Intent:  # noqa: ANN401 - as above
        """An order that went the whole way."""
        answer = await self.asked(**changed)
        await self.approve(await self.operators.open(answer.intent_id))
        return await self.engine.settled(answer.intent_id)

    async def at_rest(self, *intents: str) -> None:
        await until(lambda: all(self.journal.intent(one).state not in _UNDER_WAY for one in intents))

    def kinds_told(self) -> list[str]:
        return [event.kind for event in self.journal.events()]


_UNDER_WAY = {State.APPROVED, State.DISPATCHING, State.ACCEPTED}
OTHER = AccountName("other")
