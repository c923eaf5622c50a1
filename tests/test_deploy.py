"""What `deploy/` starts exists, and the two ways say the same: the command, the places, a user without rights."""

import re
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import click
import pytest

from exchange_mcp.cli.serve import command
from exchange_mcp.config.desk_tables import socket_fault
from exchange_mcp.config.locations import locations
from exchange_mcp.config.schema import HttpTable
from exchange_mcp.desk.pace import Pace

DEPLOY: Final = Path(__file__).parents[1] / "deploy"
UNIT: Final = (DEPLOY / "exchange-mcp.service").read_text(encoding="utf-8")
CONTAINER: Final = (DEPLOY / "Containerfile").read_text(encoding="utf-8").replace("\\\n", "")
DESK: Final = (DEPLOY / "exchange-mcp-desk.service").read_text(encoding="utf-8")
PROGRAM: Final = "/opt/exchange-mcp/bin/exchange-mcp"


def settings(unit: str = UNIT) -> Mapping[str, list[str]]:
    """The unit's settings, each with its values."""
    found: dict[str, list[str]] = defaultdict(list)
    for line in unit.splitlines():
        if line and line[0] not in "#[":
            name, _, value = line.partition("=")
            found[name].append(value)
    return found


def started_by_container() -> list[str]:
    entry, run = (re.search(rf"^{word} \[(.*)\]$", CONTAINER, re.MULTILINE) for word in ("ENTRYPOINT", "CMD"))
    assert entry is not None
    assert run is not None
    return re.findall(r'"([^"]*)"', f"{entry[1]}, {run[1]}")


def environment_of_container() -> dict[str, str]:
    found = re.search(r"^ENV (.*)$", CONTAINER, re.MULTILINE)
    assert found is not None
    return dict(each.split("=", 1) for each in found[1].split())


def test_both_start_the_same_command_and_it_takes_these_options() -> None:
    (unit,) = settings()["ExecStart"]
    assert unit.split() == started_by_container()
    program, name, *options = unit.split()
    assert (program, name) == (PROGRAM, "serve")
    context = command.make_context("serve", options)
    assert context.params["transport"] == "http"
    assert isinstance(command, click.Command)


def test_both_look_for_their_files_in_the_same_places_and_these_are_writable_where_they_must_be() -> None:
    unit = dict(each.split("=", 1) for each in settings()["Environment"])
    container = environment_of_container()
    container.pop("PYTHONDONTWRITEBYTECODE")
    assert unit == container
    places = locations(unit, Path(unit["HOME"]))
    (start,) = settings()["ExecStart"]
    assert str(places.serve_file) in start.split()
    # systemd makes them under /var/lib and /var/cache, for the service's user alone.
    for place, directory in ((places.state, "StateDirectory"), (places.cache, "CacheDirectory")):
        assert settings()[directory] == [place.name]
        assert settings()[f"{directory}Mode"] == ["0700"]
        assert str(place) in CONTAINER
    assert str(places.state.parent) == "/var/lib"
    assert str(places.cache.parent) == "/var/cache"


def test_what_the_unit_says_to_type_makes_the_directory_of_tokens_before_the_first_token() -> None:
    typed = [line for line in UNIT.splitlines() if line.startswith("#   ")]
    state = locations({"XDG_STATE_HOME": "/var/lib"}, Path("/nowhere")).tokens_file.parent
    (made,) = [at for at, line in enumerate(typed) if "install -d" in line and str(state) in line.split()]
    (user,) = [at for at, line in enumerate(typed) if "useradd" in line]
    (added,) = [at for at, line in enumerate(typed) if "tokens add" in line]
    assert user < made < added


def test_both_run_as_a_user_of_their_own_who_can_get_no_more_rights_and_change_no_file_system() -> None:
    unit = settings()
    assert unit["User"] == unit["Group"] == ["exchange-mcp"]
    for name, value in (
        ("NoNewPrivileges", "yes"),
        ("ProtectSystem", "strict"),
        ("ProtectHome", "yes"),
        ("CapabilityBoundingSet", ""),
        ("AmbientCapabilities", ""),
        ("UMask", "0077"),
    ):
        assert unit[name] == [value]
    user = re.search(r"^USER (\d+):(\d+)$", CONTAINER, re.MULTILINE)
    assert user is not None
    assert user[1] == user[2] != "0"
    assert CONTAINER.index("USER") < CONTAINER.index("ENTRYPOINT")
    assert {"--read-only", "--cap-drop=all", "--security-opt=no-new-privileges"} <= set(CONTAINER.split())


def test_the_service_has_more_time_to_end_than_a_drain_may_take_and_is_reloaded_by_the_signal() -> None:
    fields = HttpTable.model_fields["drain_seconds"].metadata
    (longest,) = [each.le for each in fields if hasattr(each, "le")]
    assert int(settings()["TimeoutStopSec"][0]) > longest
    assert settings()["ExecReload"] == ["/bin/kill -HUP $MAINPID"]
    assert settings()["RestartPreventExitStatus"] == ["2"]


def test_the_port_that_the_container_shows_is_the_one_that_is_listened_on() -> None:
    assert re.search(rf"^EXPOSE {HttpTable().port}$", CONTAINER, re.MULTILINE)


def test_the_desk_runs_as_another_user_than_serve_who_can_get_no_more_rights_either() -> None:
    serve, desk = settings(), settings(DESK)
    assert desk["User"] == desk["Group"] == ["exchange-mcp-desk"] != serve["User"]
    own = {"User", "Group", "ExecStart", "Environment", "TimeoutStopSec", "SupplementaryGroups", "LimitCORE"}
    own |= {"Description", "RuntimeDirectory", "RuntimeDirectoryMode", "StateDirectory", "CacheDirectory"}
    assert {name: value for name, value in desk.items() if name not in own} == {
        name: value for name, value in serve.items() if name not in own
    }
    (start,) = desk["ExecStart"]
    program, name, *options = start.split()
    assert (program, name, options) == (PROGRAM, "desk", [])


def test_the_desks_places_are_its_own_and_serves_group_reaches_the_proposal_socket_alone() -> None:
    serve, desk = settings(), settings(DESK)
    environment = dict(each.split("=", 1) for each in desk["Environment"])
    places = locations(environment, Path(environment["HOME"]))
    for directory, kind in (
        (places.state.parent, "StateDirectory"),
        (places.cache.parent, "CacheDirectory"),
        (places.runtime.parent, "RuntimeDirectory"),
    ):
        assert desk[kind] == [directory.name]
        assert desk[kind] != serve[kind]
    assert desk["StateDirectoryMode"] == desk["CacheDirectoryMode"] == ["0700"]
    # Passed through by everybody, listed by nobody; the operator's directory in it is 0700 by the desk's own hand.
    assert desk["RuntimeDirectoryMode"] == ["0711"]
    (group,) = desk["SupplementaryGroups"]
    typed = [line for line in DESK.splitlines() if line.startswith("#")]
    assert any(f'proposal_group = "{group}"' in line for line in typed)
    (socket,) = [line.split('"')[1] for line in typed if "proposal_socket = " in line]
    assert Path(socket).parents[1] == places.runtime.parent
    assert socket_fault(Path(socket), shorter="") is None


def test_the_desks_service_has_more_time_to_end_than_a_send_may_take() -> None:
    pace = Pace()
    longest = pace.patience * (1 + pace.rechecks) + pace.send_patience
    assert int(settings(DESK)["TimeoutStopSec"][0]) > longest


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd here to ask")
@pytest.mark.parametrize("said", [UNIT, DESK])
def test_systemd_finds_no_fault_in_the_unit(tmp_path: Path, said: str) -> None:
    # The program is not installed where these tests run; that alone would be a fault.
    unit = tmp_path / "exchange-mcp.service"
    unit.write_text(said.replace(PROGRAM, "/bin/true"), encoding="utf-8")
    found = subprocess.run(  # noqa: S603 - systemd's own program
        ["systemd-analyze", "verify", str(unit)],  # noqa: S607 - as above
        capture_output=True,
        text=True,
        check=False,
    )
    assert (found.returncode, found.stderr) == (0, "")
