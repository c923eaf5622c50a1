"""`exchange-mcp desk`, unchanged but that it notes when each step of a write was done.

Run as a program, with a file's path in BENCH_MARKS: a line each, `STEP NANOSECONDS`, by the monotonic clock, which all
processes of a machine share (clock_gettime(2)).
"""

import inspect
import os
import sys
import time
from asyncio import sslproto
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable

ORDER: Final = b"POST /api/v3/order "


def main() -> None:
    """Run the desk."""
    from exchange_mcp.cli.entry import main as run  # noqa: PLC0415 - as the program itself begins
    from exchange_mcp.desk.journal import Journal  # noqa: PLC0415 - as above
    from exchange_mcp.desk.trading.venue import TradingDeskVenue  # noqa: PLC0415 - as above

    descriptor = os.open(os.environ["BENCH_MARKS"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def mark(step: str) -> None:
        os.write(descriptor, f"{step} {time.monotonic_ns()}\n".encode())

    def after(kind: type, name: str, step: str) -> None:
        done: Callable[..., Any] = getattr(kind, name)
        if inspect.iscoroutinefunction(done):

            async def waited(*given: Any, **named: Any) -> Any:  # noqa: ANN401 - whatever it is
                answer = await done(*given, **named)
                mark(step)
                return answer

            setattr(kind, name, waited)
            return

        def called(*given: Any, **named: Any) -> Any:  # noqa: ANN401 - as above
            answer = done(*given, **named)
            mark(step)
            return answer

        setattr(kind, name, called)

    # Where bytes leave asyncio for the TLS layer: every order is the first of its connection.
    transport: Any = getattr(sslproto, "_SSLProtocolTransport")  # noqa: B009 - it has no public name
    write: Callable[..., Any] = transport.write
    writelines: Callable[..., Any] = transport.writelines

    def writes(self: object, data: bytes) -> None:
        if bytes(data[: len(ORDER)]) == ORDER:
            mark("sent")
        write(self, data)

    def writes_lines(self: object, lines: Iterable[bytes]) -> None:
        parts = list(lines)
        if parts and bytes(parts[0][: len(ORDER)]) == ORDER:
            mark("sent")
        writelines(self, parts)

    transport.write, transport.writelines = writes, writes_lines
    after(Journal, "propose", "durable")
    after(TradingDeskVenue, "recheck", "rechecked")
    after(TradingDeskVenue, "ready", "ready")
    after(Journal, "claim", "claimed")
    sys.argv = ["exchange-mcp", "desk"]
    run()


if __name__ == "__main__":
    main()
