"""Where the parts of a new key are kept: what is there already is used, the rest is asked for and stored at the end."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from exchange_mcp.cli.asking import Asker, say
from exchange_mcp.config.credentials import stored
from exchange_mcp.config.faults import SecretError
from exchange_mcp.config.keyring_entries import from_keyring, to_keyring
from exchange_mcp.config.owner_only import write_owner_only
from exchange_mcp.config.schema import KeyTable, SecretReference
from exchange_mcp.config.secret import Secret

KINDS: Final = ("file", "env", "keyring")
PARTS: Final = {"api_key": "API key", "secret": "Secret", "passphrase": "Passphrase"}
_VARIABLES: Final = {"api_key": "API_KEY", "secret": "API_SECRET", "passphrase": "API_PASSPHRASE"}


@dataclass(frozen=True, slots=True)
class KeyPlaces:
    """A key's references, and the secrets that are not where these point to yet."""

    key: KeyTable
    held: dict[SecretReference, Secret] = field(default_factory=dict[SecretReference, Secret])

    def references(self) -> Iterator[tuple[str, SecretReference]]:
        """The parts that the key has, by their names in the configuration."""
        for part in PARTS:
            reference: SecretReference | None = getattr(self.key, part)
            if reference is not None:
                yield part, reference

    def fill(self, asker: Asker, *, afresh: bool) -> None:
        """Ask for every part that is not there; `afresh`, for every part, to stand in the place of what is there.

        Raises:
            SecretError: a place cannot be read, or holds something else that nobody agreed to replace.
        """
        self.held.clear()
        for part, reference in self.references():
            is_there = _exists(reference)
            if is_there and not afresh:
                say(f"  {PARTS[part]}: {reference} is there and is used.")
                continue
            secret = asker.secret(PARTS[part], f"{reference}{', in place of what is there' * is_there}")
            if is_there and not asker.replaces and stored(reference, os.environ) != secret:
                raise SecretError(f"{reference} holds something else, and nothing replaces it unasked")
            self.held[reference] = secret

    def store(self) -> Iterator[str]:
        """Put every held secret where its reference points to, and say where that is.

        Raises:
            OSError: a file cannot be written.
            SecretError: the keyring cannot be written.
        """
        for reference, secret in self.held.items():
            if reference.file is not None:
                write_owner_only(reference.file, secret.reveal().encode())
            elif reference.keyring is not None:
                to_keyring(reference.keyring, secret)
            else:
                continue
            yield str(reference)

    def variables(self) -> Mapping[str, str]:
        """The environment variables that a client has to pass on, with what to write instead of their values."""
        return {
            reference.env: f"the {PARTS[part]} stands here"
            for part, reference in self.references()
            if reference.env is not None
        }


def usual_place(kind: str, part: str, *, account: str, variable: str, directory: Path) -> SecretReference:
    """Where a part of an account's key is kept, if it is kept in this way and nobody says otherwise.

    Files and entries of the keyring begin with `account`, environment variables with `variable`.
    """
    value = {
        "file": str(directory / f"{account}.{part}"),
        "env": f"{variable.upper()}_{_VARIABLES[part]}",
        "keyring": f"{account}.{part}",
    }[kind]
    return reference(kind, value, directory)


def reference(kind: str, value: str, home: Path) -> SecretReference:
    """A reference of this kind.

    Raises:
        ValueError: the value cannot be one; the text does not repeat it.
    """
    try:
        return SecretReference.model_validate({kind: value}, context={"home": home})
    except ValidationError as error:
        (detail,) = error.errors(include_input=False, include_url=False, include_context=False)
        raise ValueError(detail["msg"]) from None


def _exists(reference: SecretReference) -> bool:
    if reference.file is not None:
        return os.path.lexists(reference.file)
    if reference.keyring is not None:
        return from_keyring(reference.keyring) is not None
    return reference.env in os.environ
