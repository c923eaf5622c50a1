"""What a desk writes, for tests of those who read it."""

from exchange_mcp.link.messages import AccountAgreement, AccountIdentity, Agreed, Agreement, IntentMessage
from exchange_mcp.link.ports import Draft
from exchange_mcp.model.accounts import Environment, MarketType

INTENT_ID = "0123456789abcdef0123456789abcdef"
NOW_MS = 1_764_000_000_000
MAIN = AccountIdentity(
    name="main", venue="binance", environment=Environment.SIM, market_types=(MarketType.SPOT,)
)
DRAFT = Draft(
    tool="place_order",
    declaration="ab" * 32,
    account=MAIN,
    action="place",
    request={"symbol": "BTC/USDT", "side": "buy", "type": "limit", "amount": "0.01", "price": "50000"},
)


def intent(**changed: object) -> IntentMessage:
    """An intent that waits for a decision."""
    return IntentMessage(
        intent_id=INTENT_ID,
        proposal_id=f"{1:032x}",
        account="main",
        action="place",
        symbol="BTC/USDT",
        state="proposed",
        is_final=False,
        reason="waiting for a decision",
        next="A person decides.",
        approval="One of: alice, on the desk's console.",
        approvals_needed=1,
        created_at=NOW_MS,
        changed_at=NOW_MS,
        expires_at=NOW_MS + 600_000,
        plan_digest="cd" * 32,
        preview_lines=("buy 0.01 BTC at 50000 USDT", "notional 500 USDT"),
    ).model_copy(update=changed)


def agreement(agreed: Agreed = "unverifiable", *, protocol: int = 1) -> Agreement:
    """What the desk says to a handshake about `MAIN`."""
    return Agreement(
        protocol=protocol,
        version="9.9",
        client="tests",
        accounts=(AccountAgreement(name="main", agreed=agreed, reason="the venue is another one"),),
        tools=(),
    )
