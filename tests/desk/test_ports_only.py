"""The desk takes time and randomness from its ports: ruff says so, and here it is seen to."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def banned(module: str, source: str) -> bool:
    command = [sys.executable, "-m", "ruff", "check", "--no-cache", "--select", "TID251", "-q"]
    done = subprocess.run(  # noqa: S603 - the linter that is installed beside us
        [*command, "--stdin-filename", str(ROOT / module), "-"],
        input=source,
        text=True,
        capture_output=True,
        check=False,
        cwd=ROOT,
    )
    return "TID251" in done.stdout


@pytest.mark.parametrize(
    "source",
    [
        "import time\n",
        "from time import monotonic\n",
        "import random\n",
        "import uuid\n",
        "import secrets\n",
        "import os\nos.urandom(8)\n",
        "from datetime import datetime\ndatetime.now()\n",
    ],
)
def test_time_and_randomness_are_banned_in_the_desk_and_nowhere_else(source: str) -> None:
    assert banned("src/exchange_mcp/desk/new.py", source)
    assert not banned("src/exchange_mcp/cli/new.py", source)
