"""What an operator proposes under a signature. It waits for a decision as any other proposal does."""

from exchange_mcp.desk.engine import Ask
from exchange_mcp.desk.intents import State
from exchange_mcp.desk.offices.asked import about, asked, digest_of, resolved
from exchange_mcp.desk.offices.floor import Floor
from exchange_mcp.desk.offices.refusing import refusal
from exchange_mcp.desk.offices.said import SaidProposal
from exchange_mcp.desk.offices.views import intent_view
from exchange_mcp.desk.operator.messages import Done
from exchange_mcp.desk.records import IsRefused, Origin, Repeated, Signed, Taken
from exchange_mcp.desk.statements import Purpose
from exchange_mcp.model.accounts import AccountName
from exchange_mcp.orders.requests import CancelRequest, OrderRequest


def operator_client(approver: str) -> str:
    """Whose proposals they are; no client can have this name."""
    return f"operator:{approver}"


async def propose(floor: Floor, said: SaidProposal, signed: Signed) -> Done:
    """Record an operator's proposal; while halted, only a cancel or a reduce-only order.

    Raises:
        ExchangeMcpError: it is not taken.
    """
    trading = floor.now_trading()
    read = asked(said.action, said.request)
    request = resolved(read, floor.journal, said.account, None)
    account = AccountName(said.account)
    is_exempt = isinstance(request, CancelRequest) or (
        isinstance(request, OrderRequest) and request.reduce_only
    )
    if not is_exempt:
        floor.check_halt(account)
    floor.journal.acted(Purpose.PROPOSE, signed, {"account": account})
    digest = digest_of(account, said.action, read)
    proposed = await trading.engine.propose(
        Ask(
            proposal_id=signed.nonce,
            client=operator_client(signed.approver),
            account=account,
            request=request,
            request_digest=digest,
            origin=Origin.OPERATOR,
            distinct_from=said.distinct_from,
            about=about(account, request, digest, said.distinct_from),
        )
    )
    if isinstance(proposed, IsRefused):
        raise refusal(proposed, may_know=True)
    intent = proposed.intent
    if isinstance(proposed, Repeated):
        told = "It is an earlier intent, asked for again; to add another, name it in distinct_from."
    elif intent.state is State.DENIED:
        told = f"The limits deny it: {intent.reason}"
    else:
        told = "Proposed; it waits for a decision."
    is_waiting = isinstance(proposed, Taken) and intent.state is State.PROPOSED
    return Done(message=told, intents=(intent_view(intent),), is_complete=is_waiting)
