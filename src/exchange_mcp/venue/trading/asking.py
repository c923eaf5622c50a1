"""What the desk asks beside what every reader does: the time, the orders on a key, the effect of a change."""

import asyncio
from collections.abc import Mapping
from typing import Any

from exchange_mcp.model.errors import AuthenticationFailedError, PermissionMissingError
from exchange_mcp.rules.endpoints import Endpoint
from exchange_mcp.rules.private.declared import Told
from exchange_mcp.venue.egress import reading
from exchange_mcp.venue.failures import meaning
from exchange_mcp.venue.key_watch import KeyWatch
from exchange_mcp.venue.masking import redactor_of
from exchange_mcp.venue.repeating import Sleep, repeated


class Asking:
    """Puts one question at a time by ccxt's implicit methods; each answer is the venue's own JSON, numbers exact.

    Args:
        endpoints: the read endpoints that may be asked.
        watch: of the key that it is asked with, told where the venue refuses the key.
    """

    def __init__(
        self,
        client: Any,  # noqa: ANN401 - ccxt is untyped
        endpoints: frozenset[Endpoint],
        watch: KeyWatch,
        *,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._client = client
        self._endpoints = endpoints
        self._watch = watch
        self._sleep = sleep
        self._redactor = redactor_of(client)

    async def ask(self, call: str, params: Mapping[str, Told] | None = None) -> object:
        """The answer; asked again where nothing came.

        Raises:
            ExchangeMcpError: there was none.
        """

        async def attempt() -> object:
            try:
                with reading(self._endpoints):
                    return await getattr(self._client, call)(dict(params or {}))
            except Exception as error:
                raise meaning(error, str(self._client.id), self._redactor) from error

        try:
            return await repeated(attempt, sleep=self._sleep)
        except (AuthenticationFailedError, PermissionMissingError):
            self._watch.doubt()
            raise

    async def once(self, call: str) -> object:
        """The answer of one attempt, which is not repeated.

        Raises:
            ExchangeMcpError: there was none.
        """
        try:
            with reading(self._endpoints):
                return await getattr(self._client, call)({})
        except Exception as error:
            raise meaning(error, str(self._client.id), self._redactor) from error
