"""An approver's key at rest and in use: Ed25519, its private part encrypted under a passphrase.

The passphrase is stretched by scrypt (RFC 7914) with at least the cost that OWASP asks for, 128 MiB and 2^17 rounds of
it, and the private key sealed with ChaCha20-Poly1305 (RFC 8439) whose associated data is everything else in the file,
so that no name, public key or cost in it can be exchanged. A scripted key lies open, for desks without real money.
https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html

No passphrase and no private key is in any text, error or `repr` that leaves this module.
"""

import base64
import unicodedata
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Final, Literal, Self

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from exchange_mcp.config.faults import SecretError
from exchange_mcp.config.owner_only import read_owner_only
from exchange_mcp.config.schema import ACCOUNT_NAME
from exchange_mcp.config.secret import Secret
from exchange_mcp.model.canonical import canonical_json
from exchange_mcp.model.ports import Entropy

APPROVER_NAME: Final = ACCOUNT_NAME
SHORTEST_PASSPHRASE: Final = 12
LONGEST_PASSPHRASE: Final = 1024
KEY_SUFFIX: Final = ".approver.json"

_FORMAT: Final = "exchange-mcp approver key v1"
_LARGEST_FILE: Final = 4096
_FEWEST_CHARACTERS: Final = 5
_SALT_BYTES: Final = 32
_KEY_BYTES: Final = 32
_NONCE_BYTES: Final = 12
_HASH_BYTES: Final = 32
_LEAST_COST: Final = 2**17
_MOST_COST: Final = 2**20
# scrypt takes 128 * n * r bytes; a file that asks for more than a machine has must not stop it.
_MOST_MEMORY: Final = 2**30


class WrongPassphraseError(SecretError):
    """The passphrase does not open the key; or the file was edited, which cannot be told apart."""


class _Stored(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, hide_input_in_errors=True)


class _Cost(_Stored):
    """How dear a guess is; what is cheaper than the least is no file of ours."""

    kdf: Literal["scrypt"] = "scrypt"
    n: Annotated[int, Field(ge=_LEAST_COST, le=_MOST_COST)] = _LEAST_COST
    r: Annotated[int, Field(ge=8, le=32)] = 8
    p: Annotated[int, Field(ge=1, le=16)] = 1

    @model_validator(mode="after")
    def _can_be_paid(self) -> Self:
        if self.n & (self.n - 1) or 128 * self.n * self.r > _MOST_MEMORY:
            raise ValueError("not a cost of scrypt that is paid here")
        return self


_Hex64 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class _Head(_Stored):
    format: Literal["exchange-mcp approver key v1"] = _FORMAT
    name: Annotated[str, Field(pattern=rf"^{ACCOUNT_NAME.pattern}$")]
    public: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{43}$")]


class _Encrypted(_Head):
    """The file of a person's key; binary values in hex, but for the public key.

    `sealed` is the private key, encrypted, and the tag.
    """

    kind: Literal["ed25519"] = "ed25519"
    cost: _Cost
    salt: _Hex64
    cipher: Literal["chacha20-poly1305"] = "chacha20-poly1305"
    nonce: Annotated[str, Field(pattern=r"^[0-9a-f]{24}$")]
    sealed: Annotated[str, Field(pattern=r"^[0-9a-f]{96}$")]

    def head(self) -> bytes:
        """Everything but what is sealed, in its one text."""
        return canonical_json(self.model_dump(exclude={"sealed"})).encode()


class _Open(_Head):
    """The file of a script's key, for desks whose every account is simulated."""

    kind: Literal["scripted"] = "scripted"
    private: _Hex64


class _File(BaseModel):
    """Either of them, told apart by its kind."""

    model_config = ConfigDict(hide_input_in_errors=True)
    key: Annotated[_Encrypted | _Open, Field(discriminator="kind")]


@dataclass(frozen=True, slots=True)
class ApproverKey:
    """A key that can sign. `kind` is `ed25519` or `scripted`; `public` is its public key in base64url (RFC 4648)."""

    name: str
    kind: str
    public: str
    _private: Ed25519PrivateKey = field(repr=False, compare=False)

    def sign(self, hash_: bytes, /) -> bytes:
        """The Ed25519 signature (64 bytes, RFC 8032) over a statement's hash of 32 bytes.

        Raises:
            ValueError: it is no such hash.
        """
        if len(hash_) != _HASH_BYTES:
            raise ValueError("a statement's hash has 32 bytes")
        return self._private.sign(hash_)

    def fields(self, hash_: bytes, /) -> dict[str, str]:
        """The same signature as it goes over the operator socket.

        Raises:
            ValueError: it is no such hash.
        """
        return {"signature": _base64url(self.sign(hash_))}


def refused_passphrase(name: str, passphrase: Secret) -> str | None:
    """Why this cannot be the passphrase of the approver's key, as one sentence; None if it can."""
    text = unicodedata.normalize("NFC", passphrase.reveal())
    if len(text) < SHORTEST_PASSPHRASE:
        return f"a passphrase has at least {SHORTEST_PASSPHRASE} characters; a few words do well"
    if len(text) > LONGEST_PASSPHRASE:
        return f"a passphrase has at most {LONGEST_PASSPHRASE} characters"
    if not text.casefold().replace(name.casefold(), "").strip(" .,;:!?-_0123456789"):
        return "a passphrase is not the approver's name"
    if len(set(text)) < _FEWEST_CHARACTERS:
        return "a passphrase has more than a few characters that repeat"
    return None


def create(name: str, passphrase: Secret, entropy: Entropy) -> tuple[ApproverKey, bytes]:
    """A new key of a person, and the content of its file; nothing is written.

    Raises:
        ValueError: the name or the passphrase cannot be taken, and why.
    """
    refusal = _refused_name(name) or refused_passphrase(name, passphrase)
    if refusal is not None:
        raise ValueError(refusal)
    private = entropy.token(_KEY_BYTES)
    key = _key(name, "ed25519", private)
    draft = _Encrypted(
        name=name,
        public=key.public,
        cost=_Cost(),
        salt=entropy.token(_SALT_BYTES).hex(),
        nonce=entropy.token(_NONCE_BYTES).hex(),
        sealed="0" * 96,
    )
    sealed = _cipher(draft, passphrase).encrypt(bytes.fromhex(draft.nonce), private, draft.head())
    return key, _content(draft.model_copy(update={"sealed": sealed.hex()}))


def create_scripted(name: str, entropy: Entropy) -> tuple[ApproverKey, bytes]:
    """A new key that a script signs with, and the content of its file, in which it lies open; nothing is written.

    Raises:
        ValueError: the name cannot be taken.
    """
    refusal = _refused_name(name)
    if refusal is not None:
        raise ValueError(refusal)
    private = entropy.token(_KEY_BYTES)
    key = _key(name, "scripted", private)
    return key, _content(_Open(name=name, public=key.public, private=private.hex()))


@dataclass(frozen=True, slots=True)
class KeyFile:
    """What a key's file tells without a passphrase."""

    path: Path
    name: str
    kind: str
    public: str


def read_key_file(path: Path) -> KeyFile:
    """Whose key the file holds.

    Raises:
        SecretError: there is none, it is open to others, or it is not of this form.
    """
    stored = _read(path)
    return KeyFile(path, stored.name, stored.kind, stored.public)


def unlock(path: Path, passphrase: Secret) -> ApproverKey:
    """The key of a person in this file.

    Raises:
        WrongPassphraseError: the passphrase does not open it.
        SecretError: there is none, it is open to others, or it is not of this form.
    """
    stored = _read(path)
    if isinstance(stored, _Open):
        raise SecretError(f"file {path} is a scripted key, which has no passphrase")
    try:
        private = _cipher(stored, passphrase).decrypt(
            bytes.fromhex(stored.nonce), bytes.fromhex(stored.sealed), stored.head()
        )
    except InvalidTag:
        raise WrongPassphraseError(f"this is not the passphrase of {stored.name}'s key") from None
    return _as_stored(path, stored, private)


def load_scripted(path: Path) -> ApproverKey:
    """The scripted key in this file.

    Raises:
        SecretError: there is none, it is open to others, or it is not of this form, as a person's key is not.
    """
    stored = _read(path)
    if isinstance(stored, _Encrypted):
        raise SecretError(f"file {path} is the key of a person, who has to type its passphrase")
    return _as_stored(path, stored, bytes.fromhex(stored.private))


def _as_stored(path: Path, stored: _Encrypted | _Open, private: bytes) -> ApproverKey:
    key = _key(stored.name, stored.kind, private)
    if key.public != stored.public:
        raise SecretError(f"file {path} names another public key than that of the private key in it")
    return key


def _refused_name(name: str) -> str | None:
    if APPROVER_NAME.fullmatch(name):
        return None
    return "an approver's name has 1 to 32 of a-z, 0-9, _ and -, a letter or digit first"


def _key(name: str, kind: str, private: bytes) -> ApproverKey:
    key = Ed25519PrivateKey.from_private_bytes(private)
    return ApproverKey(name, kind, _base64url(key.public_key().public_bytes_raw()), key)


def _base64url(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def _cipher(stored: _Encrypted, passphrase: Secret) -> ChaCha20Poly1305:
    cost = stored.cost
    stretched = Scrypt(salt=bytes.fromhex(stored.salt), length=_KEY_BYTES, n=cost.n, r=cost.r, p=cost.p)
    text = unicodedata.normalize("NFC", passphrase.reveal())  # however a keyboard composes its letters
    return ChaCha20Poly1305(stretched.derive(text.encode("utf-8", "surrogatepass")))


def _content(stored: _Encrypted | _Open) -> bytes:
    return stored.model_dump_json(indent=1).encode() + b"\n"


def _read(path: Path) -> _Encrypted | _Open:
    content = read_owner_only(path, limit=_LARGEST_FILE)
    try:
        return _File.model_validate_json(b'{"key":' + content + b"}").key
    except ValidationError:
        raise SecretError(
            f"file {path} is not the key of an approver as exchange-mcp writes it; "
            "put its backup in its place, or make another one: exchange-mcp approvers add"
        ) from None
