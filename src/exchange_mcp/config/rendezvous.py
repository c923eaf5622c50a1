"""How the simulated exchange is found: the file it publishes while it runs."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from exchange_mcp.config.faults import SecretError
from exchange_mcp.config.owner_only import read_owner_only
from exchange_mcp.config.secret import Secret

_LARGEST_FILE = 262_144
_START_IT = "start the simulated exchange: exchange-mcp sim"


class _Published(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, hide_input_in_errors=True)


class SimKey(_Published):
    """One key of the simulated exchange, and the name of the account that it belongs to there."""

    api_key: Secret
    secret: Secret
    account: str


class SimRendezvous(_Published):
    """Where a running simulated exchange listens on loopback, whom to trust there, and the keys it issued.

    `ca_pem` is its private certificate authority's certificate; `keys` is by label; `started_at_ms` is UTC
    milliseconds.
    """

    schema_version: Annotated[Literal[1], Field(alias="schema")]
    pid: Annotated[int, Field(ge=1)]
    port: Annotated[int, Field(ge=1, le=65535)]
    ca_pem: Annotated[str, Field(pattern="^-----BEGIN CERTIFICATE-----")]
    control_token: Secret
    keys: Mapping[str, SimKey]
    seed: int
    started_at_ms: int


def load_rendezvous(path: Path) -> SimRendezvous:
    """The running simulated exchange that published the file at `path`.

    Raises:
        SecretError: if there is no such file, others can read it, it is not of this version's form, or the
            process that wrote it is gone; with the next step.
    """
    if not path.exists():
        raise SecretError(f"no simulated exchange is running: file {path} does not exist; {_START_IT}")
    outcome = _parse(path)
    if isinstance(outcome, str):
        raise SecretError(outcome)
    if not _is_alive(outcome.pid):
        raise SecretError(
            f"no simulated exchange is running: process {outcome.pid}, which wrote {path}, has ended; "
            f"{_START_IT}"
        )
    return outcome


def _parse(path: Path) -> SimRendezvous | str:
    """Keeps the file's content out of the frames that raise; the text says what is wrong with it."""
    try:
        return SimRendezvous.model_validate_json(read_owner_only(path, limit=_LARGEST_FILE))
    except ValidationError as error:
        places = {".".join(map(str, detail["loc"])) for detail in error.errors(include_input=False)}
        where = ", ".join(sorted(places - {""})) or "its JSON"
        return f"file {path} is not a rendezvous file of this version (wrong: {where}); {_START_IT}"


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except (ProcessLookupError, OverflowError):
        return False
    return True
