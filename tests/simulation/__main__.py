"""`make simulate SCENARIOS=20000 SEED=1`: the grid, and every broken engine, from one seed.

It prints what it is about, then exactly one line of figures, and ends with 1 where anything went wrong.
"""

import sys

from simulation.figures import run


def main() -> int:
    """Run it by the command line: how many scenarios, which seed, how many processes."""
    scenarios, seed, processes = (int(word) for word in (*sys.argv[1:4], "20000", "1", "1")[:3])
    return run(scenarios, seed, processes)


if __name__ == "__main__":
    sys.exit(main())
