"""From measurements to figures: medians, how far chance may move them, and which target is missed."""

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

_RESAMPLES: Final = 2000
_TAIL: Final = 0.025
_PERCENTILE: Final = 0.99


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured value.

    Attributes:
        limit: the most that the target allows; None where there is no target.
        low, high: the 95 per cent interval of the value; the value itself where it does not vary.
        made_of: what it was computed from, for the reader.
    """

    name: str
    value: float
    unit: str
    limit: float | None = None
    low: float | None = None
    high: float | None = None
    made_of: str = ""

    @property
    def is_missed(self) -> bool:
        """Whether the whole interval lies above the limit."""
        return self.limit is not None and (self.value if self.low is None else self.low) > self.limit

    @property
    def is_undecided(self) -> bool:
        """Whether the limit lies inside the interval."""
        return (
            self.limit is not None
            and self.low is not None
            and self.high is not None
            and self.low <= self.limit < self.high
        )


def ratio(name: str, rounds: Sequence[tuple[float, float]], *, limit: float, against: str) -> Figure:
    """The median of ours over the median of theirs; both were measured in every round, in seconds.

    The interval is a percentile bootstrap over whole rounds (Efron and Tibshirani, An Introduction to the
    Bootstrap, 1993, chapter 13), so that a slow spell of the machine, which hits both sides of a round,
    does not widen it.
    """
    chance = random.Random(1)  # noqa: S311 - resampling, not secrecy
    ratios = sorted(_ratio(chance.choices(rounds, k=len(rounds))) for _ in range(_RESAMPLES))
    ours, theirs = (sorted(side) for side in zip(*rounds, strict=True))
    return Figure(
        name=name,
        value=_ratio(rounds),
        unit="ratio",
        limit=limit,
        low=ratios[int(_RESAMPLES * _TAIL)],
        high=ratios[int(_RESAMPLES * (1 - _TAIL))],
        made_of=f"{_spread(ours)} against {against} {_spread(theirs)}; {len(rounds)} rounds",
    )


def difference(name: str, rounds: Sequence[tuple[float, float]], *, limit: float, against: str) -> Figure:
    """By how many milliseconds the median of ours exceeds the median of theirs, with the same kind of interval."""
    chance = random.Random(1)  # noqa: S311 - resampling, not secrecy
    excesses = sorted(_excess(chance.choices(rounds, k=len(rounds))) for _ in range(_RESAMPLES))
    ours, theirs = (sorted(side) for side in zip(*rounds, strict=True))
    return Figure(
        name=name,
        value=_excess(rounds),
        unit="ms",
        limit=limit,
        low=excesses[int(_RESAMPLES * _TAIL)],
        high=excesses[int(_RESAMPLES * (1 - _TAIL))],
        made_of=f"{_spread(ours)} against {against} {_spread(theirs)}; {len(rounds)} rounds",
    )


def duration(name: str, seconds: Sequence[float], *, limit: float | None, of: str) -> Figure:
    """The median in milliseconds, with the same kind of interval."""
    made_of = f"{_spread(sorted(seconds))}, {of}; {len(seconds)} times"
    return _resampled(name, seconds, median, limit, made_of)


def tail(name: str, seconds: Sequence[float], *, limit: float | None, of: str) -> Figure:
    """The 99th percentile (nearest rank) in milliseconds, with the same kind of interval; the median beside it."""
    worst = f"worst {max(seconds) * 1000:.2f}; {of}; {len(seconds)} times"
    return _resampled(name, seconds, _tail, limit, f"median {_spread(sorted(seconds))}, {worst}")


def _resampled(
    name: str,
    seconds: Sequence[float],
    statistic: Callable[[Sequence[float]], float],
    limit: float | None,
    made_of: str,
) -> Figure:
    chance = random.Random(1)  # noqa: S311 - resampling, not secrecy
    drawn = sorted(statistic(chance.choices(seconds, k=len(seconds))) for _ in range(_RESAMPLES))
    return Figure(
        name=name,
        value=statistic(seconds) * 1000,
        unit="ms",
        limit=limit,
        low=drawn[int(_RESAMPLES * _TAIL)] * 1000,
        high=drawn[int(_RESAMPLES * (1 - _TAIL))] * 1000,
        made_of=made_of,
    )


def _tail(seconds: Sequence[float]) -> float:
    return sorted(seconds)[math.ceil(len(seconds) * _PERCENTILE) - 1]


def _excess(rounds: Sequence[tuple[float, float]]) -> float:
    return (median(ours for ours, _ in rounds) - median(theirs for _, theirs in rounds)) * 1000


def _ratio(rounds: Sequence[tuple[float, float]]) -> float:
    return median(ours for ours, _ in rounds) / median(theirs for _, theirs in rounds)


def _spread(ordered: Sequence[float]) -> str:
    """The median of ordered seconds and the range of the middle half, in milliseconds."""
    first, last = ordered[len(ordered) // 4], ordered[(3 * len(ordered)) // 4]
    return f"{median(ordered) * 1000:.2f} ms ({first * 1000:.2f} to {last * 1000:.2f})"


def table(figures: Sequence[Figure]) -> str:
    """The figures as aligned lines of text."""
    rows = [("", "value", "95% interval", "limit", "")]
    rows += [
        (
            figure.name,
            _shown(figure),
            "" if figure.low is None else f"{figure.low:.3f} to {figure.high:.3f}",
            "" if figure.limit is None else f"{figure.limit:g}",
            _verdict(figure),
        )
        for figure in figures
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(5)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]
    details = [f"  {figure.name}: {figure.made_of}" for figure in figures if figure.made_of]
    return "\n".join([*lines, "", "medians (and the middle half):", *details])


def verdict(figures: Sequence[Figure]) -> str:
    """How many targets were met, and the name of each that was not, in two lines at most."""
    targets = [figure for figure in figures if figure.limit is not None]
    missed = [figure.name for figure in targets if figure.is_missed]
    open_ = [figure.name for figure in targets if figure.is_undecided]
    met = len(targets) - len(missed) - len(open_)
    lines = [f"{len(targets)} targets: {met} met, {len(missed)} MISSED{_named(missed)}"]
    if open_:
        lines.append(f"{len(open_)} within the spread of the limit, neither met nor missed{_named(open_)}")
    return "\n".join(lines)


def _named(names: Sequence[str]) -> str:
    return f": {', '.join(names)}" if names else ""


def _shown(figure: Figure) -> str:
    if figure.unit == "ratio":
        return f"{figure.value:.3f}"
    return f"{figure.value:.3f} ms" if figure.unit == "ms" else f"{figure.value:.0f} {figure.unit}"


def _verdict(figure: Figure) -> str:
    if figure.limit is None:
        return ""
    if figure.is_missed:
        return "MISSED"
    met = "met" if figure.value <= figure.limit else "above"
    return f"{met}, the limit lies in the interval" if figure.is_undecided else met
