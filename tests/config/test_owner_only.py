import os
from pathlib import Path

import pytest

from exchange_mcp.config.faults import SecretError
from exchange_mcp.config.owner_only import read_owner_only

CONTENT = b"made-up-content"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "secret"
    path.write_bytes(CONTENT)
    path.chmod(0o600)
    return path


@pytest.mark.parametrize("mode", [0o600, 0o400, 0o700])
def test_a_file_that_only_its_owner_can_reach_is_read(path: Path, mode: int) -> None:
    path.chmod(mode)

    assert read_owner_only(path, limit=100) == CONTENT


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o610, 0o602, 0o660, 0o777])
def test_a_file_that_others_can_reach_is_refused_even_to_root(path: Path, mode: int) -> None:
    path.chmod(mode)

    with pytest.raises(SecretError) as caught:
        read_owner_only(path, limit=100)

    assert str(caught.value) == (
        f"file {path} is open to others (mode {mode:04o}); close it: chmod 600 {path}"
    )


def test_a_file_of_another_user_is_refused_unless_that_is_root(path: Path) -> None:
    mine = path.stat().st_uid
    somebody = 4711

    if mine == 0:
        assert read_owner_only(path, limit=100, owner=somebody) == CONTENT
        os.chown(path, somebody, -1)
        assert read_owner_only(path, limit=100, owner=somebody) == CONTENT
        somebody, mine = mine, somebody
    with pytest.raises(SecretError, match=rf"belongs to another user \(uid {mine}\)"):
        read_owner_only(path, limit=100, owner=somebody)


def test_a_link_is_judged_by_the_file_that_it_points_to(path: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(path)
    assert read_owner_only(link, limit=100) == CONTENT

    path.chmod(0o644)
    with pytest.raises(SecretError, match="open to others"):
        read_owner_only(link, limit=100)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(SecretError, match=r"file .*/none does not exist"):
        read_owner_only(tmp_path / "none", limit=100)


def test_a_directory_a_pipe_and_a_device_are_refused_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe", 0o600)

    for place in (tmp_path, tmp_path / "pipe", Path("/dev/null")):
        with pytest.raises(SecretError, match="is not a regular file"):
            read_owner_only(place, limit=100)


def test_a_path_through_a_file_is_said_not_to_open(path: Path) -> None:
    with pytest.raises(SecretError, match="cannot be opened: Not a directory"):
        read_owner_only(path / "below", limit=100)


def test_a_file_is_read_up_to_its_limit_and_refused_beyond(path: Path) -> None:
    assert read_owner_only(path, limit=len(CONTENT)) == CONTENT

    with pytest.raises(SecretError, match="is larger than 14 bytes"):
        read_owner_only(path, limit=len(CONTENT) - 1)
