"""OKX: three words in the account's configuration."""

from typing import Final

from exchange_mcp.model.scopes import Ability, KeyScope
from exchange_mcp.rules.endpoints import Endpoint
from exchange_mcp.venue.scope.findings import (
    ACTING,
    EVERYTHING,
    Findings,
    UnreadableError,
    account,
    all_of,
    codes,
    items,
    listed,
    members,
)
from exchange_mcp.venue.scope.question import ScopeQuestion, safely

_ENVELOPE: Final = frozenset({"code", "msg", "data"})
# The account's settings, of which only `perm` and `ip` speak of the key.
_KNOWN: Final = frozenset(
    {
        *("uid", "mainUid", "acctLv", "acctStpMode", "posMode", "autoLoan", "greeksType", "feeType", "level"),
        *("levelTmp", "ctIsoMode", "mgnIsoMode", "spotOffsetType", "stgyType", "roleType", "traderInsts"),
        *("spotRoleType", "spotTraderInsts", "opAuth", "kycLv", "label", "ip", "perm"),
        *("liquidationGear", "enableSpotBorrow", "spotBorrowAutoRepay", "type", "settleCcy", "settleCcyList"),
    }
)
# Moving money between the funding and the trading account, and to sub-accounts, needs "trade":
# https://www.okx.com/docs-v5/en/#funding-account-rest-api-funds-transfer
_CODES: Final = {
    "read_only": (Ability.READ,),
    "trade": (Ability.TRADE, Ability.TRANSFER),
    "withdraw": (Ability.WITHDRAW,),
}


def _read(raw: object, _own: str | None) -> KeyScope:
    answer = members(raw, "the answer")
    if answer.get("code") != "0":
        raise UnreadableError('code is not "0"')
    rows = items(answer.get("data"), "data")
    if len(rows) != 1:
        raise UnreadableError("data does not have exactly one row")
    row = members(rows[0], "the row of data")
    perm = row.get("perm")
    if not isinstance(perm, str):
        raise UnreadableError("perm is missing or not text")
    found = Findings("okx")
    found.only(answer, _ENVELOPE, "the answer")
    found.only(row, _KNOWN, "the row of data")
    given = codes(perm, "perm")
    strange = [code for code in given if code not in _CODES]
    found.flag("perm", all_of(given))
    if strange or not given:
        found.doubt(EVERYTHING, f"perm has a word that is not known here: {listed(strange)}")
    for code in given:
        for ability in _CODES.get(code, ()):
            found.grant(ability, f"perm has {code}")
    found.deny(Ability.READ, *ACTING)
    ip = row.get("ip")
    return found.scope(
        ip_restricted=bool(ip) if isinstance(ip, str) else None, account_id=account(row.get("uid"))
    )


QUESTION: Final = ScopeQuestion(
    method="privateGetAccountConfig",
    endpoint=Endpoint.parse("GET private account/config"),
    parse=safely("okx", _read),
    page="https://www.okx.com/docs-v5/en/#trading-account-rest-api-get-account-configuration",
    told="`perm`, words for reading, trading and withdrawing; trading includes transfers; `ip`, `uid`",
    untold="when the key expires; whether a sub-account's transfers to other accounts are switched off",
)
"""How OKX is asked."""
