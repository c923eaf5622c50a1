"""How an MCP client launches the server: it knows neither our directory nor our environment."""

import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

# Without -P, a file in the directory of the caller or of an MCP client could stand in for a module of ours.
MODULE: Final = (sys.executable, "-P", "-m", "exchange_mcp")
_SCRIPT: Final = "exchange-mcp"


def program() -> tuple[str, ...]:
    """This program by absolute path: the script that was called, or else the module."""
    called = Path(sys.argv[0]).absolute()
    return (str(called),) if called.name == _SCRIPT and called.is_file() else MODULE


def pasted(
    name: str, command: Sequence[str], arguments: Sequence[str], variables: Mapping[str, str] | None = None
) -> str:
    """What to paste into a client's configuration, as JSON; `variables` are what the client has to pass on."""
    launch: dict[str, object] = {"command": command[0], "args": [*command[1:], *arguments]}
    searched = [part for part in os.environ.get("PYTHONPATH", "").split(os.pathsep) if part]
    passed = dict(variables or {})
    if searched:
        passed["PYTHONPATH"] = os.pathsep.join(str(Path(part).absolute()) for part in searched)
    if passed:
        launch["env"] = passed
    return json.dumps({"mcpServers": {name: launch}}, indent=2)
