"""Bitget: codes of four letters; those that end in "r" read, those that end in "w" act."""

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
    items,
    listed,
    members,
)
from exchange_mcp.venue.scope.question import ScopeQuestion, safely

_ENVELOPE: Final = frozenset({"code", "msg", "requestTime", "data"})
_KNOWN: Final = frozenset(
    {
        *("userId", "inviterId", "channelCode", "channel", "ips", "authorities", "parentId", "traderType"),
        "regisTime",
    }
)
_READING: Final = ("coor", "cpor", "stor", "smor", "ttor", "wtor", "taxr", "chor", "p2pr", "pllr")
_TRADING: Final = ("coow", "cpow", "stow", "smow", "ttow", "pllw")
_SUB_ACCOUNTS: Final = "chow"
_CODES: Final[Mapping[str, tuple[Ability, ...]]] = MappingProxyType(
    {
        **dict.fromkeys(_READING, (Ability.READ,)),
        **dict.fromkeys(_TRADING, (Ability.READ, Ability.TRADE)),
        "wtow": (Ability.READ, Ability.TRANSFER),
        "wwow": (Ability.READ, Ability.WITHDRAW),
        # To another person; the page's two languages spell it differently.
        "p2p": (Ability.READ, Ability.WITHDRAW),
        "p2pw": (Ability.READ, Ability.WITHDRAW),
        "taxw": (Ability.READ,),
        _SUB_ACCOUNTS: (Ability.READ,),
    }
)


def _read(raw: object, _own: str | None) -> KeyScope:
    answer = members(raw, "the answer")
    if answer.get("code") != "00000":
        raise UnreadableError('code is not "00000"')
    info = members(answer.get("data"), "data")
    given = codes(items(info.get("authorities"), "data.authorities"), "data.authorities")
    found = Findings("bitget")
    found.only(answer, _ENVELOPE, "the answer")
    found.only(info, _KNOWN, "data")
    strange = [code for code in given if code not in _CODES]
    found.flag("authorities", all_of(given))
    if strange or not given:
        found.doubt(EVERYTHING, f"authorities has a code that is not known here: {listed(strange)}")
    if _SUB_ACCOUNTS in given:
        found.doubt(ACTING, f"authorities has {_SUB_ACCOUNTS}: it manages sub-accounts, their keys included")
    for code in given:
        for ability in _CODES.get(code, ()):
            found.grant(ability, f"authorities has {code}")
    found.deny(Ability.READ, *ACTING)
    ips = info.get("ips")
    return found.scope(
        ip_restricted=bool(ips) if isinstance(ips, str) else None, account_id=account(info.get("userId"))
    )


QUESTION: Final = ScopeQuestion(
    method="privateSpotGetV2SpotAccountInfo",
    endpoint=Endpoint.parse("GET private/spot v2/spot/account/info"),
    parse=safely("bitget", _read),
    page="https://www.bitget.com/api-doc/spot/account/Get-Account-Info",
    told="`authorities`, a list of codes of four letters; `ips`, `userId`",
    untold=(
        "when the key expires; what the codes `trade` and `readonly` of the page's example allow, which its own "
        "list does not name; what a key that manages sub-accounts may do through them"
    ),
)
"""How Bitget is asked."""
