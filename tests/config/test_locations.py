import os
import pwd
from pathlib import Path

from exchange_mcp.config.locations import home_directory, locations

HOME = Path("/home/operator")


def test_without_xdg_variables_the_locations_lie_where_its_standard_puts_them() -> None:
    # https://specifications.freedesktop.org/basedir/latest/: .config, .local/state and .cache in the home.
    where = locations({}, HOME)

    assert where.serve_file == HOME / ".config/exchange-mcp/serve.toml"
    assert where.state == HOME / ".local/state/exchange-mcp"
    assert where.cache == HOME / ".cache/exchange-mcp"
    assert where.runtime == HOME / ".local/state/exchange-mcp/run"
    assert where.rendezvous_file == HOME / ".local/state/exchange-mcp/sim/rendezvous.json"


def test_xdg_variables_move_the_locations() -> None:
    where = locations(
        {
            "XDG_CONFIG_HOME": "/c",
            "XDG_STATE_HOME": "/s",
            "XDG_CACHE_HOME": "/k",
            "XDG_RUNTIME_DIR": "/run/user/1",
        },
        HOME,
    )

    assert where.config == Path("/c/exchange-mcp")
    assert where.state == Path("/s/exchange-mcp")
    assert where.cache == Path("/k/exchange-mcp")
    assert where.runtime == Path("/run/user/1/exchange-mcp")


def test_a_relative_or_empty_xdg_variable_is_ignored() -> None:
    relative = {"XDG_CONFIG_HOME": "c", "XDG_STATE_HOME": "", "XDG_CACHE_HOME": "./k"}

    assert locations(relative, HOME) == locations({}, HOME)


def test_without_home_the_user_database_says_where_home_is() -> None:
    known = Path(pwd.getpwuid(os.getuid()).pw_dir)

    assert home_directory({"HOME": "/h"}) == Path("/h")
    assert home_directory({}) == known
    assert home_directory({"HOME": "relative"}) == known


def test_the_desk_keeps_what_it_is_told_what_it_did_and_its_sockets_apart() -> None:
    where = locations({"XDG_RUNTIME_DIR": "/run/user/1"}, HOME)

    assert where.desk_file == HOME / ".config/exchange-mcp/desk.toml"
    assert where.desk_journal == HOME / ".local/state/exchange-mcp/desk/journal.db"
    assert where.desk_marks == HOME / ".local/state/exchange-mcp/desk/marks"
    assert where.approver_keys == HOME / ".config/exchange-mcp/approvers"
    assert where.client_credential == HOME / ".config/exchange-mcp/clients/serve.credential"
    assert where.proposal_socket == Path("/run/user/1/exchange-mcp/desk-proposals/proposals.sock")
    assert where.operator_socket == Path("/run/user/1/exchange-mcp/desk-operator/operator.sock")
