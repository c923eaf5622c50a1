"""`approvals watch`: the list of what waits, which follows the desk's news, and the keys that decide on one of them."""

import json
import os
import select
import sys
import termios
import threading
import tty
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self

import click

from exchange_mcp.cli.clock import SystemClock
from exchange_mcp.cli.deciding import approve, followed, opened, say_granted, says_yes, told
from exchange_mcp.cli.decision_shown import remaining, show_page
from exchange_mcp.cli.signing import signer_of
from exchange_mcp.cli.tabled import console
from exchange_mcp.config.faults import SecretError
from exchange_mcp.desk.operator.approving import NotSignableError
from exchange_mcp.desk.operator.client import OperatorClient
from exchange_mcp.desk.operator.messages import Decline, IntentView
from exchange_mcp.desk.operator.page import age
from exchange_mcp.model.errors import ErrorCode, ExchangeMcpError
from exchange_mcp.model.instants import iso
from exchange_mcp.model.venue_text import visible

if TYPE_CHECKING:
    from rich.console import RenderableType

_POLL_MS: Final = 20_000
_FOLLOW_MS: Final = 20_000
_MOST_SHOWN: Final = 9
_NEWS: Final = "news"
_GONE: Final = "gone"
_CTRL_C: Final = "\x03"
_CTRL_D: Final = "\x04"
_LOST: Final = frozenset({ErrorCode.DESK_UNREACHABLE, ErrorCode.DESK_VERSION})


def follow_lines(client: OperatorClient, *, is_json: bool) -> None:
    """Print what waits, and from then on an event a line, until interrupted or the desk is gone."""
    head = client.head()
    for view in client.intents(state="open", limit=500).intents:
        _print_line(view.model_dump(mode="json") if is_json else f"waiting  {view.id}  {view.summary}")
    while True:
        news = client.news(after=head, wait_ms=_POLL_MS)
        for event in news.events:
            if is_json:
                _print_line(event.model_dump(mode="json"))
            else:
                _print_line(f"{iso(event.at)}  {event.kind:<12}  {_subject(event.text)}")
        head = news.events[-1].seq if news.events else head


def watch(client: OperatorClient, *, approver: str | None, key: Path | None, by: str) -> None:
    """Show what waits and let a person decide on it, until q."""
    with _Ear(client) as ear:
        while True:
            view = _chosen(client, ear)
            if view is None:
                return
            try:
                _decide(client, ear, view, approver=approver, key=key, by=by)
            except (NotSignableError, SecretError) as error:
                click.echo(str(error), err=True)
            except ExchangeMcpError as error:
                if error.code in _LOST:
                    raise
                click.echo(f"{error.message} {error.next_step}".strip(), err=True)
            except click.ClickException as error:
                click.echo(error.format_message(), err=True)
            with _unbuffered():
                click.echo("Any key goes back to the list.", err=True)
                ear.heard(None)


class _Ear:
    """Hears keys and news at once. News are asked for in a thread, which only says that there are some."""

    def __init__(self, client: OperatorClient) -> None:
        self._client = client
        self._head = 0
        self._read, self._write = os.pipe()
        self._error: ExchangeMcpError | None = None
        self._thread = threading.Thread(target=self._listen, daemon=True)

    def __enter__(self) -> Self:
        self._head = self._client.head()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._read)

    def heard(self, seconds: float | None) -> str | None:
        """The next key, NEWS, or None after so long; raises what ended the listening."""
        ready, _, _ = select.select([sys.stdin.fileno(), self._read], [], [], seconds)
        if sys.stdin.fileno() in ready:
            return os.read(sys.stdin.fileno(), 1).decode("utf-8", "replace") or _CTRL_D
        if self._read in ready:
            os.read(self._read, 4096)
            if self._error is not None:
                raise self._error
            return _NEWS
        return None

    def _listen(self) -> None:
        try:
            while True:
                news = self._client.news(after=self._head, wait_ms=_POLL_MS)
                if news.head > self._head:
                    self._head = news.head
                    os.write(self._write, b"n")
        except ExchangeMcpError as error:
            self._error = error
            with suppress(OSError):
                os.write(self._write, b"n")
        except OSError:  # nobody reads any more
            pass


def _chosen(client: OperatorClient, ear: _Ear) -> IntentView | None:
    """The proposal that a person opens; None: they leave."""
    from rich.live import Live  # noqa: PLC0415 - only at a terminal

    waiting = client.intents(state="open", limit=_MOST_SHOWN).intents
    with _unbuffered(), Live(_drawn(waiting), console=console(), auto_refresh=False, transient=True) as live:
        while True:
            live.update(_drawn(waiting), refresh=True)
            heard = ear.heard(1.0)
            if heard == _NEWS:
                before = {view.id for view in waiting}
                waiting = client.intents(state="open", limit=_MOST_SHOWN).intents
                if {view.id for view in waiting} - before:
                    sys.stdout.write("\a")  # the bell: something new waits
            elif heard in {"q", _CTRL_C, _CTRL_D}:
                return None
            elif heard is not None and heard.isdigit() and 0 < int(heard) <= len(waiting):
                return waiting[int(heard) - 1]


def _decide(  # noqa: PLR0913 - who decides, and on what
    client: OperatorClient, ear: _Ear, view: IntentView, *, approver: str | None, key: Path | None, by: str
) -> None:
    decidable, page = opened(client, view.id)
    show_page(page, SystemClock().now_ms())
    with _unbuffered():
        click.echo("a approve   d decline   any other key: back", err=True)
        while (pressed := ear.heard(None)) == _NEWS:
            pass
    if pressed == "d":
        click.echo(told(client.decline(view.id, Decline(by=by))))
    elif pressed == "a":
        signer = signer_of(client, approver, key)
        if not signer.is_scripted and not says_yes(page):
            click.echo("Not approved; the proposal waits as before.", err=True)
            return
        done = approve(client, decidable, signer)
        say_granted(done)
        if done.is_complete:
            click.echo(told(followed(client, view.id, wait_ms=_FOLLOW_MS)))


def _drawn(waiting: tuple[IntentView, ...]) -> "RenderableType":
    from rich.console import Group  # noqa: PLC0415 - as above
    from rich.table import Table  # noqa: PLC0415 - as above
    from rich.text import Text  # noqa: PLC0415 - as above

    now_ms = SystemClock().now_ms()
    if not waiting:
        return Text("Nothing waits for a decision.   q quits", style="dim")
    drawn = Table(header_style="bold", pad_edge=False)
    for name in ("", "account", "what", "effect", "by", "proposed", "expires in"):
        drawn.add_column(name, overflow="fold")
    for number, view in enumerate(waiting, 1):
        colour = "bold red" if view.environment == "live" else ""
        cells = (
            str(number),
            f"{view.account} {view.environment.upper()}",
            view.summary,
            (view.effect or view.action).upper(),
            view.client,
            age(view.created_at, now_ms),
            remaining(view.expires_at, now_ms),
        )
        drawn.add_row(*(Text(visible(cell), style=colour) for cell in cells))
    return Group(drawn, Text("a number opens one   q quits", style="dim"))


@contextmanager
def _unbuffered() -> Generator[None]:
    """Every key counts as it is pressed, and is not shown; what was pressed before does not count."""
    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    tty.setcbreak(descriptor, termios.TCSAFLUSH)
    try:
        yield
    finally:
        termios.tcsetattr(descriptor, termios.TCSAFLUSH, before)


def _subject(text: str) -> str:
    """Which intent an event is about, where it is about one."""
    try:
        intent = json.loads(text).get("intent")
    except (ValueError, AttributeError):
        return ""
    return visible(intent) if isinstance(intent, str) else ""


def _print_line(told: object) -> None:
    click.echo(told if isinstance(told, str) else json.dumps(told))
    sys.stdout.flush()
