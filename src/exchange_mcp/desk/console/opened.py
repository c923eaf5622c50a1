"""Decisions on somebody's screen: each as it was opened, until it is not what stands in the journal any more."""

from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Final

from exchange_mcp.desk.console.decoded import Decoded
from exchange_mcp.desk.console.kept import Kept
from exchange_mcp.desk.console.refusals import RefusedError, changed
from exchange_mcp.desk.console.sessions import Session
from exchange_mcp.desk.intents import State
from exchange_mcp.desk.office import OperatorOffice
from exchange_mcp.desk.operator.approving import Decidable
from exchange_mcp.model.ports import Clock

_MOST_OF_ONE: Final = 16
_LONGEST_TYPED: Final = 64
_SPACES: Final = str.maketrans("", "", " \u202f\u00a0\u2009")


@dataclass(frozen=True, slots=True)
class Opened:
    """One decision on one screen."""

    session: Session
    decidable: Decidable
    decoded: Decoded

    @property
    def intent_id(self) -> str:
        """Of the intent that is decided on."""
        return self.decidable.decision.intent.id

    def require_typed(self, typed: str) -> None:
        """See that the amount was typed, where it has to be.

        Raises:
            RefusedError: it was not, or it is another one.
        """
        wanted = self.decoded.typed
        if wanted and _number(typed) != Decimal(wanted):
            raise RefusedError(
                422, "AMOUNT_NOT_TYPED", "Type the amount of the order exactly as the page shows it."
            )


class OpenedDecisions:
    """The ones that are on a screen, newest last."""

    def __init__(self, office: OperatorOffice, clock: Clock) -> None:
        self._office = office
        self._clock = clock
        self._open = Kept[Opened](_MOST_OF_ONE)

    def keep(self, key: str, opened: Opened) -> None:
        """Put it on a screen."""
        self._open.put(key, opened)

    def find(self, session: Session, key: str) -> Opened:
        """The decision of this page.

        Raises:
            RefusedError: it is none of this session's.
        """
        opened = self._open.get(key, session)
        if opened is None:
            raise RefusedError(404, "NO_SUCH_DECISION", "This decision is not open here. Open it again.")
        return opened

    def require_current(self, opened: Opened) -> None:
        """See that plan and preview are those of the journal still, and that there is time.

        Raises:
            RefusedError: they are not, or there is not. ExchangeMcpError: the journal cannot be read.
        """
        why = self.passed(opened)
        if why is not None:
            raise RefusedError(409, changed().code, why)

    def passed(self, opened: Opened) -> str | None:
        """Why this page cannot be approved any more; None while it can.

        Raises:
            ExchangeMcpError: the journal cannot be read.
        """
        decision = opened.decidable.decision
        now = self._office.intent(opened.intent_id)
        if now.intent.state != State.PROPOSED.value:
            return f"This proposal is {now.intent.state.replace('_', ' ')} now: {now.intent.reason}".rstrip(
                ": "
            )
        if (now.plan_text, now.preview_text) != (decision.plan_text, decision.preview_text):
            return changed().message
        if self._office.status().policy_digest != opened.decidable.statement.body["policy"]:
            return "The limits changed since this page was opened. Open it again."
        if self._clock.now_ms() >= decision.expires_ms:
            return "This preview is too old to be approved. Open it again."
        return None


def _number(typed: str) -> Decimal | None:
    try:
        cleaned = typed.translate(_SPACES)
        return Decimal(cleaned) if len(cleaned) <= _LONGEST_TYPED and cleaned.isascii() else None
    except InvalidOperation:
        return None
