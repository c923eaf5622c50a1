"""`python -m exchange_mcp.sim`: the simulated exchange without the rest of the product."""

import argparse
from pathlib import Path

from exchange_mcp.sim.program import run


def main() -> None:
    """Read the command line and serve until told to stop."""
    parser = argparse.ArgumentParser(prog="python -m exchange_mcp.sim", description=__doc__)
    parser.add_argument(
        "--rendezvous", type=Path, required=True, help="where clients will find port and keys"
    )
    parser.add_argument("--seed", type=int, default=1, help="what prices and balances follow from")
    parser.add_argument(
        "--port", type=int, default=0, help="TCP port on 127.0.0.1; any that is free unless given"
    )
    parser.add_argument("--accounts", type=int, default=2, help="how many accounts there are")
    parser.add_argument("--exit-with-stdin", action="store_true", help="stop at the end of standard input")
    given = parser.parse_args()
    run(
        seed=given.seed,
        port=given.port,
        rendezvous_path=given.rendezvous,
        accounts=given.accounts,
        exit_with_stdin=given.exit_with_stdin,
    )


if __name__ == "__main__":
    main()
