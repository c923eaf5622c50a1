"""How log records leave: one chain to one stream, where every record is scrubbed before it is text.

Records of structlog and of the standard library, of our own code and of libraries, warnings and uncaught
exceptions all take it. Take loggers from `get_logger` here: structlog by itself prints to standard output,
which belongs to the protocol.
"""

import logging
import re
import sys
import threading
import traceback
from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Literal, TextIO, cast

from exchange_mcp.config.redaction import Redactor


@contextmanager
def _without_rich() -> Generator[None]:
    """Keep structlog from importing rich, for tracebacks that nobody here asks it for.

    Where rich is installed, that is three quarters of what importing structlog costs, at every start.
    """
    modules = cast("dict[str, ModuleType | None]", sys.modules)
    if "rich" in modules:
        yield
        return
    modules["rich"] = None  # the import system's own way to say: not importable
    try:
        yield
    finally:
        del modules["rich"]


with _without_rich():
    import structlog
    from structlog.typing import EventDict, Processor, WrappedLogger

LogFormat = Literal["console", "json"]
LogLevel = Literal["debug", "info", "warning", "error"]

# Line breaks, terminal escapes and direction marks could forge or disguise a line.
_UNPRINTABLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]"
)
_INDENT = "    | "
_MANY_LINES = {"exception", "stack"}

structlog.configure(
    processors=[
        structlog.stdlib.filter_by_level,
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
    ],
    wrapper_class=structlog.stdlib.BoundLogger,
    logger_factory=structlog.stdlib.LoggerFactory(),
    cache_logger_on_first_use=True,
)


def get_logger(name: str) -> structlog.stdlib.BoundLogger:
    """The logger of a module, by its `__name__`."""
    return structlog.stdlib.get_logger(name)


def caller_in_log(name: str) -> AbstractContextManager[None]:
    """Within the block, every record of this task and of those that it starts says that this client calls."""
    return structlog.contextvars.bound_contextvars(caller=name)


def configure_logging(
    log_format: LogFormat, level: LogLevel, *, redactor: Redactor, stream: TextIO | None = None
) -> None:
    """From now on every record goes to `stream` (standard error) and nowhere else, scrubbed by `redactor`.

    `log_format` is "console", for people, or "json", one object a line. Handlers that others installed are
    removed, from the root and from every logger that exists. ccxt is silent below INFO, where it prints keys
    and signatures. Warnings and uncaught exceptions, of threads and finalisers too, become records.
    """
    output = sys.stderr if stream is None else stream
    handler = _Handler(output)
    handler.addFilter(_is_fit_to_print)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            # What a library logs while it serves a client's request bears the client's name too.
            foreign_pre_chain=[structlog.contextvars.merge_contextvars],
            processors=[_Scrubbed(redactor), *_renderers(log_format, colors=output.isatty())],
        )
    )
    for logger in logging.root.manager.loggerDict.values():
        if isinstance(logger, logging.Logger):
            logger.handlers.clear()
            logger.propagate = True
    logging.root.handlers[:] = [handler]
    logging.root.setLevel(level.upper())
    logging.captureWarnings(capture=True)
    _log_uncaught()


class _Handler(logging.StreamHandler[TextIO]):
    """Says that a record could not be written without showing it, as the standard handler would."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the name is logging's
        error = sys.exception()
        with suppress(OSError, ValueError):
            self.stream.write(
                f"a record of {record.levelname} from {Path(record.pathname).name}:{record.lineno} "
                f"could not be logged: {type(error).__name__}{self.terminator}"
            )


class _Scrubbed:
    """What a record says, as plain data without a secret, its exception as text."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor

    def __call__(self, _logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
        record: logging.LogRecord = event.pop("_record")
        del event["_from_structlog"]
        exception = _traceback(event.pop("exc_info", None))
        stack = event.pop("stack_info", None)
        described: EventDict = {
            "timestamp": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": event.pop("event", ""),
        }
        fields = {**described, **event, **described}
        if exception is not None:
            fields["exception"] = exception
        if isinstance(stack, str):
            fields["stack"] = stack
        return cast("EventDict", self._redactor.scrub_value(fields))


def _renderers(log_format: LogFormat, *, colors: bool) -> list[Processor]:
    if log_format == "json":
        return [structlog.processors.JSONRenderer()]
    plain = structlog.dev.plain_traceback
    return [_on_one_line, structlog.dev.ConsoleRenderer(colors=colors, exception_formatter=plain)]


def _on_one_line(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Nothing that a record says can look like a record of its own."""
    return {
        _visible(key): value
        if not isinstance(value, str)
        else "\n".join(_INDENT + _visible(line) for line in value.split("\n"))
        if key in _MANY_LINES
        else _visible(value)
        for key, value in event.items()
    }


def _visible(text: str) -> str:
    return _UNPRINTABLE.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def _traceback(error: object) -> str | None:
    """The traceback as text; structlog takes an exception, its triple, or True for the one being handled."""
    if isinstance(error, tuple):
        error = cast("tuple[object, object, object]", error)[1]
    elif error is True:
        error = sys.exception()
    if not isinstance(error, BaseException):
        return None
    return "".join(traceback.format_exception(error)).rstrip()


def _is_fit_to_print(record: logging.LogRecord) -> bool:
    return record.levelno >= logging.INFO or record.name.partition(".")[0] != "ccxt"


def _log_uncaught() -> None:
    log = logging.getLogger(__name__)

    def uncaught(_kind: type[BaseException], error: BaseException, _traceback: TracebackType | None) -> None:
        log.critical("uncaught exception", exc_info=error)

    def uncaught_in_thread(hook: threading.ExceptHookArgs) -> None:
        if hook.exc_type is not SystemExit:
            log.critical("uncaught exception in a thread", exc_info=hook.exc_value)

    def ignored(hook: "sys.UnraisableHookArgs") -> None:
        log.error("ignored exception", exc_info=hook.exc_value)

    sys.excepthook = uncaught
    threading.excepthook = uncaught_in_thread
    sys.unraisablehook = ignored
