"""What a walk through ccxt's source finds, on small classes written the way ccxt writes its own."""

from collections.abc import Mapping
from typing import Any, Final

import ccxt.async_support as ccxt
from ccxt.base.types import Entry

from exchange_mcp.rules.endpoints import Endpoint, EndpointClass
from exchange_mcp.venue.derivation import derive, implicit


class Plain:
    """Stands for ccxt's own base class."""

    async def fetch_order(self, order_id: str) -> object:
        return order_id

    async def fetch_markets(self) -> object:
        return self

    async def load_markets(self) -> object:
        return await self.fetch_markets()

    async def fetch_many_pages(self, method: str, symbol: str) -> object:
        return await getattr(self, method)(symbol)


ENTRIES: Final[dict[str, Any]] = {
    "public_get_time publicGetTime": Entry("time", "public", "GET", {}),
    "public_get_markets publicGetMarkets": Entry("markets", "public", "GET", {}),
    "private_get_order privateGetOrder": Entry("order/{id}", "private", "GET", {}),
    "v2_private_get_history v2PrivateGetHistory": Entry("history", ["v2", "private"], "GET", {}),
    "private_post_order privatePostOrder": Entry("order", "private", "POST", {}),
    "private_delete_order privateDeleteOrder": Entry("order", "private", "DELETE", {}),
    "private_post_withdraw privatePostWithdraw": Entry("withdraw", "private", "POST", {}),
}
# Stands for a class of ccxt/abstract.
Generated: Any = type(
    "Generated", (Plain,), {name: entry for names, entry in ENTRIES.items() for name in names.split()}
)


class Venue(Generated):
    options: Mapping[str, str]

    def describe(self) -> object:
        return {"options": {"timeMethod": "publicGetTime"}}

    async def fetch_time(self) -> object:
        method = self.options["timeMethod"]
        return await getattr(self, method)()

    async def fetch_markets(self) -> object:
        return await self.publicGetMarkets()

    async def fetch_order(self, order_id: str) -> object:
        await self.load_markets()
        return self.parse(await self.private_get_order({"id": order_id}))

    async def fetch_my_trades(self, symbol: str) -> object:
        return await self.fetch_many_pages("fetch_trade_page", symbol)

    async def fetch_trade_page(self, _symbol: str) -> object:
        return await self.v2PrivateGetHistory()

    async def create_order(self, _symbol: str) -> object:
        return await self.privatePostOrder()

    async def cancel_order(self, order_id: str) -> object:
        method = "privateDeleteOrder" if order_id else "privatePostWithdraw"
        return await getattr(self, method)()

    def parse(self, answer: object) -> object:
        return answer


class Relative(Venue):
    """Stands for a venue that ccxt derives from another one."""

    async def fetch_order(self, order_id: str) -> object:
        return await super().fetch_order(order_id)

    async def create_order(self, _symbol: str) -> object:
        return None


class Opaque(Generated):
    async def fetch_ticker(self, verb: str) -> object:
        return await getattr(self, "private" + verb + "Order")()

    async def fetch_order_book(self) -> object:
        return await self.request("depth", "public")


class Fresh(ccxt.deribit):
    """A class of ccxt's that no other test has made a client from."""


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
    assert named["v2PrivateGetHistory"] == HISTORY
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
    before, named = derive(Fresh), implicit(Fresh)
    assert before.reached[EndpointClass.READ]
    assert "fetchTicker" not in vars(Fresh)
    Fresh()
    assert {"fetchTicker", "publicGetTicker"} <= set(vars(Fresh))
    assert derive(Fresh) == before
    assert implicit(Fresh) == named


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
