"""KuCoin: a text of permissions, in which "Transfer" is a way out of the account."""

from collections.abc import Mapping
from types import MappingProxyType
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
    listed,
    members,
)
from exchange_mcp.venue.scope.question import ScopeQuestion, safely

_ENVELOPE: Final = frozenset({"code", "msg", "data"})
_PAGE_FIELDS: Final = (
    *(
        "remark",
        "apiKey",
        "apiVersion",
        "permission",
        "ipWhitelist",
        "createdAt",
        "uid",
        "isMaster",
        "subName",
    ),
)
# Seen in answers and not described on the page. None of them says what a key may do.
_OTHER_FIELDS: Final = ("region", "kycStatus", "siteType", "parentUid")
_KNOWN: Final = frozenset({*_PAGE_FIELDS, *_OTHER_FIELDS})
# "Transfer" includes withdrawals: https://www.kucoin.com/support/900006465403. "Withdrawal" and "FlexTransfers" are
# not on the page of this answer; they can only grant.
_CODES: Final[Mapping[str, tuple[Ability, ...]]] = MappingProxyType(
    {
        "General": (Ability.READ,),
        "Spot": (Ability.TRADE,),
        "Margin": (Ability.TRADE,),
        "Futures": (Ability.TRADE,),
        "Earn": (Ability.TRANSFER,),
        "InnerTransfer": (Ability.TRANSFER,),
        "FlexTransfers": (Ability.TRANSFER,),
        "Transfer": (Ability.WITHDRAW, Ability.TRANSFER),
        "Withdrawal": (Ability.WITHDRAW,),
    }
)
# Deprecated endpoints that move money between accounts take a key with one of these:
# https://github.com/Kucoin/kucoin-universal-sdk/blob/main/sdk/golang/pkg/generate/account/transfer/api_transfer.go
_MOVING_TOO: Final = ("Spot", "Futures")
_SDK: Final = "https://github.com/Kucoin/kucoin-universal-sdk/blob/main/sdk/golang/pkg/generate/account"


def _read(raw: object, _own: str | None) -> KeyScope:
    answer = members(raw, "the answer")
    if answer.get("code") != "200000":
        raise UnreadableError('code is not "200000"')
    key = members(answer.get("data"), "data")
    permission = key.get("permission")
    if not isinstance(permission, str):
        raise UnreadableError("data.permission is missing or not text")
    found = Findings("kucoin")
    found.only(answer, _ENVELOPE, "the answer")
    found.only(key, _KNOWN, "data")
    given = codes(permission, "data.permission")
    strange = [code for code in given if code not in _CODES]
    found.flag("permission", all_of(given))
    if strange or not given:
        found.doubt(EVERYTHING, f"permission has a word that is not known here: {listed(strange)}")
    for code in _MOVING_TOO:
        if code in given:
            found.doubt(
                (Ability.TRANSFER,), f"permission has {code}, which deprecated transfer endpoints take too"
            )
    for code in given:
        for ability in _CODES.get(code, ()):
            found.grant(ability, f"permission has {code}")
    found.deny(Ability.READ, *ACTING)
    allowed = key.get("ipWhitelist")
    return found.scope(
        ip_restricted=bool(allowed) if isinstance(allowed, str) else None, account_id=account(key.get("uid"))
    )


QUESTION: Final = ScopeQuestion(
    method="privateGetUserApiKey",
    endpoint=Endpoint.parse("GET private user/api-key"),
    parse=safely("kucoin", _read),
    page=f"{_SDK}/account/types_get_apikey_info_resp.go",
    told="`permission`, words for reading, trading, earning and two kinds of transfers; `ipWhitelist`, `uid`",
    untold=(
        "when the key expires; whether it is restricted to IP addresses, if there is no `ipWhitelist`; whether a key "
        "with `Spot` or `Futures` may transfer: by "
        f"[the vendor's SDK]({_SDK}/transfer/api_transfer.go) "
        "deprecated endpoints take it"
    ),
)
"""How KuCoin is asked."""
