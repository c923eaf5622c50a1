"""Markets on disk: whose they are, how they are damaged, and who may read them."""

import json
import os
import stat
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from exchange_mcp.venue import market_cache
from exchange_mcp.venue.market_cache import MarketCache, MarketKey, StoredMarkets

KEY = MarketKey("binance", "live", ("spot", "linear"), "4.5.90", "7-100")
STORED = StoredMarkets([{"symbol": "BTC/USDT", "contractSize": "0.001"}], {"leverageBrackets": {}}, 1_000)


def _read(cache: MarketCache, key: MarketKey = KEY, *, now_ms: int = 1_000) -> StoredMarkets | None:
    return cache.read(key, now_ms=now_ms, oldest_ms=500)


def _file(directory: Path) -> Path:
    (file,) = directory.iterdir()
    return file


def _edit(directory: Path, member: str, value: object) -> None:
    file = _file(directory)
    document: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps({**document, member: value}), encoding="utf-8")


def test_what_was_written_is_read_back(tmp_path: Path) -> None:
    cache = MarketCache(tmp_path)
    cache.write(KEY, STORED)
    assert _read(cache) == STORED


@pytest.mark.parametrize(
    "other",
    [
        {"venue": "kraken"},
        {"environment": "sandbox"},
        {"market_types": ("spot",)},
        {"ccxt_version": "4.5.91"},
        {"instance": "7-101"},
    ],
)
def test_markets_of_another_key_are_not_found_and_not_accepted_in_its_place(
    tmp_path: Path, other: dict[str, Any]
) -> None:
    cache, key = MarketCache(tmp_path), replace(KEY, **other)
    cache.write(KEY, STORED)
    assert _read(cache, key) is None
    stored = _file(tmp_path).read_bytes()
    cache.write(key, STORED)
    for file in tmp_path.iterdir():
        file.write_bytes(stored)
    assert _read(cache, key) is None


def test_markets_of_another_schema_are_ignored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = MarketCache(tmp_path)
    cache.write(KEY, STORED)
    stored = _file(tmp_path).read_bytes()
    monkeypatch.setattr(market_cache, "SCHEMA", market_cache.SCHEMA + 1)
    cache.write(KEY, STORED)
    for file in tmp_path.iterdir():
        file.write_bytes(stored)
    assert _read(cache) is None


@pytest.mark.parametrize("age_ms", [501, -1])
def test_markets_that_are_too_old_or_from_the_future_are_ignored(tmp_path: Path, age_ms: int) -> None:
    cache = MarketCache(tmp_path)
    cache.write(KEY, STORED)
    assert _read(cache, now_ms=1_000 + age_ms) is None


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b"\xff\xfe",
        b'{"stamp":' + b"[" * 100_000,
        b"1" * 5_000,
    ],
    ids=["empty", "truncated", "null", "list", "not text", "bottomless", "a number too long"],
)
def test_a_damaged_file_counts_as_absent(tmp_path: Path, damage: bytes) -> None:
    cache = MarketCache(tmp_path)
    cache.write(KEY, STORED)
    _file(tmp_path).write_bytes(damage)
    assert _read(cache) is None


@pytest.mark.parametrize(
    "changed",
    [
        ("markets", "[]"),
        ("markets", "{}"),
        ("markets", '["BTC/USDT"]'),
        ("markets", "[{}]"),
        ("options", "[]"),
        ("options", "null"),
        ("loaded_ms", "null"),
        ("loaded_ms", '"soon"'),
        ("loaded_ms", "1e400"),
        ("stamp", "{}"),
    ],
    ids=str,
)
def test_a_file_with_a_member_of_another_form_counts_as_absent(
    tmp_path: Path, changed: tuple[str, str]
) -> None:
    cache = MarketCache(tmp_path)
    cache.write(KEY, STORED)
    _edit(tmp_path, changed[0], json.loads(changed[1]))
    assert _read(cache) is None


def test_a_file_cut_off_anywhere_counts_as_absent(tmp_path: Path) -> None:
    cache = MarketCache(tmp_path)
    cache.write(KEY, STORED)
    whole = _file(tmp_path).read_bytes()
    for length in range(len(whole)):
        _file(tmp_path).write_bytes(whole[:length])
        assert _read(cache) is None


def test_no_file_and_no_directory_count_as_absent(tmp_path: Path) -> None:
    assert _read(MarketCache(tmp_path / "none" / "here")) is None


def test_files_and_directories_are_the_owners_alone_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        MarketCache(tmp_path / "state" / "markets").write(KEY, STORED)
    finally:
        os.umask(before)
    assert stat.S_IMODE(_file(tmp_path / "state" / "markets").stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "state" / "markets").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "state").stat().st_mode) == 0o700


def test_writing_replaces_the_last_markets_and_leaves_nothing_else(tmp_path: Path) -> None:
    cache = MarketCache(tmp_path)
    cache.write(KEY, STORED)
    cache.write(KEY, replace(STORED, loaded_ms=1_001))
    assert _read(cache, now_ms=1_001) == replace(STORED, loaded_ms=1_001)
    assert len(list(tmp_path.iterdir())) == 1


def test_writing_what_is_not_json_leaves_the_last_markets_as_they_were(tmp_path: Path) -> None:
    cache = MarketCache(tmp_path)
    cache.write(KEY, STORED)
    with pytest.raises(TypeError):
        cache.write(KEY, replace(STORED, markets=[{"symbol": object()}]))
    assert _read(cache) == STORED
    assert len(list(tmp_path.iterdir())) == 1


def test_what_earlier_simulated_exchanges_left_is_removed_and_nothing_else(tmp_path: Path) -> None:
    cache = MarketCache(tmp_path)
    others = (replace(KEY, instance=""), replace(KEY, venue="kraken"), replace(KEY, market_types=("spot",)))
    instances = [replace(KEY, instance=f"7-{number}") for number in range(12)]
    for age, key in enumerate((*others, *instances)):
        before = set(tmp_path.iterdir())
        cache.write(key, STORED)
        (new,) = set(tmp_path.iterdir()) - before
        os.utime(new, ns=(age, age))
    left = [key for key in instances if _read(cache, key) == STORED]
    assert left == instances[-8:]
    assert all(_read(cache, key) == STORED for key in others)


def test_a_pipe_in_place_of_the_file_is_no_catalogue_and_nobody_waits_for_it(tmp_path: Path) -> None:
    cache = MarketCache(tmp_path)
    cache.write(KEY, STORED)
    file = _file(tmp_path)
    file.unlink()
    os.mkfifo(file)
    assert _read(cache) is None
