"""Another program of this machine with a page of its own: it serves one page, and remembers what it was sent."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self


class Elsewhere:
    """A server on another port of loopback; `localhost` there is the same site as the console, 127.0.0.1 is not."""

    def __init__(self) -> None:
        self.cookies: list[str] = []
        kept = self.cookies

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                kept.append(self.headers.get("Cookie", ""))
                body = b"<!doctype html><title>elsewhere</title><p>hello</p>"
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its signature
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.port: int = self._server.server_address[1]

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(10)
