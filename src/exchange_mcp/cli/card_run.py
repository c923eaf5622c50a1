"""Running a test card at a desk: each step proposed, approved and followed as any other write, and then judged."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final

from exchange_mcp.cli.card_files import Card, Criterion, Step
from exchange_mcp.cli.deciding import followed, opened
from exchange_mcp.cli.signing import hand_in
from exchange_mcp.desk.approver_keys import ApproverKey
from exchange_mcp.desk.operator.approving import NotSignableError
from exchange_mcp.desk.operator.client import DeskAnswerError, OperatorClient
from exchange_mcp.desk.operator.messages import Decline, IntentDetail, IntentView
from exchange_mcp.desk.statements import Purpose, Statement, propose_body
from exchange_mcp.model.decimals import floor_to_step, multiply, text
from exchange_mcp.model.errors import ErrorCode

_FOLLOW_MS: Final = 60_000
_HUNDRED: Final = Decimal(100)
_TOO_MUCH: Final = Decimal(100)


@dataclass(frozen=True, slots=True)
class Judged:
    """Whether one criterion holds, and what was seen."""

    criterion: Criterion
    holds: bool
    seen: str


@dataclass(slots=True)
class CardRun:
    """One run of one card over one account of a desk; `mids` are prices that earlier cards asked for.

    Raises `DeskError` where there is no desk any more: that says nothing about a venue.
    """

    client: OperatorClient
    key: ApproverKey
    account: str
    by: str
    say: Callable[[str], None]
    mids: dict[str, Decimal]
    seen: dict[str, IntentDetail] = field(default_factory=dict[str, IntentDetail])

    def run(self, card: Card) -> tuple[Judged, ...]:
        """Take every step, and judge every criterion; a step that did not come to rest ends the taking."""
        for step in card.steps:
            try:
                detail = self._taken(step)
            except (DeskAnswerError, NotSignableError) as error:
                self.say(f"{step.name}: not taken. {error}")
                break
            self.seen[step.name] = detail
            self.say(f"{step.name}: {detail.intent.state.upper()}. {detail.intent.summary}")
        return (
            *(events_judged(step, self.seen.get(step.name)) for step in card.steps),
            *(judged(criterion, self.seen.get(criterion.step)) for criterion in card.criteria),
        )

    def _taken(self, step: Step) -> IntentDetail:
        view = self._proposed(step.action, self._request(step))
        if view.state == "proposed":
            decidable, _ = opened(self.client, view.id)
            hand_in(self.client, decidable.statement, self.key)
            followed(self.client, view.id, wait_ms=_FOLLOW_MS)
        return self.client.intent(view.id)

    def _request(self, step: Step) -> Mapping[str, object]:
        if step.action == "leverage":
            return {"symbol": step.symbol, "leverage": step.leverage}
        if step.action == "cancel":
            return {"symbol": step.symbol, "intent_id": self.seen[str(step.of)].intent.id}
        order: dict[str, object] = {
            "symbol": step.symbol,
            "side": step.side,
            "type": step.type,
            "amount": step.amount,
        }
        if step.percent_of_mid is not None and step.price_step is not None:
            share = 1 + step.percent_of_mid / _HUNDRED
            order["price"] = str(floor_to_step(multiply(self._mid(step), share), step.price_step))
        flags = {"post_only": step.post_only, "reduce_only": step.reduce_only}
        return order | {name: True for name, given in flags.items() if given}

    def _mid(self, step: Step) -> Decimal:
        """The middle of the book, out of the preview of a market order that limits deny; or else it is declined."""
        if step.symbol not in self.mids:
            amount = multiply(Decimal(str(step.amount)), _TOO_MUCH)
            market = {"symbol": step.symbol, "side": step.side, "type": "market", "amount": text(amount)}
            view = self._proposed("place", market)
            preview = json.loads(self.client.intent(view.id).preview_text)
            if view.state == "proposed":
                self.client.decline(view.id, Decline(by=self.by, note="it was asked for its price"))
            self.mids[step.symbol] = Decimal(str(preview["footing"]["mid"]))
        return self.mids[step.symbol]

    def _proposed(self, action: str, request: Mapping[str, object]) -> IntentView:
        """The intent of this proposal, which is another one than whatever like it there was."""
        distinct: str | None = None
        while True:
            try:
                view = self._signed(action, request, distinct)
            except DeskAnswerError as error:
                if error.code is not ErrorCode.SIMILAR_ORDER or error.intent_id in {None, distinct}:
                    raise
                distinct = error.intent_id
            else:
                # The very same as an earlier one is that one.
                if view.state in {"proposed", "denied"} or view.id == distinct or action != "place":
                    return view
                distinct = view.id

    def _signed(self, action: str, request: Mapping[str, object], distinct: str | None) -> IntentView:
        challenge = self.client.challenge()
        statement = Statement(
            purpose=Purpose.PROPOSE,
            desk_id=challenge.desk_id,
            nonce=challenge.nonce,
            expires_ms=challenge.expires_ms,
            body=propose_body(account=self.account, action=action, request=request, distinct_from=distinct),
        )
        (view,) = hand_in(self.client, statement, self.key).intents
        return view


def judged(criterion: Criterion, detail: IntentDetail | None) -> Judged:
    """Whether this holds of what the desk recorded of its step."""
    if detail is None:
        return Judged(criterion, holds=False, seen="its step was not taken")
    holds, seen = True, [f"state {detail.intent.state}"]
    if criterion.state is not None:
        holds = detail.intent.state == criterion.state
    if criterion.sent:
        parameters = _parameters(detail)
        told = {name: parameters.get(name) for name in criterion.sent}
        holds = holds and told == criterion.sent
        seen.append(", ".join(f"{name} {value}" for name, value in told.items()))
    if criterion.within_ms is not None:
        took = shown_after_ms(detail)
        holds = holds and took is not None and took <= criterion.within_ms
        seen.append("never shown" if took is None else f"shown after {took} ms")
    return Judged(criterion, holds, "; ".join(seen))


def events_judged(step: Step, detail: IntentDetail | None) -> Judged:
    """Whether the desk's log of a step has the events that were expected, in this order."""
    criterion = Criterion(id=f"log-of-{step.name}", says="The log has the expected events.", step=step.name)
    if detail is None:
        return Judged(criterion, holds=False, seen="its step was not taken")
    kinds = iter([each.kind for each in detail.events])
    missing = [expected for expected in step.expect if expected not in kinds]
    return Judged(criterion, not missing, f"missing: {', '.join(missing)}" if missing else "all of them")


def shown_after_ms(detail: IntentDetail) -> int | None:
    """Milliseconds from the record of the venue's answer to that of its being seen there; None: it was not seen."""
    at: dict[str, int] = {each.kind: int(json.loads(each.text)["at_ms"]) for each in detail.events}
    if "settled" not in at or "read_back" not in at or detail.intent.state == "unknown":
        return None
    return at["read_back"] - at["settled"]


def _parameters(detail: IntentDetail) -> dict[str, str]:
    plan: dict[str, Any] = json.loads(detail.plan_text)
    return {
        name: str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in plan["request"]["parameters"].items()
    }
