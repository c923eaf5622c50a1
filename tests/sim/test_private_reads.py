from decimal import Decimal

import pytest

from exchange_mcp.sim import SimulatedExchange

from .clients import NOON_MS, Ccxt, Connect

pytestmark = pytest.mark.anyio


async def test_a_spot_balance_is_free_and_what_resting_orders_lock(connect: Connect) -> None:
    client = connect("reader")
    balance = (await client.fetch_balance())["info"]
    bought, sold = await client.privateGetOpenOrders()
    held = {row["asset"]: row for row in balance["balances"]}
    assert Decimal(held["USDT"]["locked"]) == Decimal(bought["price"]) * Decimal(bought["origQty"])
    assert Decimal(held["ETH"]["locked"]) == Decimal(sold["origQty"]) - Decimal(sold["executedQty"])
    assert Decimal(held["ETH"]["free"]) + Decimal(held["ETH"]["locked"]) == Decimal("4.2")
    assert held["BTC"] == {"asset": "BTC", "free": "0.52173846", "locked": "0.00000000"}
    assert held["XRP"]["free"] == "0.00000042"


async def test_zero_balances_are_left_out_when_asked(connect: Connect) -> None:
    client = connect("reader-alt")
    whole = (await client.privateGetAccount())["balances"]
    short = (await client.privateGetAccount({"omitZeroBalances": "true"}))["balances"]
    assert {row["asset"] for row in whole} >= {"BTC", "SOL", "USDT", "ETH"}
    assert {row["asset"] for row in short} == {"USDT", "ETH"}


async def test_ccxt_reads_the_usdm_balance(connect: Connect) -> None:
    balance = await connect("reader").fetch_balance({"type": "swap"})
    info = balance["info"]
    assert balance["USDT"]["free"] == float(info["availableBalance"])
    assert balance["USDT"]["used"] == float(info["totalInitialMargin"])
    assert balance["USDT"]["total"] == float(info["totalMarginBalance"])
    assert balance["USDC"]["total"] == 150.25


async def test_the_accounts_totals_add_up(connect: Connect) -> None:
    info = await connect("reader").fapiPrivateV3GetAccount()
    wallet, profit = Decimal(info["totalWalletBalance"]), Decimal(info["totalUnrealizedProfit"])
    needed = Decimal(info["totalPositionInitialMargin"]) + Decimal(info["totalOpenOrderInitialMargin"])
    assert Decimal(info["totalMarginBalance"]) == wallet + profit
    assert abs(Decimal(info["totalInitialMargin"]) - needed) <= Decimal("0.00000001")
    assert abs(Decimal(info["availableBalance"]) - (wallet + profit - needed)) <= Decimal("0.00000002")
    rows = info["positions"]
    assert abs(sum(Decimal(row["unrealizedProfit"]) for row in rows) - profit) <= Decimal("0.00000002")


async def test_ccxt_reads_a_long_and_a_short_in_one_way_mode(connect: Connect) -> None:
    long, short = await connect("reader").fetch_positions()
    assert (long["symbol"], long["side"], long["contracts"]) == ("BTC/USDT:USDT", "long", 0.25)
    assert (short["symbol"], short["side"], short["contracts"]) == ("ETH/USDT:USDT", "short", 3.5)
    assert {long["marginMode"], short["marginMode"]} == {"cross"}
    assert not long["hedged"]


async def test_position_figures_follow_from_mark_price_and_leverage(connect: Connect) -> None:
    client = connect("reader")
    rows = await client.fapiPrivateV3GetPositionRisk()
    leverage = {row["symbol"]: int(row["leverage"]) for row in await client.fapiPrivateV2GetPositionRisk()}
    premium = {row["symbol"]: row["markPrice"] for row in await client.fapiPublicGetPremiumIndex()}
    tolerance = Decimal("0.00000001")
    for row in rows:
        amount, mark = Decimal(row["positionAmt"]), Decimal(row["markPrice"])
        notional = amount * mark
        assert row["markPrice"] == premium[row["symbol"]]
        assert abs(Decimal(row["notional"]) - notional) < tolerance
        assert (
            abs(Decimal(row["unRealizedProfit"]) - amount * (mark - Decimal(row["entryPrice"]))) < tolerance
        )
        margin = abs(notional) / leverage[row["symbol"]]
        assert abs(Decimal(row["positionInitialMargin"]) - margin) < tolerance
        # Both notionals are below 50,000 USDT: the first bracket, 0.4 %.
        assert abs(Decimal(row["maintMargin"]) - abs(notional) * Decimal("0.004")) < tolerance


async def test_the_liquidation_price_is_where_the_vendors_formula_puts_it(connect: Connect) -> None:
    client = connect("reader")
    bitcoin, ether = await client.fapiPrivateV3GetPositionRisk()
    account = await client.fapiPrivateV3GetAccount()
    equity = (
        Decimal(account["totalWalletBalance"])
        - Decimal(ether["maintMargin"])
        + Decimal(ether["unRealizedProfit"])
    )
    # (WB - TMM + UPNL + cum - side * size * entry) / (size * rate - side * size), first bracket: cum 0, 0.4 %
    size, entry = Decimal(bitcoin["positionAmt"]), Decimal(bitcoin["entryPrice"])
    expected = (equity - size * entry) / (size * Decimal("0.004") - size)
    assert abs(Decimal(bitcoin["liquidationPrice"]) - expected) < Decimal("0.000001")


async def test_a_hedged_account_has_a_row_for_each_leg(connect: Connect) -> None:
    client = connect("reader-alt")
    ether = await client.fetch_positions(["ETH/USDT:USDT"])
    assert [(row["side"], row["contracts"], row["hedged"]) for row in ether] == [
        ("long", 2.0, True),
        ("short", 0.8, True),
    ]
    assert len({row["liquidationPrice"] for row in ether}) == 1
    assert (await client.fapiPrivateGetPositionSideDual())["dualSidePosition"] is True


async def test_a_contract_with_an_order_alone_has_rows_without_a_position(connect: Connect) -> None:
    rows = await connect("reader-alt").fapiPrivateV3GetPositionRisk({"symbol": "SOLUSDT"})
    figures = [
        (row["positionSide"], row["positionAmt"], row["liquidationPrice"], row["notional"]) for row in rows
    ]
    assert figures == [("LONG", "0.00", "0", "0"), ("SHORT", "0.00", "0", "0")]
    # 10 SOL at leverage 20
    order = (await connect("reader-alt").fapiPrivateGetOpenOrders({"symbol": "SOLUSDT"}))[0]
    assert Decimal(rows[0]["openOrderInitialMargin"]) == Decimal(order["price"]) * 10 / 20


async def test_version_2_lists_every_contract_and_version_3_only_those_in_use(connect: Connect) -> None:
    client = connect("reader")
    for older, newer in (
        (await client.fapiPrivateV2GetPositionRisk(), await client.fapiPrivateV3GetPositionRisk()),
        (
            (await client.fapiPrivateV2GetAccount())["positions"],
            (await client.fapiPrivateV3GetAccount())["positions"],
        ),
    ):
        assert [row["symbol"] for row in older] == [
            "BTCUSDT",
            "ETHUSDT",
            "SOLUSDT",
            "XRPUSDT",
            "1000PEPEUSDT",
        ]
        assert [row["symbol"] for row in newer] == ["BTCUSDT", "ETHUSDT"]


async def test_an_account_without_positions_has_none(connect: Connect) -> None:
    client = connect("reader-acct3")
    assert await client.fetch_positions() == []
    assert await client.fetch_open_orders() == []


async def test_the_leverage_of_a_position_comes_with_version_2(connect: Connect) -> None:
    rows = await connect("reader").fetch_positions(params={"useV2": True})
    leverage = {row["symbol"]: row["leverage"] for row in rows}
    assert (leverage["BTC/USDT:USDT"], leverage["ETH/USDT:USDT"]) == (10, 5)


async def test_ccxt_reads_resting_spot_orders(connect: Connect) -> None:
    client = connect("reader")
    bought, sold = await client.fetch_open_orders()
    assert (bought["symbol"], bought["side"], bought["filled"], bought["remaining"]) == (
        "BTC/USDT",
        "buy",
        0,
        0.05,
    )
    assert (sold["symbol"], sold["side"], sold["filled"], sold["remaining"]) == ("ETH/USDT", "sell", 0.4, 1.1)
    assert await client.fetch_open_orders("ETH/USDT") == [sold]


async def test_ccxt_reads_resting_contract_orders_apart_from_conditional_ones(connect: Connect) -> None:
    client = connect("reader")
    [limit] = await client.fetch_open_orders(params={"type": "swap"})
    close, reduce = await client.fetch_open_orders(params={"type": "swap", "trigger": True})
    assert (limit["symbol"], limit["type"], limit["amount"], limit["reduceOnly"]) == (
        "BTC/USDT:USDT",
        "limit",
        0.1,
        False,
    )
    assert (close["symbol"], close["type"], close["amount"], close["reduceOnly"]) == (
        "BTC/USDT:USDT",
        "market",
        None,
        True,
    )
    assert close["info"]["closePosition"] is True
    assert (reduce["symbol"], reduce["type"], reduce["amount"], reduce["reduceOnly"]) == (
        "ETH/USDT:USDT",
        "limit",
        3.5,
        True,
    )
    assert await client.fetch_open_orders("ETH/USDT:USDT", params={"stop": True}) == [reduce]


async def test_one_conditional_order_can_be_asked_for_by_its_id(connect: Connect) -> None:
    client = connect("reader")
    every = await client.fapiPrivateGetOpenAlgoOrders()
    assert await client.fapiPrivateGetOpenAlgoOrders({"algoId": every[1]["algoId"]}) == [every[1]]
    assert await client.fapiPrivateGetOpenAlgoOrders({"algoType": "VP"}) == []


async def test_what_a_leverage_allows_is_the_cap_of_its_bracket(connect: Connect) -> None:
    rows = await connect("reader").fapiPrivateGetSymbolConfig()
    allowed = {row["symbol"]: (row["leverage"], row["maxNotionalValue"]) for row in rows}
    # At 10 times the fifth bracket of the major table holds, at 20 times the third of the minor one.
    assert allowed["BTCUSDT"] == (10, "20000000")
    assert allowed["XRPUSDT"] == (20, "200000")


async def test_ccxt_reads_the_brackets(connect: Connect) -> None:
    brackets = await connect("reader").load_leverage_brackets()
    assert brackets["BTC/USDT:USDT"][:3] == [["0", "0.004"], ["50000", "0.005"], ["250000", "0.01"]]


async def test_brackets_of_one_contract_are_one_object(connect: Connect) -> None:
    brackets = await connect("reader").fapiPrivateGetLeverageBracket({"symbol": "BTCUSDT"})
    assert (brackets["symbol"], brackets["brackets"][2]["cum"]) == ("BTCUSDT", 1300.0)


async def test_modes_and_commissions_are_answered(connect: Connect) -> None:
    client = connect("reader")
    assert await client.fapiPrivateGetMultiAssetsMargin() == {"multiAssetsMargin": False}
    assert (await client.fapiPrivateGetPositionSideDual())["dualSidePosition"] is False
    spot = await client.privateGetAccountCommission({"symbol": "BTCUSDT"})
    usdm = await client.fapiPrivateGetCommissionRate({"symbol": "BTCUSDT"})
    assert spot["standardCommission"]["taker"] == "0.00100000"
    assert usdm["takerCommissionRate"] == "0.000500"


async def test_balance_versions_agree_with_the_account(connect: Connect) -> None:
    client = connect("reader")
    account = await client.fapiPrivateV2GetAccount()
    for rows in (await client.fapiPrivateV2GetBalance(), await client.fapiPrivateV3GetBalance()):
        usdt, usdc, bnb = rows
        assert usdt["balance"] == account["totalWalletBalance"]
        assert usdt["availableBalance"] == account["availableBalance"]
        assert (usdc["balance"], bnb["balance"], bnb["updateTime"]) == ("150.25000000", "0.00000000", 0)


@pytest.mark.parametrize(
    ("label", "trades", "withdraws", "is_bound"),
    [
        ("reader", False, False, False),
        ("trader", True, False, False),
        ("withdrawer", True, True, True),
        ("reader-alt", False, False, False),
        ("reader-acct3", False, False, False),
        ("trader-alt", True, False, False),
    ],
)
async def test_a_key_is_told_what_it_may_do(
    connect: Connect, label: str, *, trades: bool, withdraws: bool, is_bound: bool
) -> None:
    answer = await connect(label).sapiGetAccountApiRestrictions()
    assert answer["enableReading"] is True
    assert (answer["enableSpotAndMarginTrading"], answer["enableFutures"]) == (trades, trades)
    assert (answer["enableWithdrawals"], answer["ipRestrict"]) == (withdraws, is_bound)
    assert answer["createTime"] == NOON_MS


async def test_only_a_trading_key_without_ip_restriction_expires(connect: Connect) -> None:
    name = "tradingAuthorityExpirationTime"
    answers = {
        label: await connect(label).sapiGetAccountApiRestrictions()
        for label in ("reader", "trader", "withdrawer")
    }
    assert [label for label, answer in answers.items() if name in answer] == ["trader"]
    assert answers["trader"][name] == NOON_MS + 30 * 86_400_000


async def test_each_key_opens_its_own_account(connect: Connect, sim: SimulatedExchange) -> None:
    async def uid(client: Ccxt) -> object:
        return (await client.privateGetAccount())["uid"]

    uids = {label: await uid(connect(label)) for label in sim.keys}
    assert uids["reader"] == uids["trader"] == uids["withdrawer"]
    assert uids["reader-alt"] == uids["trader-alt"]
    assert len({uids["reader"], uids["reader-alt"], uids["reader-acct3"]}) == 3


@pytest.mark.parametrize(("label", "is_hedged"), [("reader", False), ("reader-alt", True)])
async def test_the_accounts_configuration_tells_both_modes_as_their_own_endpoints_do(
    connect: Connect, label: str, *, is_hedged: bool
) -> None:
    client = connect(label)
    told = await client.fapiPrivateGetAccountConfig()
    assert told["dualSidePosition"] is is_hedged
    assert told["dualSidePosition"] == (await client.fapiPrivateGetPositionSideDual())["dualSidePosition"]
    assert told["multiAssetsMargin"] == (await client.fapiPrivateGetMultiAssetsMargin())["multiAssetsMargin"]
