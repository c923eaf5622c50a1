"""The operating system's entropy, where a command hands it to those who take randomness from outside."""

import secrets


class SystemEntropy:
    """Random bytes from the operating system: the only source of ids outside of tests."""

    def token(self, size: int) -> bytes:
        """So many random bytes."""
        return secrets.token_bytes(size)
