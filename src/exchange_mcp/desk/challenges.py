"""Nonces that the desk minted and nobody used yet: each for one statement, for two minutes, in this run alone."""

from typing import Final

from exchange_mcp.desk.approvers import refused
from exchange_mcp.desk.station import Moment
from exchange_mcp.model.errors import BusyError
from exchange_mcp.model.ports import Clock, Entropy

LIFE_MS: Final = 120_000
NONCE_BYTES: Final = 16
MOST: Final = 16_384
"""More than the operator socket and the console together let anybody ask for within a nonce's life."""


class Challenges:
    """The nonces of everything that is signed but grants, whose own are minted with each decision."""

    def __init__(self, clock: Clock, entropy: Entropy) -> None:
        self._clock = clock
        self._entropy = entropy
        self._minted: dict[str, tuple[int, Moment]] = {}

    def mint(self) -> tuple[str, int]:
        """A nonce and until when it is good. None pushes out another: somebody may be signing over that one.

        Raises:
            BusyError: there are too many.
        """
        self._forget_the_past()
        if len(self._minted) >= MOST:
            raise BusyError(
                f"{MOST} statements wait for a signature already", hint="Ask again in two minutes."
            )
        now = Moment.now(self._clock)
        nonce, until = self._entropy.token(NONCE_BYTES).hex(), now.wall_ms + LIFE_MS
        self._minted[nonce] = until, now
        return nonce, until

    def take(self, nonce: str, expires_ms: int) -> None:
        """Use up a nonce, whatever comes of the statement that carries it.

        Raises:
            DeskError: SIGNATURE_REFUSED: it was not minted here, was used, or its time is over.
        """
        minted = self._minted.pop(nonce, None)
        if minted is None:
            raise refused("its nonce is not one that this desk minted and nobody used")
        until, then = minted
        if expires_ms != until:
            raise refused("it says another expiry than the desk gave its nonce")
        if self._is_over(then):
            raise refused("its time is over")

    def _is_over(self, then: Moment) -> bool:
        """Whether two minutes are over by either clock: one that is set back gives nobody more of them."""
        return then.age(self._clock) * 1000 >= LIFE_MS

    def _forget_the_past(self) -> None:
        """Oldest first, so that minting costs the same however many there are."""
        while self._minted and self._is_over(next(iter(self._minted.values()))[1]):
            del self._minted[next(iter(self._minted))]

    def __len__(self) -> int:
        return len(self._minted)
