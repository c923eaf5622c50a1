import io
import json
import logging
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from exchange_mcp.config.logs import LogFormat, LogLevel, configure_logging, get_logger
from exchange_mcp.config.redaction import Redactor

SECRET = "NhqPtmdSJYdKjVHjA7PZj4Mge3R5YNiP"
LIBRARIES = [
    "mcp.server.lowlevel",
    "uvicorn.error",
    "uvicorn.access",
    "ccxt.base.exchange",
    "aiohttp",
    "asyncio",
]

Configure = Callable[..., io.StringIO]


@pytest.fixture
def configure(monkeypatch: pytest.MonkeyPatch) -> Iterator[Configure]:
    """Configures logging for a redactor that knows the secret; gives what standard error would be."""
    handlers, level = logging.root.handlers[:], logging.root.level
    for owner, hook in ((sys, "excepthook"), (threading, "excepthook"), (sys, "unraisablehook")):
        monkeypatch.setattr(owner, hook, getattr(owner, hook))
    redactor = Redactor()
    redactor.learn(SECRET)

    def configure_for(log_format: LogFormat = "json", level: LogLevel = "debug") -> io.StringIO:
        stream = io.StringIO()
        configure_logging(log_format, level, redactor=redactor, stream=stream)
        return stream

    yield configure_for
    logging.root.handlers[:] = handlers
    logging.root.setLevel(level)
    logging.captureWarnings(capture=False)


def records(stream: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def fail_with(text: str) -> None:
    raise ValueError(text)


@pytest.mark.parametrize("log_format", ["console", "json"])
def test_no_secret_leaves_in_any_part_of_a_record(configure: Configure, log_format: LogFormat) -> None:
    stream = configure(log_format)
    log = get_logger("exchange_mcp.venue")
    library = logging.getLogger("aiohttp.client")

    log.info(SECRET, field=SECRET, nested={"a": [SECRET, {SECRET: 1}]}, error=ValueError(SECRET))
    library.warning("argument %s", SECRET, extra={"field": SECRET})
    library.warning({"event": SECRET})
    library.info("stack", stack_info=True)
    logging.getLogger(f"named.{SECRET}").info("named")
    try:
        try:
            fail_with(SECRET)
        except ValueError as error:
            raise RuntimeError(f"outer {SECRET}") from error
    except RuntimeError as error:
        log.exception("failed")
        library.exception("failed")
        log.warning("failed", exc_info=error)
        error.add_note(SECRET)
        log.warning("failed", exc_info=(type(error), error, error.__traceback__))

    assert SECRET not in stream.getvalue()
    assert stream.getvalue().count("ValueError: [redacted]") >= 4


def test_json_is_one_object_a_line_with_its_time_level_and_logger(configure: Configure) -> None:
    stream = configure("json")

    get_logger("exchange_mcp.server").warning("slow answer", tool="get_ticker", seconds=1.5, path=b"raw")

    (record,) = records(stream)
    assert record.pop("timestamp").endswith("+00:00")
    assert record == {
        "level": "warning",
        "logger": "exchange_mcp.server",
        "event": "slow answer",
        "tool": "get_ticker",
        "seconds": 1.5,
        "path": "raw",
    }


def test_a_field_cannot_pose_as_the_level_or_the_logger_of_its_record(configure: Configure) -> None:
    stream = configure("json")

    get_logger("ours").info("event", level="critical", logger="theirs", timestamp="never")

    (record,) = records(stream)
    assert (record["level"], record["logger"]) == ("info", "ours")
    assert record["timestamp"] != "never"


def test_an_exception_is_text_in_the_record_with_its_cause(configure: Configure) -> None:
    stream = configure("json")

    try:
        fail_with("made up")
    except ValueError:
        get_logger("ours").exception("failed")

    (record,) = records(stream)
    assert record["exception"].startswith("Traceback (most recent call last):\n")
    assert record["exception"].endswith("\nValueError: made up")


def test_nothing_that_a_venue_says_can_look_like_a_record_of_its_own_on_the_console(
    configure: Configure,
) -> None:
    stream = configure("console")
    said = "sorry\n2026-01-01T00:00:00.000+00:00 [info     ] all is well\r\x1b[2K\u202e\u2028"

    get_logger("ours").warning(said, venue_says=said, more=[said])
    logging.getLogger("ccxt.base").warning("%s", said)
    try:
        fail_with(said)
    except ValueError:
        get_logger("ours").exception("failed")

    lines = stream.getvalue().split("\n")
    assert len([line for line in lines if line.startswith("20")]) == 3
    assert all(line.startswith(("20", "    | ")) for line in lines if line)
    assert not set("\r\x1b\u202e\u2028") & set(stream.getvalue())


@pytest.mark.parametrize("name", LIBRARIES)
def test_a_library_that_brought_its_own_handler_loses_it(configure: Configure, name: str) -> None:
    own = io.StringIO()
    library = logging.getLogger(name)
    library.addHandler(logging.StreamHandler(own))
    library.propagate = False

    stream = configure("json")
    library.error(SECRET)

    assert own.getvalue() == ""
    assert [record["event"] for record in records(stream)] == ["[redacted]"]


def test_ccxt_is_silent_below_info_where_it_prints_keys(configure: Configure) -> None:
    stream = configure("json", "debug")
    library = logging.getLogger("ccxt.base.exchange")
    library.setLevel(logging.DEBUG)

    library.debug("headers with a key")
    library.info("shown")
    logging.getLogger("aiohttp").debug("shown too")

    assert [record["event"] for record in records(stream)] == ["shown", "shown too"]


def test_records_below_the_level_are_left_out(configure: Configure) -> None:
    stream = configure("json", "warning")

    get_logger("ours").info("no")
    logging.getLogger("theirs").info("no")
    get_logger("ours").warning("yes")

    assert [record["event"] for record in records(stream)] == ["yes"]


def test_a_record_that_cannot_be_written_is_said_to_without_showing_it(
    configure: Configure, capsys: pytest.CaptureFixture[str]
) -> None:
    stream = configure("console")

    logging.getLogger("theirs").info("%d", SECRET)

    assert "a record of INFO from test_logs.py" in stream.getvalue()
    assert "could not be logged: TypeError" in stream.getvalue()
    assert SECRET not in stream.getvalue()
    assert capsys.readouterr() == ("", "")


def test_warnings_become_records(configure: Configure) -> None:
    stream = configure("json")

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        logging.captureWarnings(capture=False)
        logging.captureWarnings(capture=True)
        warnings.warn(f"old {SECRET}", stacklevel=1)

    (record,) = records(stream)
    assert "UserWarning: old [redacted]" in record["event"]


def test_an_exception_that_ends_a_thread_becomes_a_record(configure: Configure) -> None:
    stream = configure("json")

    thread = threading.Thread(target=fail_with, args=(SECRET,))
    thread.start()
    thread.join()

    (record,) = records(stream)
    assert record["event"] == "uncaught exception in a thread"
    assert record["exception"].endswith("ValueError: [redacted]")


SCRIPT = f"""
import sys
from exchange_mcp.config.logs import configure_logging, get_logger
from exchange_mcp.config.redaction import Redactor
redactor = Redactor()
redactor.learn("{SECRET}")
get_logger("early").error("before anything is configured")
configure_logging("console", "info", redactor=redactor)
get_logger("late").info("afterwards")
class Finaliser:
    def __del__(self):
        raise ValueError("{SECRET}")
Finaliser()
print([name for name in sys.modules if name.partition(".")[0] == "rich"])
import rich
raise ValueError("{SECRET}")
"""


def test_a_process_logs_to_standard_error_alone_and_dies_without_telling() -> None:
    command = [sys.executable, "-c", SCRIPT]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - our own script

    assert ended.returncode == 1
    # structlog has not imported rich, and rich can be imported by who wants it.
    assert ended.stdout == "[]\n"
    assert "before anything is configured" in ended.stderr
    assert ended.stderr.count("ValueError: [redacted]") == 2
    assert SECRET not in ended.stderr
