"""Which values are on a grid, and which are nearest to it."""

from decimal import Decimal
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exchange_mcp.orders.grids import Grid

D = Decimal


def scaled(units: int, places: int) -> Decimal:
    return D(units).scaleb(-places)


STEPS = st.builds(scaled, st.integers(1, 99), st.integers(0, 8))
VALUES = st.builds(scaled, st.integers(1, 10**10), st.integers(0, 10))


def valid(grid: Grid, count: int) -> list[Decimal]:
    """The first valid values of a small grid, by stepping through all of its steps."""
    value = grid.origin % grid.step if grid.step else D(0)
    found: list[Decimal] = []
    for _ in range(10_000):
        if value > 0 and (not grid.least or value >= grid.least) and (not grid.most or value <= grid.most):
            found.append(value)
        if len(found) == count:
            break
        value += grid.step
    return found


@pytest.mark.parametrize(
    ("grid", "value", "below", "above"),
    [
        (Grid(D("0.5")), "1.7", "1.5", "2"),
        (Grid(D("0.25")), "1.7", "1.5", "1.75"),
        (Grid(D("0.25")), "1.75", "1.75", "1.75"),
        (Grid(D(25)), "1", None, "25"),
        (Grid(D(1), least=D("1.5")), "1.2", None, "2"),
        (Grid(D("0.1"), least=D("0.25"), most=D("0.38")), "0.25", None, "0.3"),
        (Grid(D("0.1"), least=D("0.25"), most=D("0.38")), "0.9", "0.3", None),
        (Grid(D("0.1"), least=D("0.21"), most=D("0.29")), "0.25", None, None),
        (Grid(D(2), origin=D(5)), "6", "5", "7"),
        (Grid(D(2), origin=D(5)), "0.5", None, "1"),
        (Grid(D(0), least=D(1), most=D(2)), "1.23456789", "1.23456789", "1.23456789"),
        (Grid(D(0), least=D(1), most=D(2)), "3", "2", None),
        (Grid(D("1e-18")), "0.0000000000000000005", None, "1e-18"),
        (
            Grid(D("1e-18"), most=D("1e18")),
            "999999999999999999.9999999999999999995",
            "999999999999999999.999999999999999999",
            "1e18",
        ),
    ],
)
def test_the_nearest_values_are_on_the_grid_and_between_its_bounds(
    grid: Grid, value: str, below: str | None, above: str | None
) -> None:
    assert grid.below(D(value)) == (None if below is None else D(below))
    assert grid.above(D(value)) == (None if above is None else D(above))


@given(STEPS, STEPS, VALUES, VALUES)
@settings(max_examples=150, deadline=None)
def test_no_valid_value_lies_between_a_value_and_its_nearest(
    step: Decimal, origin: Decimal, least: Decimal, value: Decimal
) -> None:
    grid = Grid(step, least=least, most=least + step * 7, origin=origin)
    every = valid(Grid(step, origin=origin, least=least - least % step if least > step else None), 20)
    kept = [v for v in every if least <= v <= least + step * 7]
    for found in (grid.below(value), grid.above(value), grid.smallest(), grid.largest()):
        assert found is None or (
            grid.is_on_step(found) and not grid.is_too_small(found) and not grid.is_too_large(found)
        )
    if len(every) == 20 and every[-1] > least + step * 7:
        assert grid.smallest() == (kept[0] if kept else None)
        assert grid.largest() == (kept[-1] if kept else None)
        assert grid.below(value) == max((v for v in kept if v <= value), default=None)
        assert grid.above(value) == min((v for v in kept if v >= value), default=None)


@given(st.integers(1, 30), st.integers(1, 30), st.integers(0, 30), st.integers(0, 30), st.integers(0, 3))
@settings(max_examples=200, deadline=None)
def test_two_grids_meet_in_exactly_the_values_of_both(
    step: int, other: int, origin: int, beyond: int, places: int
) -> None:
    one = Grid(scaled(step, places), origin=scaled(origin, places))
    two = Grid(scaled(other, places), origin=scaled(beyond, places))
    met = one.meeting(two)
    every = [scaled(units, places) for units in range(1, 1000)]
    both = [v for v in every if one.is_on_step(v) and two.is_on_step(v)]
    if met is None:
        assert both == []
        return
    assert [v for v in every if met.is_on_step(v)] == both
    assert met.smallest() == both[0]


def test_grids_meet_between_the_narrower_of_their_bounds() -> None:
    met = Grid(D("0.001"), D("0.001"), D(100)).meeting(Grid(D(0), D("0.01"), D(50)))
    assert met == Grid(D("0.001"), D("0.01"), D(50))


def test_a_scaled_grid_has_the_same_values_in_the_other_unit() -> None:
    contracts = Grid(D(1), D(2), D(5), D(0)).scaled(D("0.001"))
    assert valid(contracts, 10) == [D("0.002"), D("0.003"), D("0.004"), D("0.005")]
    assert all(b - a == D("0.001") for a, b in pairwise(valid(contracts, 10)))
