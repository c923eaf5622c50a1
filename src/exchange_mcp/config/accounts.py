"""From one `[accounts.NAME]` table to an account that can exist, or to what is wrong with it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, cast

from pydantic import ValidationError

from exchange_mcp.config.faults import KeyPath
from exchange_mcp.config.schema import ACCOUNT_NAME, AccountTable, KeyTable
from exchange_mcp.config.sentences import sentences
from exchange_mcp.model.accounts import Account, AccountName, Environment, MarketType


class AccountCheck(Protocol):
    """Rules on which accounts can exist; configuration itself knows no venue."""

    def __call__(
        self, venue: str, environment: Environment, market_types: Sequence[MarketType], /, *, has_key: bool
    ) -> str | None:
        """Why no such account can exist, as one sentence; None if it can."""
        ...


Finding = tuple[KeyPath, str]
"""Where something is wrong, and what."""

_DEFAULT_MARKET_TYPES = (MarketType.SPOT, MarketType.LINEAR)


@dataclass(frozen=True, slots=True)
class SimAccess:
    """How to reach the simulated exchange: its rendezvous file, and the label of a key in it, if any."""

    rendezvous: Path
    key_label: str | None


@dataclass(frozen=True, slots=True)
class AccountConfig:
    """One account and where its credentials are: `key` at a venue, `sim` in the simulated exchange.

    `sim` is there exactly when the account's environment is sim; `key` never is then. `accept_unverified` is the
    operator's reason for using a live key although its venue does not tell what it may do.
    """

    account: Account
    key: KeyTable | None = None
    sim: SimAccess | None = None
    accept_unverified: str | None = None


def judge_account(  # noqa: PLR0913 - a table, and what it is judged by
    name: str,
    content: object,
    *,
    check: AccountCheck,
    home: Path,
    rendezvous: Path,
    table: type[AccountTable] = AccountTable,
) -> AccountConfig | list[Finding]:
    """The account that a table describes, or everything that is wrong with it.

    `rendezvous` is where the simulated exchange is looked for when the table does not say. `table` is what may stand
    in it.
    """
    place: KeyPath = ("accounts", name)
    findings: list[Finding] = []
    if not ACCOUNT_NAME.fullmatch(name):
        findings.append(
            (place, "an account's name has 1 to 32 of a-z, 0-9, _ and -, a letter or digit first")
        )
    if not isinstance(content, dict):
        return [*findings, (place, "expected a table of this account's settings")]
    settings = cast("dict[str, object]", content)
    read: AccountTable | None = None
    try:
        read = table.model_validate(settings, context={"home": home})
    except ValidationError as error:
        findings += sentences(error, table, place)
        read = _sound_part(settings, error, home, table)
    if read is None:
        return findings
    findings += [((*place, *path), message) for path, message in _contradictions(read, settings)]
    has_key = "key" in settings or "sim_key" in settings
    market_types = _in_order(read.market_types) or default_market_types(
        read.venue, read.environment, has_key=has_key, check=check
    )
    refusal = check(read.venue, read.environment, market_types, has_key=has_key)
    if refusal is not None:
        findings.append((place, refusal))
    if findings:
        return findings
    is_simulated = read.environment is Environment.SIM
    return AccountConfig(
        account=Account(AccountName(name), read.venue, read.environment, market_types, has_key),
        key=read.key,
        sim=SimAccess(read.rendezvous or rendezvous, read.sim_key) if is_simulated else None,
        accept_unverified=read.accept_unverified,
    )


def default_market_types(
    venue: str, environment: Environment, *, has_key: bool, check: AccountCheck
) -> tuple[MarketType, ...]:
    """What an account gets that names no market types: those of spot and linear that can exist, else inverse.

    Where none can, spot, so that the check has something to refuse.
    """
    existing = tuple(
        market_type
        for market_type in MarketType
        if check(venue, environment, (market_type,), has_key=has_key) is None
    )
    usual = tuple(market_type for market_type in existing if market_type in _DEFAULT_MARKET_TYPES)
    return usual or existing or (MarketType.SPOT,)


def _sound_part(
    settings: dict[str, object], error: ValidationError, home: Path, table: type[AccountTable]
) -> AccountTable | None:
    """The table without its faulty settings, so that one fault does not hide the next.

    None if too little is left to judge.
    """
    faulty = {detail["loc"][0] for detail in error.errors(include_input=False)}
    if faulty & {"venue", "environment"}:
        return None
    sound = {key: value for key, value in settings.items() if key not in faulty}
    return table.model_validate(sound, context={"home": home})


def _contradictions(table: AccountTable, settings: dict[str, object]) -> list[Finding]:
    findings: list[Finding] = []
    if table.environment is not Environment.SIM:
        findings += [
            ((field,), f'belongs to environment "sim" only, and this account is "{table.environment}"')
            for field in ("sim_key", "rendezvous")
            if field in settings
        ]
    elif "key" in settings:
        findings.append(
            (("key",), "a simulated account has no key of a venue; name one of its own with sim_key")
        )
    if table.accept_unverified is not None and (
        table.key is None or table.environment is not Environment.LIVE
    ):
        findings.append(
            (("accept_unverified",), "belongs to a live account with a key; nothing else needs it")
        )
    if table.market_types is not None and len(set(table.market_types)) < len(table.market_types):
        findings.append((("market_types",), "names a market type twice"))
    return findings


def _in_order(market_types: tuple[MarketType, ...] | None) -> tuple[MarketType, ...]:
    """Each once, in the order of their definition: equal settings are equal accounts."""
    return tuple(market_type for market_type in MarketType if market_type in (market_types or ()))
