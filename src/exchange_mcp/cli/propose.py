"""exchange-mcp propose: a proposal by hand. It is one like any other: limits decide, and an approver signs."""

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

import click
from pydantic import ValidationError

from exchange_mcp.cli.at_desk import REFUSED, at_desk, desk_options, print_json
from exchange_mcp.cli.deciding import say_done, told
from exchange_mcp.cli.signing import sign, signer_of, signer_options
from exchange_mcp.desk.statements import Purpose, propose_body
from exchange_mcp.link.messages import Action
from exchange_mcp.model.frozen import Record
from exchange_mcp.orders.requests import CancelRequest, LeverageRequest, OrderRequest

_Command = TypeVar("_Command", bound=Callable[..., Any])
_HIDDEN: Final = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """By which socket a proposal goes, and as whose."""

    account: str
    distinct_from: str | None
    operator: bool
    credential: Path | None
    proposal_socket: Path | None
    approver: str | None
    key: Path | None
    socket: Path | None
    is_json: bool


@click.group("propose")
def command() -> None:
    """Propose an order, a cancel or a leverage by hand.

    As a client, by its credential; or with --operator signed by an approver, which also works while the desk is halted
    for cancels and orders that only reduce.
    """


def _ways(wrapped: _Command) -> _Command:
    for option in (
        click.option("--account", required=True, help="The account, by its name at the desk."),
        click.option("--distinct-from", help="An earlier intent like it, which this knowingly is not."),
        click.option("--operator", is_flag=True, help="Over the operator socket, signed by an approver."),
        click.option(
            "--credential",
            type=click.Path(path_type=Path),
            help="The client's credential [default: that of the first client].",
        ),
        click.option(
            "--proposal-socket",
            "proposal_socket",
            type=click.Path(path_type=Path),
            help="The desk's proposal socket [default: what desk.toml says].",
        ),
    ):
        wrapped = option(wrapped)
    return desk_options(signer_options(wrapped))


@command.command("place")
@click.option("--symbol", required=True, help="Unified, such as BTC/USDT or BTC/USDT:USDT.")
@click.option("--side", required=True, type=click.Choice(["buy", "sell"]))
@click.option(
    "--type", "type_", required=True, type=click.Choice(["market", "limit", "stop_market", "stop_limit"])
)
@click.option("--amount", help="In base.")
@click.option("--cost", help="In quote, instead of the amount of a spot market buy.")
@click.option("--price", help="The limit price.")
@click.option("--trigger-price", help="Where a stop begins to work.")
@click.option("--time-in-force", type=click.Choice(["GTC", "IOC", "FOK"]))
@click.option("--post-only", is_flag=True, help="Only if it rests.")
@click.option("--reduce-only", is_flag=True, help="Only if it makes the position smaller.")
@_ways
def place(  # noqa: PLR0913 - an order's parts
    *,
    symbol: str,
    side: str,
    type_: str,
    amount: str | None,
    cost: str | None,
    price: str | None,
    trigger_price: str | None,
    time_in_force: str | None,
    post_only: bool,
    reduce_only: bool,
    **way: Any,  # noqa: ANN401 - the members of `Way`
) -> None:
    """Propose one order."""
    said: dict[str, object] = {
        "symbol": symbol,
        "side": side,
        "type": type_,
        "amount": amount,
        "cost": cost,
        "price": price,
        "trigger_price": trigger_price,
        "time_in_force": time_in_force,
        "post_only": post_only,
        "reduce_only": reduce_only,
    }
    _propose("place", "place_order", _request(OrderRequest, said), Way(**way))


@command.command("cancel")
@click.option("--symbol", required=True, help="Of the order.")
@click.option("--order-id", help="The venue's id of it.")
@click.option("--client-order-id", help="Our id of it.")
@click.option("--intent", "intent_id", help="The intent that placed it.")
@_ways
def cancel(
    symbol: str,
    order_id: str | None,
    client_order_id: str | None,
    intent_id: str | None,
    **way: Any,  # noqa: ANN401 - the members of `Way`
) -> None:
    """Propose to cancel one order, by exactly one id."""
    if [order_id, client_order_id, intent_id].count(None) != 2:  # noqa: PLR2004 - one of three is given
        raise click.UsageError("name the order by exactly one of --order-id, --client-order-id and --intent")
    if intent_id is not None:
        request: Mapping[str, object] = {"symbol": symbol, "intent_id": intent_id}
    else:
        request = _request(
            CancelRequest, {"symbol": symbol, "order_id": order_id, "client_order_id": client_order_id}
        )
    _propose("cancel", "cancel_order", request, Way(**way))


@command.command("leverage")
@click.option("--symbol", required=True, help="Of the market.")
@click.option("--leverage", required=True, type=click.IntRange(1, 200), help="The new leverage.")
@_ways
def leverage(symbol: str, leverage: int, **way: Any) -> None:  # noqa: ANN401 - the members of `Way`
    """Propose to set the leverage of one market."""
    _propose(
        "leverage",
        "set_leverage",
        _request(LeverageRequest, {"symbol": symbol, "leverage": leverage}),
        Way(**way),
    )


def _request(kind: type[Record], said: Mapping[str, object]) -> Mapping[str, object]:
    """What is asked, in the one form in which it is sent; what was not given is not in it.

    Raises:
        UsageError: an argument is not of its form.
    """
    given = {name: value for name, value in said.items() if value is not None}
    try:
        return kind.model_validate(given).model_dump(mode="json", exclude_none=True)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        option = f"--{str(first['loc'][0]).replace('_', '-')}" if first["loc"] else "the request"
        raise click.UsageError(f"{option}: {first['msg'].removeprefix('Value error, ')[:_HIDDEN]}") from None


def _propose(action: Action, tool: str, request: Mapping[str, object], way: Way) -> None:
    if not way.operator:
        from exchange_mcp.cli.proposed import propose_as_client  # noqa: PLC0415 - imports every tool

        propose_as_client(action, tool, request, way)
        return
    with at_desk(way.socket, is_json=way.is_json) as client:
        signer = signer_of(client, way.approver, way.key)
        body = propose_body(
            account=way.account, action=action, request=request, distinct_from=way.distinct_from
        )
        done = sign(client, signer, Purpose.PROPOSE, body)
    if way.is_json:
        print_json(done)
    else:
        say_done(done)
        for view in done.intents:
            click.echo(told(view))
            if view.state == "proposed":
                click.echo(f"Decide on it: exchange-mcp approvals approve {view.id}")
    if any(view.state == "denied" for view in done.intents):
        sys.exit(REFUSED)
