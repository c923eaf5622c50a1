"""Secrets appear nowhere but at home: all that this product says, writes and shows the system is searched for them.

One desk from its setup to its end, with a server, a client, a person at a terminal and one at the console before it, at
a venue that repeats in its errors what the requests were signed with. Then each secret is looked for in every form.
"""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import AsyncGenerator, Generator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, Final

import anyio
import httpx
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from cli.launching import asked, ran
from desk.console.visiting import ASKS, LOOKS
from exchange_mcp.config.owner_only import write_owner_only
from exchange_mcp.desk.operator.messages import IntentView
from exchange_mcp.link.messages import BASE_URL, PROTOCOL, PROTOCOL_HEADER
from exchange_mcp.tools.declarations import declaration_of, digest_of
from exchange_mcp.tools.registry import builtin
from faults.fault_proxy import At, Fault

from .as_live import PASSPHRASE, WRONG, AsLive, as_live, set_up, signatures
from .needles import Needle, Watched, files_under, forms, traces, watched_processes

# What goes through the product beside the secrets and is no secret: the search has to find it wherever it can be.
SAID: Final = "the-note-that-everybody-may-read-4711"
VENUES_WORDS: Final = "what-the-venue-says-and-everybody-may-read-4712"
SIGNED_READS: Final = r"GET /(api|fapi)/\S*signature="
ORDERS: Final = r"POST /api/v3/order\b"
# What has to be found, by the same search, in each kind of place: what a model, a person and the venue said, and what
# stands in every log of the desk and of serve.
CONTROLS: Final = (
    Needle("a note", SAID.encode()),
    Needle("the venue's words", VENUES_WORDS.encode()),
    Needle("the beginning of an echo", b"binance says: refused"),
    Needle("a line of the log", b'"logger": "exchange_mcp.'),
)
KINDS: Final = (
    "process cmdline",
    "process environ",
    "said by terminal approvals approve",
    "said by serve get_balance",
    "said by proposals socket",
    "said by operator socket",
    "said by console page",
    "said by console act",
    "said by propose",
    "said by status",
    "said by intents show",
    "said by halt",
    "said by audit export",
    "said by scope check",
    "said by policy explain",
    "file home/.local/state/exchange-mcp/desk/journal.db",
    "after the kill, file home/.local/state/exchange-mcp/desk/journal.db-wal",
    "file home/log",
    "file home/serve.log",
)


def test_a_run_of_twelve_characters_is_found_in_every_form_and_wherever_it_begins() -> None:
    secret = "nine grey geese & 1 fox/ein schönes Wort+"
    for form, (text, run) in forms(secret.encode()).items():
        for at in range(len(text) - run + 1):
            left = b"something, " + text[at : at + run] + b"\n"
            assert traces([Needle("it", secret.encode())], {"left": left, "not left": b"something"}), (
                form,
                at,
            )
            assert not traces([Needle("it", secret.encode(), ("left",))], {"left": left})


def test_no_secret_is_in_anything_that_was_said_written_or_shown() -> None:
    with as_live() as live, watched_processes() as watched:
        set_up(live)
        configured(live)
        live.desk.start(is_open=False)
        accepted(live)
        live.desk.until(lambda status: status.closed is None and status.accounts[0].closed is None)
        with planted_in_a_process():
            watched.look()
        anyio.run(proposed_by_a_model, live)
        refused = refused_by_the_venue(live)
        at_the_sockets(live)
        console = at_the_console(live)
        faulted(live)
        killed_and_started_again(live)
        told_to_the_operator(live, refused)
        live.desk.stop()
        broken_on_purpose(live)
        places = everything(live, watched)
        assert traces(needles(live, console), places) == []
        looked_at = traces(CONTROLS, places)
        assert [kind for kind in KINDS if not any(f" in {kind}" in line for line in looked_at)] == []


@contextmanager
def planted_in_a_process() -> Generator[None]:
    """A process with what is no secret among its arguments and in its environment."""
    waits = [sys.executable, "-c", "input()", SAID]
    with subprocess.Popen(waits, stdin=subprocess.PIPE, env={"SAID": SAID}) as process:  # noqa: S603 - our own
        yield
        process.communicate(b"\n")


def configured(live: AsLive) -> None:
    """What serve is told, and that the desk trades an account that nobody can compare."""
    file, desk = live.places.desk_file, live.desk
    text = file.read_text(encoding="utf-8")
    unmatched = 'accept_unmatched = "a test of everything"\n'
    file.write_text(text.replace("[accounts.main]\n", f"[accounts.main]\n{unmatched}"), encoding="utf-8")
    for part, value in zip(("api_key", "secret"), live.reader, strict=True):
        write_owner_only(live.places.config / "keys" / f"main.serve.{part}", value.encode())
    keys = json.dumps(str(live.places.config / "keys" / "main.serve."))[:-1]
    serve = f"""client = "assistant"
[log]
format = "json"
level = "debug"
[accounts.main]
venue = "binance"
environment = "live"
market_types = ["spot", "linear"]
accept_unverified = "a test of everything"
[accounts.main.key]
api_key = {{ file = {keys}api_key" }}
secret = {{ file = {keys}secret" }}
[desk]
socket = {json.dumps(str(desk.places.proposal_socket))}
tools = ["place_order", "cancel_order", "set_leverage"]
[desk.credentials]
assistant = {{ file = {json.dumps(str(live.places.client_credential))} }}
"""
    write_owner_only(live.places.serve_file, serve.encode())


def accepted(live: AsLive) -> None:
    """`desk accept`."""
    with live.terminal("desk", "accept") as person:
        person.answer("To sign it", "accept")
        person.answer("Passphrase of", PASSPHRASE)
        assert "accepted and in force" in person.rest()


@asynccontextmanager
async def served(live: AsLive) -> AsyncGenerator[Client]:
    """A client that launched `exchange-mcp serve`."""
    program, *arguments = live.desk.program
    server = StdioServerParameters(command=program, args=[*arguments, "serve"], env=dict(live.desk.environ))
    with (live.desk.home / "serve.log").open("a") as log:
        async with Client(stdio_client(server, errlog=log)) as client:
            yield client


async def proposed_by_a_model(live: AsLive) -> None:
    """Through serve: a proposal that a person approves at a terminal, and reads that the venue refuses."""
    async with served(live) as client:
        await asked_by_a_model(live, client)


async def asked_by_a_model(live: AsLive, client: Client) -> None:
    """What a client of serve asks and proposes, and a person approves meanwhile."""

    async def calls(tool: str, **arguments: object) -> dict[str, Any]:
        result = await client.call_tool(tool, arguments)
        live.heard(f"serve {tool}", result.model_dump_json())
        return result.structured_content or {}

    order = {"account": "main", "symbol": "BTC/USDT", "side": "buy", "type": "market", "amount": "0.001"}
    answer = await calls("place_order", **order, note=SAID)
    assert answer["error"] is None, answer
    intent = answer["data"]["intent_id"]
    with live.terminal("approvals", "approve", intent) as person:
        person.answer("To approve, type", "approve")
        person.answer("Passphrase of", WRONG)
        person.answer("Passphrase of", PASSPHRASE)
        person.rest()
    assert person.process.returncode == 0, person.shown
    live.desk.settled(intent, "placed")
    live.before = intent
    # To serve's key alone: what the desk asks of its own meanwhile is answered.
    with echoing(live, rf"(?is)GET /.*\r\nx-mbx-apikey: {live.reader[0]}"):
        for tool in ("get_balance", "get_open_orders", "get_positions"):
            answer = await calls(tool, account="main")
            assert "binance says: refused" in json.dumps(answer), answer
        await calls("get_ticker", account="main", symbol="ETH/USDT")
        await calls("preview_order", **{**order, "symbol": "ETH/USDT"})
    for tool, arguments in (
        ("get_intent", {"intent_id": intent}),
        ("list_accounts", {}),
        ("get_key_scope", {}),
        ("place_order", {**order, "amount": "50"}),
        ("place_order", {**order, "secret": live.trader[1]}),
    ):
        await calls(tool, **arguments)


class echoing:  # noqa: N801 - it is used as a function
    """While it is open, the venue answers these requests with an error that repeats them."""

    def __init__(self, live: AsLive, requests: str, **how: Any) -> None:  # noqa: ANN401 - of `Echoing`
        self._proxy, self._requests, self._how = live.proxy, requests, how

    def __enter__(self) -> None:
        self._before = self._proxy.echoed
        for name, value in ({"status": 400, "code": -1102, "acts": False} | self._how).items():
            setattr(self._proxy, name, value)
        self._proxy.echoes = re.compile(self._requests)

    def __exit__(self, *failed: object) -> None:
        self._proxy.echoes = None
        assert failed[0] is not None or self._proxy.echoed > self._before, "the venue was not asked this"


def refused_by_the_venue(live: AsLive) -> str:
    """An order that the venue refuses with such an error; its intent's id."""
    intent = live.desk.buy("0.010", symbol="ETH/USDT")
    with echoing(live, ORDERS):
        live.desk.approve(intent.id)
        assert live.desk.settled(intent.id, "rejected", "unknown", "placed").state == "rejected"
    words = json.dumps({"code": -1102, "msg": VENUES_WORDS})
    said = (
        f"HTTP/1.1 400 Said\r\nContent-Type: application/json\r\nContent-Length: {len(words)}\r\n\r\n{words}"
    )
    control = live.desk.buy("0.011", symbol="ETH/USDT")
    live.proxy.fault = Fault(instead=said.encode(), is_taken=False)
    live.desk.approve(control.id)
    live.desk.settled(control.id, "rejected")
    live.proxy.fault = Fault()
    return intent.id


def at_the_sockets(live: AsLive) -> None:
    """What both sockets answer to what is no request of theirs, the secrets put where they do not belong."""
    credential = live.places.client_credential.read_text(encoding="utf-8")
    api_key, secret = live.trader
    bodies: tuple[object, ...] = (
        {"proposal_id": secret, "api_secret": secret, "credential": credential},
        [credential],
        f"{secret}{{",
    )
    for which, socket in (
        ("proposals", live.places.proposal_socket),
        ("operator", live.places.operator_socket),
    ):
        for shown in (None, "Bearer nobody", f"Bearer {credential}", f"Basic {credential}"):
            headers = {PROTOCOL_HEADER: str(PROTOCOL)} | ({} if shown is None else {"Authorization": shown})
            with httpx.Client(
                transport=httpx.HTTPTransport(uds=str(socket), verify=False),
                base_url=BASE_URL,
                headers=headers,
            ) as http:
                for path in ("/v1/handshake", "/v1/proposals", "/v1/signed", "/v1/halt", "/v1/failures"):
                    for body in bodies:
                        content = body if isinstance(body, str) else json.dumps(body)
                        answer = http.post(
                            path, content=content, headers={"Content-Type": "application/json"}
                        )
                        live.heard(f"{which} socket, errors", str(answer.headers) + answer.text)
                for path in (
                    f"/v1/intents/{secret}",
                    f"/v1/{api_key}",
                    f"/v1/status?key={secret}",
                    f"/v1/intents/{live.before}",
                    "/v1/status",
                ):
                    answer = http.get(path)
                    live.heard(f"{which} socket", f"{answer.status_code} {answer.headers} {answer.text}")
    spec = builtin().get("cancel_order")
    assert spec is not None
    # A proposal that cannot be read at the venue is an answer with the venue's words, and an event.
    with echoing(live, r"GET /"), live.desk.client(credential) as http:
        draft = {
            "proposal_id": "of-the-canary",
            "tool": "cancel_order",
            "declaration": digest_of(declaration_of(spec)),
            "account": {
                "name": "main",
                "venue": "binance",
                "environment": "live",
                "market_types": ["spot", "linear"],
            },
            "action": "cancel",
            "request": {"symbol": "BTC/USDT", "order_id": "1"},
        }
        for _ in range(3):
            live.heard("proposals socket", http.post("/v1/proposals", json=draft).text)
        for _ in range(3):
            place = ("--account", "main", "--symbol", "BTC/USDT", "--side", "buy", "--type", "market")
            done = asked("propose", "place", *place, "--amount", "0.002", environ=live.desk.environ)
            live.heard("propose", done.output)
            assert "binance says: refused" in done.output, done.output


def at_the_console(live: AsLive) -> list[Needle]:
    """The console in a browser without a screen: every page, the stream, an act; what was secret of it."""
    waiting = live.desk.buy("0.012", symbol="ETH/USDT").id
    origin = live.desk.status().console
    assert origin is not None
    link = asked("console", environ=live.desk.environ).stdout.strip()
    secret = link.partition("#")[2]
    found = [Needle("the console's link", secret.encode())]
    with httpx.Client(base_url=origin, trust_env=False, timeout=30) as browser:
        asks = {**ASKS, "origin": origin}

        def seen(path: str) -> str:
            answer = browser.get(path, headers=LOOKS)
            text = answer.text.replace(root, "/d/here/") if root else answer.text
            return live.heard("console page", re.sub(r'data-nonce="[^"]+"', "", text))

        def act(path: str, said: Mapping[str, object]) -> httpx.Response:
            answer = browser.post(path, content=json.dumps(said), headers=asks)
            text = answer.text.replace(root, "/d/here/") if root else answer.text
            live.heard("console act", re.sub(r'"nonce": ?"[^"]+"', "", text))
            return answer

        root = ""
        seen("/")
        act("/enter", {"secret": f"{secret}x"})
        entered = browser.post("/enter", json={"secret": secret}, headers=asks)
        root = entered.json()["to"]
        act("/enter", {"secret": secret})  # again, and refused
        (cookie,) = browser.cookies.values()
        found += [
            Needle("the console's cookie", cookie.encode()),
            Needle("the console's door", root.strip("/").partition("/")[2].encode()),
        ]
        for page in (
            "",
            "intents",
            f"intents/{waiting}",
            f"intents/{live.before}",
            "limits",
            "accounts",
            "people",
            "nowhere",
        ):
            seen(root + page)
        listed = browser.get(root, headers=LOOKS).text
        nonce = re.search(rf'intents/{waiting}/open" data-nonce="([^"]+)"', listed)
        assert nonce is not None
        found.append(Needle("the nonce of a form", nonce[1].encode()))
        with echoing(live, SIGNED_READS):
            act(f"{root}intents/{waiting}/open", {"nonce": nonce[1]})
        act(f"{root}intents/{waiting}/open", {"nonce": nonce[1]})  # used up
        for it in ("intents?q=canary", f"intents/{waiting}"):
            seen(root + it)
        with browser.stream("GET", f"{root}events", headers={**LOOKS, "sec-fetch-dest": "empty"}) as stream:
            lines = stream.iter_lines()
            live.heard("console stream", next(lines) + next(lines) + next(lines) + next(lines))
        act(f"{root}leave", {"nonce": "x", "secret": live.trader[1]})
        assert root.strip("/") not in live.answers["console page"].decode()
    return found


def another(live: AsLive, amount: str) -> IntentView:
    """Another order of bitcoin, knowingly beside the one before."""
    order = {"symbol": "BTC/USDT", "side": "buy", "type": "market", "amount": amount}
    intent = live.desk.propose(distinct_from=live.before, **order)
    live.before = intent.id
    return intent


def faulted(live: AsLive) -> None:
    """A 5xx that repeats the order, and a cut, each after the venue took it: found again, by reading."""
    for amount, how in (("0.0013", "503"), ("0.0014", "cut")):
        intent = another(live, amount)
        if how == "cut":
            live.proxy.fault = Fault(answer=At.HALF, ending="reset")
            live.desk.approve(intent.id)
        else:
            with echoing(live, ORDERS, status=503, code=-1000, acts=True):
                live.desk.approve(intent.id)
                live.desk.settled(intent.id, "unknown", "placed")
        live.desk.settled(intent.id, "placed")
        live.proxy.fault = Fault()


def killed_and_started_again(live: AsLive) -> None:
    """SIGKILL while an order is on its way, and look-ups that the venue refuses at first."""
    intent = another(live, "0.0015")
    live.proxy.fault = Fault(answer=At.NOTHING, ending="left hanging")
    live.desk.approve(intent.id)
    live.desk.settled(intent.id, "dispatching")
    live.desk.kill()
    live.left = {f"after the kill, {name}": content for name, content in files_under(live.desk.home).items()}
    live.proxy.fault = Fault()
    with echoing(live, SIGNED_READS):
        live.desk.start(is_open=False)
        before = live.proxy.echoed
        live.desk.until(lambda _: live.proxy.echoed > before + 6)
        live.desk.until(lambda status: status.accounts[0].closed is not None)
        live.heard("status", asked("status", environ=live.desk.environ).output)
    # A start that could not look takes half a minute until it looks again.
    live.desk.kill()
    live.desk.start()
    live.desk.settled(intent.id, "placed")


def told_to_the_operator(live: AsLive, intent: str) -> None:
    """Every command that tells something, for people and for programs."""
    with live.desk.operator() as operator:
        waiting = operator.intents(state="open").intents[0].id
    for command in (
        ("status",),
        ("approvals", "list"),
        ("approvals", "show", waiting),
        ("approvals", "show", intent),
        ("intents", "list"),
        ("intents", "show", intent),
        ("approvers", "list"),
        ("clients", "list"),
        ("clients", "show", "assistant"),
        ("propose", "leverage", "--account", "main", "--symbol", "BTC/USDT:USDT", "--leverage", "1"),
        ("halt", "--reason", SAID),
        ("resume",),
        ("desk", "accept"),
    ):
        for more in ((), ("--json",)):
            live.heard(" ".join(command[:2]), asked(*command, *more, environ=live.desk.environ).output)
    garbage = live.desk.home / "garbage"
    write_owner_only(garbage, f"{PASSPHRASE} {live.trader[1]}".encode())
    order = (
        "propose",
        "place",
        "--account",
        "main",
        "--symbol",
        "BTC/USDT",
        "--side",
        "buy",
        "--type",
        "market",
    )
    for command in (("resume", "--key"), (*order, "--amount", "1", "--credential")):
        live.heard("a key of garbage", asked(*command, str(garbage), environ=live.desk.environ).output)
    garbage.unlink()
    journal = str(live.places.desk_journal)
    for command in (
        ("audit", "verify", journal),
        ("audit", "export", journal),
        ("egress", "explain", "binance"),
        ("scope", "explain", "binance"),
        ("outcome", "explain", "binance"),
    ):
        live.heard(" ".join(command[:2]), asked(*command, environ=live.desk.environ).output)
    assert "holds together" in live.answers["audit verify"].decode()
    order = json.dumps({"symbol": "BTC/USDT", "side": "buy", "type": "market", "amount": "0.001"})
    explained = ("policy", "explain", str(live.places.desk_file), "--account", "main", "--order", order)
    with echoing(live, r"GET /(api|sapi|fapi)/"):
        environ, program = live.desk.environ, live.desk.program
        with ThreadPoolExecutor() as pool:
            each = [
                (command[:2], pool.submit(ran, *command, environ=environ, program=program))
                for command in (("scope", "check", "--json"), explained)
            ]
        for words, run in each:
            live.heard(" ".join(words), run.result().stdout + run.result().stderr)


def broken_on_purpose(live: AsLive) -> None:
    """Files that cannot be used, each of which some command has to say something about."""
    other = live.desk.home.with_name("broken")
    shutil.copytree(live.desk.home, other)
    secret, inside = live.trader[1], Path(".config/exchange-mcp")
    environ = {**live.desk.environ, "HOME": str(other), "XDG_RUNTIME_DIR": str(other / "run")}
    journal = Path(".local/state/exchange-mcp/desk/journal.db")
    key = inside / "keys/main.desk.secret"
    stands = f'[accounts.main]\nsecret = "{secret}"'
    for command, file, content, mode in (
        ("desk", journal, b"SQLite format 3\0" + secret.encode() * 99, 0o600),
        ("desk", key, f"{secret}\n".encode(), 0o644),
        ("desk", key, secret.encode()[:12] + b"\xff" * 9, 0o600),
        ("desk", inside / "desk.toml", stands.encode(), 0o600),
        ("desk", inside / "desk.toml", stands[:-1].encode(), 0o600),
        ("serve", inside / "serve.toml", stands.encode(), 0o600),
    ):
        before = (other / file).read_bytes()
        write_owner_only(other / file, content)
        (other / file).chmod(mode)
        if file == journal:
            done = ran(command, environ=environ, program=live.desk.program)
            code, said = done.returncode, done.stdout + done.stderr
            live.heard(
                "audit of garbage", asked("audit", "verify", str(other / file), environ=environ).output
            )
        else:
            result = asked(command, environ=environ)
            code, said = result.exit_code, result.output
        assert code != 0, (file, said)
        live.heard(f"broken {file}", said)
        write_owner_only(other / file, before)
    shutil.rmtree(other)


def everything(live: AsLive, watched: Watched) -> dict[str, bytes]:
    """All that there is to be searched, by name."""
    live.heard("desk said", "".join(live.desk.told))
    return {
        **{f"said by {name}": content for name, content in live.answers.items()},
        **watched.places(),
        **files_under(live.desk.home, live.desk.runtime),
        **live.left,
    }


def needles(live: AsLive, console: list[Needle]) -> list[Needle]:
    """Every secret, with the one file that is its home."""
    config = "home/.config/exchange-mcp"
    credential = live.places.client_credential.read_bytes()
    private = live.desk.key._private.private_bytes_raw()  # pyright: ignore[reportPrivateUsage] - there is no other way out
    keys = [
        Needle(f"{part} of the {whose} key", value.encode(), homes)
        for whose, key, name in (
            ("trading", live.trader, "main.desk"),
            ("reading", live.reader, "main.serve"),
            ("refused", live.refused, ""),
        )
        for part, value, homes in zip(
            ("the API key", "the secret"),
            key,
            [(f"{config}/keys/{name}.{part}",) if name else () for part in ("api_key", "secret")],
            strict=True,
        )
    ]
    made = sorted(signatures(live))
    return [
        *keys,
        Needle("the passphrase", PASSPHRASE.encode()),
        Needle("the wrong passphrase", WRONG.encode()),
        Needle("the client's credential", credential, (f"{config}/clients/serve.credential",)),
        Needle("the approver's private key", private),
        *(Needle(f"signature {number}", each.encode()) for number, each in enumerate(made)),
        *console,
    ]
