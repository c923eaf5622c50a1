import json
import stat
from pathlib import Path

import pytest

from exchange_mcp.config.accepted import Acceptance, load_accepted, store_accepted
from exchange_mcp.config.faults import ConfigError

DIGEST = "0123456789abcdef" * 4
OTHER = "fedcba9876543210" * 4
ENTRY = Acceptance(venue="binance", read="4.5.90", installed="4.5.91")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "state" / "egress.json"
    store_accepted(path, {DIGEST: ENTRY})
    return path


def test_what_was_stored_is_loaded(path: Path) -> None:
    assert load_accepted(path) == {DIGEST: ENTRY}


def test_without_a_file_nothing_is_accepted(tmp_path: Path) -> None:
    assert load_accepted(tmp_path / "egress.json") == {}


def test_file_and_directory_are_the_owners_alone_and_no_draft_is_left(path: Path) -> None:
    store_accepted(path, {DIGEST: ENTRY, OTHER: ENTRY})
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert [each.name for each in path.parent.iterdir()] == ["egress.json"]
    assert load_accepted(path).keys() == {DIGEST, OTHER}


def test_a_write_that_fails_leaves_what_was_there(path: Path, tmp_path: Path) -> None:
    directory = tmp_path / "taken"
    (directory / "inside").mkdir(parents=True)
    with pytest.raises(
        OSError, match="directory"
    ):  # a file cannot take the place of a folder that is not empty
        store_accepted(directory, {DIGEST: ENTRY})
    assert sorted(each.name for each in tmp_path.iterdir()) == ["state", "taken"]
    assert load_accepted(path) == {DIGEST: ENTRY}


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o602, 0o666])
def test_a_file_that_others_can_read_or_write_is_refused(path: Path, mode: int) -> None:
    path.chmod(mode)
    with pytest.raises(ConfigError, match="is open to others"):
        load_accepted(path)


def test_a_link_to_nowhere_is_not_taken_for_an_absent_file(tmp_path: Path) -> None:
    (tmp_path / "egress.json").symlink_to("gone.json")
    with pytest.raises(ConfigError, match="does not exist"):
        load_accepted(tmp_path / "egress.json")


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        "{",
        json.dumps({"schema": 2, "accepted": {}}),
        json.dumps({"schema": 1, "accepted": [DIGEST]}),
        json.dumps({"schema": 1, "accepted": {DIGEST.upper(): ENTRY.model_dump()}}),
        json.dumps({"schema": 1, "accepted": {DIGEST: {}}}),
        json.dumps({"schema": 1, "accepted": {}, "all": True}),
    ],
)
def test_a_file_of_another_form_is_refused_with_the_next_step(path: Path, content: str) -> None:
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load_accepted(path)
    assert str(caught.value).startswith(f"{path}: is not what `exchange-mcp egress accept` writes; remove it")
