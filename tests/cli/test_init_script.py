"""`init --yes`: everything is said beforehand, secrets come from where they are or on standard input."""

import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from exchange_mcp.config.serve import load_serve
from exchange_mcp.rules.venues import check_account
from serving import PROGRAM, Sim

from .launching import Done, environment, ran
from .test_init import AS_IF_LIVE, CONFIG, KEYS, files, key_of

KEYRING: Final = """\
import json, os, pathlib
_STORE = pathlib.Path(os.environ["HOME"]) / "ring.json"
def _all(): return json.loads(_STORE.read_text()) if _STORE.exists() else {}
def get_password(service, name): return _all().get(f"{service}/{name}")
def set_password(service, name, password): _STORE.write_text(json.dumps(_all() | {f"{service}/{name}": password}))
"""
"""What stands in for the extra and the system behind it: the two functions that are used of it."""

Scripted = Callable[..., Done]


@pytest.fixture
def scripted(sim: Sim, tmp_path: Path, home: Path) -> Scripted:
    """Runs `init --yes` where Binance's hosts are the simulated exchange; no output shows any key."""

    def run(*arguments: str, given: str = "", **variables: str) -> Done:
        program = (sys.executable, AS_IF_LIVE, str(sim.rendezvous), str(tmp_path))
        done = ran(
            "init",
            "--yes",
            *arguments,
            environ=environment(home, **variables),
            program=program,
            given=given,
        )
        for label in ("reader", "trader"):
            assert not [part for part in key_of(sim, label) if part in done.stdout + done.stderr]
        return done

    return run


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """An empty home."""
    home = tmp_path / "home"
    home.mkdir()
    return home


def lines(key: tuple[str, str]) -> str:
    return "".join(f"{part}\n" for part in key)


def accounts(home: Path, name: str = CONFIG) -> dict[str, Any]:
    return tomllib.loads((home / name).read_text(encoding="utf-8"))["accounts"]


def owner_only(path: Path, content: str) -> Path:
    path.write_text(content, encoding="utf-8")
    path.chmod(0o600)
    return path


def test_secrets_on_standard_input_are_checked_and_stored_and_the_json_alone_is_on_standard_output(
    scripted: Scripted, sim: Sim, home: Path
) -> None:
    done = scripted("--venue", "binance", "--secret-from-stdin", given=lines(key_of(sim, "reader")))
    assert done.returncode == 0, done.stderr
    assert tuple(files(home)[name] for name in KEYS) == key_of(sim, "reader")
    (server,) = json.loads(done.stdout)["mcpServers"].values()
    assert server["args"][-1] == "serve"
    assert Path(server["command"]).is_absolute()


def test_the_same_again_from_standard_input_goes_on_and_something_else_replaces_nothing(
    scripted: Scripted, sim: Sim, home: Path
) -> None:
    reader = key_of(sim, "reader")
    place = home / KEYS[0]
    place.parent.mkdir(parents=True)
    owner_only(place, key_of(sim, "trader")[0])
    refused = scripted("--venue", "binance", "--secret-from-stdin", given=lines(reader))
    assert (refused.returncode, refused.stderr.splitlines()[-1]) == (
        2,
        f"file {place} holds something else, and nothing replaces it unasked",
    )
    assert set(files(home)) == {KEYS[0]}
    owner_only(place, reader[0])
    assert scripted("--venue", "binance", "--secret-from-stdin", given=lines(reader)).returncode == 0


def test_a_refused_key_ends_with_code_1_the_permission_and_the_remedy_and_nothing_is_written(
    scripted: Scripted, sim: Sim, home: Path
) -> None:
    done = scripted("--venue", "binance", "--secret-from-stdin", given=lines(key_of(sim, "trader")))
    assert (done.returncode, done.stdout) == (1, "")
    assert "serve does not run on a key that can trade" in done.stderr
    assert 'untick "Enable Spot & Margin Trading"' in done.stderr
    assert files(home) == {}


def test_files_that_are_there_are_referred_to_and_left_alone(
    scripted: Scripted, sim: Sim, home: Path
) -> None:
    for name, part in zip(("a key", "b'secret"), key_of(sim, "reader"), strict=True):
        owner_only(home / name, part)
    places = ("--api-key-file", str(home / "a key"), "--secret-file", "~/b'secret")
    done = scripted("--venue", "binance", "--market-types", "spot", "--name", "x-1", *places)
    assert done.returncode == 0, done.stderr
    assert accounts(home) == {
        "x-1": {
            "venue": "binance",
            "environment": "live",
            "market_types": ["spot"],
            "key": {"api_key": {"file": "~/a key"}, "secret": {"file": "~/b'secret"}},
        }
    }
    assert set(files(home)) == {"a key", "b'secret", CONFIG}


def test_a_file_that_others_may_read_is_refused_with_what_to_do(
    scripted: Scripted, sim: Sim, home: Path
) -> None:
    key = key_of(sim, "reader")
    owner_only(home / "key", key[0])
    owner_only(home / "secret", key[1]).chmod(0o644)
    done = scripted("--venue", "binance", "--api-key-file", f"{home}/key", "--secret-file", f"{home}/secret")
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].endswith(f"chmod 600 {home}/secret")


def test_variables_are_referred_to_and_named_in_what_is_to_be_pasted_without_their_values(
    scripted: Scripted, sim: Sim, home: Path
) -> None:
    api_key, secret = key_of(sim, "reader")
    done = scripted(
        *("--venue", "binance", "--secret-in", "env", "--secret-env", "MY_SECRET"),
        BINANCE_API_KEY=api_key,
        MY_SECRET=secret,
    )
    assert done.returncode == 0, done.stderr
    (server,) = json.loads(done.stdout)["mcpServers"].values()
    assert {"BINANCE_API_KEY", "MY_SECRET"} <= set(server["env"])
    assert accounts(home)["main"]["key"] == {
        "api_key": {"env": "BINANCE_API_KEY"},
        "secret": {"env": "MY_SECRET"},
    }
    assert set(files(home)) == {CONFIG}


def test_the_keyring_keeps_a_key_and_gives_it_back(
    scripted: Scripted, sim: Sim, home: Path, tmp_path: Path
) -> None:
    ring = tmp_path / "modules"
    ring.mkdir()
    (ring / "keyring.py").write_text(KEYRING, encoding="utf-8")
    searched = {"PYTHONPATH": os.pathsep.join([str(ring), environment(home).get("PYTHONPATH", "")])}
    key = key_of(sim, "reader")
    arguments = ("--venue", "binance", "--secret-in", "keyring")
    done = scripted(*arguments, "--secret-from-stdin", given=lines(key), **searched)
    assert done.returncode == 0, done.stderr
    assert json.loads((home / "ring.json").read_text(encoding="utf-8")) == {
        "exchange-mcp/main.api_key": key[0],
        "exchange-mcp/main.secret": key[1],
    }
    assert accounts(home)["main"]["key"]["secret"] == {"keyring": "main.secret"}
    program = (sys.executable, AS_IF_LIVE, str(sim.rendezvous), str(tmp_path))
    checked = ran("scope", "check", environ=environment(home, **searched), program=program)
    assert (checked.returncode, checked.stderr) == (0, "")
    assert checked.stdout.startswith("main (live): accepted for serve\n")


def test_without_the_extra_the_keyring_is_refused_with_what_to_install(
    scripted: Scripted, sim: Sim, home: Path, tmp_path: Path
) -> None:
    (tmp_path / "keyring.py").write_text("raise ImportError", encoding="utf-8")
    searched = os.pathsep.join([str(tmp_path), environment(home).get("PYTHONPATH", "")])
    done = scripted(
        *("--venue", "binance", "--secret-in", "keyring", "--secret-from-stdin"),
        given=lines(key_of(sim, "reader")),
        PYTHONPATH=searched,
    )
    assert done.returncode == 2
    assert "pip install 'exchange-mcp[keyring]'" in done.stderr
    assert files(home) == {}


def test_a_practice_account_is_set_up_without_asking_because_it_cannot_be_told(
    scripted: Scripted, sim: Sim
) -> None:
    sim.forget()
    done = scripted(
        *("--venue", "binance", "--environment", "sandbox", "--secret-from-stdin"),
        given=lines(key_of(sim, "reader")),
    )
    assert done.returncode == 0, done.stderr
    assert "not real money, not verifiable" in done.stderr
    assert sim.paths() == []


def test_an_account_of_the_simulated_exchange_names_a_rendezvous_that_the_server_would_not_find(
    sim: Sim, home: Path
) -> None:
    arguments = ("--venue", "binance", "--environment", "sim", "--rendezvous", str(sim.rendezvous))
    done = ran("init", "--yes", *arguments, "--sim-key", "reader", environ=environment(home))
    assert done.returncode == 0, done.stderr
    assert accounts(home)["main"]["rendezvous"] == str(sim.rendezvous)
    (account,) = load_serve(home / CONFIG, check=check_account, environ={"HOME": str(home)}).accounts
    assert account.sim is not None
    assert account.sim.rendezvous == sim.rendezvous


def test_a_file_elsewhere_is_named_in_what_is_to_be_pasted(home: Path, tmp_path: Path) -> None:
    place = tmp_path / "else where" / "my.toml"
    done = ran(
        *("init", "--yes", "--venue", "kraken", "--no-key", "--config", str(place)),
        environ=environment(home),
    )
    assert done.returncode == 0, done.stderr
    (server,) = json.loads(done.stdout)["mcpServers"].values()
    assert server["args"][-3:] == ["serve", "--config", str(place)]
    assert place.stat().st_mode & 0o777 == 0o600


def test_a_directory_of_the_users_choice_is_named_because_a_client_hands_on_no_such_variable(
    home: Path, tmp_path: Path
) -> None:
    environ = environment(home, XDG_CONFIG_HOME=str(tmp_path / "xdg"))
    done = ran("init", "--yes", "--venue", "kraken", "--no-key", environ=environ)
    (server,) = json.loads(done.stdout)["mcpServers"].values()
    assert server["args"][-1] == str(tmp_path / "xdg" / "exchange-mcp" / "serve.toml")


def test_a_venue_whose_keys_have_three_parts_is_given_three_and_its_silence_is_no_yes(
    scripted: Scripted, home: Path
) -> None:
    given = "made-up-key-1\nmade-up-secret-1\n"
    short = scripted("--venue", "okx", "--secret-from-stdin", given=given)
    assert short.returncode == 2
    assert "ended before the line with the passphrase" in short.stderr
    done = scripted("--venue", "okx", "--secret-from-stdin", given=f"{given}made-up-phrase-1\n")
    assert done.returncode == 1
    assert "the venue did not say what the key may do" in done.stderr
    assert not [line for line in given.split() if line in done.stderr]
    assert files(home) == {}


def test_a_pem_block_on_standard_input_is_one_secret(scripted: Scripted, sim: Sim, home: Path) -> None:
    pem = "-----BEGIN EC PRIVATE KEY-----\nTWFkZSB1cA==\nTWFkZSB1cA==\n-----END EC PRIVATE KEY-----"
    done = scripted(
        *("--venue", "binance", "--environment", "sandbox", "--secret-from-stdin"),
        given=f"{key_of(sim, 'reader')[0]}\n{pem}\n",
    )
    assert done.returncode == 0, done.stderr
    assert files(home)[KEYS[1]] == pem
    assert "TWFkZSB1cA" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "--venue must be given"),
        (("--venue", "mtgox"), '--venue: venue "mtgox" is not known'),
        (("--venue", "bitstamp", "--key"), "a key is of no use here"),
        (("--venue", "binance", "--environment", "demo"), "choose one of live, sandbox, sim"),
        (("--venue", "binance", "--name", "Main"), "a letter or digit first"),
        (("--venue", "binance", "--market-types", "inverse"), "a key is of no use here"),
        (("--venue", "binance", "--market-types", "swap"), "name some of spot, linear, inverse"),
        (
            ("--venue", "binance", "--api-key-env", "vmPUZE6mv9SD5VNHk4HlWFsOr6aKE2zv"),
            "not the secret itself",
        ),
        (("--venue", "binance", "--api-key-env", "A", "--api-key-file", "/a"), "exclude each other"),
        (("--venue", "binance"), "main.api_key does not exist; make it, or add --secret-from-stdin"),
        (
            ("--venue", "binance", "--secret-from-stdin"),
            "standard input ended before the line with the api key",
        ),
    ],
)
def test_what_is_missing_or_cannot_be_meant_is_named_and_nothing_is_written(
    arguments: tuple[str, ...], said: str, scripted: Scripted, home: Path
) -> None:
    done = scripted(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert "vmPUZE6" not in done.stderr
    assert files(home) == {}


def test_a_name_that_exists_is_refused_and_the_file_stays(home: Path) -> None:
    (home / CONFIG).parent.mkdir(parents=True)
    text = '[accounts.main]\nvenue = "kraken"\nenvironment = "live"\n'
    (home / CONFIG).write_text(text, encoding="utf-8")
    done = ran(*("init", "--yes", "--venue", "okx", "--no-key", "--name", "main"), environ=environment(home))
    assert done.returncode == 2
    assert 'there is an account "main"' in done.stderr
    assert files(home) == {CONFIG: text}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[accounts\n", ":1: is not valid TOML"),
        ('colour = 1\n[accounts.a]\nvenue = "kraken"\nenvironment = "live"\n', ":1: colour: unknown key"),
        ("limits = 3\n", ":1: limits: expected a table"),
        (
            'accounts = { a = { venue = "kraken", environment = "live" } }\n',
            ": accounts: is not written as tables [accounts.NAME]",
        ),
    ],
)
def test_a_file_that_cannot_be_added_to_is_told_with_its_faults_and_left_alone(
    text: str, said: str, home: Path
) -> None:
    (home / CONFIG).parent.mkdir(parents=True)
    (home / CONFIG).write_text(text, encoding="utf-8")
    done = ran("init", "--yes", "--venue", "kraken", "--no-key", environ=environment(home))
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{home / CONFIG}{said}" in done.stderr
    assert files(home) == {CONFIG: text}


def test_a_path_that_toml_cannot_hold_is_named(tmp_path: Path) -> None:
    home = os.fsencode(tmp_path) + b"/\xff"
    os.mkdir(home)  # noqa: PTH102 - the name is no text
    place = Path(os.fsdecode(home)) / "rendezvous.json"
    done = ran(
        *("init", "--yes", "--venue", "binance", "--environment", "sim", "--no-key"),
        *("--rendezvous", str(place)),
        environ=environment(tmp_path),
    )
    assert done.returncode == 1
    assert "not a UTF-8 path; a configuration can name no other" in done.stderr


def test_without_a_terminal_and_without_yes_it_says_what_to_do(home: Path) -> None:
    done = ran("init", environ=environment(home))
    assert done.returncode == 2
    assert "there is no terminal to ask at" in done.stderr
    assert ran("init", "--secret-from-stdin", environ=environment(home)).returncode == 2


def test_a_directory_that_cannot_be_written_is_named(home: Path) -> None:
    (home / ".config").touch()
    done = ran("init", "--yes", "--venue", "kraken", "--no-key", environ=environment(home))
    assert done.returncode in {1, 2}
    assert f"{home}/.config" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_secret_is_in_no_argument_of_any_process(sim: Sim, home: Path, tmp_path: Path) -> None:
    key = key_of(sim, "reader")
    environ: Mapping[str, str] = environment(home)
    program = [sys.executable, AS_IF_LIVE, str(sim.rendezvous), str(tmp_path), "init", "--yes"]
    with subprocess.Popen(  # noqa: S603 - our own program
        [*program, "--venue", "binance", "--secret-from-stdin"],
        env=environ,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.write(lines(key))
        process.stdin.flush()
        for line in process.stderr:
            if line.startswith("Asking"):
                break
        seen = [path.read_bytes() for path in Path(f"/proc/{process.pid}").glob("task/*/../../cmdline")]
        process.communicate(timeout=30)
    assert process.returncode == 0
    assert seen
    assert not [part for part in key for words in seen if part.encode() in words]
    assert PROGRAM[0] in seen[0].decode()
