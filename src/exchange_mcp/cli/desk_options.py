"""The options of `exchange-mcp desk --setup`, apart from what they do, which takes longer to import."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import click

_PATH: Final = click.Path(path_type=Path)
_KINDS: Final = ("file", "env", "keyring")
_PARTS: Final = ("api_key", "secret", "passphrase")
_NAMED: Final = {
    "is_script": "--yes",
    "is_sim": "--sim",
    "kind": "--secret-in",
    "reads_secrets": "--secret-from-stdin",
}

_OPTIONS: Final[tuple[Callable[[Callable[..., None]], Callable[..., None]], ...]] = (
    click.option(
        "--setup", "is_setup", is_flag=True, help="Set a desk up: accounts, limits, approver, client."
    ),
    click.option(
        "--yes", "is_script", is_flag=True, help="With --setup: ask nothing; options and defaults decide."
    ),
    click.option(
        "--sim", "is_sim", is_flag=True, help="With --setup: a desk for the running simulated exchange."
    ),
    click.option("--venue", help="With --setup: the account's venue."),
    click.option("--environment", help="With --setup: live, sandbox or sim."),
    click.option("--name", help="With --setup: what the account is called, as in serve.toml."),
    click.option("--market-types", help="With --setup: such as spot,linear."),
    click.option("--secret-in", "kind", type=click.Choice(_KINDS), help="With --setup: what keeps the key."),
    *(
        click.option(
            f"--{part.replace('_', '-')}-{kind}",
            help=f"With --setup: {'file' if kind == 'file' else 'environment variable'} with this part of the key.",
        )
        for part in _PARTS
        for kind in ("file", "env")
    ),
    click.option("--sim-key", help="With --setup: label of a key of the simulated exchange."),
    click.option("--rendezvous", type=_PATH, help="With --setup: where the simulated exchange is published."),
    click.option(
        "--accept-unverified", help="With --setup: why to use a live key that its venue does not tell of."
    ),
    click.option(
        "--may-transfer", help="With --setup: why to use a key that moves money between your own wallets."
    ),
    click.option(
        "--secret-from-stdin",
        "reads_secrets",
        is_flag=True,
        help="With --setup --yes: the key's parts come on standard input, a line each.",
    ),
    click.option("--symbols", help="With --setup: the markets that may be traded."),
    click.option("--reference", help="With --setup: the asset of the amounts."),
    click.option("--max-order", help="With --setup: what an order may be worth at most."),
    click.option("--max-day", help="With --setup: what the orders of 24 hours may be worth at most."),
    click.option("--max-leverage", help="With --setup: the highest leverage of derivatives."),
    click.option(
        "--max-loss", help="With --setup: the loss in 24 hours after which positions are only reduced."
    ),
    click.option(
        "--console-port",
        type=click.IntRange(1024, 65_535),
        help="With --setup: TCP port of the page to decide on [default: 8767, or the next that is free].",
    ),
    click.option("--approver", help="With --setup: the first approver's name."),
    click.option("--client", help="With --setup: the first client's name."),
    click.option("--tools", help="With --setup: the tools that the client may propose with."),
)


def setup_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add them; all but `is_setup` go to `cli.desk_setup.set_up`."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def given_options(said: Mapping[str, object]) -> list[str]:
    """The options of the setup that were given, as they are written."""
    given = (name for name, value in said.items() if value is not None and value is not False)
    return [_NAMED.get(name, f"--{name.replace('_', '-')}") for name in given]
