"""What a key may do and what follows, as JSON values and in words for people."""

from collections.abc import Iterator, Mapping
from typing import Any

from exchange_mcp.model.instants import iso
from exchange_mcp.model.scopes import Ability, KeyScope, KeyVerdict, Role
from exchange_mcp.model.venue_text import visible
from exchange_mcp.server.key_checks import Checked


def explained_object(scope: KeyScope, verdicts: Mapping[Role, KeyVerdict]) -> dict[str, Any]:
    """A scope and its verdicts as JSON values."""
    return {
        "venue": scope.venue,
        **_facts(scope),
        "verdict": {role.value: _word(verdict) for role, verdict in verdicts.items()},
        "reasons": [
            *scope.reasons,
            *(f"{role} refuses it: {why}" for role, verdict in verdicts.items() for why in verdict.reasons),
        ],
    }


def explained_text(scope: KeyScope, verdicts: Mapping[Role, KeyVerdict]) -> str:
    """A scope and its verdicts for people."""
    lines = [*_shown(scope), "", *(f"- {reason}" for reason in scope.reasons)]
    for role, verdict in verdicts.items():
        lines += ["", f"{role} (live): {_word(verdict)}", *_consequences(verdict)]
    return _visible(lines)


def checked_object(checked: Checked) -> dict[str, Any]:
    """One account's check as JSON values; of a keyless account all that concerns a key is null."""
    account, scope, verdict = checked.account, checked.scope, checked.verdict
    facts = dict.fromkeys(_FACTS) if scope is None else _facts(scope)
    return {
        "account": account.name,
        "venue": account.venue,
        "environment": account.environment.value,
        **facts,
        "verdict": "no key" if verdict is None else _word(verdict),
        "reasons": [*(verdict.reasons if verdict else ()), *(scope.reasons if scope else ())],
        "warnings": list(verdict.warnings) if verdict else [],
        "remedy": verdict.remedy if verdict else "",
    }


def checked_text(checked: Checked) -> str:
    """One account's check for people."""
    account, scope, verdict = checked.account, checked.scope, checked.verdict
    head = f"{account.name} ({account.environment})"
    if scope is None or verdict is None:
        return f"{head}: no key, market data of {account.venue} only"
    lines = [f"{head}: {_word(verdict)} for {verdict.role}", *_consequences(verdict)]
    return _visible([*lines, *(f"  {line}" for line in (*_shown(scope), *scope.reasons))])


_FACTS = (*(ability.value for ability in Ability), "ip_restricted", "expires_at")


def _facts(scope: KeyScope) -> dict[str, Any]:
    return {
        **{ability.value: scope.may(ability).value for ability in Ability},
        "ip_restricted": scope.ip_restricted,
        "expires_at": None if scope.expires is None else iso(scope.expires),
    }


def _shown(scope: KeyScope) -> Iterator[str]:
    restricted = {None: "not told", True: "yes", False: "no"}[scope.ip_restricted]
    facts = {
        "venue": scope.venue,
        **{ability.value: scope.may(ability).value for ability in Ability},
        "restricted to IP": restricted,
        "expires": "never, or not told" if scope.expires is None else iso(scope.expires),
        "account": scope.account_id or "not told",
    }
    return (f"{name + ':':<18}{value}" for name, value in facts.items())


def _consequences(verdict: KeyVerdict) -> Iterator[str]:
    yield from (f"- {why}" for why in verdict.reasons)
    yield from (f"- warning: {warning}" for warning in verdict.warnings)
    if verdict.remedy:
        yield f"  {verdict.remedy}"


def _visible(lines: list[str]) -> str:
    return "\n".join(visible(line, len(line)) for line in lines)


def _word(verdict: KeyVerdict) -> str:
    return "accepted" if verdict.accepted else "refused"
