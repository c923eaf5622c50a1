from pathlib import Path

import pytest

from exchange_mcp.config.faults import ConfigError
from exchange_mcp.config.locations import locations
from exchange_mcp.config.schema import SecretReference
from exchange_mcp.config.serve import ServeConfig, load_serve
from exchange_mcp.rules.venues import check_account

MAIN = '[accounts.main]\nvenue = "binance"\nenvironment = "live"\n'
PASTED = "xdesk_vmPUZE6mv9SD5VNHk4HlWFsOr6aKE2zv"


def loaded(home: Path, desk: str) -> ServeConfig:
    path = home / "serve.toml"
    path.write_text(f"{MAIN}{desk}", encoding="utf-8")
    return load_serve(path, check=check_account, environ={"HOME": str(home)})


def test_without_the_table_there_is_no_desk(tmp_path: Path) -> None:
    assert loaded(tmp_path, "").desk is None


def test_an_empty_table_is_the_users_own_desk_with_no_tool_that_writes(tmp_path: Path) -> None:
    desk = loaded(tmp_path, "[desk]\n").desk
    assert desk is not None
    assert desk.socket == locations({"HOME": str(tmp_path)}, tmp_path).proposal_socket
    assert (desk.tools, dict(desk.credentials), desk.wait_seconds) == (frozenset(), {}, 0)


def test_a_full_table_is_taken_as_it_says(tmp_path: Path) -> None:
    text = (
        '[desk]\nsocket = "~/p.sock"\ntools = ["place_order", "set_leverage"]\nwait_seconds = 2.5\n'
        '[desk.credentials]\nclaude-desktop = { env = "DESK_CREDENTIAL" }\n"web.client" = { file = "~/c" }\n'
    )
    desk = loaded(tmp_path, text).desk
    assert desk is not None
    assert desk.socket == tmp_path / "p.sock"
    assert desk.tools == {"place_order", "set_leverage"}
    assert desk.credentials == {
        "claude-desktop": SecretReference(env="DESK_CREDENTIAL"),
        "web.client": SecretReference.model_validate({"file": "~/c"}, context={"home": tmp_path}),
    }
    assert desk.wait_seconds == 2.5


TOOLS = 'expected a list of "place_order", "cancel_order", "set_leverage"'
SECONDS = "expected a number of seconds from 0 to 10"


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("desk = 5", 1, "desk: expected a table [desk]"),
        ('[desk]\ntools = ["place_orders"]', 5, f'desk.tools[0]: {TOOLS}, not "place_orders"'),
        ('[desk]\ntools = "place_order"', 5, f'desk.tools: {TOOLS}, not "place_order"'),
        ('[desk]\ntools = ["place_order", "place_order"]', 5, "desk.tools: names a tool twice"),
        ("[desk]\nwait_seconds = 11", 5, f"desk.wait_seconds: {SECONDS}, not 11"),
        ("[desk]\nwait_seconds = true", 5, f"desk.wait_seconds: {SECONDS}, not true"),
        ('[desk]\nsocket = "p.sock"', 5, 'desk.socket: expected a path that begins with "/" or "~/"'),
        ("[desk]\ncredential = 1", 5, 'desk.credential: unknown key; did you mean "credentials"?'),
        (
            f'[desk.credentials]\nme = "{PASTED}"',
            5,
            "desk.credentials.me: a secret does not stand in this file",
        ),
        (
            f'[desk.credentials]\nme = {{ env = "{PASTED}" }}',
            5,
            "desk.credentials.me.env: expected the name of an",
        ),
        ("[desk.credentials]\nme = {}", 5, "desk.credentials.me: expected one of { env"),
        ('[desk.credentials]\n"Me!" = { env = "A" }', 5, "a client's name has 1 to 64"),
    ],
)
def test_what_is_wrong_is_named_with_its_line_and_no_secret_is_repeated(
    text: str, line: int, said: str, tmp_path: Path
) -> None:
    path = tmp_path / "serve.toml"
    path.write_text(f"{text}\n{MAIN}" if text.startswith("desk =") else f"{MAIN}{text}\n", encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load_serve(path, check=check_account, environ={"HOME": str(tmp_path)})
    (fault,) = map(str, caught.value.faults)
    assert fault.startswith(f"{path}:{line}: ")
    assert said in fault
    assert PASTED not in fault
