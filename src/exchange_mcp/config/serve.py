"""What `serve` was told to be: from `serve.toml`, or from a list of venues, to a configuration that holds.

Nothing is read here but that one file; secrets stay references until `credentials.py` resolves them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from exchange_mcp.config.accounts import (
    AccountCheck,
    AccountConfig,
    Finding,
    default_market_types,
    judge_account,
)
from exchange_mcp.config.desk_link import DeskLinkConfig, judge_desk_link
from exchange_mcp.config.faults import ConfigError, Fault
from exchange_mcp.config.locations import home_directory, locations
from exchange_mcp.config.schema import DEFAULT_CLIENT, HttpTable, KeysTable, LimitsTable, LogTable, ServeTable
from exchange_mcp.config.sentences import sentences
from exchange_mcp.config.toml_document import document_of, text_of
from exchange_mcp.model.accounts import Account, AccountName, Environment


@dataclass(frozen=True, slots=True)
class ServeConfig:
    """Everything `serve` was told.

    `accounts` is not empty and its names are unique. `cache_directory` None means the user's cache location. `desk`
    None: there is nobody to propose to, and no tool that writes.
    """

    client: str
    limits: LimitsTable
    log: LogTable
    keys: KeysTable
    http: HttpTable
    cache_directory: Path | None
    accounts: tuple[AccountConfig, ...]
    desk: DeskLinkConfig | None = None


def load_serve(path: Path, *, check: AccountCheck, environ: Mapping[str, str]) -> ServeConfig:
    """The configuration in the file at `path`; reads no secret.

    `check` rules on what a venue offers. `environ` names the home directory and the XDG locations.

    Raises:
        ConfigError: with every fault that was found, each with its line.
    """
    outcome = _examine(path, check, environ)
    if isinstance(outcome, ServeConfig):
        return outcome
    raise ConfigError(outcome)


def public_serve(venues: Sequence[str], *, check: AccountCheck) -> ServeConfig:
    """The configuration without a file: one keyless live account a venue, named after it.

    Raises:
        ConfigError: if no venue is named or one is not supported.
    """
    accounts: list[AccountConfig] = []
    refusals: list[str] = [] if venues else ["no venue is named; name at least one"]
    for venue in dict.fromkeys(venues):
        market_types = default_market_types(venue, Environment.LIVE, has_key=False, check=check)
        refusal = check(venue, Environment.LIVE, market_types, has_key=False)
        if refusal is not None:
            refusals.append(refusal)
            continue
        account = Account(AccountName(venue), venue, Environment.LIVE, market_types, has_key=False)
        accounts.append(AccountConfig(account))
    if refusals:
        raise ConfigError([Fault(None, None, "", refusal) for refusal in refusals])
    return ServeConfig(
        DEFAULT_CLIENT, LimitsTable(), LogTable(), KeysTable(), HttpTable(), None, tuple(accounts)
    )


def judge_serve(text: str, file: str, *, check: AccountCheck, environ: Mapping[str, str]) -> ServeConfig:
    """The configuration that this text is; `file` is where it stands, for those who read what is wrong.

    Raises:
        ConfigError: with every fault that was found, each with its line.
    """
    outcome = _examine_text(text, file, check, environ)
    if isinstance(outcome, ServeConfig):
        return outcome
    raise ConfigError(outcome)


def _examine(path: Path, check: AccountCheck, environ: Mapping[str, str]) -> ServeConfig | list[Fault]:
    """Keeps the file's text, in which a secret may stand by mistake, out of the frames that raise."""
    text = serve_text(path)
    if isinstance(text, Fault):
        return [text]
    return _examine_text(text, str(path), check, environ)


def _examine_text(
    text: str, file: str, check: AccountCheck, environ: Mapping[str, str]
) -> ServeConfig | list[Fault]:
    document = document_of(text, file)
    if isinstance(document, Fault):
        return [document]
    outcome = _judge(document.content, check, environ)
    return outcome if isinstance(outcome, ServeConfig) else document.faults(outcome)


def serve_text(path: Path) -> str | Fault:
    """The file's text, byte for byte, or why it cannot be had."""
    return text_of(path, if_missing="write one, or name venues to read public market data")


def _judge(
    document: dict[str, object], check: AccountCheck, environ: Mapping[str, str]
) -> ServeConfig | list[Finding]:
    home = home_directory(environ)
    findings: list[Finding] = []
    table: ServeTable | None = None
    try:
        table = ServeTable.model_validate(document, context={"home": home})
    except ValidationError as error:
        findings += sentences(error, ServeTable)
    accounts: list[AccountConfig] = []
    for name, content in _tables(document.get("accounts")).items():
        outcome = judge_account(
            name, content, check=check, home=home, rendezvous=locations(environ, home).rendezvous_file
        )
        if isinstance(outcome, AccountConfig):
            accounts.append(outcome)
        else:
            findings += outcome
    desk: DeskLinkConfig | None = None
    if isinstance(document.get("desk"), dict):  # what else stands there is a finding already
        judged = judge_desk_link(document["desk"], home=home, socket=locations(environ, home).proposal_socket)
        if isinstance(judged, DeskLinkConfig):
            desk = judged
        else:
            findings += judged
    if table is None or findings:
        return findings
    return ServeConfig(
        table.client,
        table.limits,
        table.log,
        table.keys,
        table.http,
        table.cache.directory,
        tuple(accounts),
        desk,
    )


def _tables(value: object) -> dict[str, object]:
    """The tables in a table, or none where something else stands, which is a finding of its own."""
    return value if isinstance(value, dict) else {}  # pyright: ignore[reportUnknownVariableType] - TOML's keys are text
