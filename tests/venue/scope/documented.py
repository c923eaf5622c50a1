"""Answers about a key as the vendors document them, and by hand what each of them means.

Every answer is built from the page named beside it, seen on 2026-11-30; identifiers and addresses are made up. A field
that is not on the page is listed in NOT_ON_THE_PAGE; no answer here is denied anything by one of them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

Json = Any
"""A JSON value, of which a test knows the shape."""
Answer = dict[str, Json]


def members_of(value: Json) -> Answer:
    """The members of a JSON object, none where it is something else."""
    return cast("Answer", value) if isinstance(value, dict) else {}


def items_of(value: Json) -> list[Json]:
    """The items of a JSON array, none where it is something else."""
    return cast("list[Json]", value) if isinstance(value, list) else []


@dataclass(frozen=True)
class Documented:
    """One answer, and its meaning: r, t, w, x (transfer) for granted, the same in `unknown`, and the rest denied."""

    venue: str
    name: str
    answer: Json
    granted: str
    unknown: str = ""
    ip_restricted: bool | None = False
    expires: int | None = None
    account_id: str | None = None


NOT_ON_THE_PAGE: Final[Mapping[str, frozenset[str]]] = {
    "binance": frozenset({"tradingAuthorityExpirationTime"}),
    "bybit": frozenset({"userIDInt64", "inviterIDInt64", "affiliateIDInt64"}),
    "kucoin": frozenset({"region", "kycStatus", "siteType"}),
    "coinbase": frozenset(),
    "gate": frozenset(),
}


# https://developers.binance.com/docs/zh-CN/wallet/account/api-key-permission, which has the two FIX switches that its
# English edition leaves out.
def binance(*on: str, **others: object) -> Answer:
    switches = (
        *("enableReading", "enableWithdrawals", "enableInternalTransfer", "enableMargin", "enableFutures"),
        *("permitsUniversalTransfer", "enableVanillaOptions", "enableFixApiTrade", "enableFixReadOnly"),
        *("enableSpotAndMarginTrading", "enablePortfolioMarginTrading"),
    )
    assert set(on) <= set(switches)
    return (
        {"ipRestrict": False, "createTime": 1623840271000} | {name: name in on for name in switches} | others
    )


# https://bybit-exchange.github.io/docs/v5/user/apikey-info; the three fields that end in Int64 are in a copy of its
# example only.
def bybit(
    read_only: object = 1, lists: Mapping[str, Sequence[str]] | None = None, **others: object
) -> Answer:
    empty: dict[str, Sequence[str]] = dict.fromkeys(
        (
            *("ContractTrade", "Spot", "Wallet", "Options", "Derivatives", "Exchange", "Earn", "FiatP2P"),
            *("FiatBybitPay", "FiatConvertBroker", "BlockTrade", "Affiliate", "CopyTrading", "NFT"),
        ),
        (),
    )
    permissions = {name: list(codes) for name, codes in (empty | dict(lists or {})).items()}
    result = {
        "id": "13770661",
        "note": "a remark",
        "apiKey": "XXXXXXXX",
        "readOnly": read_only,
        "secret": "",
        "permissions": permissions,
        "ips": ["*"],
        "type": 1,
        "deadlineDay": 83,
        "expiredAt": "2027-02-21T06:42:03Z",
        "createdAt": "2026-11-23T06:42:03Z",
        "unified": 0,
        "uta": 1,
        "userID": 24617703,
        "inviterID": 0,
        "vipLevel": "No VIP",
        "mktMakerLevel": "0",
        "affiliateID": 0,
        "rsaPublicKey": "",
        "isMaster": True,
        "parentUid": "0",
        "kycLevel": "LEVEL_DEFAULT",
        "kycRegion": "",
        "userIDInt64": "0",
        "inviterIDInt64": "0",
        "affiliateIDInt64": "0",
    }
    return {"retCode": 0, "retMsg": "", "result": result | others, "retExtInfo": {}, "time": 1676430842094}


BYBIT_TRADES: Final = {
    "ContractTrade": ("Order", "Position"),
    "Spot": ("SpotTrade",),
    "Derivatives": ("DerivativesTrade",),
}
# 2027-02-21T06:42:03Z: 51 days after 2027-01-01, which is 1798761600 seconds.
BYBIT_ENDS: Final = (1_798_761_600 + 51 * 86_400 + 6 * 3_600 + 42 * 60 + 3) * 1_000


# https://www.okx.com/docs-v5/en/#trading-account-rest-api-get-account-configuration
def okx(perm: object, ip: object = "", **others: object) -> Answer:
    row = {
        "acctLv": "2",
        "acctStpMode": "cancel_maker",
        "autoLoan": False,
        "ctIsoMode": "automatic",
        "enableSpotBorrow": False,
        "feeType": "0",
        "greeksType": "PA",
        "ip": ip,
        "kycLv": "3",
        "label": "v5 test",
        "level": "Lv1",
        "levelTmp": "",
        "liquidationGear": "-1",
        "mainUid": "44705892343619584",
        "mgnIsoMode": "automatic",
        "opAuth": "1",
        "perm": perm,
        "posMode": "long_short_mode",
        "roleType": "0",
        "settleCcy": "USDC",
        "settleCcyList": ["USD", "USDC", "USDG"],
        "spotBorrowAutoRepay": False,
        "spotOffsetType": "",
        "spotRoleType": "0",
        "spotTraderInsts": [],
        "stgyType": "0",
        "traderInsts": [],
        "type": "0",
        "uid": "44705892343619584",
    }
    return {"code": "0", "data": [row | others], "msg": ""}


# https://docs.kraken.com/api-reference/account-data/get-api-key-info
def kraken(*permissions: str, **others: object) -> Answer:
    result = {
        "apiKeyName": "my-api-key",
        "apiKey": "made-up/made-up+made-up",
        "nonce": "1772627060997",
        "nonceWindow": 0,
        "permissions": list(permissions),
        "iban": "AA88 N84G WOAK NMOI",
        "validUntil": "0",
        "queryFrom": "0",
        "queryTo": "0",
        "createdTime": "1772542900",
        "modifiedTime": "1772543095",
        "ipAllowlist": [],
        "lastUsed": "1772627061",
    }
    return {"error": [], "result": result | others}


KRAKEN_READS: Final = ("query-funds", "query-open-trades", "query-closed-trades")


# https://docs.cdp.coinbase.com/api-reference/advanced-trade-api/rest-api/data-api/get-api-key-permissions
def coinbase(*, view: object = True, trade: object = False, transfer: object = False) -> Answer:
    return {
        "can_view": view,
        "can_trade": trade,
        "can_transfer": transfer,
        "portfolio_uuid": "8bfc20d7-f7c6-4422-bf07-8243ca4169fe",
        "portfolio_type": "DEFAULT",
    }


# https://github.com/Kucoin/kucoin-universal-sdk/blob/main/sdk/golang/pkg/generate/account/account/types_get_apikey_info_resp.go
def kucoin(permission: object, **others: object) -> Answer:
    data = {
        "remark": "account1",
        "apiKey": "6705f5c311545b000157d3eb",
        "apiVersion": 3,
        "permission": permission,
        "ipWhitelist": "203.0.113.4,203.0.113.5",
        "createdAt": 1728443843000,
        "uid": 165111215,
        "isMaster": True,
        "region": "PW",
        "kycStatus": 1,
        "siteType": "global",
    }
    return {"code": "200000", "data": data | others}


# https://www.bitget.com/api-doc/spot/account/Get-Account-Info
def bitget(*authorities: str, **others: object) -> Answer:
    data = {
        "userId": "1234567890",
        "inviterId": "1234567891",
        "ips": "127.0.0.1",
        "authorities": list(authorities),
        "parentId": 1,
        "traderType": "trader",
        "channelCode": "XXX",
        "channel": "YYY",
        "regisTime": "1246566789345",
    }
    return {"code": "00000", "msg": "success", "requestTime": 1695808949356, "data": data | others}


# https://github.com/gate/gateapi-csharp/blob/master/docs/AccountKeyInfo.md and AccountKeyInfoPerms.md beside it
def gate(read_only: Mapping[str, object], **others: object) -> Answer:
    key = {
        "state": 1,
        "mode": 1,
        "name": ["a remark"],
        "currency_pairs": [],
        "user_id": 10001,
        "ip_whitelist": [],
        "perms": [{"name": name, "read_only": value} for name, value in read_only.items()],
        "key": {"mode": 1},
        "created_at": "1728443843",
        "updated_at": "1728443843",
        "last_access": "1728443843",
    }
    return key | others


def _is(venue: str, name: str, answer: Json, granted: str, **more: Json) -> Documented:
    accounts = {
        "bybit": "24617703",
        "okx": "44705892343619584",
        "kraken": "AA88 N84G WOAK NMOI",
        "coinbase": "8bfc20d7-f7c6-4422-bf07-8243ca4169fe",
        "kucoin": "165111215",
        "bitget": "1234567890",
        "gate": "10001",
    }
    known: dict[str, Any] = {
        "account_id": accounts.get(venue),
        "expires": BYBIT_ENDS if venue == "bybit" else None,
        "ip_restricted": {"coinbase": None, "kucoin": True, "bitget": True}.get(venue, False),
    }
    return Documented(venue, name, answer, granted, **(known | more))


TABLE: Final[tuple[Documented, ...]] = (
    _is("binance", "reads only", binance("enableReading"), "r"),
    _is("binance", "reads only, by FIX too", binance("enableReading", "enableFixReadOnly"), "r"),
    _is("binance", "trades spot", binance("enableReading", "enableSpotAndMarginTrading"), "rt"),
    _is("binance", "trades futures", binance("enableReading", "enableFutures"), "rt"),
    _is("binance", "borrows on margin", binance("enableReading", "enableMargin"), "rt"),
    _is("binance", "trades options", binance("enableReading", "enableVanillaOptions"), "rt"),
    _is(
        "binance",
        "trades by portfolio margin",
        binance("enableReading", "enablePortfolioMarginTrading"),
        "rt",
    ),
    _is("binance", "trades by FIX", binance("enableReading", "enableFixApiTrade"), "rt"),
    _is(
        "binance",
        "withdraws",
        binance("enableReading", "enableWithdrawals", ipRestrict=True),
        "rw",
        ip_restricted=True,
    ),
    _is("binance", "transfers anywhere", binance("enableReading", "permitsUniversalTransfer"), "rx"),
    _is("binance", "transfers to sub-accounts", binance("enableReading", "enableInternalTransfer"), "rx"),
    _is("binance", "cannot read", binance("enableFutures"), "t"),
    _is("binance", "bound to an address", binance("enableReading", ipRestrict=True), "r", ip_restricted=True),
    _is(
        "binance",
        "its trading has ended",
        binance("enableReading", "enableFutures", tradingAuthorityExpirationTime=1628985600000),
        "rt",
        expires=1628985600000,
    ),
    _is(
        "binance",
        "its trading ended and is off: it reads on",
        binance("enableReading", tradingAuthorityExpirationTime=1628985600000),
        "r",
    ),
    _is("binance", "an unknown switch", binance("enableReading", enableCrossChain=False), "r", unknown="twx"),
    _is(
        "binance",
        "an unknown switch at one that trades",
        binance("enableFutures", enableX=True),
        "t",
        unknown="rwx",
    ),
    _is("bybit", "read-only wins over its lists", bybit(1, BYBIT_TRADES | {"Wallet": ("Withdraw",)}), "r"),
    _is("bybit", "trades", bybit(0, BYBIT_TRADES), "rt"),
    _is("bybit", "converts", bybit(0, {"Exchange": ("ExchangeHistory",)}), "rt"),
    _is("bybit", "withdraws", bybit(0, {"Wallet": ("Withdraw",)}), "rw"),
    _is("bybit", "releases to other people", bybit(0, {"FiatP2P": ("FiatP2POrder", "Advertising")}), "rw"),
    _is("bybit", "pays", bybit(0, {"FiatBybitPay": ("FaitPayOrder",)}), "rw"),
    _is("bybit", "transfers", bybit(0, {"Wallet": ("AccountTransfer", "SubMemberTransfer")}), "rx"),
    _is("bybit", "moves money into products", bybit(0, {"Earn": ("Earn",)}), "rx"),
    _is("bybit", "does not end", bybit(1, BYBIT_TRADES, expiredAt="1970-01-01T00:00:00Z"), "r", expires=None),
    _is(
        "bybit",
        "has ended",
        bybit(1, BYBIT_TRADES, expiredAt="1970-01-02T00:00:00Z"),
        "r",
        expires=86_400_000,
    ),
    _is("bybit", "bound to an address", bybit(1, BYBIT_TRADES, ips=["203.0.113.4"]), "r", ip_restricted=True),
    _is("bybit", "an unknown code", bybit(1, {"Wallet": ("Teleport",)} | BYBIT_TRADES), "r", unknown="twx"),
    _is("bybit", "an unknown list", bybit(1, BYBIT_TRADES | {"Lottery": ("Play",)}), "r", unknown="twx"),
    _is("bybit", "an unknown list with nothing in it", bybit(1, BYBIT_TRADES | {"Lottery": ()}), "r"),
    _is("bybit", "says nothing of reading", bybit(1), "", unknown="r"),
    _is("bybit", "neither read-only nor not", bybit(2, BYBIT_TRADES), "r", unknown="twx"),
    _is("okx", "reads only", okx("read_only"), "r"),
    _is("okx", "trades, and so transfers", okx("read_only,trade"), "rtx"),
    _is("okx", "the example of the page", okx("read_only,withdraw,trade"), "rtwx"),
    _is("okx", "withdraws", okx("read_only,withdraw"), "rw"),
    _is(
        "okx", "bound to an address", okx("read_only", ip="203.0.113.4,203.0.113.5"), "r", ip_restricted=True
    ),
    _is("okx", "an unknown word", okx("read_only,teleport"), "r", unknown="twx"),
    _is("okx", "no word", okx(""), "", unknown="rtwx"),
    _is("kraken", "reads only", kraken(*KRAKEN_READS, "query-ledger", "export-data"), "r"),
    _is(
        "kraken",
        "reads and may subscribe and deposit",
        kraken(*KRAKEN_READS, "create-ws-token", "add-funds"),
        "r",
    ),
    _is("kraken", "trades", kraken(*KRAKEN_READS, "modify-trades"), "rt"),
    _is("kraken", "cancels", kraken(*KRAKEN_READS, "close-trades"), "rt"),
    _is(
        "kraken",
        "the example of the page",
        kraken("query-funds", "withdraw-funds", "query-open-trades", "modify-trades"),
        "rtw",
    ),
    _is("kraken", "says where money may go", kraken(*KRAKEN_READS, "add-withdraw-address"), "rw"),
    _is("kraken", "moves money into products", kraken(*KRAKEN_READS, "earn-funds"), "rx"),
    _is("kraken", "has ended", kraken(*KRAKEN_READS, validUntil="1772627061"), "r", expires=1772627061000),
    _is(
        "kraken",
        "bound to addresses",
        kraken(*KRAKEN_READS, ipAllowlist=["203.0.113.0/24"]),
        "r",
        ip_restricted=True,
    ),
    _is("kraken", "an unknown code", kraken(*KRAKEN_READS, "teleport-funds"), "r", unknown="twx"),
    _is("kraken", "an unknown field", kraken(*KRAKEN_READS, scopes=[]), "r", unknown="twx"),
    _is("coinbase", "reads only", coinbase(), "r"),
    _is("coinbase", "trades", coinbase(trade=True), "rt"),
    _is("coinbase", "transfers, and so withdraws", coinbase(transfer=True), "rwx"),
    _is("coinbase", "cannot read", coinbase(view=False, trade=True), "t"),
    _is("coinbase", "an unknown flag", coinbase() | {"can_stake": False}, "r", unknown="twx"),
    _is("kucoin", "reads only", kucoin("General"), "r"),
    _is("kucoin", "trades spot; old endpoints transfer", kucoin("General,Spot"), "rt", unknown="x"),
    _is("kucoin", "trades futures; old endpoints transfer", kucoin("General,Futures"), "rt", unknown="x"),
    _is("kucoin", "trades on margin", kucoin("General,Margin"), "rt"),
    _is("kucoin", "transfers inside", kucoin("General,InnerTransfer"), "rx"),
    _is("kucoin", "its Transfer is a way out", kucoin("General,Transfer"), "rwx"),
    _is("kucoin", "withdraws", kucoin("General,Withdrawal"), "rw"),
    _is("kucoin", "moves money into products", kucoin("General,Earn"), "rx"),
    _is(
        "kucoin",
        "the example of the page",
        kucoin("General,Futures,Spot,Earn,InnerTransfer,Transfer,Margin"),
        "rtwx",
    ),
    _is("kucoin", "not bound to an address", kucoin("General", ipWhitelist=""), "r", ip_restricted=False),
    _is("kucoin", "an unknown word", kucoin("General,Teleport"), "r", unknown="twx"),
    _is(
        "bitget",
        "reads only",
        bitget("coor", "cpor", "stor", "smor", "ttor", "wtor", "taxr", "chor", "p2pr"),
        "r",
    ),
    _is("bitget", "trades futures", bitget("coow", "cpow"), "rt"),
    _is("bitget", "trades spot, margin and by copy", bitget("stow", "smow", "ttow"), "rt"),
    _is("bitget", "transfers", bitget("stor", "wtow"), "rx"),
    _is("bitget", "withdraws", bitget("stor", "wwow"), "rw"),
    _is("bitget", "releases to other people", bitget("stor", "p2p"), "rw"),
    _is("bitget", "manages sub-accounts", bitget("stor", "chow"), "r", unknown="twx"),
    _is(
        "bitget",
        "the example of the page, in no code that it names",
        bitget("trade", "readonly"),
        "",
        unknown="rtwx",
    ),
    _is("bitget", "not bound to an address", bitget("stor", ips=""), "r", ip_restricted=False),
    _is("bitget", "an unknown code", bitget("stor", "telw"), "r", unknown="twx"),
    _is("gate", "reads only", gate({"wallet": True, "spot": True, "futures": True, "account": True}), "r"),
    _is("gate", "trades spot", gate({"spot": False, "wallet": True}), "rt"),
    _is("gate", "trades contracts", gate({"futures": False, "delivery": False, "options": False}), "rt"),
    _is("gate", "borrows", gate({"loan": False, "margin": False, "unified": False}), "rt"),
    _is("gate", "its wallet withdraws and transfers", gate({"spot": True, "wallet": False}), "rwx"),
    _is("gate", "moves money into products", gate({"spot": True, "earn": False}), "rx"),
    _is("gate", "writes where the page says nothing", gate({"account": False}), "r", unknown="twx"),
    _is(
        "gate",
        "bound to an address",
        gate({"spot": True}, ip_whitelist=["203.0.113.4"]),
        "r",
        ip_restricted=True,
    ),
    _is("gate", "an unknown product", gate({"spot": True, "teleport": True}), "r", unknown="twx"),
    _is("gate", "no product", gate({}), "", unknown="rtwx"),
    _is("gate", "several keys: what any may do", [gate({"spot": True}), gate({"wallet": False})], "rwx"),
    _is(
        "gate",
        "several keys: known only if all are",
        [gate({"spot": True}), gate({"teleport": True}, user_id=10002)],
        "r",
        unknown="twx",
        account_id=None,
    ),
)
