"""How figures read in a sentence, and how an amount of one asset is stated in another, by which price, how old.

A price that is too old is no price: what it would value cannot be compared with a limit, and is refused.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from exchange_mcp.model.decimals import add, divide, divide_up, from_wire, multiply, text
from exchange_mcp.model.venue_text import visible

_SECOND_MS = 1000


def plain(number: Decimal) -> str:
    """The number in full, without trailing zeros: 1.0 and 1.00 are one limit."""
    written = text(number)
    written = written.rstrip("0").rstrip(".") if "." in written else written
    return "0" if written == "-0" else written


def ascii_text(raw: str, limit: int = 120) -> str:
    """The text with everything but printable ASCII spelled out, cut at `limit` characters."""
    return visible(raw, limit).encode("ascii", "backslashreplace").decode()


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """What one unit of `base` costs in `quote`.

    Attributes:
        as_of_ms: when it was received, by the clock that `now_ms` is of; UTC milliseconds.
        source: where it comes from, such as `main: ticker EUR/USDT`; shown beside what it values.

    Raises:
        ValueError: the rate is no exact number greater than 0, or the pair is of one asset.
    """

    base: str
    quote: str
    rate: Decimal
    as_of_ms: int
    source: str

    def __post_init__(self) -> None:
        if (from_wire(self.rate) or 0) <= 0:
            raise ValueError("a price is greater than 0")
        if self.base == self.quote:
            raise ValueError("an asset has no price in itself")


@dataclass(frozen=True, slots=True)
class Valued:
    """An amount in the reference currency, and `stated`: by which price, where one was needed."""

    amount: Decimal
    stated: str = ""


@dataclass(frozen=True, slots=True)
class Unvalued:
    """No amount, and why, as the end of a sentence."""

    reason: str


@dataclass(frozen=True, slots=True)
class Valuation:
    """The prices that there are at one moment, by which amounts are stated in one reference currency.

    Attributes:
        max_age_ms: how old a price may be; one of exactly this age still counts.
    """

    known: tuple[Price, ...]
    reference: str
    max_age_ms: int
    now_ms: int

    def value(self, amounts: Mapping[str, Decimal]) -> Valued | Unvalued:
        """The sum of costs or losses, by asset, in the reference currency; a gain is a negative one.

        Where a division does not come out even, it is rounded to the larger cost and the smaller gain.
        """
        total = Decimal(0)
        stated: list[str] = []
        for asset, amount in sorted(amounts.items()):
            if asset == self.reference or amount == 0:
                total = add(total, amount if asset == self.reference else Decimal(0))
                continue
            price = self._price(asset)
            if isinstance(price, Unvalued):
                return price
            total = add(total, _converted(amount, price, asset))
            stated.append(
                f"1 {ascii_text(price.base)} = {plain(price.rate)} {ascii_text(price.quote)}, "
                f"{self.age(price.as_of_ms)} old, from {ascii_text(price.source)}"
            )
        return Valued(total, f" (at {'; '.join(stated)})" if stated else "")

    def _price(self, asset: str) -> Price | Unvalued:
        pair = {asset, self.reference}
        fitting = [price for price in self.known if {price.base, price.quote} == pair]
        if not fitting:
            return Unvalued(f"there is no price of {ascii_text(asset)} in {self.reference}")
        youngest = max(fitting, key=lambda price: (price.as_of_ms, price.base, price.rate, price.source))
        refusal = self.refused_age(youngest.as_of_ms)
        if refusal is not None:
            return Unvalued(f"the price of {ascii_text(asset)} in {self.reference} {refusal}")
        return youngest

    def refused_age(self, as_of_ms: int) -> str | None:
        """Why a price of this moment does not count, as the end of a sentence; None if it does."""
        if as_of_ms > self.now_ms:
            return "is of a moment that has not come yet"
        if self.now_ms - as_of_ms > self.max_age_ms:
            return f"is {self.age(as_of_ms)} old; {self.max_age_ms // _SECOND_MS} s is the most"
        return None

    def age(self, as_of_ms: int) -> str:
        """How long ago, in seconds with milliseconds."""
        return f"{plain(divide(Decimal(self.now_ms - as_of_ms), Decimal(_SECOND_MS), places=3))} s"


def _converted(amount: Decimal, price: Price, asset: str) -> Decimal:
    if price.base == asset:
        return multiply(amount, price.rate)
    return divide_up(amount, price.rate) if amount > 0 else divide(amount, price.rate)
