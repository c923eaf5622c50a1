"""An approver's key: what opens it, what does not, and what is never shown."""

import base64
import json
import pickle
import traceback
from pathlib import Path
from typing import Any, Final

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from exchange_mcp.config.faults import SecretError
from exchange_mcp.config.owner_only import write_owner_only
from exchange_mcp.config.secret import Secret
from exchange_mcp.desk.approver_keys import (
    WrongPassphraseError,
    create,
    create_scripted,
    load_scripted,
    read_key_file,
    refused_passphrase,
    unlock,
)
from exchange_mcp.desk.statements import Purpose, Statement

PASSPHRASE: Final = "correct horse battery stäple"
STATEMENT: Final = Statement(
    purpose=Purpose.RESUME, desk_id="d" * 8, nonce="0" * 32, expires_ms=1, body={"account": None}
)


class Counting:
    """Bytes that are told apart: 0, 1, 2, ..."""

    def __init__(self) -> None:
        self._next = 0

    def token(self, size: int) -> bytes:
        self._next += size
        return bytes(at % 256 for at in range(self._next - size, self._next))


@pytest.fixture(scope="module")
def content() -> bytes:
    """The file of a key, made once: each making costs 128 MiB and a third of a second."""
    return create("alice", Secret(PASSPHRASE), Counting())[1]


@pytest.fixture
def file(content: bytes, tmp_path: Path) -> Path:
    path = tmp_path / "alice.approver.json"
    write_owner_only(path, content)
    return path


def edited(path: Path, **members: object) -> None:
    """Change members of the file; a dictionary changes members of the member."""
    document: dict[str, Any] = json.loads(path.read_bytes())
    for name, value in members.items():
        document[name] = document[name] | value if isinstance(value, dict) else value
    write_owner_only(path, json.dumps(document).encode())


def test_a_key_signs_what_its_public_key_verifies_and_nothing_else(file: Path) -> None:
    key = unlock(file, Secret(PASSPHRASE))
    signature = key.sign(STATEMENT.hash())
    public = Ed25519PublicKey.from_public_bytes(base64.urlsafe_b64decode(key.public + "="))
    public.verify(signature, STATEMENT.hash())
    told = key.fields(STATEMENT.hash())
    assert told.keys() == {"signature"}
    assert base64.urlsafe_b64decode(told["signature"] + "==") == signature
    with pytest.raises(InvalidSignature):
        public.verify(signature, bytes(32))
    stored = read_key_file(file)
    assert (stored.name, stored.kind, stored.public) == ("alice", "ed25519", key.public)


def test_the_same_passphrase_opens_it_however_a_keyboard_composes_its_letters(file: Path) -> None:
    assert unlock(file, Secret(PASSPHRASE.replace("ä", "a\N{COMBINING DIAERESIS}"))).name == "alice"


def test_a_wrong_passphrase_is_an_error_of_its_own(file: Path) -> None:
    with pytest.raises(WrongPassphraseError, match="this is not the passphrase of alice's key"):
        unlock(file, Secret(PASSPHRASE + "."))


def test_what_derives_the_key_is_written_down_and_costs_what_is_promised(content: bytes) -> None:
    # 128 * N * r bytes (RFC 7914, section 2): 2^17 and 8 are 128 MiB.
    document = json.loads(content)
    assert document["cost"] == {"kdf": "scrypt", "n": 131_072, "r": 8, "p": 1}
    assert (len(document["salt"]), len(document["nonce"])) == (64, 24)


@pytest.mark.parametrize("member", ["name", "public", "sealed"])
def test_an_edited_file_opens_with_no_passphrase(member: str, file: Path) -> None:
    edited(file, **{member: json.loads(file.read_bytes())[member][::-1]})
    with pytest.raises(WrongPassphraseError):
        unlock(file, Secret(PASSPHRASE))


@pytest.mark.parametrize(
    "change",
    [
        {"cost": {"n": 2**16}},
        {"cost": {"n": 2**17 + 1}},
        {"cost": {"n": 2**20, "r": 32}},
        {"cost": {"n": 2**40}},
        {"cost": {"p": 1000}},
        {"cost": {"kdf": "pbkdf2"}},
        {"cipher": "none"},
        {"kind": "passkey"},
        {"kind": "scripted"},
        {"more": 1},
        {"salt": ""},
        {"format": "exchange-mcp approver key v2"},
    ],
)
def test_a_file_that_is_not_of_the_form_is_refused_before_anything_is_derived(
    change: dict[str, object], file: Path
) -> None:
    edited(file, **change)
    with pytest.raises(
        SecretError, match="is not the key of an approver as exchange-mcp writes it"
    ) as caught:
        unlock(file, Secret(PASSPHRASE))
    assert not isinstance(caught.value, WrongPassphraseError)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff", b'{"kind":"ed25519"},"x":{}', b"0" * 5000])
def test_what_is_no_key_at_all_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x"
    write_owner_only(path, content)
    with pytest.raises(SecretError):
        read_key_file(path)


def test_a_key_that_others_could_read_is_refused(file: Path) -> None:
    file.chmod(0o640)
    with pytest.raises(SecretError, match="is open to others"):
        unlock(file, Secret(PASSPHRASE))


def test_two_keys_with_one_passphrase_share_nothing(content: bytes) -> None:
    entropy = Counting()
    entropy.token(17)
    first, other = json.loads(content), json.loads(create("alice", Secret(PASSPHRASE), entropy)[1])
    assert not [part for part in ("public", "salt", "nonce", "sealed") if first[part] == other[part]]


@pytest.mark.parametrize(
    ("passphrase", "said"),
    [
        ("eleven char", "at least 12 characters"),
        ("é" * 1025, "at most 1024 characters"),
        ("alice-alice-", "is not the approver's name"),
        ("Alice1234567890", "is not the approver's name"),
        ("abababababababab", "a few characters that repeat"),
    ],
)
def test_a_weak_passphrase_is_refused_and_not_repeated(passphrase: str, said: str) -> None:
    refusal = refused_passphrase("alice", Secret(passphrase))
    assert refusal is not None
    assert said in refusal
    with pytest.raises(ValueError, match=said) as caught:
        create("alice", Secret(passphrase), Counting())
    assert passphrase not in "".join(traceback.format_exception(caught.value))


def test_twelve_characters_are_enough() -> None:
    assert refused_passphrase("alice", Secret("twelve chars")) is None


@pytest.mark.parametrize("name", ["", "Alice", "a b", "../x", "a" * 33, "a\n"])
def test_a_name_that_could_be_a_path_or_look_like_another_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="an approver's name has 1 to 32"):
        create_scripted(name, Counting())


def test_a_scripted_key_lies_open_and_says_so(tmp_path: Path) -> None:
    made, content = create_scripted("script", Counting())
    path = tmp_path / "script"
    write_owner_only(path, content)
    key = load_scripted(path)
    assert (key.kind, key.public) == ("scripted", made.public)
    assert key.sign(STATEMENT.hash()) == made.sign(STATEMENT.hash())
    with pytest.raises(SecretError, match="is a scripted key, which has no passphrase"):
        unlock(path, Secret(PASSPHRASE))


def test_the_key_of_a_person_is_never_taken_for_a_script(file: Path) -> None:
    with pytest.raises(SecretError, match="is the key of a person"):
        load_scripted(file)


def test_a_scripted_key_whose_public_key_was_exchanged_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "script"
    write_owner_only(path, create_scripted("script", Counting())[1])
    edited(path, public="0" * 43)
    with pytest.raises(SecretError, match="names another public key"):
        load_scripted(path)


def test_only_a_hash_is_signed(file: Path) -> None:
    key = unlock(file, Secret(PASSPHRASE))
    with pytest.raises(ValueError, match="32 bytes"):
        key.sign(b"pay everything to me")


def test_neither_the_private_key_nor_the_passphrase_is_in_what_is_stored_or_shown(
    content: bytes, file: Path
) -> None:
    key = unlock(file, Secret(PASSPHRASE))
    private = bytes(range(32))  # the first that is taken of the counting entropy
    forms = [private.hex(), base64.b64encode(private).decode(), repr(private), PASSPHRASE, "horse"]
    shown = [content.decode(), repr(key), str(key), f"{key}", repr([key])]
    assert not [form for form in forms for text in shown if form in text]
    with pytest.raises(TypeError):
        pickle.dumps(key)
