"""The life of a server over HTTP: how it starts or does not, what it is told while it runs, how it ends."""

import json
import signal
import ssl
import subprocess
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
import trustme

from serving import PROGRAM, Sim, configured

from .http_server import Served, http_server, reloaded, token
from .launching import asked, environment, ran

Environment = dict[str, str]
Json = dict[str, Any]

BALANCE: Final[Json] = {
    "jsonrpc": "2.0",
    "id": 2,
    "method": "tools/call",
    "params": {"name": "get_balance", "arguments": {}},
}
INITIALIZED: Final[Json] = {"jsonrpc": "2.0", "method": "notifications/initialized"}
DEBUG = "\n[limits]\ndeadline_seconds = 30\n[http]\ndrain_seconds = 1\n"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, sim: Sim) -> Generator[Served]:
    """One server for the tests that leave it running; `main` is its account."""
    home = tmp_path_factory.mktemp("home")
    environ = environment(home)
    token(environ, "first")
    config = configured(home, sim, extra=DEBUG)
    config.write_text(config.read_text("utf-8").replace("[log]", '[log]\nlevel = "debug"'), encoding="utf-8")
    with http_server(environ, home, config) as server:
        yield server


class Secured:
    """A server of its own user that speaks TLS, and what its certificate of the moment is trusted by."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.token = token(environment(home), "laptop")["token"]
        self.issue()

    def issue(self) -> None:
        """Put another certificate, of another authority, into its place."""
        authority = trustme.CA()
        issued = authority.issue_cert("127.0.0.1")
        issued.private_key_pem.write_to_path(self.home / "key.pem")
        issued.cert_chain_pems[0].write_to_path(self.home / "cert.pem")
        (self.home / "key.pem").chmod(0o600)
        self.trust = ssl.create_default_context(cadata=authority.cert_pem.bytes().decode())

    @contextmanager
    def serving(self, sim: Sim) -> Generator[None]:
        tls = f'certificate = "{self.home}/cert.pem"\ncertificate_key = "{self.home}/key.pem"\n'
        config = configured(self.home, sim, extra=DEBUG + tls)
        with http_server(environment(self.home), self.home, config) as self.server:
            yield

    def http(self) -> httpx.Client:
        return self.server.http(verify=self.trust)


@pytest.fixture(scope="module")
def secured(tmp_path_factory: pytest.TempPathFactory, sim: Sim) -> Generator[Secured]:
    """One server with a certificate; the last test of this file ends it."""
    made = Secured(tmp_path_factory.mktemp("secured"))
    with made.serving(sim):
        yield made


def structured(text: str) -> dict[str, Any]:
    """The answer in a stream of one event."""
    (data,) = [line[6:] for line in text.splitlines() if line.startswith("data: ")]
    return json.loads(data)["result"]["structuredContent"]


def test_without_a_token_nothing_is_served_and_it_is_said_how_to_make_one(environ: Environment) -> None:
    done = ran("serve", "--transport", "http", "--venue", "kraken", "--port", "0", environ=environ)
    assert (done.returncode, done.stdout) == (2, "")
    assert "exchange-mcp tokens add" in done.stderr
    token(environ, "late")
    file = Path(environ["HOME"]) / ".local/state/exchange-mcp/tokens.json"
    document = json.loads(file.read_text("utf-8"))
    document["tokens"][0]["expires_ms"] = 1
    file.write_text(json.dumps(document), encoding="utf-8")
    done = asked("serve", "--transport", "http", "--venue", "kraken", "--port", "0", environ=environ)
    assert done.exit_code == 2
    assert "tokens add" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--transport", "http", "--address", "0.0.0.0"), "certificate"),  # noqa: S104 - refused
        (("--transport", "http", "--address", "192.0.2.1"), "trusted_proxies"),
        (("--transport", "http", "--address", "localhost"), "IP address"),
        (("--address", "127.0.0.1"), "--transport http"),
        (("--port", "9"), "--transport http"),
    ],
)
def test_where_it_must_not_listen_is_said_in_a_line_with_the_next_step(
    arguments: tuple[str, ...], said: str, environ: Environment
) -> None:
    token(environ, "laptop")
    done = asked("serve", "--venue", "kraken", *arguments, environ=environ)
    assert (done.exit_code, done.stdout) == (2, "")
    assert said in done.stderr


def test_a_key_that_others_can_read_is_not_served_with(
    environ: Environment, tmp_path: Path, sim: Sim
) -> None:
    token(environ, "laptop")
    issued = trustme.CA().issue_cert("localhost")
    issued.private_key_pem.write_to_path(tmp_path / "key.pem")
    issued.cert_chain_pems[0].write_to_path(tmp_path / "cert.pem")
    (tmp_path / "key.pem").chmod(0o644)
    tls = f'[http]\ncertificate = "{tmp_path}/cert.pem"\ncertificate_key = "{tmp_path}/key.pem"\n'
    config = configured(tmp_path, sim, extra=tls)
    done = asked("serve", "--transport", "http", "--config", str(config), environ=environ)
    assert done.exit_code == 2
    assert "chmod 600" in done.stderr


def test_with_a_certificate_it_speaks_tls_and_takes_another_one_on_reload(secured: Secured) -> None:
    server = secured.server
    assert server.url.startswith("https://127.0.0.1:")
    with secured.http() as http:
        server.session(http, secured.token)
    before = secured.trust
    secured.issue()
    (server.home / "key.pem").write_text("broken", encoding="utf-8")
    done = reloaded(server.environ)
    assert (done.returncode, "certificate" in done.stderr) == (1, True)
    with server.http(verify=before) as http:
        server.session(http, secured.token)
    secured.issue()
    assert reloaded(server.environ).returncode == 0
    with secured.http() as http:
        server.session(http, secured.token)


def test_a_revoked_client_is_out_without_a_restart_and_its_stream_ends_within_seconds(served: Served) -> None:
    made = token(served.environ, "visitor")
    with served.http() as http:
        session = served.session(http, made["token"])
        headers = served.headers(made["token"], session)
        with http.stream("GET", served.url, headers=headers) as stream:
            assert stream.status_code == 200
            done = ran("tokens", "revoke", "visitor", "--json", environ=served.environ)
            assert json.loads(done.stdout)["revoked"][0]["id"] == made["id"]
            since = time.monotonic()
            for _ in stream.iter_raw():
                pass
            assert time.monotonic() - since < 5
        assert http.post(served.url, headers=headers, json=BALANCE).status_code == 401


def test_the_log_names_the_caller_and_holds_no_token_and_no_session(served: Served) -> None:
    made = token(served.environ, "logged")
    secret = made["token"]
    with served.http() as http:
        session = served.session(http, secret)
        headers = served.headers(secret, session)
        http.post(served.url, headers=headers, json=INITIALIZED)
        answer = http.post(served.url, headers=headers, json=BALANCE)
        assert structured(answer.text)["data"]["balances"]
        http.post(f"{served.url}?token={secret}", headers=headers, json=BALANCE)
        http.post(served.url, headers={"authorization": f"Basic {secret}"}, json=BALANCE)
        http.post(served.url, headers={"authorization": f"Bearer {secret}x"}, json=BALANCE)
        http.post(served.url, headers=headers, content=b'{"token": "' + secret.encode() + b'"')
        http.get(served.url, headers={"host": secret})
        http.get(served.url.replace("/mcp", f"/{secret}"))
        foreign = served.headers(token(served.environ, "other")["token"], session)
        assert http.post(served.url, headers=foreign, json=BALANCE).status_code == 404
    text = served.log.read_text("utf-8")
    assert secret not in text
    assert secret.removeprefix("xmcp_")[:20] not in text
    assert session not in text
    calls = [record for record in served.records() if record["event"] == "tool call"]
    assert {record["caller"] for record in calls} == {"logged"}
    warned = [record for record in served.records() if "not its own" in record["event"]]
    assert [record["caller"] for record in warned] == ["other"]
    # Lines of libraries that came about while a client was served name it too.
    libraries = {
        record["caller"]
        for record in served.records()
        if record["logger"].startswith("mcp.") and "caller" in record
    }
    assert "logged" in libraries


def test_a_token_is_in_no_argument_and_no_file(served: Served) -> None:
    made = json.loads(asked("tokens", "add", "hidden", "--json", environ=served.environ).stdout)
    # `revoke` takes names, and does not repeat a token that is given in place of one.
    done = asked("tokens", "revoke", made["token"], environ=served.environ)
    assert done.exit_code == 2
    assert made["token"] not in done.stdout + done.stderr
    files = [file for file in served.home.rglob("*") if file.is_file()]
    assert files
    assert not [file for file in files if made["token"].encode() in file.read_bytes()]
    shown = asked("tokens", "list", "--json", environ=served.environ).stdout
    assert made["id"] in shown
    assert made["token"] not in shown


def test_reload_finds_servers_of_both_transports_and_a_faulty_file_changes_none(served: Served) -> None:
    secret = token(served.environ, "reloader")["token"]
    config = served.home / "serve.toml"
    whole = config.read_text("utf-8")
    with subprocess.Popen(  # noqa: S603 - our own program
        [*PROGRAM, "serve", "--config", str(config)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=served.environ,
        text=True,
    ) as local:
        assert local.stdin is not None
        assert local.stdout is not None
        local.stdin.write('{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n')
        local.stdin.flush()
        local.stdout.readline()
        # What a crash left behind, under a number that is another program's by now.
        stale = served.home / ".local/state/exchange-mcp/running/1.json"
        stale.write_text('{"pid": 1, "reached": "stdio", "config": null}', encoding="utf-8")
        config.write_text(whole.replace("[accounts.main]", "[accounts.renamed]"), encoding="utf-8")
        done = reloaded(served.environ)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.count(": reloaded") == 2
        assert f"({served.url}): reloaded" in done.stdout
        assert "(stdio): reloaded" in done.stdout
        assert not stale.exists()
        config.write_text(whole.replace('venue = "binance"', 'venue = "nowhere"'), encoding="utf-8")
        done = reloaded(served.environ)
        assert done.returncode == 1
        assert done.stderr.count("nothing changed") == 2
        assert f"{config}:" in done.stderr
        config.write_text(whole, encoding="utf-8")
        with served.http() as http:
            headers = served.headers(secret, served.session(http, secret))
            http.post(served.url, headers=headers, json=INITIALIZED)
            balances = structured(http.post(served.url, headers=headers, json=BALANCE).text)["data"][
                "balances"
            ]
            assert {balance["account"] for balance in balances} == {"renamed"}
        assert reloaded(served.environ).returncode == 0
        local.stdin.close()
        assert local.wait(timeout=10) == 0


def test_where_no_server_runs_reload_says_so(environ: Environment) -> None:
    done = asked("reload", environ=environ)
    assert (done.exit_code, done.stdout) == (1, "")
    assert "no server of yours is running" in done.stderr


def test_a_port_that_is_taken_is_said_in_a_line(served: Served) -> None:
    port = served.url.split(":")[2].partition("/")[0]
    done = asked("serve", "--transport", "http", "--venue", "kraken", "--port", port, environ=served.environ)
    assert done.exit_code == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"Error: serve at 127.0.0.1: port {port} is in use by another program")
    assert f":{port}" in line.partition("See which")[2]  # the command that names it
    assert "--port PORT" in line


# The last one here: it ends the server that others asked.
def test_a_signal_ends_it_within_its_bound_with_a_stream_and_a_call_open(secured: Secured, sim: Sim) -> None:
    server = secured.server
    with secured.http() as http:
        session = server.session(http, secured.token)
        headers = server.headers(secured.token, session)
        http.post(server.url, headers=headers, json=INITIALIZED)
        sim.fail(path="/api/v3/account", kind="hang")
        try:
            with (
                http.stream("GET", server.url, headers=headers) as stream,
                http.stream("POST", server.url, headers=headers, json=BALANCE) as call,
            ):
                since = time.monotonic()
                # One second for the drain, up to three for closing, and a machine that is busy.
                assert server.ended(signal.SIGTERM) == 0
                assert time.monotonic() - since < 8
                assert list(stream.iter_raw()) == []
                assert b"balances" not in b"".join(call.iter_raw())
        finally:
            sim.heal()
        assert "Traceback" not in server.log.read_text("utf-8")
        assert list((server.home / ".local/state/exchange-mcp/running").iterdir()) == []
