"""What a tool is handed of the desk: to propose, to read, and to take back. There is no more on this side of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from exchange_mcp.link.messages import AccountIdentity, Action, IntentMessage


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A proposal without its id, which the link mints before it sends anything.

    Attributes:
        tool, declaration, account, action, request, distinct_from, note: as of a `ProposalMessage`.
    """

    tool: str
    declaration: str
    account: AccountIdentity
    action: Action
    request: Mapping[str, object]
    distinct_from: str | None = None
    note: str | None = None


class DeskLink(Protocol):
    """The desk, as one client may ask it. Every method raises `ExchangeMcpError` and nothing else.

    A call that is cancelled cancels nothing at the desk.
    """

    async def propose(self, draft: Draft) -> IntentMessage:
        """Propose one write; every error names the proposal's id.

        Raises:
            OrderRefusedError, ProposalRefusedError: the desk does not take it.
            DeskError: the desk cannot be asked, or takes nothing as things are.
        """
        ...

    async def read(self, intent_id: str, *, wait_ms: int = 0, state: str | None = None) -> IntentMessage:
        """An intent of this client's, at once, or as soon as its state is another one than `state`.

        Raises:
            ProposalRefusedError: UNKNOWN_INTENT.
            DeskError: the desk cannot be asked.
        """
        ...

    async def retract(self, intent_id: str) -> IntentMessage:
        """Take back what this client proposed.

        Raises:
            ProposalRefusedError: UNKNOWN_INTENT, or INTENT_MOVED_ON where it is too late.
            DeskError: the desk cannot be asked.
        """
        ...
