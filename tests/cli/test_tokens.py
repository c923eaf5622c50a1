"""exchange-mcp tokens, as a person and as a script use it."""

import json
import re

import pytest

from .launching import asked, ran

Environment = dict[str, str]


def test_a_token_is_printed_once_alone_on_stdout_and_listed_without_itself(environ: Environment) -> None:
    done = ran("tokens", "add", "laptop", "--days", "30", environ=environ)
    assert done.returncode == 0
    assert re.fullmatch(r"xmcp_[\w-]{43}\n", done.stdout)
    assert "laptop (read)" in done.stderr
    assert done.stdout.strip() not in done.stderr
    listed = asked("tokens", "list", environ=environ)
    assert re.search(r"^tok_[0-9a-f]{10}\s+laptop\s+read\s+20\d\d-\d\d-\d\d", listed.stdout, re.MULTILINE)
    assert done.stdout.strip() not in listed.stdout
    scoped = json.loads(asked("tokens", "add", "desk", "--scope", "trade", "--json", environ=environ).stdout)
    assert scoped["scopes"] == ["read", "trade"]
    revoked = asked("tokens", "revoke", scoped["id"], environ=environ)
    assert (revoked.exit_code, revoked.stdout) == (0, f"Revoked {scoped['id']} of desk.\n")
    rows = json.loads(asked("tokens", "list", "--json", environ=environ).stdout)["tokens"]
    assert [row["client"] for row in rows] == ["laptop"]


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("add", "Two Words"), 2, "client's name"),
        (("add", "laptop", "--scope", "admin"), 2, "'read', 'trade'"),
        (("add", "laptop", "--days", "0"), 2, "1<=x<=3650"),
        (("revoke", "nobody"), 1, "no token has this id or client"),
    ],
)
def test_what_cannot_be_done_is_said_on_stderr(
    arguments: tuple[str, ...], code: int, said: str, environ: Environment
) -> None:
    done = asked("tokens", *arguments, environ=environ)
    assert (done.exit_code, done.stdout) == (code, "")
    assert said in done.stderr
