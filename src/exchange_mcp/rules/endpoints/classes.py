"""What an endpoint is, what a request to it is for, and what a reviewer wrote down about it. Pure data types."""

from dataclasses import dataclass
from enum import StrEnum

from exchange_mcp.model.accounts import MarketType


class EndpointClass(StrEnum):
    """What a request may be for. Each write action is a class of its own, so that a cancel cannot place."""

    READ = "read"
    ORDER = "order"
    CANCEL = "cancel"
    LEVERAGE = "leverage"
    SCOPE = "scope"
    """Asking what the key itself may do."""
    MARKETS = "markets"
    """Loading a venue's catalogue, which one task of its own does."""


WRITES = frozenset({EndpointClass.ORDER, EndpointClass.CANCEL, EndpointClass.LEVERAGE})
"""The classes whose requests change something at the venue."""


@dataclass(frozen=True, slots=True, order=True)
class Endpoint:
    """One kind of request, as ccxt's `fetch2` receives it.

    `verb` is the HTTP method, `api` is ccxt's section (several are joined by "/"), `path` is ccxt's template, such as
    `order` or `accounts/{account_id}/holds`. The verb is no evidence of what a request does: deribit places orders by
    GET, kraken reads by POST.
    """

    verb: str
    api: str
    path: str

    @classmethod
    def parse(cls, text: str) -> "Endpoint":
        """The endpoint that `str()` wrote, such as "GET private openOrders"."""
        verb, api, path = text.split(" ", 2)
        return cls(verb, api, path)

    def __str__(self) -> str:
        return f"{self.verb} {self.api} {self.path}"


@dataclass(frozen=True, slots=True)
class Reviewed:
    """One line of a venue's reviewed list: a person read the vendor's page and says what the endpoint is for.

    `page` is the vendor's page that says so. `is_named_directly` marks an endpoint that no unified method of ccxt
    reaches for this purpose, and that this product calls by ccxt's implicit method for it.
    """

    endpoint: Endpoint
    cls: EndpointClass
    market_types: tuple[MarketType, ...]
    page: str
    note: str = ""
    is_named_directly: bool = False


def lines(
    cls: EndpointClass,
    market_types: tuple[MarketType, ...],
    page: str,
    *requests: str,
    note: str = "",
    named: bool = False,
) -> tuple[Reviewed, ...]:
    """Reviewed lines that share everything but the request, such as "GET private openOrders".

    `named` is for what no unified method of ccxt reaches; what asks for a key's scope never is.
    """
    is_named = named or cls is EndpointClass.SCOPE
    return tuple(
        Reviewed(Endpoint.parse(request), cls, market_types, page, note, is_named) for request in requests
    )
