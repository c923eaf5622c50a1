"""exchange-mcp policy: is the operator's policy sound, and what would it say to an order? Nothing is ever sent."""

import json
import os
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final, NoReturn

import anyio
import click
from pydantic import ValidationError

from exchange_mcp.cli.clock import SystemClock
from exchange_mcp.cli.configured import absolute, end_with_faults
from exchange_mcp.cli.places import places
from exchange_mcp.config.accepted import load_accepted
from exchange_mcp.config.faults import ConfigError, Fault
from exchange_mcp.config.logs import configure_logging
from exchange_mcp.config.redaction import Redactor
from exchange_mcp.config.serve import load_serve
from exchange_mcp.config.toml_document import text_of
from exchange_mcp.model.errors import ExchangeMcpError, OrderRefusedError
from exchange_mcp.model.venue_text import visible
from exchange_mcp.orders.screen import lines
from exchange_mcp.policy.context_json import NotReadableError, document, read_json
from exchange_mcp.policy.document import judge_policy_text
from exchange_mcp.policy.explanation import Context, Explained, Request, explain, known_keys, request_of
from exchange_mcp.policy.figures import ascii_text
from exchange_mcp.policy.policy import Policy
from exchange_mcp.policy.reach import Configured, Reach
from exchange_mcp.policy.silences import silences
from exchange_mcp.rules.venues import check_account
from exchange_mcp.server.assembly import keyed
from exchange_mcp.server.calls import what_is_wrong
from exchange_mcp.server.policy_context import read_context

# A market with a book of a thousand levels takes a tenth of it.
_MOST_BYTES: Final = 4_000_000

_FILE = click.argument("file", type=click.Path(path_type=Path))
_CONFIG = click.option(
    "--config",
    type=click.Path(path_type=Path),
    help="A serve.toml: the accounts that the policy is about, where FILE has no tables [accounts.NAME].",
)


@click.group("policy")
def command() -> None:
    """Check the operator's policy, and see what it decides."""


@command.command("check")
@_FILE
@_CONFIG
def check(file: Path, config: Path | None) -> None:
    """Read the [policy] table of FILE, and say what is wrong with it, or what it leaves unsaid.

    The exit code is 0 if the policy holds, and 2 if it has a fault: an unknown key, a contradiction, or something
    that can never decide. What it leaves unsaid is no fault, and allows nothing.
    """
    source = absolute(file)
    policy, configured = _loaded(source, config)
    unsaid = list(silences(Reach(policy, configured)))
    click.echo(f"{source}: the policy holds.")
    click.echo(f"digest {policy.digest()}")
    if configured is None:
        click.echo("Which accounts there are was not known; --config FILE tells it.")
    for sentence in unsaid:
        click.echo(f"- {sentence}")


@command.command("explain")
@_FILE
@click.option(
    "--order",
    "order_text",
    required=True,
    metavar="JSON",
    help='What is asked, as a tool is called: \'{"symbol": "BTC/USDT", "side": "buy", "type": "limit", "amount": '
    '"0.01", "price": "60000"}\'. With "action": "cancel" or "leverage", the end of an order or another leverage.',
)
@click.option(
    "--context", "context_file", type=click.Path(path_type=Path), help="A JSON file with all that is known."
)
@click.option("--account", help="The account to read market and standing from, with its read-only key.")
@_CONFIG
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--exit-code", "exits", is_flag=True, help="End with 1 where the policy denies.")
def explained(  # noqa: PLR0913 - click hands over each option
    file: Path,
    order_text: str,
    context_file: Path | None,
    account: str | None,
    config: Path | None,
    *,
    as_json: bool,
    exits: bool,
) -> None:
    """Plan and preview an order, and show what every rule of FILE says to it.

    Either a file tells what is known of market, account and counters (--context), or a configured account is asked
    for it, read-only (--account). The exit code is 0 for an answer either way (with --exit-code, 1 if the policy
    denies), and 2 if there is none: a faulty file, or an order that cannot be planned.
    """
    if (context_file is None) == (account is None):
        raise click.UsageError("give one of --context FILE and --account NAME")
    policy, _ = _loaded(absolute(file), config)
    request = _request(order_text)
    context = (
        _from_file(absolute(context_file))
        if context_file is not None
        else _from_account(account or "", config, request.symbol, policy.reference)
    )
    try:
        answer = explain(policy, request, context)
    except OrderRefusedError as error:
        body = error.body()
        if as_json:
            click.echo(json.dumps({"error": body.model_dump(mode="json")}, indent=2))
        else:
            click.echo(f"This is no order: {body.code}: {body.message}", err=True)
        sys.exit(2)
    except NotReadableError as error:
        _end(str(error))
    except (ArithmeticError, ValueError):
        _end("the figures of the context do not fit together")
    click.echo(json.dumps(_as_object(answer), indent=2) if as_json else "\n".join(_as_text(answer)))
    sys.exit(1 if exits and not answer.decision.is_allowed else 0)


def _loaded(source: Path, config: Path | None) -> tuple[Policy, Configured | None]:
    text = text_of(source, if_missing="write one; docs/policy.md shows how")
    if isinstance(text, Fault):
        end_with_faults(ConfigError([text]), source)
    try:
        configured = None if config is None else _configured(absolute(config))
        return judge_policy_text(
            text, str(source), check=check_account, environ=os.environ, configured=configured
        )
    except ConfigError as error:
        end_with_faults(error, source)


def _configured(config: Path) -> Configured:
    loaded = load_serve(config, check=check_account, environ=os.environ)
    return {each.account.name: each.account for each in loaded.accounts}


def _request(order_text: str) -> Request:
    try:
        return request_of(document(order_text))
    except ValidationError as error:
        _end(f"--order: {ascii_text(what_is_wrong(error, known_keys(error), taker='it'), 1000)}")
    except NotReadableError as error:
        _end(f"--order: {error}")


def _from_file(path: Path) -> Context:
    try:
        with path.open("rb") as stream:
            raw = stream.read(_MOST_BYTES + 1)
        if len(raw) > _MOST_BYTES:
            _end(f"{path}: is larger than {_MOST_BYTES} bytes")
        return read_json(raw.decode(), Context)
    except OSError as error:
        _end(f"{path}: cannot be read: {error.strerror}")
    except UnicodeDecodeError:
        _end(f"{path}: is not UTF-8 text")
    except NotReadableError as error:
        _end(f"{path}: {error}")


def _from_account(name: str, config: Path | None, symbol: str, reference: str) -> Context:
    source = places().serve_file if config is None else absolute(config)
    redactor = Redactor()
    try:
        loaded = load_serve(source, check=check_account, environ=os.environ)
        chosen = tuple(each for each in loaded.accounts if each.account.name == name)
        if not chosen:
            names = ", ".join(each.account.name for each in loaded.accounts)
            raise click.UsageError(f'there is no account "{visible(name)}"; there are: {names}')
        (account,) = keyed(replace(loaded, accounts=chosen), environ=os.environ, redactor=redactor)
        accepted = load_accepted(places().accepted_file)
    except ConfigError as error:
        end_with_faults(error, source)
    configure_logging("console", "error", redactor=redactor)
    read = partial(
        read_context,
        account,
        symbol,
        reference=reference,
        cache=loaded.cache_directory or places().cache,
        clock=SystemClock(),
        deadline_seconds=loaded.limits.deadline_seconds,
        accepted=accepted,
    )
    try:
        return anyio.run(read)
    except ExchangeMcpError as error:
        _end(f"{error.body().code}: {error.message}")


def _as_object(answer: Explained) -> dict[str, object]:
    return {
        "decision": answer.decision.as_object(),
        "preview": answer.preview.model_dump(mode="json"),
        "assumed": list(answer.context.assumed),
        "unread": list(answer.context.unread),
    }


def _as_text(answer: Explained) -> list[str]:
    """What a venue wrote is in `unread` alone, and made visible there."""
    assumed = [f"assumed: {ascii_text(sentence, 300)}" for sentence in answer.context.assumed]
    unread = [f"not read: {ascii_text(sentence, 300)}" for sentence in answer.context.unread]
    return [*lines(answer.preview), "", *answer.decision.lines(), *assumed, *unread]


def _end(message: str) -> NoReturn:
    click.echo(message, err=True)
    sys.exit(2)
