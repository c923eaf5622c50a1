"""Tokens: kept as hashes, for the owner alone, by name, for a time."""

import hashlib
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from exchange_mcp.config.faults import SecretError
from exchange_mcp.config.tokens import TokenStore
from exchange_mcp.model.callers import Scope

NOW = 1_764_000_000_000
DAY = 86_400_000


@pytest.fixture
def store(tmp_path: Path) -> TokenStore:
    return TokenStore(tmp_path / "state" / "tokens.json")


def added(store: TokenStore, client: str = "laptop", *scopes: Scope, days: int = 1) -> str:
    return store.add(client, scopes, days=days, now_ms=NOW)[0].reveal()


def test_a_token_has_256_random_bits_and_only_its_hash_is_kept(store: TokenStore) -> None:
    token, record = store.add("laptop", [], days=1, now_ms=NOW, entropy=bytes)
    assert token.reveal() == "xmcp_" + "A" * 43  # 32 zero bytes in base64, without padding
    assert record.sha256 == hashlib.sha256(token.reveal().encode()).hexdigest()
    written = store.path.read_text(encoding="utf-8")
    assert token.reveal() not in written
    assert record.sha256 in written
    assert store.path.stat().st_mode & 0o777 == 0o600
    assert store.path.parent.stat().st_mode & 0o777 == 0o700


def test_no_two_tokens_are_the_same(store: TokenStore) -> None:
    assert len({added(store) for _ in range(20)}) == 20
    assert len({record.id for record in store.records()}) == 20


def test_a_token_is_matched_until_it_expires_and_no_other_text_is(store: TokenStore) -> None:
    token = added(store)
    record = store.match(token, NOW + DAY - 1)
    assert record is not None
    assert record.client == "laptop"
    assert store.match(token, NOW + DAY) is None
    for other in ("", token[:-1], token + "A", token.lower(), record.sha256, record.id, "\ud800"):
        assert store.match(other, NOW) is None


def test_reading_is_allowed_to_every_token_and_trading_to_those_that_say_so(store: TokenStore) -> None:
    added(store, "a")
    added(store, "b", Scope.TRADE)
    assert [record.scopes for record in store.records()] == [(Scope.READ,), (Scope.READ, Scope.TRADE)]


def test_what_another_process_changed_counts_at_once(store: TokenStore) -> None:
    token = added(store)
    here = TokenStore(store.path)
    assert here.match(token, NOW) is not None
    (gone,) = store.revoke("laptop")
    assert here.match(token, NOW) is None
    assert not here.is_valid(gone.id, NOW)
    assert here.match(added(store), NOW) is not None
    store.path.unlink()
    assert here.records() == ()


def test_revoking_by_id_takes_one_and_by_client_all_of_them(store: TokenStore) -> None:
    first, second, other = added(store, "a"), added(store, "a"), added(store, "b")
    assert [record.client for record in store.revoke(store.records()[0].id)] == ["a"]
    assert store.match(first, NOW) is None
    assert store.match(second, NOW) is not None
    store.revoke("a")
    assert store.match(second, NOW) is None
    assert store.match(other, NOW) is not None
    assert store.revoke("nobody") == ()


def test_changes_at_the_same_time_lose_none(store: TokenStore) -> None:
    with ThreadPoolExecutor(8) as pool:
        tokens = list(pool.map(added, [TokenStore(store.path) for _ in range(24)]))
    assert all(store.match(token, NOW) is not None for token in tokens)


@pytest.mark.parametrize(
    "client", ["", "A", "two words", "tok_0123456789", "a" * 65, "../x", "ä", "a\nb", ".a"]
)
def test_a_client_is_named_so_that_it_can_stand_in_a_log(client: str, store: TokenStore) -> None:
    with pytest.raises(ValueError, match="client's name"):
        added(store, client)


@pytest.mark.parametrize("days", [0, -1, 3651])
def test_no_token_is_valid_for_ever(days: int, store: TokenStore) -> None:
    with pytest.raises(ValueError, match="1 to 3650 days"):
        added(store, days=days)


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o602, 0o666])
def test_a_file_that_others_can_reach_is_refused(mode: int, store: TokenStore) -> None:
    token = added(store)
    store.path.chmod(mode)
    with pytest.raises(SecretError, match="open to others"):
        store.match(token, NOW)
    with pytest.raises(SecretError, match="open to others"):
        added(store)


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{}",
        "[]",
        '{"schema": 2, "tokens": []}',
        '{"schema": 1, "tokens": [{}]}',
        '{"schema": 1, "tokens": {}}',
    ],
)
def test_a_file_of_another_form_is_refused_and_left_alone(content: str, store: TokenStore) -> None:
    added(store)
    store.path.write_text(content, encoding="utf-8")
    with pytest.raises(SecretError, match="tokens add"):
        store.records()
    with pytest.raises(SecretError, match="tokens add"):
        added(store)
    assert store.path.read_text(encoding="utf-8") == content


def test_a_scope_that_is_unknown_is_no_scope(store: TokenStore) -> None:
    added(store)
    document = json.loads(store.path.read_text(encoding="utf-8"))
    document["tokens"][0]["scopes"] = ["read", "admin"]
    store.path.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(SecretError, match="tokens add"):
        store.records()
