"""What an operator accepted that another ccxt does: digests, in a file that only its owner can read or write.

The file decides what may leave the process, so it is refused where anybody else could have written it.
"""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from exchange_mcp.config.faults import ConfigError, Fault, SecretError
from exchange_mcp.config.owner_only import read_owner_only, write_owner_only

_LARGEST_FILE: Final = 65_536

Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
_Word = Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]{1,40}$")]


class _Stored(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, hide_input_in_errors=True)


class Acceptance(_Stored):
    """One accepted difference: at which venue, and between which versions of ccxt. For whoever reads the file."""

    venue: _Word
    read: _Word
    installed: _Word


class _File(_Stored):
    schema_version: Annotated[Literal[1], Field(alias="schema")]
    accepted: Mapping[Digest, Acceptance]


def load_accepted(path: Path) -> Mapping[str, Acceptance]:
    """Every difference that was accepted, by its digest; none where there is no file.

    Raises:
        ConfigError: the file is open to others, foreign, not a regular file, or not of this form.
    """
    if not os.path.lexists(path):
        return {}
    try:
        return _File.model_validate_json(read_owner_only(path, limit=_LARGEST_FILE)).accepted
    except SecretError as error:
        raise ConfigError([Fault(None, None, "", str(error))]) from None
    except ValidationError:
        message = (
            "is not what `exchange-mcp egress accept` writes; remove it, and accept again what is needed"
        )
        raise ConfigError([Fault(str(path), None, "", message)]) from None


def store_accepted(path: Path, accepted: Mapping[str, Acceptance]) -> None:
    """Put these in the place of what was accepted before, all or nothing, for the owner alone.

    Raises:
        OSError: the file cannot be written.
    """
    document = {
        "schema": 1,
        "accepted": {digest: each.model_dump() for digest, each in sorted(accepted.items())},
    }
    write_owner_only(path, json.dumps(document, indent=1).encode())
