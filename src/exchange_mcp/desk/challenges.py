"""Nonces that the desk minted and nobody used yet: each for one statement, for two minutes, in this run alone."""

from typing import Final

from exchange_mcp.desk.approvers import refused
from exchange_mcp.model.ports import Clock, Entropy

LIFE_MS: Final = 120_000
NONCE_BYTES: Final = 16
_MOST: Final = 256


class Challenges:
    """The nonces of everything that is signed but grants, whose own are minted with each decision."""

    def __init__(self, clock: Clock, entropy: Entropy) -> None:
        self._clock = clock
        self._entropy = entropy
        self._minted: dict[str, int] = {}

    def mint(self) -> tuple[str, int]:
        """A nonce and until when it is good. Too many at once push out the oldest."""
        now_ms = self._clock.now_ms()
        self._minted = {nonce: until for nonce, until in self._minted.items() if until > now_ms}
        while len(self._minted) >= _MOST:
            del self._minted[next(iter(self._minted))]
        nonce, until = self._entropy.token(NONCE_BYTES).hex(), now_ms + LIFE_MS
        self._minted[nonce] = until
        return nonce, until

    def take(self, nonce: str, expires_ms: int) -> None:
        """Use up a nonce, whatever comes of the statement that carries it.

        Raises:
            DeskError: SIGNATURE_REFUSED: it was not minted here, was used, or its time is over.
        """
        until = self._minted.pop(nonce, None)
        if until is None:
            raise refused("its nonce is not one that this desk minted and nobody used")
        if expires_ms != until:
            raise refused("it says another expiry than the desk gave its nonce")
        if self._clock.now_ms() >= until:
            raise refused("its time is over")

    def __len__(self) -> int:
        return len(self._minted)
