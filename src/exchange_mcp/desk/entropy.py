"""The operating system's entropy, the only source of ids outside of tests."""

import secrets


class SystemEntropy:
    """Random bytes from the operating system."""

    def token(self, size: int) -> bytes:
        """So many random bytes."""
        return secrets.token_bytes(size)
