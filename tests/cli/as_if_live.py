"""Runs the program on a machine whose resolver and trust store lead Binance's live hosts to a simulated exchange.

Not a test: `python as_if_live.py RENDEZVOUS DIRECTORY ARGUMENT...`. The product is untouched; what is changed is what
it gets from the system and from certifi. No other name resolves.
"""

import json
import socket
import sys
from pathlib import Path
from typing import Any

import certifi

from exchange_mcp.cli.entry import main

published = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
authority = Path(sys.argv[2]) / "authority.pem"
authority.write_text(published["ca_pem"], encoding="utf-8")
certifi.where = lambda: str(authority)


def getaddrinfo(host: object, *_: object, **__: object) -> list[Any]:
    if not str(host).endswith(".binance.com"):
        raise socket.gaierror(socket.EAI_NONAME, f"{host} does not resolve here")
    return [(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", ("127.0.0.1", published["port"]))]


socket.getaddrinfo = getaddrinfo
del sys.argv[1:3]
main()
