"""The system's randomness, where a command hands it to those who take it from outside."""

import secrets


class SystemEntropy:
    """The operating system's own; it cannot be seeded."""

    def token(self, size: int) -> bytes:
        """So many bytes that nobody can guess."""
        return secrets.token_bytes(size)
