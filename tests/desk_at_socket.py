"""A desk at a real Unix socket: the real door and its protocol, over an office whose answers a test decides.

What the office itself does is tested in `tests/desk/offices`; here is what `serve` makes of it.
"""

import hashlib
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import anyio

from exchange_mcp.cli.clock import SystemClock
from exchange_mcp.desk.apps.proposals import proposal_app
from exchange_mcp.desk.apps.serving import Serving
from exchange_mcp.desk.sockets import bind_proposals
from exchange_mcp.link.messages import (
    AccountAgreement,
    Agreed,
    Agreement,
    Handshake,
    IntentMessage,
    ProposalMessage,
)
from exchange_mcp.model.errors import DeskError, ErrorCode, ExchangeMcpError, ProposalRefusedError

NOW_MS = 1_764_000_000_000


@dataclass
class DecidedOffice:
    """Takes what is proposed, and moves it on when a test says so."""

    credentials: dict[str, str]
    proposals: list[ProposalMessage] = field(default_factory=list[ProposalMessage])
    intents: dict[str, IntentMessage] = field(default_factory=dict[str, IntentMessage])
    owners: dict[str, str] = field(default_factory=dict[str, str])
    refuses: ExchangeMcpError | None = None
    agreed: Agreed = "unverifiable"
    shaken: list[Handshake] = field(default_factory=list[Handshake])
    reads: int = 0
    moved: anyio.Event = field(default_factory=anyio.Event)

    def client_of(self, credential: str) -> str:
        if credential not in self.credentials:
            raise DeskError(ErrorCode.CREDENTIAL_REFUSED, "nobody has this credential")
        return self.credentials[credential]

    async def handshake(self, client: str, said: Handshake) -> Agreement:
        self.shaken.append(said)
        accounts = tuple(
            AccountAgreement(name=each.name, agreed=self.agreed, reason="as the test says")
            for each in said.accounts
        )
        return Agreement(protocol=1, version="1", client=client, accounts=accounts, tools=())

    async def propose(self, client: str, message: ProposalMessage) -> IntentMessage:
        self.proposals.append(message)
        if self.refuses is not None:
            raise self.refuses
        asked = json.dumps([client, message.account.name, message.request], sort_keys=True)
        intent_id = hashlib.sha256(f"{asked}{message.distinct_from}".encode()).hexdigest()[:32]
        if intent_id in self.intents:
            return self.intents[intent_id].model_copy(update={"repeated": True})
        self.owners[intent_id] = client
        self.intents[intent_id] = IntentMessage(
            intent_id=intent_id,
            proposal_id=message.proposal_id,
            account=message.account.name,
            action=message.action,
            symbol=str(message.request["symbol"]),
            state="proposed",
            is_final=False,
            reason="waiting for a decision",
            next="A person decides; until then nothing is sent.",
            approval="One of: anna, at the desk's console.",
            approvals_needed=1,
            created_at=NOW_MS,
            changed_at=NOW_MS,
            expires_at=NOW_MS + 600_000,
            plan_digest="cd" * 32,
            preview_lines=("BUY 0.01 BTC", "at 60000 USDT\u202e"),
        )
        return self.intents[intent_id]

    async def read(self, client: str, intent_id: str, *, wait_ms: int, state: str | None) -> IntentMessage:
        self.reads += 1
        found = self._own(client, intent_id)
        with anyio.move_on_after(wait_ms / 1000):
            while found.state == state:
                await self.moved.wait()
                found = self._own(client, intent_id)
        return found

    async def retract(self, client: str, intent_id: str) -> IntentMessage:
        self._own(client, intent_id)
        self.move(intent_id, state="retracted", is_final=True, approval=None)
        return self.intents[intent_id]

    def _own(self, client: str, intent_id: str) -> IntentMessage:
        if self.owners.get(intent_id) != client:
            raise ProposalRefusedError(ErrorCode.UNKNOWN_INTENT, "this client has no such intent")
        return self.intents[intent_id]

    def move(self, intent_id: str, **changed: object) -> None:
        """The intent is another one from now on."""
        self.intents[intent_id] = self.intents[intent_id].model_copy(update=changed)
        self.moved.set()
        self.moved = anyio.Event()


@asynccontextmanager
async def at_socket(office: DecidedOffice, path: Path) -> AsyncGenerator[None]:
    """The office at this socket, until the block ends."""
    bound = bind_proposals(path, None)
    app = proposal_app(office, SystemClock())
    serving = Serving(app, bound.listener, ending=app.stop)
    up = anyio.Event()
    try:
        async with anyio.create_task_group() as group:

            async def run() -> None:
                await serving.run(ready=up.set)

            group.start_soon(run)
            await up.wait()
            try:
                yield
            finally:
                serving.stop()
    finally:
        bound.close()
