"""One account's key, asked about once: a client that can put that one question, for as long as it takes."""

import asyncio
from collections.abc import Collection

from exchange_mcp.model.errors import EgressRefusedError
from exchange_mcp.model.ports import Clock
from exchange_mcp.model.scopes import KeyScope
from exchange_mcp.rules.endpoints import EndpointClass
from exchange_mcp.venue.addresses import NoAddressError
from exchange_mcp.venue.client import addresses, make_client, shut
from exchange_mcp.venue.endpoints import table
from exchange_mcp.venue.keys import scope_of_key, with_account
from exchange_mcp.venue.opening import KeyMaterial, Opening
from exchange_mcp.venue.repeating import Sleep, repeated
from exchange_mcp.venue.wire import Wire


async def ask_once(  # noqa: PLR0913 - what a question depends on
    opening: Opening,
    key: KeyMaterial,
    clock: Clock,
    *,
    accepted: Collection[str] = (),
    asks_whose: bool = False,
    sleep: Sleep = asyncio.sleep,
) -> KeyScope:
    """What the venue says of this account's key; asked again only where nothing came.

    `accepted` holds the digests of what the operator accepted that another ccxt does. `asks_whose`: whether whose the
    key is is asked too, where the venue tells that elsewhere.

    Raises:
        ExchangeMcpError: the venue does not answer, or refuses the question, or nothing may leave for it.
    """
    account = opening.account
    rows = table(account.venue, accepted)
    endpoints = rows.of(EndpointClass.SCOPE, account.market_types)
    try:
        places = addresses(account.venue, account.environment, account.market_types, endpoints, rows.hosts)
    except NoAddressError as error:
        raise EgressRefusedError(str(error)) from None
    if rows.closed is not None:
        raise EgressRefusedError(rows.closed)
    wire = Wire(opening.loopback)
    client = make_client(
        account.venue,
        account.environment,
        account.market_types,
        wire=wire,
        places=places,
        credentials=key.fields,
        rate_limit=opening.rate_limit,
    )
    try:
        scope = await repeated(lambda: scope_of_key(account, client, endpoints, clock.now_ms()), sleep=sleep)
        return await with_account(scope, client, endpoints) if asks_whose else scope
    finally:
        shut(client)
        await wire.close()
