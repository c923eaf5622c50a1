"""What other users of the machine reach of a running desk: root passes every mode, so the client gives it up first."""

import grp
import json
import os
import socket
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import Final

import pytest

from .desk import TOML, WholeDesk, whole_desk

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")

GROUP: Final = grp.getgrgid(1)
NOBODY: Final = 65_534
ASKED: Final = b"POST /v1/proposals HTTP/1.1\r\nHost: desk\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


@pytest.fixture(scope="module")
def desk() -> Generator[WholeDesk]:
    """One that runs, whose proposal socket is open to a group; its directory is on everybody's way."""
    with whole_desk(
        toml=TOML.replace("[desk]\n", f'[desk]\nproposal_group = "{GROUP.gr_name}"\n', 1)
    ) as made:
        made.places.runtime.mkdir(parents=True)
        for each in (made.home.parent, made.runtime, made.places.runtime):
            each.chmod(0o711)
        made.start()
        yield made


def as_another(work: Callable[[], object], groups: Sequence[int] = ()) -> str:
    """What `work` comes to for a user who is nobody, in these groups alone: its answer as text, or its error's name."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setgroups(list(groups))
            os.setresgid(NOBODY, NOBODY, NOBODY)
            os.setresuid(NOBODY, NOBODY, NOBODY)
            told = str(work())
        except OSError as error:
            told = type(error).__name__
        except BaseException as error:  # noqa: BLE001 - nothing of the parent's may go on in the child
            told = repr(error)
        os.write(writing, told.encode()[:4000])
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as answer:
        told = answer.read().decode()
    os.waitpid(child, 0)
    return told


def answer_of(path: Path) -> str:
    """The first line that a socket answers."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as asking:
        asking.settimeout(10)
        asking.connect(str(path))
        asking.sendall(ASKED)
        return asking.recv(200).decode().splitlines()[0]


def test_a_member_of_the_group_reaches_the_proposal_socket_and_still_needs_a_credential(
    desk: WholeDesk,
) -> None:
    asks = lambda: answer_of(desk.places.proposal_socket)  # noqa: E731 - what the other user does
    assert as_another(asks, [GROUP.gr_gid]).startswith("HTTP/1.1 4")
    assert as_another(asks) == "PermissionError"


def test_nobody_else_reaches_the_operators_socket_whatever_group_it_is_in(desk: WholeDesk) -> None:
    path = desk.places.operator_socket
    assert answer_of(path).startswith("HTTP/1.1 4")
    for groups in ([], [GROUP.gr_gid], [0]):
        assert as_another(lambda: answer_of(path), groups) == "PermissionError"
        assert as_another(lambda: list(path.parent.iterdir()), groups) == "PermissionError"
    path.parent.chmod(0o711)
    path.chmod(0o666)
    try:  # that it is closed is all that keeps them out
        assert as_another(lambda: answer_of(path)).startswith("HTTP/1.1 4")
    finally:
        path.chmod(0o600)
        path.parent.chmod(0o700)


def test_nobody_else_reads_or_replaces_anything_that_a_desk_keeps(desk: WholeDesk) -> None:
    desk.home.chmod(0o755)  # as a home often is
    kept = [each for each in sorted(desk.home.rglob("*")) if each.name != "log"]
    assert {each.suffix for each in kept} >= {".toml", ".json"}
    assert any("journal" in each.name for each in kept)

    def tried() -> str:
        reached: list[str] = []
        for each in kept:
            ways: list[Callable[[Path], object]] = [
                lambda path: list(path.iterdir()) if path.is_dir() else path.read_bytes(),
                lambda path: path.with_name(path.name + ".new").write_text("mine"),
                lambda path: path.rename(path.with_name("moved")),
                lambda path: path.chmod(0o777),
            ]
            for way in ways:
                try:
                    way(each)
                except OSError:
                    continue
                reached.append(str(each.relative_to(desk.home)))
        return json.dumps(reached)

    assert json.loads(as_another(tried, [GROUP.gr_gid])) == []


def test_nobody_else_takes_the_place_of_a_socket_and_the_desk_goes_on(desk: WholeDesk) -> None:
    def tried() -> str:
        taken: list[str] = []
        for path in (desk.places.proposal_socket, desk.places.operator_socket):
            ways: list[Callable[[Path], object]] = [
                Path.unlink,
                lambda path: path.rename(path.with_name("moved")),
            ]
            for way in ways:
                try:
                    way(path)
                except OSError:
                    continue
                taken.append(path.name)
        return json.dumps(taken)

    assert json.loads(as_another(tried, [GROUP.gr_gid])) == []
    assert desk.status().closed is None
