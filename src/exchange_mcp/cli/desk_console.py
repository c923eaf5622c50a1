"""The port of a new desk's console: the usual one or what was said; where another program has that, a free one."""

from typing import Final

from exchange_mcp.cli.asking import Asker, say
from exchange_mcp.config.desk_tables import ConsoleTable
from exchange_mcp.desk.console.listening import console_sockets

_HIGHEST: Final = 65_535
_NEAR: Final = 50


def console_port(asker: Asker, given: int | None, *, usual: int = ConsoleTable().port) -> int | None:
    """What stands as `port` in [console]; None where nothing has to, since it is the usual one.

    Raises:
        UsageError: what was given is in use, and nobody can be asked.
    """
    if given is None and _is_free(usual):
        return None
    if given is None:
        say(f"\nPort {usual}, the usual one of the page to decide on, is in use on this machine.")
    free = next((port for port in range(usual + 1, usual + _NEAR) if _is_free(port)), None)
    answer = asker.ask(
        "--console-port",
        "Port of the page to decide on",
        default=None if free is None else str(free),
        given=None if given is None else str(given),
        judge=_refusal,
    )
    if given is None:
        say(f"The page to decide on gets port {answer}.")
    return int(answer)


def _refusal(answer: str) -> str | None:
    is_whole = answer.isascii() and answer.isdecimal() and len(answer) <= len(str(_HIGHEST))
    if not is_whole or not 1024 <= int(answer) <= _HIGHEST:  # noqa: PLR2004 - below are the system's own
        return f"give a whole number from 1024 to {_HIGHEST}"
    return None if _is_free(int(answer)) else f"port {answer} is in use on this machine"


def _is_free(port: int) -> bool:
    try:
        sockets = console_sockets(port)
    except OSError:
        return False
    for each in sockets:
        each.close()
    return True
