"""What may leave at the supported venues is exactly what was reviewed, and never moves money or changes a key."""

import re
from collections import Counter
from collections.abc import Mapping
from typing import Final

import pytest

from exchange_mcp.model.accounts import MarketType
from exchange_mcp.rules.endpoints import REVIEWED, WRITES, Endpoint, EndpointClass
from exchange_mcp.rules.endpoints.switched_off import SWITCHED_OFF
from exchange_mcp.rules.venues import VENUES
from exchange_mcp.venue import source
from exchange_mcp.venue.client import (
    _options,  # pyright: ignore[reportPrivateUsage] - what the client of a venue is made with
)
from exchange_mcp.venue.derivation import derive, implicit
from exchange_mcp.venue.endpoints import EndpointTable, table
from exchange_mcp.venue.snapshot import INSTALLED, shipped, shipped_text, take
from exchange_mcp.venue.sweep import exchange_class

TABLES: Final[Mapping[str, EndpointTable]] = {venue: table(venue) for venue in REVIEWED}

# Written by hand, in ccxt's notation; nothing of it comes from the code under test. Each moves money or debt, or
# creates, changes or deletes a key or a sub-account, or changes what an account is. Where each vendor documents them:
#   binance    github.com/binance/binance-skills-hub: assets, sub-account
#   bybit      bybit-exchange.github.io/docs/v5: user, asset, account, position, earn
#   okx        www.okx.com/docs-v5: funding account, sub-account, trading account, convert, earn
#   kraken     docs.kraken.com/api-reference: funding, subaccounts, earn
#   coinbase   docs.cdp.coinbase.com: portfolios, converts, withdrawals
#   kucoin     www.kucoin.com/docs-new: funding, sub-account, margin, convert, earn
#   bitget     www.bitget.com/api-doc: spot account, sub-account, margin, convert, earn, unified account
#   gate       github.com/gateio/gateapi-go: withdrawal, wallet, sub-account, margin, unified, earn
FORBIDDEN: Final[Mapping[str, str]] = {
    "binance": """
        POST sapi account/disableFastWithdrawSwitch
        POST sapi account/enableFastWithdrawSwitch
        POST sapi asset/convert-transfer
        POST sapi asset/dust
        POST sapi asset/transfer
        POST sapi bnbBurn
        POST sapi broker/subAccountApi
        POST sapi capital/withdraw/apply
        POST sapi convert/acceptQuote
        POST sapi futures/transfer
        POST sapi margin/borrow-repay
        POST sapi margin/transfer
        POST sapi simple-earn/flexible/redeem
        POST sapi simple-earn/flexible/subscribe
        POST sapi sub-account/universalTransfer
        POST sapi sub-account/virtualSubAccount
        DELETE sapi sub-account/subAccountApi/ipRestriction/ipList
        POST sapiV2 sub-account/subAccountApi/ipRestriction
        POST sapiV2 loan/flexible/borrow
        POST fapiPrivate convert/acceptQuote
        POST fapiPrivate feeBurn
        POST papi marginLoan
    """,
    "bybit": """
        POST private v5/account/borrow
        POST private v5/account/quick-repayment
        POST private v5/account/repay
        POST private v5/account/upgrade-to-uta
        POST private v5/asset/exchange/convert-execute
        POST private v5/asset/transfer/inter-transfer
        POST private v5/asset/transfer/universal-transfer
        POST private v5/asset/withdraw/create
        POST private v5/crypto-loan/borrow
        POST private v5/earn/place-order
        POST private v5/position/move-positions
        POST private v5/user/create-sub-api
        POST private v5/user/create-sub-member
        POST private v5/user/delete-api
        POST private v5/user/delete-sub-api
        POST private v5/user/frozen-sub-member
        POST private v5/user/update-api
        POST private v5/user/update-sub-api
    """,
    "okx": """
        POST private account/borrow-repay
        POST private account/set-account-level
        POST private account/spot-manual-borrow-repay
        POST private asset/convert/trade
        POST private asset/subaccount/transfer
        POST private asset/transfer
        POST private asset/withdrawal
        POST private asset/withdrawal-lightning
        POST private finance/savings/purchase-redempt
        POST private fiat/create-withdrawal
        POST private trade/easy-convert
        POST private trade/one-click-repay
        POST private users/subaccount/apikey
        POST private users/subaccount/create-subaccount
        POST private users/subaccount/delete-apikey
        POST private users/subaccount/modify-apikey
        POST private users/subaccount/set-transfer-out
    """,
    "kraken": """
        POST private AccountTransfer
        POST private CreateSubaccount
        POST private DepositAddresses
        POST private Earn/Allocate
        POST private Earn/Deallocate
        POST private WalletTransfer
        POST private Withdraw
        POST private WithdrawCancel
    """,
    "coinbase": """
        POST v2/private accounts/{account_id}/transactions
        POST v2/private accounts/{account_id}/withdrawals
        POST v2/private accounts/{account_id}/withdrawals/{withdrawal_id}/commit
        POST v3/private brokerage/convert/quote
        POST v3/private brokerage/convert/trade/{trade_id}
        POST v3/private brokerage/portfolios
        POST v3/private brokerage/portfolios/move_funds
        PUT v3/private brokerage/portfolios/{portfolio_uuid}
        DELETE v3/private brokerage/portfolios/{portfolio_uuid}
    """,
    "kucoin": """
        DELETE private sub/api-key
        POST earn earn/orders
        POST futuresPrivate transfer-in
        POST futuresPrivate transfer-out
        POST private accounts/inner-transfer
        POST private accounts/sub-transfer
        POST private accounts/universal-transfer
        POST private convert/order
        POST private deposit-address/create
        POST private margin/borrow
        POST private margin/repay
        POST private sub/api-key
        POST private sub/api-key/update
        POST private sub/user/created
        POST private transfer-out
        POST private withdrawals
        POST utaPrivate account/transfer
    """,
    "bitget": """
        POST private/convert v2/convert/trade
        POST private/earn v2/earn/loan/borrow
        POST private/earn v2/earn/savings/subscribe
        POST private/margin v2/margin/crossed/account/borrow
        POST private/margin v2/margin/isolated/account/repay
        POST private/spot v2/spot/account/upgrade
        POST private/spot v2/spot/wallet/subaccount-transfer
        POST private/spot v2/spot/wallet/transfer
        POST private/spot v2/spot/wallet/withdrawal
        POST private/user v2/user/create-virtual-subaccount
        POST private/user v2/user/create-virtual-subaccount-apikey
        POST private/user v2/user/modify-virtual-subaccount-apikey
        POST private/uta v3/account/switch-deduct
        POST private/uta v3/account/transfer
        POST private/uta v3/account/withdrawal
        POST private/uta v3/user/create-sub-api
        POST private/uta v3/user/delete-sub-api
    """,
    "gate": """
        DELETE private/subAccounts sub_accounts/{user_id}/keys/{key}
        POST private/earn uni/lends
        POST private/margin cross/loans
        POST private/margin uni/loans
        POST private/subAccounts sub_accounts
        POST private/subAccounts sub_accounts/{user_id}/keys
        POST private/subAccounts sub_accounts/{user_id}/lock
        POST private/unified account_mode
        POST private/unified loans
        POST private/wallet small_balance
        POST private/wallet sub_account_transfers
        POST private/wallet transfers
        POST private/withdrawals withdrawals
        PUT private/subAccounts sub_accounts/{user_id}/keys/{key}
    """,
}
# The same in words, for what nobody listed: parts of a path that name money moving or accounts and keys changing.
FORBIDDEN_WORDS: Final = re.compile(
    r"withdraw|transfer|deposit|sub.?account|sub.?user|sub.?member|create|delete|modif|borrow|repay|loan|lend|earn"
    r"|stak|redeem|purchase|subscri|convert|dust|small.?balance|gift|wallet|broker|deduct|switch|upgrade|key",
    re.IGNORECASE,
)
# Each was read at its vendor's page: what a key may do, and one balance.
WORDED_READS: Final[Mapping[str, frozenset[str]]] = {
    "binance": frozenset(),
    "bybit": frozenset({"GET private v5/account/wallet-balance"}),
    "okx": frozenset(),
    "kraken": frozenset({"POST private GetApiKeyInfo"}),
    "coinbase": frozenset({"GET v3/private brokerage/key_permissions"}),
    "kucoin": frozenset({"GET private user/api-key"}),
    "bitget": frozenset(),
    "gate": frozenset({"GET private/account main_keys"}),
}
# Coinbase's name for its whole interface contains "broker".
COINBASE_INTERFACE: Final = re.compile(r"^brokerage(/market)?/")

# DESIGN: this release writes at binance only, spot and linear; each action may send this and nothing else.
MAY_WRITE: Final[Mapping[EndpointClass, frozenset[str]]] = {
    EndpointClass.ORDER: frozenset(
        {"POST private order", "POST fapiPrivate order", "POST fapiPrivate algoOrder"}
    ),
    EndpointClass.CANCEL: frozenset(
        {"DELETE private order", "DELETE fapiPrivate order", "DELETE fapiPrivate algoOrder"}
    ),
    EndpointClass.LEVERAGE: frozenset({"POST fapiPrivate leverage"}),
}


def forbidden(venue: str) -> frozenset[Endpoint]:
    return frozenset(Endpoint.parse(line.strip()) for line in FORBIDDEN[venue].strip().splitlines())


def everything_allowed(venue: str) -> frozenset[Endpoint]:
    return frozenset[Endpoint]().union(*TABLES[venue].allowed.values())


def test_every_supported_venue_has_a_reviewed_list() -> None:
    assert list(REVIEWED) == list(VENUES)


@pytest.mark.parametrize("venue", REVIEWED)
def test_what_ships_is_what_the_pinned_ccxt_reaches_when_it_is_read_again(venue: str) -> None:
    assert shipped_text(venue) == str(take(exchange_class(venue)))


@pytest.mark.parametrize("venue", REVIEWED)
def test_what_may_leave_equals_the_reviewed_list_exactly(venue: str) -> None:
    reviewed = {(line.cls, line.endpoint) for line in REVIEWED[venue]}
    assert {(cls, each) for cls, endpoints in TABLES[venue].allowed.items() for each in endpoints} == reviewed
    assert not TABLES[venue].refused


@pytest.mark.parametrize("venue", REVIEWED)
def test_a_reviewed_line_exists_in_ccxt_once_and_is_reached_unless_it_is_marked_as_named_directly(
    venue: str,
) -> None:
    existing = frozenset(implicit(exchange_class(venue)).values())
    reached, unified = shipped(venue).reached, derive(exchange_class(venue)).reached
    counted = Counter((line.cls, line.endpoint) for line in REVIEWED[venue])
    assert set(counted.values()) == {1}
    for line in REVIEWED[venue]:
        assert line.endpoint in existing
        assert line.endpoint in reached[line.cls]
        assert line.is_named_directly is (line.endpoint not in unified[line.cls])
        assert line.page.startswith("https://")
        assert set(line.market_types) <= set(VENUES[venue].market_types)


@pytest.mark.parametrize("venue", REVIEWED)
def test_every_market_type_of_a_venue_has_its_catalogue_and_its_prices_and_books(venue: str) -> None:
    for market_type in VENUES[venue].market_types:
        for cls in (EndpointClass.MARKETS, EndpointClass.READ):
            assert any(line.cls is cls and market_type in line.market_types for line in REVIEWED[venue])


@pytest.mark.parametrize("venue", REVIEWED)
def test_what_is_only_derived_is_reported_and_not_allowed(venue: str) -> None:
    for cls in EndpointClass:
        assert not TABLES[venue].derived_only[cls] & TABLES[venue].allowed[cls]
        assert TABLES[venue].derived_only[cls] | TABLES[venue].allowed[cls] == shipped(venue).reached[cls]


def test_only_binance_may_write_and_each_action_may_send_its_own_requests_only() -> None:
    for venue, rows in TABLES.items():
        for cls in WRITES:
            expected = MAY_WRITE[cls] if venue == "binance" else frozenset[str]()
            assert set(map(str, rows.allowed[cls])) == expected


@pytest.mark.parametrize("venue", REVIEWED)
def test_no_request_is_in_two_classes_unless_both_only_read(venue: str) -> None:
    allowed = TABLES[venue].allowed
    for cls in WRITES:
        others = frozenset[Endpoint]().union(*(allowed[other] for other in EndpointClass if other is not cls))
        assert not allowed[cls] & others


def test_only_kraken_reads_by_anything_but_get() -> None:
    verbs = {
        venue: {each.verb for cls in EndpointClass if cls not in WRITES for each in rows.allowed[cls]}
        for venue, rows in TABLES.items()
    }
    assert verbs.pop("kraken") == {"GET", "POST"}
    assert all(found == {"GET"} for found in verbs.values())


@pytest.mark.parametrize("venue", REVIEWED)
def test_the_forbidden_list_names_requests_that_ccxt_could_send(venue: str) -> None:
    assert forbidden(venue) <= frozenset(implicit(exchange_class(venue)).values())


@pytest.mark.parametrize("venue", REVIEWED)
def test_nothing_that_moves_money_or_changes_a_key_or_a_sub_account_is_in_any_class(venue: str) -> None:
    assert not forbidden(venue) & everything_allowed(venue)
    assert not forbidden(venue) & {line.endpoint for line in REVIEWED[venue]}
    named = {
        str(each)
        for each in everything_allowed(venue)
        if FORBIDDEN_WORDS.search(COINBASE_INTERFACE.sub("", each.path))
    }
    assert named == WORDED_READS[venue]


@pytest.mark.parametrize("venue", REVIEWED)
def test_only_the_hosts_of_what_may_leave_are_named(venue: str) -> None:
    asked = {each.api for each in everything_allowed(venue)}
    hosts = shipped(venue).hosts
    assert TABLES[venue].hosts == frozenset[str]().union(*(hosts[section] for section in asked))
    assert all(hosts[section] for section in asked)


def test_binance_is_asked_at_its_live_and_demo_hosts_and_at_no_margin_or_options_host() -> None:
    # developers.binance.com: base URLs of spot, USD-M and COIN-M, and of the demo environment.
    kinds = ("api", "fapi", "dapi")
    assert TABLES["binance"].hosts == {
        f"{demo}{kind}.binance.com" for kind in kinds for demo in ("", "demo-")
    }


def test_a_table_for_the_pinned_ccxt_is_made_without_reading_any_source() -> None:
    source.read_method.cache_clear()
    assert table("binance").ccxt == INSTALLED
    assert source.read_method.cache_info().misses == 0


def test_what_is_said_to_be_switched_off_is_switched_off_in_the_client() -> None:
    for venue, switched in SWITCHED_OFF.items():
        options = _options(venue, (MarketType.SPOT, MarketType.LINEAR))
        for name in switched:
            value = options
            for part in name.split("."):
                value = value[part]
            assert not value


def test_a_table_is_listed_in_a_stable_order_and_its_digest_covers_what_is_listed() -> None:
    listed = TABLES["binance"].listed()
    assert listed["classes"]["leverage"] == [{"verb": "POST", "api": "fapiPrivate", "path": "leverage"}]
    assert listed["hosts"] == sorted(listed["hosts"])
    assert TABLES["binance"].digest == table("binance").digest
    assert len({rows.digest for rows in TABLES.values()}) == len(TABLES)
