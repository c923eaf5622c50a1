"""Bybit: lists of permissions by product, and a `readOnly` that wins over all of them."""

from collections.abc import Mapping
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Final

from exchange_mcp.model.scopes import Ability, KeyScope
from exchange_mcp.rules.endpoints import Endpoint
from exchange_mcp.venue.scope.findings import (
    ACTING,
    Findings,
    Members,
    UnreadableError,
    account,
    all_of,
    codes,
    instant,
    is_list,
    listed,
    members,
    whole,
)
from exchange_mcp.venue.scope.question import ScopeQuestion, safely

_ENVELOPE: Final = frozenset({"retCode", "retMsg", "result", "retExtInfo", "time"})
_PAGE_FIELDS: Final = (
    *("id", "note", "apiKey", "readOnly", "secret", "permissions", "ips", "type", "deadlineDay", "expiredAt"),
    *("createdAt", "unified", "uta", "userID", "inviterID", "vipLevel", "mktMakerLevel", "affiliateID"),
    *("rsaPublicKey", "isMaster", "parentUid", "kycLevel", "kycRegion"),
)
# Seen in answers and not described on the page. None of them says what a key may do.
_OTHER_FIELDS: Final = ("userIDInt64", "inviterIDInt64", "affiliateIDInt64")
_KNOWN: Final = frozenset({*_PAGE_FIELDS, *_OTHER_FIELDS})

_TRADE: Final = (Ability.TRADE,)
_TRANSFER: Final = (Ability.TRANSFER,)
_WITHDRAW: Final = (Ability.WITHDRAW,)
_NOTHING: Final[tuple[Ability, ...]] = ()

# By product: what each known code lets a key that is not read-only do.
_CODES: Final[Mapping[str, Mapping[str, tuple[Ability, ...]]]] = MappingProxyType(
    {
        "ContractTrade": {"Order": _TRADE, "Position": _TRADE},
        "Spot": {"SpotTrade": _TRADE},
        "Options": {"OptionsTrade": _TRADE},
        "Derivatives": {"DerivativesTrade": _TRADE},
        "BlockTrade": {"BlockTrade": _TRADE},
        "CopyTrading": {"CopyTrading": _TRADE},
        "Exchange": {"ExchangeHistory": _TRADE},
        "FiatConvertBroker": {"FiatConvertBrokerOrder": _TRADE},
        "Wallet": {
            "AccountTransfer": _TRANSFER,
            "SubMemberTransfer": _TRANSFER,
            "SubMemberTransferList": _TRANSFER,
            "Withdraw": _WITHDRAW,
        },
        "Earn": {"Earn": _TRANSFER},
        # To other people. The page and its example spell the second name differently.
        "FiatP2P": {"FiatP2POrder": _WITHDRAW, "Advertising": _WITHDRAW},
        "FiatBybitPay": {"FaitPayOrder": _WITHDRAW},
        "FiatBitPay": {"FaitPayOrder": _WITHDRAW},
        "BitCard": {"BitCard": _WITHDRAW},
        "ByXPost": {"ByXPost": _NOTHING},
        "NFT": {"NFTQueryProductList": _NOTHING},
        "Affiliate": {"Affiliate": _NOTHING},
    }
)
# Without one of these lists, a key that is not read-only may do what the list would have said. "|" joins the two
# spellings of one of them.
_NEEDED: Final[Mapping[Ability, tuple[str, ...]]] = MappingProxyType(
    {
        Ability.TRADE: (
            *("ContractTrade", "Spot", "Options", "Derivatives", "BlockTrade", "Exchange"),
            "FiatConvertBroker",
        ),
        Ability.WITHDRAW: ("Wallet", "FiatP2P", "FiatBybitPay|FiatBitPay"),
        Ability.TRANSFER: ("Wallet", "Earn"),
    }
)


def _read(raw: object, _own: str | None) -> KeyScope:
    answer = members(raw, "the answer")
    if whole(answer.get("retCode")) != 0:
        raise UnreadableError("retCode is not 0")
    key = members(answer.get("result"), "result")
    lists = members(key.get("permissions"), "result.permissions")
    found = Findings("bybit")
    found.only(answer, _ENVELOPE, "the answer")
    found.only(key, _KNOWN, "result")
    # A list that is empty allows nothing, whatever its name means.
    filled = {name: value for name, value in lists.items() if value != []}
    found.only(filled, _CODES.keys(), "result.permissions")
    read_only = whole(key.get("readOnly"))
    _permissions(found, lists, read_only)
    if read_only in {0, 1}:
        found.flag("readOnly", str(read_only))
    else:
        found.doubt(ACTING, "readOnly is neither 0 nor 1")
    return found.scope(
        ip_restricted=_restricted(key.get("ips")),
        expires=_expiry(found, key.get("expiredAt")),
        account_id=account(key.get("userID")),
    )


def _permissions(found: Findings, lists: Members, read_only: int | None) -> None:
    said = 0
    for product, known in _CODES.items():
        if product not in lists:
            continue
        given = codes(lists[product], f"result.permissions.{product}")
        strange = [code for code in given if code not in known]
        said += len(given) - len(strange)
        if given:
            found.flag(product, all_of(given))
        if strange:
            found.doubt(ACTING, f"{product} has a code that is not known here: {listed(strange)}")
        for code in given:
            for ability in known.get(code, ()) if read_only == 0 else ():
                found.grant(ability, f"{product} has {code}, and readOnly is 0")
    if said:
        found.grant(Ability.READ, "it has permissions, and each of them may read")
    else:
        found.doubt((Ability.READ,), "no list of permissions has anything in it")
    if read_only == 0:
        _miss(found, lists)
    found.deny(*ACTING)


def _miss(found: Findings, lists: Members) -> None:
    for ability, products in _NEEDED.items():
        for product in products:
            if not any(name in lists for name in product.split("|")):
                found.doubt((ability,), f"the list {product} is missing")


def _restricted(ips: object) -> bool | None:
    """`*` is any address; an empty list is not described."""
    return "*" not in ips if is_list(ips) and ips else None


def _expiry(found: Findings, text: object) -> int | None:
    """The end of a key in UTC milliseconds; the year 1970 is the venue's word for none."""
    try:
        moment = datetime.fromisoformat(text) if isinstance(text, str) else None
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        found.note("when the key expires cannot be read")
        return None
    return instant(int((moment - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds() * 1000))


QUESTION: Final = ScopeQuestion(
    method="privateGetV5UserQueryApi",
    endpoint=Endpoint.parse("GET private v5/user/query-api"),
    parse=safely("bybit", _read),
    page="https://bybit-exchange.github.io/docs/v5/user/apikey-info",
    told="`readOnly`, which wins over the lists of permissions by product; `ips`, `expiredAt`, `userID`",
    untold="what a list's codes allow one by one: every code of a key that is not read-only counts as granted",
)
"""How Bybit is asked."""
