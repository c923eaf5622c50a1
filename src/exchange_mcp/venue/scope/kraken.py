"""Kraken: a list of permissions, which anybody's key may ask for."""

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
    instant,
    is_list,
    items,
    listed,
    members,
    whole,
)
from exchange_mcp.venue.scope.question import ScopeQuestion, safely

_ENVELOPE: Final = frozenset({"error", "result"})
_KNOWN: Final = frozenset(
    {
        *("apiKeyName", "apiKey", "nonce", "nonceWindow", "permissions", "iban", "validUntil", "queryFrom"),
        *("queryTo", "createdTime", "modifiedTime", "ipAllowlist", "lastUsed"),
    }
)
_NOTHING: Final[tuple[Ability, ...]] = ()
_CODES: Final[Mapping[str, tuple[Ability, ...]]] = MappingProxyType(
    {
        "query-funds": (Ability.READ,),
        "query-open-trades": (Ability.READ,),
        "query-closed-trades": (Ability.READ,),
        "query-ledger": (Ability.READ,),
        "export-data": (Ability.READ,),
        "modify-trades": (Ability.TRADE,),
        "close-trades": (Ability.TRADE,),
        "withdraw-funds": (Ability.WITHDRAW,),
        "add-withdraw-address": (Ability.WITHDRAW,),
        "update-withdraw-address": (Ability.WITHDRAW,),
        "earn-funds": (Ability.TRANSFER,),
        # Addresses to deposit to, and a token for a WebSocket on which the other permissions still count.
        "add-funds": _NOTHING,
        "create-ws-token": _NOTHING,
    }
)


def _read(raw: object, _own: str | None) -> KeyScope:
    answer = members(raw, "the answer")
    if items(answer.get("error"), "error"):
        raise UnreadableError("error is not empty")
    key = members(answer.get("result"), "result")
    given = codes(items(key.get("permissions"), "result.permissions"), "result.permissions")
    found = Findings("kraken")
    found.only(answer, _ENVELOPE, "the answer")
    found.only(key, _KNOWN, "result")
    strange = [code for code in given if code not in _CODES]
    found.flag("permissions", all_of(given))
    if strange or not given:
        found.doubt(EVERYTHING, f"permissions has a code that is not known here: {listed(strange)}")
    for code in given:
        for ability in _CODES.get(code, ()):
            found.grant(ability, f"permissions has {code}")
    found.deny(Ability.READ, *ACTING)
    if "query-funds" in given:
        found.note(
            "by Kraken's page, a key with query-funds may move money from the spot wallet to the same account's "
            "futures wallet; no permission tells or prevents that, and it is not counted as transfer"
        )
    allowed = key.get("ipAllowlist")
    return found.scope(
        ip_restricted=bool(allowed) if is_list(allowed) else None,
        expires=_expiry(found, key.get("validUntil")),
        account_id=account(key.get("iban")),
    )


def _expiry(found: Findings, value: object) -> int | None:
    """The end of a key in UTC milliseconds; the venue gives seconds, and 0 for none."""
    seconds = whole(value)
    if seconds is None:
        found.note("when the key expires cannot be read")
        return None
    return instant(seconds * 1000)


QUESTION: Final = ScopeQuestion(
    method="privatePostGetApiKeyInfo",
    endpoint=Endpoint.parse("POST private GetApiKeyInfo"),
    parse=safely("kraken", _read),
    page="https://docs.kraken.com/api-reference/account-data/get-api-key-info",
    told="`permissions`, a list of codes; `ipAllowlist`, `validUntil`, `iban`",
    untold=(
        "transfers from the spot wallet to the same account's futures wallet: by "
        "[Kraken's page](https://docs.kraken.com/api-reference/funding/request-wallet-transfer) every key with "
        "`query-funds` may make them, so they are not counted as transfers here"
    ),
)
"""How Kraken is asked."""
