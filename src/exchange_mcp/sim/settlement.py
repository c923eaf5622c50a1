"""What was due since an account was last looked at: fills and triggers, in the order of time."""

from collections.abc import Callable
from typing import TypeAlias

from exchange_mcp.sim.accounts import Account
from exchange_mcp.sim.algo_engine import AlgoEngine
from exchange_mcp.sim.spot_engine import SpotEngine
from exchange_mcp.sim.usdm_engine import UsdmEngine

_Happen: TypeAlias = Callable[[int], None]


def settle(account: Account, now_ms: int, spot: SpotEngine, usdm: UsdmEngine, algo: AlgoEngine) -> None:
    """Let everything happen that is due to an account's open orders up to and including a moment.

    What happens at one millisecond happens in the order spot, contracts, conditional orders, each oldest first;
    what it leaves behind is looked at from the next millisecond on.
    """
    while account.settled_ms < now_ms:
        due = _due(account, now_ms, spot, usdm, algo)
        if not due:
            account.settled_ms = now_ms
            return
        account.settled_ms = min(at for at, _ in due)
        for at, happen in due:
            if at == account.settled_ms:
                happen(at)


def _due(
    account: Account, until_ms: int, spot: SpotEngine, usdm: UsdmEngine, algo: AlgoEngine
) -> list[tuple[int, _Happen]]:
    after = account.settled_ms
    found: list[tuple[int, _Happen]] = []
    for order in account.orders.spot.open():
        at = spot.due(order, after, until_ms)
        if at is not None:
            found.append((at, lambda at, order=order: spot.happen(account, order, at)))
    for contract_order in account.orders.futures.open():
        at = usdm.due(contract_order, after, until_ms)
        if at is not None:
            found.append((at, lambda at, order=contract_order: usdm.happen(account, order, at)))
    for algo_order in account.orders.algo.open():
        at = algo.due(algo_order, after, until_ms)
        if at is not None:
            found.append((at, lambda at, order=algo_order: algo.happen(account, order, at)))
    return found
