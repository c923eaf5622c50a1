"""From the `[policy]` table of a TOML document to a policy that holds, or to everything that is wrong with it."""

from collections.abc import Iterator, Mapping
from typing import TypeVar, cast

from pydantic import ValidationError

from exchange_mcp.config.faults import KeyPath
from exchange_mcp.config.schema import ACCOUNT_NAME, Table
from exchange_mcp.config.sentences import sentences
from exchange_mcp.model.accounts import AccountName
from exchange_mcp.policy.contradictions import Finding, contradictions
from exchange_mcp.policy.forbid_faults import forbid_faults
from exchange_mcp.policy.policy import Policy
from exchange_mcp.policy.reach import Configured, Reach
from exchange_mcp.policy.tables import SYMBOL, AccountLimits, DeskLimits, Forbid, PolicyTable, SymbolLimits

_INNER = ("account", "symbol", "forbid")
_T = TypeVar("_T", bound=Table)


def judge_policy(
    content: object, *, configured: Configured | None, place: KeyPath = ("policy",)
) -> Policy | list[Finding]:
    """The policy that a table describes, or everything that is wrong with it, each with its path.

    Args:
        content: the table as `tomllib` gives it, best with `parse_float=Decimal`: then 0.5 is exact.
        configured: the accounts that there are, by name; None where nobody knows, and less can be judged.
        place: where the table stands in its document.
    """
    outcome = _judge(content, configured)
    if isinstance(outcome, Policy):
        return outcome
    return [((*place, *path), message) for path, message in outcome]


def _judge(content: object, configured: Configured | None) -> Policy | list[Finding]:
    if not isinstance(content, dict):
        return [((), "expected a table [policy]")]
    table = cast("dict[str, object]", content)
    findings: list[Finding] = []
    _validated(PolicyTable, table, (), findings)
    desk = _validated(DeskLimits, {k: v for k, v in table.items() if k not in _INNER}, (), [])
    accounts = dict(_accounts(table.get("account"), findings))
    symbols = dict(_symbols(table.get("symbol"), findings))
    forbid = tuple(_forbid(table.get("forbid"), findings))
    if desk is None or findings:
        return findings
    policy = Policy(desk, accounts, symbols, forbid)
    reach = Reach(policy, configured)
    return [*contradictions(reach), *forbid_faults(reach)] or policy


def _accounts(value: object, findings: list[Finding]) -> Iterator[tuple[AccountName, AccountLimits]]:
    for name, inner in _tables(value):
        place = ("account", name)
        if not ACCOUNT_NAME.fullmatch(name):
            findings.append((place, "expected the name of an account, of a-z, 0-9, _ and -"))
        limits = _validated(AccountLimits, inner, place, findings)
        if limits is not None:
            yield AccountName(name), limits


def _symbols(value: object, findings: list[Finding]) -> Iterator[tuple[str, SymbolLimits]]:
    for symbol, inner in _tables(value):
        place = ("symbol", symbol)
        if not SYMBOL.fullmatch(symbol):
            findings.append(
                (place, 'expected a unified symbol in capitals, such as [policy.symbol."BTC/USDT"]')
            )
        limits = _validated(SymbolLimits, inner, place, findings)
        if limits is not None:
            yield symbol, limits


def _forbid(value: object, findings: list[Finding]) -> Iterator[Forbid]:
    for i, inner in enumerate(cast("list[object]", value) if isinstance(value, list) else []):
        entry = _validated(Forbid, inner, ("forbid", i), findings)
        if entry is not None:
            yield entry


def _validated(table: type[_T], content: object, place: KeyPath, findings: list[Finding]) -> _T | None:
    """The table, or None with what is wrong among the findings."""
    if not isinstance(content, dict):
        findings.append((place, "expected a table"))
        return None
    try:
        return table.model_validate(content)
    except ValidationError as error:
        findings += sentences(error, table, place, shown=table.model_fields.keys())
        return None


def _tables(value: object) -> Iterator[tuple[str, object]]:
    """The entries of a table, or none where something else stands, which is a finding of its own."""
    if isinstance(value, Mapping):
        yield from cast("Mapping[str, object]", value).items()
