import json
from urllib.parse import urlencode

import aiohttp
import pytest

from exchange_mcp.sim import SimulatedExchange
from exchange_mcp.sim.keys import Access, ApiKey, KeyRing, Permissions, issue
from exchange_mcp.sim.signing import authenticate, signature
from exchange_mcp.sim.wire import Params, Request

from .clients import NOON_MS, Connect, Counted, StillClock, binance, ccxt, http

# The vendor's worked examples: https://github.com/binance/binance-spot-api-docs/blob/master/rest-api.md
VENDOR_KEY = "vmPUZE6mv9SD5VNHk4HlWFsOr6aKE2zvsw0MuIgwCIPy6utIco14y7Ju91duEh8A"
VENDOR_SECRET = "NhqPtmdSJYdKjVHjA7PZj4Mge3R5YNiP1e3UZjInClVN65XAbvqqM6A7H5fATj0j"
FIRST = "symbol=LTCBTC&side=BUY&type=LIMIT&timeInForce=GTC"
SECOND = "quantity=1&price=0.1&recvWindow=5000&timestamp=1499827319559"
IN_ONE = "c8db56825ae71d6d79447849e617115f4a920fa2acdcab2b053c4b2838bd6b71"
MIXED = "0fd168b8ddb4876a0358a8d14d0c9f3da0e9b20c5d52b2a00fcf7d1c602f9a77"


@pytest.mark.parametrize(
    ("query", "body"),
    [
        ("", f"{FIRST}&{SECOND}&signature={IN_ONE}"),
        (f"{FIRST}&{SECOND}&signature={IN_ONE}", ""),
        (FIRST, f"{SECOND}&signature={MIXED}"),
        ("", f"{FIRST}&{SECOND}&signature={IN_ONE.upper()}"),
    ],
)
def test_the_vendors_signed_examples_are_accepted(query: str, body: str) -> None:
    key = ApiKey("vendor", "main", VENDOR_KEY, VENDOR_SECRET)
    request = Request("api.binance.com", "POST", "/api/v3/order", query, body, VENDOR_KEY)
    found = authenticate(request, Params.read(request), KeyRing([key]), 1_499_827_319_559, Access.READ)
    assert found is key


def test_what_query_and_body_both_name_is_taken_from_the_query() -> None:
    request = Request("api.binance.com", "POST", "/api/v3/order", "side=BUY", "side=SELL&price=1")
    params = Params.read(request)
    assert (params.text("side"), params.text("price")) == ("BUY", "1")


def test_only_keys_with_that_permission_may_trade() -> None:
    assert Permissions(may_trade=True).allow(Access.TRADE)
    assert not Permissions().allow(Access.TRADE)
    assert Permissions().allow(Access.READ)


def test_keys_come_from_entropy_and_not_from_the_seed() -> None:
    entropy = Counted()
    first, second = (issue(["main", "alt"], entropy, 0).by_label() for _ in range(2))
    assert (
        first.keys()
        == second.keys()
        == {
            "reader",
            "trader",
            "withdrawer",
            "reader-alt",
            "trader-alt",
        }
    )
    texts = [text for ring in (first, second) for key in ring.values() for text in (key.api_key, key.secret)]
    assert len(set(texts)) == 20
    assert all(len(text) == 64 and text.isalnum() for text in texts)


def test_a_secret_does_not_show_in_a_keys_representation() -> None:
    assert "S3CRET" not in repr(ApiKey("reader", "main", "a", "S3CRET"))


class Signer:
    """Signs by hand, so that each part can be left out or bent."""

    def __init__(self, session: aiohttp.ClientSession, key: ApiKey) -> None:
        self._session = session
        self._key = key

    async def get(
        self,
        *,
        api_key: str | None = None,
        secret: str | None = None,
        suffix: str = "",
        host: str = "api.binance.com",
        path: str = "/api/v3/account",
        **params: object,
    ) -> tuple[int, object]:
        query = urlencode({name: value for name, value in params.items() if value is not None})
        signed = f"{query}&signature={signature(secret or self._key.secret, query)}{suffix}"
        headers = {"X-MBX-APIKEY": self._key.api_key if api_key is None else api_key}
        async with self._session.get(f"https://{host}{path}?{signed}", headers=headers) as response:
            answer = json.loads(await response.text())
            return response.status, answer.get("code")


@pytest.fixture
def signer(session: aiohttp.ClientSession, sim: SimulatedExchange) -> Signer:
    return Signer(session, sim.keys["reader"])


STRANGER = "x" * 64

REFUSALS = [
    pytest.param({"api_key": ""}, (401, -2014), id="no key"),
    pytest.param({"api_key": "short"}, (401, -2014), id="a key that cannot be one"),
    pytest.param({"api_key": STRANGER}, (401, -2015), id="an unknown key"),
    pytest.param({"timestamp": None}, (400, -1102), id="no timestamp"),
    pytest.param({"timestamp": "soon"}, (400, -1100), id="a timestamp that is no number"),
    pytest.param({"timestamp": NOON_MS - 5_001}, (400, -1021), id="older than the default window"),
    pytest.param({"timestamp": NOON_MS + 1_000}, (400, -1021), id="a second ahead"),
    pytest.param({"timestamp": NOON_MS - 2, "recvWindow": 1}, (400, -1021), id="older than its window"),
    pytest.param({"recvWindow": 60_001}, (400, -1131), id="too wide a window"),
    pytest.param({"secret": "another"}, (400, -1022), id="another secret"),
    pytest.param({"suffix": "&extra=1"}, (400, -1022), id="a signature that is not last"),
    pytest.param({"colour": "red"}, (400, -1104), id="a parameter that the endpoint does not know"),
    pytest.param(
        {"api_key": STRANGER, "timestamp": 1}, (401, -2015), id="the key is checked before the time"
    ),
    pytest.param({"secret": "another", "timestamp": 1}, (400, -1021), id="the time before the signature"),
]


@pytest.mark.anyio
@pytest.mark.parametrize(("bent", "refusal"), REFUSALS)
@pytest.mark.parametrize("host", ["api.binance.com", "demo-api.binance.com"])
async def test_a_badly_signed_request_is_refused_with_its_code(
    signer: Signer, bent: dict[str, object], refusal: tuple[int, int], host: str
) -> None:
    assert await signer.get(**{"host": host, "timestamp": NOON_MS, **bent}) == refusal  # pyright: ignore[reportArgumentType] - bent on purpose


@pytest.mark.anyio
@pytest.mark.parametrize("offset", [-5_000, 0, 999])
async def test_a_timestamp_within_the_window_is_accepted(signer: Signer, offset: int) -> None:
    assert await signer.get(timestamp=NOON_MS + offset) == (200, None)


@pytest.mark.anyio
async def test_usdm_ignores_a_parameter_that_it_does_not_know(signer: Signer) -> None:
    path = "/fapi/v3/account"
    assert await signer.get(host="fapi.binance.com", path=path, timestamp=NOON_MS, colour="red") == (
        200,
        None,
    )


@pytest.mark.anyio
async def test_ccxt_names_a_wrong_key_and_a_wrong_signature(connect: Connect) -> None:
    stranger, forger, late = connect("reader"), connect("reader"), connect("reader")
    stranger.apiKey = STRANGER
    forger.secret = STRANGER
    late.nonce = lambda: NOON_MS - 60_000
    for method in ("privateGetAccount", "fapiPrivateV3GetAccount"):
        with pytest.raises(ccxt.AuthenticationError, match="-2015"):
            await getattr(stranger, method)()
        with pytest.raises(ccxt.AuthenticationError, match="-1022"):
            await getattr(forger, method)()
        with pytest.raises(ccxt.InvalidNonce, match="-1021"):
            await getattr(late, method)()


@pytest.mark.anyio
async def test_a_key_opens_the_demo_hosts_but_not_their_absent_wallet() -> None:
    clock = StillClock()
    async with (
        SimulatedExchange(clock=clock, entropy=Counted()).serving() as venue,
        http(venue.port, venue.ca_pem) as session,
    ):
        client = binance(session, venue, "reader", clock=clock)
        client.enable_demo_trading(enable=True)
        assert (await client.fetch_balance())["BTC"]["total"] == 0.52173846
        assert len(await client.fetch_positions()) == 2
        assert {entry.host for entry in venue.control.requests()} == {
            "demo-api.binance.com",
            "demo-fapi.binance.com",
        }
        signed = Signer(session, venue.keys["reader"])
        with pytest.raises(json.JSONDecodeError):
            await signed.get(host="demo-api.binance.com", path="/sapi/v1/account/apiRestrictions")
        await client.close()
