"""From the text of a file with a `[policy]` table, such as `desk.toml`, to its policy; every fault has its line."""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Final, cast

from exchange_mcp.config.accounts import AccountCheck
from exchange_mcp.config.desk_tables import DeskFileTable, judge_desk_account
from exchange_mcp.config.faults import ConfigError, Fault, KeyPath
from exchange_mcp.config.locations import home_directory, locations
from exchange_mcp.config.toml_document import document_of
from exchange_mcp.model.accounts import Account, AccountName
from exchange_mcp.policy.contradictions import Finding
from exchange_mcp.policy.loading import judge_policy
from exchange_mcp.policy.policy import Policy
from exchange_mcp.policy.reach import Configured

_KNOWN: Final = tuple(DeskFileTable.model_fields)
_NOT_PLAIN: Final = frozenset("+eE")


def judge_policy_text(
    text: str,
    file: str,
    *,
    check: AccountCheck,
    environ: Mapping[str, str],
    configured: Configured | None = None,
) -> tuple[Policy, Configured | None]:
    """The policy in this text, and the accounts that it was judged with.

    Args:
        text: TOML with a table [policy], and beside it, where the file has them, the tables [accounts.NAME].
        file: where it stands, for those who read what is wrong.
        check: rules on what a venue offers.
        environ: names the home directory, for the paths of accounts.
        configured: the accounts from elsewhere, where the file has none.

    Raises:
        ConfigError: with every fault that was found, each with its line.
    """
    document = document_of(text, file, parse_float=plain_decimal)
    if isinstance(document, Fault):
        raise ConfigError([document])
    findings = list(_unknown_tables(document.content))
    if "accounts" in document.content:
        configured = dict(_accounts(document.content["accounts"], check, environ, findings))
    if "policy" not in document.content:
        findings.append((("policy",), "is missing; expected a table [policy]"))
        raise ConfigError(document.faults(findings))
    outcome = judge_policy(document.content["policy"], configured=configured)
    if isinstance(outcome, list) or findings:
        raise ConfigError(document.faults([*findings, *(outcome if isinstance(outcome, list) else [])]))
    return outcome, configured


def plain_decimal(written: str) -> Decimal:
    """The number as written; one with a sign or an exponent is none, and a key that wants one says so."""
    return Decimal("NaN") if set(written) & _NOT_PLAIN else Decimal(written)


def _unknown_tables(content: Mapping[str, object]) -> Iterator[Finding]:
    for name in content:
        if name not in _KNOWN:
            yield (name,), f"unknown key; known here: {', '.join(_KNOWN)}"


def _accounts(
    value: object, check: AccountCheck, environ: Mapping[str, str], findings: list[Finding]
) -> Iterator[tuple[AccountName, Account]]:
    home = home_directory(environ)
    if not isinstance(value, dict):
        findings.append((("accounts",), "expected tables [accounts.NAME]"))
        return
    for name, content in cast("dict[str, object]", value).items():
        rendezvous = locations(environ, home).rendezvous_file
        outcome = judge_desk_account(name, content, check=check, home=home, rendezvous=rendezvous)
        if isinstance(outcome, tuple):
            account = outcome[0].account
            yield account.name, account
        else:
            faults: list[tuple[KeyPath, str]] = outcome
            findings += faults
