"""What the limits judge: one write as the policy sees it, with everything that was read for the judgement."""

from dataclasses import dataclass, field

from exchange_mcp.desk.trading.counting import AmountsByScope, ByScope
from exchange_mcp.policy.figures import Price
from exchange_mcp.policy.proposed import Proposed


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """The subject of one ruling.

    Attributes:
        policy_digest: of the policy for whose limits all this was read.
        prices: that state amounts in its reference currency.
        open_orders, realised: as the venues told, in each scope that covers the write.
    """

    proposed: Proposed
    policy_digest: str
    prices: tuple[Price, ...] = ()
    open_orders: ByScope = field(default_factory=ByScope)
    realised: AmountsByScope = field(default_factory=AmountsByScope)
