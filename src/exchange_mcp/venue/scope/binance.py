"""Binance: a switch for each thing that a key may do.

The demo environment has no such endpoint, so a key's scope cannot be told there.
"""

from typing import Final

from exchange_mcp.model.scopes import Ability, KeyScope
from exchange_mcp.rules.endpoints import Endpoint
from exchange_mcp.venue.scope.findings import Findings, account, instant, members, whole
from exchange_mcp.venue.scope.question import AccountQuestion, ScopeQuestion, safely

_TRADING: Final = (
    "enableSpotAndMarginTrading",
    "enableMargin",
    "enableFutures",
    "enableVanillaOptions",
    "enablePortfolioMarginTrading",
    "enableFixApiTrade",
)
_MOVING: Final = ("enableInternalTransfer", "permitsUniversalTransfer")
# The two FIX switches are in the Chinese edition of the page only.
# tradingAuthorityExpirationTime, "expiration time for spot and margin trading permission", is on earlier editions only.
_KNOWN: Final = frozenset(
    {
        *_TRADING,
        *_MOVING,
        *("enableReading", "enableWithdrawals", "enableFixReadOnly"),
        *("ipRestrict", "createTime", "tradingAuthorityExpirationTime"),
    }
)


def _read(raw: object, _own: str | None) -> KeyScope:
    answer = members(raw, "the answer")
    found = Findings("binance")
    found.only(answer, _KNOWN, "the answer")
    found.switches(answer, ("enableReading",), Ability.READ)
    found.switches(answer, _TRADING, Ability.TRADE)
    found.switches(answer, ("enableWithdrawals",), Ability.WITHDRAW)
    found.switches(answer, _MOVING, Ability.TRANSFER)
    restricted = answer.get("ipRestrict")
    ends = whole(answer.get("tradingAuthorityExpirationTime"))
    # It ends what trades, and nothing else: a key that only reads goes on.
    trades = any(answer.get(name) is True for name in _TRADING)
    return found.scope(
        ip_restricted=restricted if isinstance(restricted, bool) else None,
        expires=instant(ends) if trades and ends is not None else None,
    )


def _whose(raw: object) -> str | None:
    """The user's id, which spot and USD-M share; a number, and 0 is nobody's."""
    uid = raw.get("uid") if isinstance(raw, dict) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType] - JSON of any shape
    return account(uid) if isinstance(uid, int) and uid > 0 else None


QUESTION: Final = ScopeQuestion(
    method="sapiGetAccountApiRestrictions",
    endpoint=Endpoint.parse("GET sapi account/apiRestrictions"),
    parse=safely("binance", _read),
    page="https://developers.binance.com/docs/wallet/account/api-key-permission",
    told="a switch each for reading, six kinds of trading, withdrawals and two kinds of transfers; `ipRestrict`",
    untold=(
        "trading, if the answer lacks `enableFixApiTrade`, which the page's English edition does "
        "not show; whether a business's own transfer endpoint takes the key, which the page says these switches do "
        "not decide; anything in the demo environment, which has no such endpoint"
    ),
    account=AccountQuestion(
        method="privateGetAccount",
        endpoint=Endpoint.parse("GET private account"),
        parameters={"omitZeroBalances": "true"},
        parse=_whose,
        page="https://developers.binance.com/docs/binance-spot-api-docs/rest-api/account-endpoints",
        told="`uid`, asked for once",
    ),
)
"""How Binance is asked."""
