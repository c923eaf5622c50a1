import json
from decimal import Decimal

import aiohttp
import pytest

from exchange_mcp.sim import SimulatedExchange
from exchange_mcp.sim.catalogue import SPOT, USDM

from .clients import NOON_MS, Connect, Json, ccxt

pytestmark = pytest.mark.anyio

SPOT_URL = "https://api.binance.com/api/v3"
USDM_URL = "https://fapi.binance.com/fapi/v1"


async def get(session: aiohttp.ClientSession, url: str) -> tuple[int, Json]:
    async with session.get(url) as response:
        return response.status, json.loads(await response.text(), parse_float=Decimal)


async def test_ccxt_loads_every_pair_and_contract(connect: Connect) -> None:
    markets = await connect("reader").load_markets()
    assert {market["id"] for market in markets.values() if market["spot"]} == {pair.name for pair in SPOT}
    assert {market["id"] for market in markets.values() if market["swap"]} == {pair.name for pair in USDM}


async def test_ccxt_loads_the_markets_of_the_demo_environment(connect: Connect) -> None:
    client = connect("reader")
    client.enable_demo_trading(enable=True)
    assert len(await client.load_markets()) == len(SPOT) + len(USDM)


async def test_ccxt_reads_the_documented_filters(connect: Connect) -> None:
    client = connect("reader")
    markets = await client.load_markets()
    pair, contract = markets["BTC/USDT"], markets["BTC/USDT:USDT"]
    assert (pair["precision"]["price"], pair["precision"]["amount"]) == (0.01, 0.00001)
    assert (contract["precision"]["price"], contract["precision"]["amount"]) == (0.1, 0.001)
    assert (pair["limits"]["cost"]["min"], contract["limits"]["cost"]["min"]) == (5, 100)
    assert (pair["limits"]["market"]["max"], contract["limits"]["market"]["max"]) == (180, 100)


async def test_a_halted_pair_is_not_active(connect: Connect) -> None:
    markets = await connect("reader").load_markets()
    assert [symbol for symbol, market in markets.items() if not market["active"]] == ["LUNA/USDT"]


@pytest.mark.parametrize("symbol", ["BTC/USDT", "ETH/BTC", "BTC/USDT:USDT", "1000PEPE/USDT:USDT"])
async def test_a_ticker_fits_its_book(connect: Connect, symbol: str) -> None:
    client = connect("reader")
    ticker = await client.fetch_ticker(symbol)
    book = await client.fetch_order_book(symbol, 5)
    assert ticker["last"] in {book["bids"][0][0], book["asks"][0][0]}
    assert ticker["low"] <= ticker["last"] <= ticker["high"]
    assert ticker["timestamp"] == NOON_MS
    assert len(book["bids"]) == len(book["asks"]) == 5


async def test_a_price_change_is_last_less_open_and_per_cent_of_open(session: aiohttp.ClientSession) -> None:
    _, ticker = await get(session, f"{SPOT_URL}/ticker/24hr?symbol=BTCUSDT")
    last, opened = Decimal(ticker["lastPrice"]), Decimal(ticker["openPrice"])
    assert Decimal(ticker["priceChange"]) == last - opened
    assert abs(Decimal(ticker["priceChangePercent"]) - (last / opened - 1) * 100) < Decimal("0.001")
    assert ticker["closeTime"] - ticker["openTime"] == 86_400_000
    assert ticker["lastId"] - ticker["firstId"] + 1 == ticker["count"]


async def test_book_ticker_and_depth_agree(session: aiohttp.ClientSession) -> None:
    for url in (SPOT_URL, USDM_URL):
        _, best = await get(session, f"{url}/ticker/bookTicker?symbol=ETHUSDT")
        _, book = await get(session, f"{url}/depth?symbol=ETHUSDT&limit=5")
        assert [best["bidPrice"], best["bidQty"]] == book["bids"][0]
        assert [best["askPrice"], best["askQty"]] == book["asks"][0]


async def test_a_spot_book_has_100_levels_unless_asked_and_at_most_what_there_is(
    session: aiohttp.ClientSession,
) -> None:
    sizes: list[int] = []
    for limit in ("", "&limit=7", "&limit=9999"):
        _, book = await get(session, f"{SPOT_URL}/depth?symbol=BTCUSDT{limit}")
        sizes.append(len(book["bids"]))
    assert sizes == [100, 7, 1000]


async def test_a_usdm_book_has_500_levels_unless_asked_for_a_documented_depth(
    session: aiohttp.ClientSession,
) -> None:
    _, book = await get(session, f"{USDM_URL}/depth?symbol=BTCUSDT")
    assert len(book["asks"]) == 500
    assert await get(session, f"{USDM_URL}/depth?symbol=BTCUSDT&limit=7") == (
        400,
        {"code": -4021, "msg": "7 is not valid depth limit."},
    )


async def test_the_mark_price_lies_between_index_and_contract(session: aiohttp.ClientSession) -> None:
    _, premium = await get(session, f"{USDM_URL}/premiumIndex?symbol=BTCUSDT")
    _, ticker = await get(session, f"{USDM_URL}/ticker/price?symbol=BTCUSDT")
    mark, index, last = (
        Decimal(price) for price in (premium["markPrice"], premium["indexPrice"], ticker["price"])
    )
    # The contract's price is cut to its tick of 0.1.
    assert min(index, last) <= mark <= max(index, last + Decimal("0.1"))
    assert premium["nextFundingTime"] == NOON_MS + 4 * 3_600_000  # funding at 00, 08 and 16 hours UTC


async def test_the_index_price_is_the_spot_price(session: aiohttp.ClientSession) -> None:
    _, premium = await get(session, f"{USDM_URL}/premiumIndex?symbol=BTCUSDT")
    _, ticker = await get(session, f"{SPOT_URL}/ticker/price?symbol=BTCUSDT")
    assert 0 <= Decimal(premium["indexPrice"]) - Decimal(ticker["price"]) < Decimal("0.01")


async def test_time_is_the_clocks_on_both_markets(session: aiohttp.ClientSession) -> None:
    for url in (SPOT_URL, USDM_URL):
        assert await get(session, f"{url}/time") == (200, {"serverTime": NOON_MS})
        assert await get(session, f"{url}/ping") == (200, {})


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("depth?symbol=NOPE", -1121),
        ("depth", -1102),
        ("depth?symbol=", -1102),
        ("depth?symbol=btc!usdt", -1100),
        ("depth?symbol=BTCUSDT&limit=ten", -1100),
        ("ticker/price?symbol=", -1105),
        ("ticker/price?symbol=BTCUSDT&symbols=%5B%22BTCUSDT%22%5D", -1128),
        ("ticker/price?symbols=BTCUSDT", -1100),
        ("ticker/24hr?symbol=BTCUSDT&type=TINY", -1130),
        ("ticker/24hr?symbol=BTCUSDT&colour=red", -1104),
        ("ticker/24hr?symbol=BTCUSDT&symbol=BTCUSDT", -1101),
        ("exchangeInfo?symbol=NOPE", -1121),
    ],
)
async def test_a_faulty_public_request_is_refused_with_its_code(
    session: aiohttp.ClientSession, query: str, code: int
) -> None:
    status, answer = await get(session, f"{SPOT_URL}/{query}")
    assert (status, answer["code"]) == (400, code)


async def test_ccxt_calls_an_unknown_symbol_a_bad_symbol(connect: Connect) -> None:
    client = connect("reader")
    await client.load_markets()
    with pytest.raises(ccxt.BadSymbol, match="-1121"):
        await client.publicGetTickerPrice({"symbol": "NOPE"})
    with pytest.raises(ccxt.BadSymbol, match="-1121"):
        await client.fapiPublicGetTickerPrice({"symbol": "NOPE"})


async def test_several_pairs_can_be_asked_for_at_once(session: aiohttp.ClientSession) -> None:
    _, prices = await get(session, f'{SPOT_URL}/ticker/price?symbols=["XRPUSDT","BTCUSDT"]')
    _, rules = await get(session, f'{SPOT_URL}/exchangeInfo?symbols=["XRPUSDT","BTCUSDT"]')
    assert [price["symbol"] for price in prices] == ["XRPUSDT", "BTCUSDT"]
    assert [pair["symbol"] for pair in rules["symbols"]] == ["XRPUSDT", "BTCUSDT"]


async def test_pairs_can_be_asked_for_by_status_and_permission(session: aiohttp.ClientSession) -> None:
    found: list[list[str]] = []
    for query in ("symbolStatus=BREAK", "permissions=LEVERAGED", 'permissions=["SPOT","LEVERAGED"]'):
        _, rules = await get(session, f"{SPOT_URL}/exchangeInfo?{query}")
        found.append([pair["symbol"] for pair in rules["symbols"]])
    assert found == [["LUNAUSDT"], [], [pair.name for pair in SPOT]]


async def test_an_unknown_path_is_answered_in_html(session: aiohttp.ClientSession) -> None:
    for url in (f"{SPOT_URL}/nothing", f"{USDM_URL}/nothing", "https://demo-api.binance.com/sapi/v1/account"):
        async with session.get(url) as response:
            assert (response.status, response.content_type) == (404, "text/html")


async def test_a_host_that_is_not_the_venues_is_refused_and_recorded(
    fresh: SimulatedExchange, fresh_session: aiohttp.ClientSession
) -> None:
    async with fresh_session.get("https://localhost/api/v3/ping") as response:
        assert response.status == 421
    [entry] = fresh.control.requests()
    assert (entry.host, entry.path, entry.status) == ("localhost", "/api/v3/ping", 421)


async def test_a_host_without_a_certificate_is_not_reached_at_all(
    fresh: SimulatedExchange, fresh_session: aiohttp.ClientSession
) -> None:
    with pytest.raises(aiohttp.ClientConnectorCertificateError):
        await fresh_session.get("https://papi.binance.com/papi/v1/ping")
    assert fresh.control.requests() == []


async def test_a_foreign_host_header_on_a_good_connection_is_refused(
    fresh: SimulatedExchange, fresh_session: aiohttp.ClientSession
) -> None:
    headers = {"Host": "papi.binance.com"}
    async with fresh_session.get("https://api.binance.com/papi/v1/ping", headers=headers) as response:
        assert response.status == 421
    assert [entry.host for entry in fresh.control.requests()] == ["papi.binance.com"]


async def test_used_weight_adds_up_within_a_minute(
    fresh: SimulatedExchange, fresh_session: aiohttp.ClientSession
) -> None:
    del fresh
    used: list[str] = []
    for path in ("ping", "ticker/24hr?symbol=BTCUSDT"):
        async with fresh_session.get(f"{SPOT_URL}/{path}") as response:
            used.append(response.headers["x-mbx-used-weight-1m"])
    assert used == ["1", "3"]


async def test_the_average_price_is_that_of_the_last_whole_minutes_weighted_by_volume(
    session: aiohttp.ClientSession, sim: SimulatedExchange
) -> None:
    status, told = await get(session, f"{SPOT_URL}/avgPrice?symbol=BTCUSDT")
    bars = [sim.exchange.spot("BTCUSDT").statistics.bar(NOON_MS // 60_000 - back) for back in range(1, 6)]
    turnover, lots = sum(bar.turnover for bar in bars), sum(bar.lots for bar in bars)
    tick = Decimal("0.01")
    assert status == 200
    assert told["mins"] == 5
    assert abs(Decimal(told["price"]) * lots - turnover * tick) < lots * Decimal("0.00000001")
    assert told["closeTime"] == NOON_MS - 1  # noon is the end of a minute


async def test_an_average_price_is_of_one_pair(session: aiohttp.ClientSession) -> None:
    assert (await get(session, f"{SPOT_URL}/avgPrice"))[1]["code"] == -1102
