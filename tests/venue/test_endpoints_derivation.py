"""What a walk through ccxt's source finds, on small classes written the way ccxt writes its own."""

from typing import Any

import ccxt.async_support as ccxt
from ccxt.base.types import Entry

from exchange_mcp.rules.endpoints import Endpoint, EndpointClass
from exchange_mcp.venue.derivation import derive, implicit


class Plain:
    """Stands for ccxt's own base class."""

    def __init__(self) -> None:
        self.options: dict[str, Any] = {}

    async def fetch_order(self, order_id: str) -> Any:
        return order_id

    async def load_markets(self) -> Any:
        return await getattr(self, "fetch_markets")()  # noqa: B009 - pyright does not know it

    async def fetch_many_pages(self, method: str, symbol: str) -> Any:
        return await getattr(self, method)(symbol)


class Generated(Plain):
    """Stands for a module of ccxt/abstract."""

    public_get_time = publicGetTime = Entry("time", "public", "GET", {"cost": 1})
    public_get_markets = publicGetMarkets = Entry("markets", "public", "GET", {"cost": 1})
    private_get_order = privateGetOrder = Entry("order/{id}", "private", "GET", {"cost": 1})
    private_get_history = privateGetHistory = Entry("history", ["v2", "private"], "GET", {"cost": 1})
    private_post_order = privatePostOrder = Entry("order", "private", "POST", {"cost": 1})
    private_delete_order = privateDeleteOrder = Entry("order", "private", "DELETE", {"cost": 1})
    private_post_withdraw = privatePostWithdraw = Entry("withdraw", "private", "POST", {"cost": 1})


class Venue(Generated):
    def describe(self) -> Any:
        return {"options": {"timeMethod": "publicGetTime"}}

    async def fetch_time(self) -> Any:
        method = self.options["timeMethod"]
        return await getattr(self, method)()

    async def fetch_markets(self) -> Any:
        return await self.publicGetMarkets()

    async def fetch_order(self, order_id: str) -> Any:
        await self.load_markets()
        return self.parse(await self.private_get_order({"id": order_id}))

    async def fetch_my_trades(self, symbol: str) -> Any:
        return await self.fetch_many_pages("fetch_trade_page", symbol)

    async def fetch_trade_page(self, _symbol: str) -> Any:
        return await self.privateGetHistory()

    async def create_order(self, _symbol: str) -> Any:
        return await self.privatePostOrder()

    async def cancel_order(self, order_id: str) -> Any:
        method = "privateDeleteOrder" if order_id else "privatePostWithdraw"
        return await getattr(self, method)()

    def parse(self, answer: Any) -> Any:
        return answer


class Relative(Venue):
    """Stands for a venue that ccxt derives from another one."""

    async def fetch_order(self, order_id: str) -> Any:
        return await super().fetch_order(order_id)

    async def create_order(self, _symbol: str) -> Any:
        return None


class Opaque(Generated):
    async def fetch_ticker(self, verb: str) -> Any:
        return await getattr(self, "private" + verb + "Order")()

    async def fetch_order_book(self) -> Any:
        return await getattr(self, "request")("depth", "public")  # noqa: B009 - pyright does not know it


TIME = Endpoint("GET", "public", "time")
MARKETS = Endpoint("GET", "public", "markets")
ORDER = Endpoint("GET", "private", "order/{id}")
HISTORY = Endpoint("GET", "v2/private", "history")
PLACE = Endpoint("POST", "private", "order")
CANCEL = Endpoint("DELETE", "private", "order")
WITHDRAW = Endpoint("POST", "private", "withdraw")


def test_both_spellings_of_an_implicit_method_name_the_same_endpoint() -> None:
    named = implicit(Venue)
    assert named["publicGetTime"] == named["public_get_time"] == TIME
    assert named["privateGetHistory"] == HISTORY
    assert len(named) == 14
    assert len(set(named.values())) == 7


def test_a_read_reaches_what_it_calls_and_what_its_options_and_its_pagination_name() -> None:
    assert set(derive(Venue).reached[EndpointClass.READ]) == {TIME, ORDER, HISTORY}


def test_a_chain_tells_how_an_endpoint_is_reached() -> None:
    assert derive(Venue).reached[EndpointClass.READ][HISTORY] == ("fetch_my_trades", "fetch_trade_page")


def test_loading_markets_is_a_class_of_its_own() -> None:
    assert set(derive(Venue).reached[EndpointClass.MARKETS]) == {MARKETS}


def test_each_write_reaches_its_own_endpoint_and_every_name_that_it_may_look_up() -> None:
    reached = derive(Venue).reached
    assert set(reached[EndpointClass.ORDER]) == {PLACE}
    # The name is looked up, so whatever the options name counts too.
    assert set(reached[EndpointClass.CANCEL]) == {CANCEL, WITHDRAW, TIME}
    assert not reached[EndpointClass.LEVERAGE]


def test_what_a_class_inherits_and_calls_on_super_counts_and_what_it_overrides_does_not() -> None:
    reached = derive(Relative).reached
    assert set(reached[EndpointClass.READ]) == {TIME, ORDER, HISTORY}
    assert reached[EndpointClass.READ][ORDER] == ("fetch_order", "fetch_order")
    assert not reached[EndpointClass.ORDER]


def test_what_ccxt_sets_on_a_class_when_it_makes_a_client_changes_nothing() -> None:
    before = derive(ccxt.deribit)
    named = implicit(ccxt.deribit)
    ccxt.deribit()
    assert "publicGetGetTime" in vars(ccxt.deribit)
    assert derive(ccxt.deribit) == before
    assert implicit(ccxt.deribit) == named


def test_a_name_made_at_run_time_and_a_request_made_by_hand_are_named_as_unresolved() -> None:
    derived = derive(Opaque)
    assert dict(derived.unresolved[EndpointClass.READ]) == {
        "fetch_ticker": "fetch_ticker calls a method whose name it makes at run time ('private' + verb + 'Order')",
        "fetch_order_book": "fetch_order_book makes its request itself, by request",
    }
    assert not derived.unresolved[EndpointClass.ORDER]


def test_an_endpoint_is_written_and_read_back_with_an_empty_path_too() -> None:
    for endpoint in (ORDER, HISTORY, Endpoint("POST", "archive", "")):
        assert Endpoint.parse(str(endpoint)) == endpoint
