"""The table `[desk]` of `serve.toml`: which desk is proposed to, by which tools, and who shows which credential."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Final, Literal, cast

from pydantic import Field, ValidationError

from exchange_mcp.config.credentials import read_credential
from exchange_mcp.config.faults import KeyPath, SecretError
from exchange_mcp.config.redaction import Redactor
from exchange_mcp.config.schema import FilePath, SecretField, SecretReference, Table
from exchange_mcp.config.secret import Secret
from exchange_mcp.config.sentences import sentences

WriteTool = Literal["place_order", "cancel_order", "set_leverage"]
MOST_WAIT_SECONDS: Final = 10

_CLIENT: Final = re.compile(r"[a-z0-9._-]{1,64}")
_SHOWN: Final = frozenset({"tools", "wait_seconds"})


class DeskLinkTable(Table):
    """The table as it is written; credentials are validated one by one.

    `socket` None is where the user's own desk has it. `wait_seconds`: see `DeskLinkConfig`.
    """

    socket: Annotated[FilePath | None, Field(description="the path of the desk's proposal socket")] = None
    tools: Annotated[
        tuple[WriteTool, ...],
        Field(
            strict=False, max_length=3, description='a list of "place_order", "cancel_order", "set_leverage"'
        ),
    ] = ()
    credentials: Annotated[
        dict[str, object],
        Field(description="a table [desk.credentials] of CLIENT = where its credential is"),
    ] = {}  # noqa: RUF012 - a model's default, which pydantic copies
    wait_seconds: Annotated[
        float,
        Field(
            ge=0,
            le=MOST_WAIT_SECONDS,
            allow_inf_nan=False,
            description=f"a number of seconds from 0 to {MOST_WAIT_SECONDS}",
        ),
    ] = 0


class _One(Table):
    """Where one credential is."""

    credential: SecretField


@dataclass(frozen=True, slots=True, kw_only=True)
class DeskLinkConfig:
    """A desk to propose to.

    Attributes:
        tools: those of the tools that write which are offered; every desk's proposals can be read and taken back.
        credentials: by the caller's name: the launch name, or a token's client.
        wait_seconds: how long a proposal's answer waits for a decision.
    """

    socket: Path
    tools: frozenset[WriteTool]
    credentials: Mapping[str, SecretReference]
    wait_seconds: float


@dataclass(frozen=True, slots=True)
class DeskAccess:
    """A desk to propose to, and every caller's credential for it."""

    config: DeskLinkConfig
    credentials: Mapping[str, Secret] = field(repr=False)


def judge_desk_link(
    content: object, *, home: Path, socket: Path
) -> DeskLinkConfig | list[tuple[KeyPath, str]]:
    """What the table `[desk]` says, or everything that is wrong with it; `socket` is the user's own desk's."""
    place: KeyPath = ("desk",)
    if not isinstance(content, dict):
        return [(place, "expected a table [desk]")]
    written = cast("dict[str, object]", content)
    findings: list[tuple[KeyPath, str]] = []
    table: DeskLinkTable | None = None
    try:
        table = DeskLinkTable.model_validate(written, context={"home": home})
    except ValidationError as error:
        findings += sentences(error, DeskLinkTable, place, shown=_SHOWN)
    if table is not None and len(set(table.tools)) < len(table.tools):
        findings.append(((*place, "tools"), "names a tool twice"))
    credentials: dict[str, SecretReference] = {}
    named = written.get("credentials")
    for client, reference in (cast("dict[str, object]", named) if isinstance(named, dict) else {}).items():
        outcome = _judge_credential(client, reference, home)
        if isinstance(outcome, SecretReference):
            credentials[client] = outcome
        else:
            findings += outcome
    if table is None or findings:
        return findings
    return DeskLinkConfig(
        socket=table.socket or socket,
        tools=frozenset(table.tools),
        credentials=credentials,
        wait_seconds=table.wait_seconds,
    )


def _judge_credential(
    client: str, content: object, home: Path
) -> SecretReference | list[tuple[KeyPath, str]]:
    place: KeyPath = ("desk", "credentials", client)
    if not _CLIENT.fullmatch(client):
        return [(place, "a client's name has 1 to 64 of a-z, 0-9, dot, _ and -")]
    try:
        return _One.model_validate({"credential": content}, context={"home": home}).credential
    except ValidationError as error:
        found = sentences(error, _One, inner={"credential": SecretReference})
        return [((*place, *path[1:]), message) for path, message in found]


def desk_access(config: DeskLinkConfig, *, environ: Mapping[str, str], redactor: Redactor) -> DeskAccess:
    """The desk with every caller's credential, read now; `redactor` learns each.

    Raises:
        SecretError: a line for each that cannot be read.
    """
    found: dict[str, Secret] = {}
    faults: list[str] = []
    for client, reference in config.credentials.items():
        try:
            found[client] = read_credential(reference, environ=environ, redactor=redactor)
        except SecretError as error:
            faults.append(f"desk.credentials.{client}: {error}")
    if faults:
        raise SecretError("\n".join(faults))
    return DeskAccess(config, found)
