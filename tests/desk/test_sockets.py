"""The desk's sockets: whose they are, who may connect, and what a dead desk leaves behind."""

import grp
import os
import socket
import stat
import subprocess
import sys
import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest

from exchange_mcp.desk.sockets import (
    LONGEST_PATH,
    BoundSocket,
    SocketError,
    bind_operator,
    bind_proposals,
)

GROUP = grp.getgrgid(os.getegid()).gr_name
NEEDS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="another user is had by root alone")
_CONNECT = """
import os, socket, sys
os.setgroups([])
os.setgid(int(sys.argv[2]))
os.setuid(65534)
with socket.socket(socket.AF_UNIX) as wanted:
    try:
        wanted.connect(sys.argv[1])
        print("connected")
    except OSError as error:
        print(type(error).__name__)
"""


@pytest.fixture
def place() -> Generator[Path]:
    """A directory that every user can reach."""
    with tempfile.TemporaryDirectory() as made:
        Path(made).chmod(0o755)
        yield Path(made)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def connects(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as wanted:
        try:
            wanted.connect(str(path))
        except OSError:
            return False
        return True


def as_somebody(path: Path, *, group: int) -> str:
    """What another user's process gets that tries to connect."""
    # Started as root, which can reach the interpreter wherever it lies, and nobody by the time that it connects.
    done = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-I", "-c", _CONNECT, str(path), str(group)],
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def left_behind(path: Path) -> None:
    """As a killed desk leaves it: a socket file behind which nobody is."""
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(path))


def test_the_operator_socket_is_its_owners_alone_in_a_directory_that_is_too(place: Path) -> None:
    bound = bind_operator(place / "desk" / "operator" / "o.sock")
    assert mode(bound.path) == 0o600
    assert mode(bound.path.parent) == mode(bound.path.parent.parent) == 0o700
    bound.close()


@pytest.mark.parametrize("wide", [0o711, 0o750, 0o707, 0o500])
def test_the_operator_socket_is_not_bound_in_a_directory_of_another_mode(place: Path, wide: int) -> None:
    (place / "o").mkdir()
    (place / "o").chmod(wide)
    with pytest.raises(SocketError, match=f"mode {wide:04o}.*chmod 700"):
        bind_operator(place / "o" / "o.sock")


@NEEDS_ROOT
def test_the_operator_socket_is_not_bound_in_a_directory_of_another_user(place: Path) -> None:
    (place / "o").mkdir(mode=0o700)
    os.chown(place / "o", 65_534, -1)
    with pytest.raises(SocketError, match="belongs to another user"):
        bind_operator(place / "o" / "o.sock")


def test_a_link_in_the_place_of_a_directory_is_no_place_for_a_socket(place: Path) -> None:
    (place / "real").mkdir(mode=0o700)
    (place / "o").symlink_to(place / "real")
    with pytest.raises(SocketError, match="not a directory itself"):
        bind_operator(place / "o" / "o.sock")


def test_the_proposal_socket_is_its_owners_alone_where_no_group_is_named(place: Path) -> None:
    old = os.umask(0)
    try:
        bound = bind_proposals(place / "p" / "p.sock", None)
    finally:
        os.umask(old)
    assert (mode(bound.path), mode(bound.path.parent)) == (0o600, 0o700)
    bound.close()


def test_the_proposal_socket_is_given_to_the_group_that_is_named_and_to_nobody_else(place: Path) -> None:
    bound = bind_proposals(place / "p" / "p.sock", GROUP)
    assert (mode(bound.path), mode(bound.path.parent)) == (0o660, 0o710)
    assert bound.path.stat().st_gid == bound.path.parent.stat().st_gid == os.getegid()
    bound.close()


@NEEDS_ROOT
def test_who_is_in_the_group_can_connect_and_who_is_not_cannot(place: Path) -> None:
    bound = bind_proposals(place / "p" / "p.sock", grp.getgrgid(1).gr_name)
    bound.listener.listen()
    assert as_somebody(bound.path, group=1) == "connected"
    assert as_somebody(bound.path, group=65_534) == "PermissionError"
    bound.close()


@NEEDS_ROOT
def test_another_user_cannot_connect_to_the_operator_socket_even_of_the_same_group(place: Path) -> None:
    bound = bind_operator(place / "o" / "o.sock")
    bound.listener.listen()
    assert as_somebody(bound.path, group=os.getegid()) == "PermissionError"
    bound.close()


def test_a_directory_that_the_group_cannot_enter_is_named_with_what_lets_it(place: Path) -> None:
    (place / "p").mkdir(mode=0o700)
    with pytest.raises(SocketError, match=f"chgrp {GROUP} .* chmod 710"):
        bind_proposals(place / "p" / "p.sock", GROUP)


def test_a_directory_on_the_way_that_the_group_cannot_enter_is_named_too(place: Path) -> None:
    (place / "way").mkdir(mode=0o700)
    with pytest.raises(SocketError, match=f"chgrp {GROUP} {place}/way && chmod 710"):
        bind_proposals(place / "way" / "p" / "p.sock", GROUP)


def test_a_directory_that_others_can_change_is_refused(place: Path) -> None:
    (place / "p").mkdir()
    (place / "p").chmod(0o777)
    with pytest.raises(SocketError, match="can be changed by others"):
        bind_proposals(place / "p" / "p.sock", None)


def test_a_group_that_is_not_there_is_named(place: Path) -> None:
    with pytest.raises(SocketError, match="no group nobody-has-this"):
        bind_proposals(place / "p" / "p.sock", "nobody-has-this")


def test_a_socket_that_a_dead_desk_left_is_replaced(place: Path) -> None:
    path = place / "o" / "o.sock"
    path.parent.mkdir(mode=0o700)
    left_behind(path)
    bound = bind_operator(path)
    bound.listener.listen()
    assert connects(path)
    bound.close()


def test_a_socket_of_a_desk_that_runs_is_left_alone_and_the_other_desk_is_named(place: Path) -> None:
    path = place / "o" / "o.sock"
    first = bind_operator(path)
    first.listener.listen()
    with pytest.raises(SocketError, match=f"held by process {os.getpid()} .*a desk is running there"):
        bind_operator(path)
    assert connects(path)
    first.close()


def test_a_socket_of_another_program_that_listens_is_left_alone(place: Path) -> None:
    path = place / "o" / "o.sock"
    path.parent.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(str(path))
        other.listen()
        with pytest.raises(SocketError, match="another program listens"):
            bind_operator(path)
        assert connects(path)


def test_a_file_that_is_no_socket_is_left_alone(place: Path) -> None:
    path = place / "o" / "o.sock"
    path.parent.mkdir(mode=0o700)
    path.write_text("kept")
    with pytest.raises(SocketError, match="is not a socket"):
        bind_operator(path)
    assert path.read_text() == "kept"


def test_a_refused_socket_can_be_bound_once_its_reason_is_gone(place: Path) -> None:
    path = place / "o" / "o.sock"
    path.parent.mkdir(mode=0o700)
    path.write_text("in the way")
    with pytest.raises(SocketError):
        bind_operator(path)
    path.unlink()
    bind_operator(path).close()


def test_the_file_is_removed_at_the_end_unless_it_is_another_one_by_then(place: Path) -> None:
    path = place / "o" / "o.sock"
    bind_operator(path).close()
    assert not path.exists()
    bound = bind_operator(path)
    path.rename(place / "old")  # its inode is not free yet
    left_behind(path)
    bound.close()
    assert path.exists()


def test_closing_twice_does_nothing_more(place: Path) -> None:
    bound: BoundSocket = bind_operator(place / "o" / "o.sock")
    bound.close()
    bound.close()


def test_a_path_that_is_too_long_for_a_socket_is_named_with_its_length(place: Path) -> None:
    long = place / ("x" * LONGEST_PATH)
    with pytest.raises(SocketError, match=f"has {len(os.fsencode(long))} bytes.*may have {LONGEST_PATH}"):
        bind_operator(long)
    with pytest.raises(SocketError, match="name a shorter one"):
        bind_proposals(long, None)


def test_the_longest_path_that_is_allowed_can_be_bound() -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as made:
        Path(made).chmod(0o700)
        fill = LONGEST_PATH - len(os.fsencode(made)) - 1
        bind_operator(Path(made) / ("x" * fill)).close()
