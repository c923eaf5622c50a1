"""What a tool may do. The effect decides what a handler is handed."""

from enum import StrEnum


class Effect(StrEnum):
    """local: nothing but this process's own state; read: asks venues; write: proposes a trade."""

    LOCAL = "local"
    READ = "read"
    WRITE = "write"
