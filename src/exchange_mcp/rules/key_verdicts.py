"""May a key of this scope be used in this role? Pure: a scope and an environment in, a verdict out.

What a venue grants is refused by the role alone, in every environment. What a venue does not tell is refused where
real money is, unless the operator accepted it by name.
"""

from collections.abc import Iterator
from typing import Final

from exchange_mcp.model.accounts import Environment
from exchange_mcp.model.instants import iso
from exchange_mcp.model.scopes import Ability, KeyScope, KeyVerdict, Permission, Role
from exchange_mcp.model.venue_text import visible
from exchange_mcp.rules.key_pages import new_key_at, remedy_at

DAY_MS: Final = 86_400_000
SOON_DAYS: Final = 7

NOT_VERIFIABLE: Final = "not real money, not verifiable"

_ABILITIES: Final = tuple(Ability)
_REFUSED: Final = {
    Role.SERVE: (Ability.TRADE, Ability.WITHDRAW, Ability.TRANSFER),
    Role.DESK: (Ability.WITHDRAW, Ability.TRANSFER),
}


def judge(  # noqa: PLR0913 - each is a fact of its own that decides
    scope: KeyScope,
    *,
    role: Role,
    environment: Environment,
    now_ms: int,
    accepted_unknown: str | None = None,
    may_transfer: bool = False,
) -> KeyVerdict:
    """Whether a key may be used in a role, and what to do if not.

    Args:
        scope: what the key may do.
        role: who would use it.
        environment: where it is valid; real money is in `live` only.
        now_ms: UTC milliseconds.
        accepted_unknown: why the operator accepts by name a live key whose scope cannot be told; blank is no reason.
            It never makes a permission acceptable that the venue grants.
        may_transfer: the operator named this account as one whose desk key may move money between its own wallets;
            it counts for the desk only.
    """
    tolerated = {Ability.TRANSFER} if may_transfer and role is Role.DESK else set[Ability]()
    too_wide = [
        ability
        for ability in _REFUSED[role]
        if scope.may(ability) is Permission.GRANTED and ability not in tolerated
    ]
    untold = [
        ability
        for ability in _ABILITIES
        if scope.may(ability) is Permission.UNKNOWN and ability not in tolerated
    ]
    accepted_reason = visible((accepted_unknown or "").strip())
    needs_acceptance = bool(untold) and environment is Environment.LIVE and not accepted_reason
    has_expired = scope.expires is not None and scope.expires <= now_ms
    cannot_read = scope.read is Permission.DENIED

    reasons = [f"{role} does not run on a key that can {ability}" for ability in too_wide]
    if cannot_read:
        reasons.append("the key cannot read: balances, orders and positions would all be refused")
    if scope.expires is not None and has_expired:
        reasons.append(f"the key expired at {iso(scope.expires)}")
    if needs_acceptance:
        reasons.append(f"whether the key can {_listed(untold)} is not known, and the account is live")
    return KeyVerdict(
        role=role,
        accepted=not reasons,
        reasons=tuple(reasons),
        remedy=_remedy(
            scope, role, too_wide, replace=cannot_read or has_expired, unverified=needs_acceptance
        ),
        warnings=tuple(_warnings(scope, role, environment, now_ms, untold, accepted_reason)),
        verified=not untold,
    )


def _warnings(  # noqa: PLR0913, PLR0917 - what `judge` knows
    scope: KeyScope,
    role: Role,
    environment: Environment,
    now_ms: int,
    untold: list[Ability],
    accepted_reason: str,
) -> Iterator[str]:
    if untold and environment is not Environment.LIVE:
        yield f"{NOT_VERIFIABLE}: whether the key can {_listed(untold)} is not known"
    elif untold and accepted_reason:
        yield f"whether the key can {_listed(untold)} is not known; accepted by name: {accepted_reason}"
    if role is Role.DESK and scope.trade is Permission.DENIED:
        yield "the key cannot trade: a desk can send nothing with it"
    if scope.expires is not None and now_ms < scope.expires <= now_ms + SOON_DAYS * DAY_MS:
        yield f"the key expires at {iso(scope.expires)}"
    if scope.ip_restricted is False:
        yield "the key works from any IP address: bind it to the address of this machine"


def _remedy(scope: KeyScope, role: Role, too_wide: list[Ability], *, replace: bool, unverified: bool) -> str:
    keep = (Ability.READ,) if role is Role.SERVE else (Ability.READ, Ability.TRADE)
    steps: list[str] = []
    if replace:
        steps.append(new_key_at(scope.venue, keep))
    elif too_wide:
        steps.append(remedy_at(scope.venue, untick=too_wide, keep=keep))
    if unverified:
        steps.append(
            "Look at the key's page at the venue yourself; if it grants no more than it should, accept the account "
            "by name in the configuration, with the reason."
        )
    return " ".join(steps)


def _listed(abilities: list[Ability]) -> str:
    *others, last = abilities
    return f"{', '.join(others)} or {last}" if others else str(last)
