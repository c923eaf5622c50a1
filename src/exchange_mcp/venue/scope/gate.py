"""Gate: permissions by product, each read-only or not; the answer may be about several keys of an account."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from exchange_mcp.model.scopes import Ability, KeyScope
from exchange_mcp.rules.endpoints import Endpoint
from exchange_mcp.venue.scope.findings import (
    ACTING,
    EVERYTHING,
    Findings,
    Members,
    UnreadableError,
    account,
    is_list,
    items,
    members,
    shown,
)
from exchange_mcp.venue.scope.question import ScopeQuestion, safely

_KNOWN: Final = frozenset(
    {
        *("state", "mode", "name", "currency_pairs", "user_id", "ip_whitelist", "perms", "key"),
        *("created_at", "updated_at", "last_access"),
    }
)
_DETAILS: Final = frozenset({"mode"})
_PERMISSION: Final = frozenset({"name", "read_only"})
_TRADE: Final = (Ability.TRADE,)
# What a permission that is not read-only lets a key do. The page only names them: None where its word does not tell.
_PRODUCTS: Final[Mapping[str, tuple[Ability, ...] | None]] = MappingProxyType(
    {
        "spot": _TRADE,
        "futures": _TRADE,
        "delivery": _TRADE,
        "options": _TRADE,
        "margin": _TRADE,
        "loan": _TRADE,
        "unified": _TRADE,
        "copy": _TRADE,
        "alpha": _TRADE,
        "pilot": _TRADE,
        "crossx": _TRADE,
        "wallet": (Ability.WITHDRAW, Ability.TRANSFER),
        "earn": (Ability.TRANSFER,),
        "custody": None,
        "otc": None,
        "account": None,
    }
)
_NORMAL: Final = 1


def _read(raw: object, own: str | None) -> KeyScope:
    keys = [members(each, "a key") for each in (items(raw, "the answer") if is_list(raw) else [raw])]
    if not keys:
        raise UnreadableError("there is no key in the answer")
    ours = [key for key in keys if own is not None and key.get("key") == own]
    chosen = ours if len(ours) == 1 else keys
    found = Findings("gate")
    if len(chosen) > 1:
        found.note(
            f"the answer is about {len(chosen)} keys and does not tell ours: what any of them may do counts"
        )
    for key in chosen:
        _permissions(found, key)
    found.deny(Ability.READ, *ACTING)
    ids = {account(key.get("user_id")) for key in chosen}
    restricted = {_restricted(key.get("ip_whitelist")) for key in chosen}
    return found.scope(
        ip_restricted=restricted.pop() if len(restricted) == 1 else None,
        account_id=ids.pop() if len(ids) == 1 else None,
    )


def _permissions(found: Findings, key: Members) -> None:
    found.only(key, _KNOWN, "the key")
    details = key.get("key")
    if not isinstance(details, str | None):
        found.only(members(details, "the key's key"), _DETAILS, "the key's key")
    if key.get("state") != _NORMAL:
        found.note("the key's state is not 1, normal: it may be locked or frozen")
    given = items(key.get("perms"), "perms")
    if not given:
        found.doubt(EVERYTHING, "perms is empty")
    for each in given:
        permission = members(each, "a permission")
        found.only(permission, _PERMISSION, "a permission")
        name, read_only = permission.get("name"), permission.get("read_only")
        if not isinstance(name, str) or name not in _PRODUCTS:
            found.doubt(EVERYTHING, f"perms has a name that is not known here: {shown(name)}")
            continue
        if isinstance(read_only, bool):
            found.flag(name, "read only" if read_only else "read and write")
        _permission(found, name, read_only)


def _permission(found: Findings, name: str, read_only: object) -> None:
    abilities = _PRODUCTS[name]
    found.grant(Ability.READ, f"perms has {name}")
    if read_only is False and abilities is not None:
        for ability in abilities:
            found.grant(ability, f"{name} is not read-only")
    elif read_only is False:
        found.doubt(ACTING, f"{name} is not read-only, and what that allows is not described")
    elif read_only is not True:
        found.doubt(ACTING, f"{name} does not say whether it is read-only")


def _restricted(ips: object) -> bool | None:
    return bool(ips) if is_list(ips) else None


QUESTION: Final = ScopeQuestion(
    method="privateAccountGetMainKeys",
    endpoint=Endpoint.parse("GET private/account main_keys"),
    parse=safely("gate", _read),
    page="https://github.com/gate/gateapi-csharp/blob/master/docs/AccountKeyInfo.md",
    told="`perms`, products that are each read-only or not; `ip_whitelist`, `user_id`",
    untold=(
        "which key the answer is about, if it is about several: then all of them count; when the key expires "
        "(90 days after it was made, if it is not bound to an IP address); what writing in `account`, `custody` "
        "and `otc` allows; anything of a sub-account's key"
    ),
)
"""How Gate is asked."""
