"""What `serve` says, and does not say, when it cannot start as it was told."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from serving import PROGRAM

from .launching import environment, ran

KEYED: Final = """[accounts.main]
venue = "binance"
environment = "live"
[accounts.main.key]
api_key = { env = "TESTS_API_KEY" }
secret = { file = "~/secret" }
"""
SECRET: Final = "tests-secret-Zq81-not-to-be-seen"
API_KEY: Final = "tests-api-key-Kk42-not-to-be-seen"

Refused = Callable[..., list[str]]


@pytest.fixture
def refused(tmp_path: Path) -> Refused:
    """The lines on stderr of a server that has to refuse this serve.toml, with its directory left out."""

    def refuse(text: str, **variables: str) -> list[str]:
        (tmp_path / "serve.toml").write_text(text, encoding="utf-8")
        done = ran(
            "serve", "--config", str(tmp_path / "serve.toml"), environ=environment(tmp_path, **variables)
        )
        assert (done.returncode, done.stdout) == (2, "")
        assert SECRET not in done.stderr
        assert API_KEY not in done.stderr
        return done.stderr.replace(f"{tmp_path}/", "").splitlines()

    return refuse


def test_a_file_that_is_not_there_is_named(environ: dict[str, str], tmp_path: Path) -> None:
    missing = tmp_path / "gone.toml"
    done = ran("serve", "--config", str(missing), environ=environ)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"{missing}: does not exist")
    assert len(done.stderr.splitlines()) == 1


def test_a_path_that_begins_with_a_tilde_is_in_the_home_also_where_no_shell_expands_it(
    environ: dict[str, str], tmp_path: Path
) -> None:
    done = ran("serve", "--config", "~/gone.toml", environ=environ)
    assert done.returncode == 2
    assert done.stderr.startswith(f"{tmp_path}/gone.toml: does not exist")


def test_a_relative_path_is_named_in_full(environ: dict[str, str]) -> None:
    done = ran("serve", "--config", "gone.toml", environ=environ)
    assert done.returncode == 2
    assert done.stderr.startswith(f"{Path.cwd()}/gone.toml: does not exist")


def test_broken_toml_is_named_with_its_line(refused: Refused) -> None:
    (line,) = refused('client = "tests"\n[accounts.main\n')
    assert line.startswith("serve.toml:2: is not valid TOML: ")


def test_every_fault_is_a_line_with_file_line_and_key(refused: Refused) -> None:
    lines = refused(
        "colour = 1\n"
        '[accounts.main]\nvenue = "binanze"\nenvironment = "live"\n'
        '[accounts.other]\nvenue = "binance"\nenviroment = "live"\n'
    )
    assert [line.split(": ")[:2] for line in lines] == [
        ["serve.toml:1", "colour"],
        ["serve.toml:2", "accounts.main"],
        ["serve.toml:7", "accounts.other.enviroment"],
    ]
    assert "unknown key" in lines[0]
    assert 'venue "binanze" is not known (did you mean "binance"?); supported: binance, bybit,' in lines[1]
    assert lines[2].endswith('did you mean "environment"?')


def test_a_secret_in_the_file_is_refused_and_not_repeated(refused: Refused) -> None:
    (line,) = refused(KEYED.replace('{ file = "~/secret" }', f'"{SECRET}"'), TESTS_API_KEY=API_KEY)
    assert line.startswith("serve.toml:6: accounts.main.key.secret: a secret does not stand in this file")


def test_every_part_of_a_key_that_is_missing_is_a_line_of_its_own(refused: Refused) -> None:
    first, second = refused(KEYED)
    assert first.startswith(
        "serve.toml: account main: key.api_key: environment variable TESTS_API_KEY is not set"
    )
    assert second == "serve.toml: account main: key.secret: file secret does not exist"


def test_a_secret_file_that_is_not_there_is_named(refused: Refused) -> None:
    (line,) = refused(KEYED, TESTS_API_KEY=API_KEY)
    assert line == "serve.toml: account main: key.secret: file secret does not exist"


def test_a_secret_file_that_others_may_read_is_refused_with_what_to_do(
    refused: Refused, tmp_path: Path
) -> None:
    (tmp_path / "secret").write_text(SECRET, encoding="utf-8")
    (tmp_path / "secret").chmod(0o640)
    (line,) = refused(KEYED, TESTS_API_KEY=API_KEY)
    assert line.startswith("serve.toml: account main: key.secret: file secret is open to others (mode 0640)")
    assert line.endswith("chmod 600 secret")


def test_a_simulated_exchange_that_does_not_run_is_named_with_what_to_do(refused: Refused) -> None:
    (line,) = refused('[accounts.main]\nvenue = "binance"\nenvironment = "sim"\nsim_key = "reader"\n')
    assert line.startswith("serve.toml: account main: no simulated exchange is running: ")
    assert ".local/state/exchange-mcp/sim/rendezvous.json does not exist" in line
    assert line.endswith("exchange-mcp sim")


def test_faults_of_several_accounts_are_all_said_at_once(refused: Refused) -> None:
    simulated = '[accounts.sim]\nvenue = "binance"\nenvironment = "sim"\nsim_key = "reader"\n'
    said = [line.split(": ")[1] for line in refused(KEYED + simulated)]
    assert said == ["account main", "account main", "account sim"]


def test_a_file_and_a_venue_exclude_each_other(environ: dict[str, str]) -> None:
    done = ran("serve", "--config", "serve.toml", "--venue", "kraken", environ=environ)
    assert (done.returncode, done.stdout) == (2, "")
    assert "--config and --venue exclude each other" in done.stderr


def test_each_venue_that_is_not_supported_is_a_line_of_its_own(environ: dict[str, str]) -> None:
    done = ran("serve", "--venue", "krakn", "--venue", "kraken", "--venue", "mtgox", environ=environ)
    assert (done.returncode, done.stdout) == (2, "")
    assert [line.split(" is ")[0] for line in done.stderr.splitlines()] == ['venue "krakn"', 'venue "mtgox"']


@pytest.mark.parametrize("target", ["gone.toml", "serve.toml"], ids=["nothing", "itself"])
def test_the_users_own_file_is_never_passed_over_for_public_data_because_it_cannot_be_read(
    target: str, environ: dict[str, str], tmp_path: Path
) -> None:
    default = tmp_path / ".config" / "exchange-mcp" / "serve.toml"
    default.parent.mkdir(parents=True)
    default.symlink_to(target)
    done = ran("serve", environ=environ)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"{default}: ")


def test_a_configuration_directory_that_cannot_be_looked_into_is_no_absent_file(
    environ: dict[str, str],
) -> None:
    done = ran("serve", environ={**environ, "XDG_CONFIG_HOME": "/" + "n" * 300})  # NAME_MAX is 255
    assert (done.returncode, done.stdout) == (2, "")
    assert "cannot be read: " in done.stderr


@pytest.mark.parametrize("command", ["serve", "sim"])
def test_a_user_without_a_home_is_told_to_set_it(command: str, environ: dict[str, str]) -> None:
    nobody = ("unshare", "--map-user=54321", "env", "--unset=HOME")  # a number that no user database has
    done = ran(command, environ=environ, program=(*nobody, *PROGRAM))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines() == [
        "Error: this user (uid 54321) has no home directory; set HOME to an absolute path"
    ]


def test_the_example_configuration_starts_but_for_what_it_refers_to(refused: Refused) -> None:
    example = Path(__file__).parents[2] / "config" / "serve.example.toml"
    lines = refused(example.read_text(encoding="utf-8"))
    assert [line.split(": ")[:3] for line in lines] == [
        ["serve.toml", "account main", "key.api_key"],
        ["serve.toml", "account main", "key.secret"],
        ["serve.toml", "account demo", "no simulated exchange is running"],
    ]
