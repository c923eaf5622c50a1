"""The bearer tokens that clients of `serve` over HTTP show: who they are, what for, until when. Hashes, no tokens.

A token is 256 random bits, so one round of SHA-256 is enough to keep it from whoever reads the file: there is no list
to guess from (NIST SP 800-63B, 3.1.2: look-up secrets of 112 bits and more). The file decides who may call, so it
is refused where anybody else could have written it.
"""

import base64
import fcntl
import hashlib
import hmac
import json
import os
import re
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from exchange_mcp.config.faults import SecretError
from exchange_mcp.config.owner_only import make_owner_only, read_owner_only, write_owner_only
from exchange_mcp.config.secret import Secret
from exchange_mcp.model.callers import Scope

MOST_TOKENS: Final = 1000
LONGEST_DAYS: Final = 3650
CLIENT_NAME: Final = re.compile(r"(?!tok_)[a-z0-9][a-z0-9._-]{0,63}")
TOKEN: Final = re.compile(r"xmcp_[A-Za-z0-9_-]{43}")

_LARGEST_FILE: Final = 1_048_576
_TOKEN_BYTES: Final = 32
_ID_BYTES: Final = 5
_DAY_MS: Final = 86_400_000

Entropy = Callable[[int], bytes]
"""So many random bytes."""


class _Stored(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, hide_input_in_errors=True)


class TokenRecord(_Stored):
    """What is kept of one token: whose, for what, from when until when (UTC milliseconds), and its SHA-256."""

    id: Annotated[str, Field(pattern=r"^tok_[0-9a-f]{10}$")]
    client: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9._-]{0,63}$")]
    # JSON has no enumerations: the text is taken.
    scopes: Annotated[tuple[Annotated[Scope, Field(strict=False)], ...], Field(strict=False, min_length=1)]
    created_ms: int
    expires_ms: int
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]

    def is_current(self, now_ms: int) -> bool:
        """Whether it has not expired yet."""
        return now_ms < self.expires_ms


class _File(_Stored):
    schema_version: Annotated[Literal[1], Field(alias="schema")]
    tokens: Annotated[tuple[TokenRecord, ...], Field(strict=False, max_length=MOST_TOKENS)]


@dataclass(frozen=True, slots=True)
class _Seen:
    """What the file looked like when it was read: another inode, time or size means that it was written since."""

    inode: int
    changed_ns: int
    size: int


class TokenStore:
    """The tokens in one file, which is read again whenever it was changed.

    Every method that reads raises SecretError where the file is open to others, foreign, or not of this form: nobody
    can say then who may call, so nobody may.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._seen: _Seen | None = None
        self._records: tuple[TokenRecord, ...] = ()

    def records(self) -> tuple[TokenRecord, ...]:
        """Every token's record, expired ones included, in the order in which they were added."""
        try:
            status = self.path.stat()
        except FileNotFoundError:
            self._seen, self._records = None, ()
            return ()
        except OSError as error:
            raise SecretError(f"file {self.path} cannot be looked at: {error.strerror}") from None
        seen = _Seen(status.st_ino, status.st_ctime_ns, status.st_size)
        if seen != self._seen:
            self._seen, self._records = None, ()
            self._records = _parsed(self.path)
            self._seen = seen
        return self._records

    def match(self, token: str, now_ms: int) -> TokenRecord | None:
        """The record of this token, if there is one and it has not expired.

        Every record is compared, each in constant time.
        """
        digest = _digest(token)
        found = [each for each in self.records() if hmac.compare_digest(each.sha256, digest)]
        return next((each for each in found if each.is_current(now_ms)), None)

    def is_valid(self, record_id: str, now_ms: int) -> bool:
        """Whether the token with this id is still there and has not expired."""
        return any(each.id == record_id and each.is_current(now_ms) for each in self.records())

    def add(
        self, client: str, scopes: Iterable[Scope], *, days: int, now_ms: int, entropy: Entropy = os.urandom
    ) -> tuple[Secret, TokenRecord]:
        """Make a token and keep its hash; the token itself is in no other place than the answer.

        Raises:
            ValueError: the client's name or the number of days cannot be taken.
            SecretError: what stands in the file cannot be used, or it is full.
            OSError: it cannot be written.
        """
        if not CLIENT_NAME.fullmatch(client):
            raise ValueError("a client's name has 1 to 64 of a-z, 0-9, dot, _ and -, a letter or digit first")
        if not 1 <= days <= LONGEST_DAYS:
            raise ValueError(f"a token is valid for 1 to {LONGEST_DAYS} days")
        token = Secret(f"xmcp_{_urlsafe(entropy(_TOKEN_BYTES))}")
        with self._changing():
            records = self.records()
            if len(records) >= MOST_TOKENS:
                raise SecretError(
                    f"file {self.path} holds {MOST_TOKENS} tokens; revoke some: exchange-mcp tokens list"
                )
            taken = {each.id for each in records}
            while (record_id := f"tok_{entropy(_ID_BYTES).hex()}") in taken:
                pass
            record = TokenRecord(
                id=record_id,
                client=client,
                scopes=tuple(sorted({*scopes, Scope.READ})),
                created_ms=now_ms,
                expires_ms=now_ms + days * _DAY_MS,
                sha256=_digest(token.reveal()),
            )
            self._write((*records, record))
        return token, record

    def revoke(self, name: str) -> tuple[TokenRecord, ...]:
        """Forget the token with this id, or every token of this client; what was forgotten.

        Raises:
            SecretError: what stands in the file cannot be used.
            OSError: it cannot be written.
        """
        with self._changing():
            records = self.records()
            gone = tuple(each for each in records if name in {each.id, each.client})
            if gone:
                self._write(tuple(each for each in records if each not in gone))
        return gone

    @contextmanager
    def _changing(self) -> Generator[None]:
        """Two that change the file at the same time would lose one of the changes; the second waits."""
        make_owner_only(self.path.parent)
        lock = os.open(f"{self.path}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)

    def _write(self, records: tuple[TokenRecord, ...]) -> None:
        document = {"schema": 1, "tokens": [each.model_dump(mode="json") for each in records]}
        write_owner_only(self.path, json.dumps(document, indent=1).encode())


def _parsed(path: Path) -> tuple[TokenRecord, ...]:
    try:
        return _File.model_validate_json(read_owner_only(path, limit=_LARGEST_FILE)).tokens
    except ValidationError:
        raise SecretError(
            f"file {path} is not what `exchange-mcp tokens add` writes; remove it, and add the tokens again"
        ) from None


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _urlsafe(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()
