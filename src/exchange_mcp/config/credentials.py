"""From references to credentials: the only place where secrets enter the process.

Whatever enters is learned by the redactor before anyone else holds it.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Final

from exchange_mcp.config.accounts import AccountConfig
from exchange_mcp.config.faults import SecretError
from exchange_mcp.config.keyring_entries import from_keyring
from exchange_mcp.config.owner_only import read_owner_only
from exchange_mcp.config.redaction import Redactor
from exchange_mcp.config.rendezvous import load_rendezvous
from exchange_mcp.config.schema import KeyTable, SecretReference
from exchange_mcp.config.secret import Secret
from exchange_mcp.config.secret_forms import SHORTEST_SECRET

_LARGEST_FILE = 16_384
_API_KEY = re.compile(r"[!-~]+")

NOTHING_HELD: Final[Mapping[SecretReference, Secret]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Credentials:
    """One API key with its secret, and its passphrase where the venue has them.

    `key_id` is the first 12 hex digits of the SHA-256 of the API key: equal for accounts that share a key,
    and fit to be shown.
    """

    api_key: Secret
    secret: Secret
    passphrase: Secret | None
    key_id: str


def resolve_credentials(
    account: AccountConfig,
    *,
    environ: Mapping[str, str],
    redactor: Redactor,
    held: Mapping[SecretReference, Secret] = NOTHING_HELD,
) -> Credentials | None:
    """The account's credentials, read now from where it refers to; None for an account without a key.

    `redactor` learns every part of them. A secret in `held` counts as what its reference points to.

    Raises:
        SecretError: a line for each part that cannot be read, naming account, part, reference and next step, never
            the value.
    """
    name = account.account.name
    try:
        if account.key is not None:
            return _from_references(account.key, _Sources(environ, held), redactor)
        if account.sim is not None and account.sim.key_label is not None:
            return _from_rendezvous(account.sim.rendezvous, account.sim.key_label, redactor)
    except SecretError as error:
        lines = str(error).splitlines()
        raise SecretError("\n".join(f"account {name}: {line}" for line in lines)) from None
    return None


def read_credential(reference: SecretReference, *, environ: Mapping[str, str], redactor: Redactor) -> Secret:
    """A credential that goes into a header, read now from where it is kept; `redactor` learns it.

    Raises:
        SecretError: nothing is there, or what is cannot be a credential.
    """
    secret = _read(reference, _Sources(environ, NOTHING_HELD), redactor)
    if not _is_api_key(secret):
        raise SecretError(f"{reference} holds no credential: it has spaces, line breaks or other signs in it")
    return secret


@dataclass(frozen=True, slots=True)
class _Sources:
    """Where secrets come from."""

    environ: Mapping[str, str] = field(repr=False)
    held: Mapping[SecretReference, Secret]


def _from_references(key: KeyTable, sources: _Sources, redactor: Redactor) -> Credentials:
    parts: dict[str, Secret] = {}
    faults: list[str] = []
    for part, reference in (("api_key", key.api_key), ("secret", key.secret), ("passphrase", key.passphrase)):
        if reference is None:
            continue
        try:
            parts[part] = _read(reference, sources, redactor)
            if part == "api_key" and not _is_api_key(parts[part]):
                raise SecretError(  # noqa: TRY301 - a line each
                    f"{reference} holds no API key: it has spaces, line breaks or other signs in it"
                )
        except SecretError as error:
            faults.append(f"key.{part}: {error}")
    if faults:
        raise SecretError("\n".join(faults))
    api_key = parts["api_key"]
    return Credentials(api_key, parts["secret"], parts.get("passphrase"), _key_id(api_key))


def _from_rendezvous(path: Path, label: str, redactor: Redactor) -> Credentials:
    published = load_rendezvous(path).keys
    key = published.get(label)
    if key is None:
        raise SecretError(
            f'the simulated exchange has no key "{label}"; its keys: {", ".join(sorted(published))}'
        )
    redactor.learn(key.api_key)
    redactor.learn(key.secret)
    return Credentials(key.api_key, key.secret, None, _key_id(key.api_key))


def _read(reference: SecretReference, sources: _Sources, redactor: Redactor) -> Secret:
    secret = sources.held[reference] if reference in sources.held else stored(reference, sources.environ)
    if not len(secret):
        raise SecretError(f"{reference} is empty")
    if len(secret) < SHORTEST_SECRET:
        raise SecretError(f"{reference} has fewer than {SHORTEST_SECRET} characters, too few for a secret")
    redactor.learn(secret)
    return secret


def stored(reference: SecretReference, environ: Mapping[str, str]) -> Secret:
    """What stands where the reference points to.

    Raises:
        SecretError: nothing does, or it cannot be read.
    """
    if reference.file is not None:
        secret = _text(read_owner_only(reference.file, limit=_LARGEST_FILE))
        if secret is None:
            raise SecretError(f"{reference} is not UTF-8 text")
        return secret
    if reference.keyring is not None:
        secret = from_keyring(reference.keyring)
        if secret is None:
            raise SecretError(f"{reference} does not exist; store it: exchange-mcp init, or keyring set")
        return secret
    if reference.env not in environ:
        raise SecretError(
            f"{reference} is not set; an MCP client passes on only what its own configuration names"
        )
    return Secret(environ[reference.env or ""])


def _text(raw: bytes) -> Secret | None:
    """The text without the one line break that an editor puts at the end of a file."""
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        return None
    return Secret(text.removesuffix("\n").removesuffix("\r"))


def _is_api_key(api_key: Secret) -> bool:
    return _API_KEY.fullmatch(api_key.reveal()) is not None


def _key_id(api_key: Secret) -> str:
    return hashlib.sha256(api_key.reveal().encode()).hexdigest()[:12]
