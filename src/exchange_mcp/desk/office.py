"""What the desk does for those who speak to it: one port, whichever socket or page they come by.

Signatures are verified inside; what is handed in is as it came. Every method raises `ExchangeMcpError` and nothing else
for what a caller can do something about.
"""

from typing import Protocol

from exchange_mcp.desk.operator.messages import (
    ApproverList,
    Challenge,
    ClientList,
    Configuration,
    ConsoleLink,
    Decision,
    Done,
    Halted,
    HaltOrder,
    IntentDetail,
    IntentList,
    IntentView,
    News,
    PasskeyAnswer,
    PasskeyInvitation,
    PasskeyInvited,
    SignedMessage,
    Status,
)
from exchange_mcp.link.messages import Agreement, Handshake, IntentMessage, ProposalMessage


class ProposerOffice(Protocol):
    """What the proposal socket can ask. There is no more: none of it grants, resolves, resumes or changes a limit."""

    def client_of(self, credential: str) -> str:
        """The client that this credential belongs to.

        Raises:
            DeskError: CREDENTIAL_REFUSED.
        """
        ...

    async def handshake(self, client: str, said: Handshake) -> Agreement:
        """Compare accounts, and say what the client may do."""
        ...

    async def propose(self, client: str, message: ProposalMessage) -> IntentMessage:
        """Record what a client asks for; answered once the limits have decided."""
        ...

    async def read(self, client: str, intent_id: str, *, wait_ms: int, state: str | None) -> IntentMessage:
        """A client's own intent, at once, or as soon as its state is another one than `state`.

        Raises:
            ProposalRefusedError: UNKNOWN_INTENT, for another client's as for none.
        """
        ...

    async def retract(self, client: str, intent_id: str) -> IntentMessage:
        """Take back what this client proposed."""
        ...


class OperatorOffice(Protocol):
    """What the operator socket and the console can ask."""

    def status(self) -> Status:
        """The desk, at a glance."""
        ...

    def intents(self, *, state: str | None, account: str | None, limit: int) -> IntentList:
        """The newest intents; `state` may also be `open` (waits for a decision) or `live`."""
        ...

    def intent(self, intent_id: str) -> IntentDetail:
        """One intent, with its evidence."""
        ...

    async def news(self, *, after: int, wait_ms: int) -> News:
        """What happened since an event."""
        ...

    def configuration(self) -> Configuration:
        """`desk.toml` as it stands, against what was accepted."""
        ...

    def approvers(self) -> ApproverList:
        """Who can approve."""
        ...

    def clients(self) -> ClientList:
        """Who can propose, and what."""
        ...

    async def open(self, intent_id: str) -> Decision:
        """Preview a proposal afresh, journal that preview, and give all that an approver signs over.

        While signatures are being collected over one preview, that one is given again.
        """
        ...

    async def decline(self, intent_id: str, *, by: str, note: str) -> IntentView:
        """A person says no."""
        ...

    def halt(self, order: HaltOrder) -> Halted:
        """Halt at once."""
        ...

    def passphrase_failed(self, approver: str, times: int) -> None:
        """Journal that somebody got an approver's passphrase wrong."""
        ...

    def challenge(self) -> Challenge:
        """A nonce for the next statement; good for two minutes, in this run alone."""
        ...

    async def signed(self, message: SignedMessage) -> Done:
        """Verify one signature over one statement, and do what it says: grant, resolve, resume, accept, add, remove.

        Raises:
            DeskError: SIGNATURE_REFUSED, with nothing done.
        """
        ...


class ConsoleDoor(Protocol):
    """What the operator socket can ask of the console: ways in for whoever sits at the terminal; none decides."""

    def link(self) -> ConsoleLink:
        """A link that opens the console in one browser."""
        ...

    def invite(self, invitation: PasskeyInvitation) -> PasskeyInvited:
        """Let the browser make a passkey; what is made waits for an approver's signature."""
        ...

    def answer(self, invitation_id: str) -> PasskeyAnswer:
        """What has come of an invitation.

        Raises:
            InvalidArgumentError: there is none by this id, or its time is over.
        """
        ...
