"""What a USD-M account holds, as /fapi/v2 and /fapi/v3 write it: balances, account and positions.

Version 2 lists every contract and asset; version 3 only those that hold or need something.
Sources, under https://developers.binance.com/docs/derivatives/usds-margined-futures:
account/rest-api/Account-Information-V2 and -V3, Futures-Account-Balance-V2 and -V3,
trade/rest-api/Position-Information-V2 and -V3
"""

from collections.abc import Iterable
from decimal import Decimal

from exchange_mcp.sim.accounts import Exposure, MarginBook
from exchange_mcp.sim.brackets import BRACKETS
from exchange_mcp.sim.catalogue import Instrument
from exchange_mcp.sim.digits import ZERO, fixed, fixed_or_zero, trimmed
from exchange_mcp.sim.margin import max_notional
from exchange_mcp.sim.routes import Routes, SignedCall, SignedRoute
from exchange_mcp.sim.usdm_engine import TAKER
from exchange_mcp.sim.usdm_rules import MARGIN_ASSETS
from exchange_mcp.sim.wire import Payload


def balance(call: SignedCall) -> Payload:
    """Answer the wallet by asset."""
    return [
        {
            "accountAlias": f"Sim{call.account.uid}",
            "asset": figures["asset"],
            "balance": figures["walletBalance"],
            "crossWalletBalance": figures["crossWalletBalance"],
            "crossUnPnl": figures["crossUnPnl"],
            "availableBalance": figures["availableBalance"],
            "maxWithdrawAmount": figures["maxWithdrawAmount"],
            "marginAvailable": True,
            "updateTime": figures["updateTime"],
        }
        for figures in _assets(call, MARGIN_ASSETS)
    ]


def account_v2(call: SignedCall) -> Payload:
    """Answer totals, every margin asset and every contract."""
    book = _book(call)
    return {
        "feeTier": 0,
        "feeBurn": False,
        "canTrade": True,
        "canDeposit": True,
        "canWithdraw": True,
        "updateTime": 0,
        "multiAssetsMargin": False,
        "tradeGroupId": -1,
        **_totals(call, book),
        "assets": [{**figures, "marginAvailable": True} for figures in _assets(call, MARGIN_ASSETS)],
        "positions": [
            _account_position_v2(call, leg)
            for contract in call.exchange.contracts
            for leg in book.exposures(contract.tape.instrument)
        ],
    }


def account_v3(call: SignedCall) -> Payload:
    """Answer totals, the assets held and the contracts with a position or an order."""
    book = _book(call)
    return {
        **_totals(call, book),
        "assets": _assets(call, call.account.wallet),
        "positions": [
            {
                **_identity(leg),
                "unrealizedProfit": fixed(leg.profit),
                "isolatedMargin": "0",
                "notional": fixed_or_zero(leg.notional),
                "isolatedWallet": "0",
                "initialMargin": fixed_or_zero(leg.position_margin + leg.order_margin),
                "maintMargin": fixed_or_zero(leg.maintenance),
                "updateTime": leg.position.updated_ms,
            }
            for instrument in book.active
            for leg in book.exposures(instrument)
        ],
    }


def position_risk_v2(call: SignedCall) -> Payload:
    """Answer every contract's legs, of one contract or of all."""
    book = _book(call)
    return [
        {
            **_risk(leg, book),
            "isolatedMargin": fixed(ZERO),
            "leverage": str(call.account.leverage[instrument.name]),
            "maxNotionalValue": largest(call, instrument),
            "marginType": "cross",
            "isAutoAddMargin": "false",
        }
        for instrument in _asked(call, (contract.tape.instrument for contract in call.exchange.contracts))
        for leg in book.exposures(instrument)
    ]


def position_risk_v3(call: SignedCall) -> Payload:
    """Answer the legs of the contracts with a position or an order."""
    book = _book(call)
    return [
        {
            **_risk(leg, book),
            "isolatedMargin": "0",
            "marginAsset": instrument.quote,
            **_margins(leg),
            "adl": 2 if leg.notional else 0,
            "bidNotional": fixed_or_zero(leg.bid_notional),
            "askNotional": fixed_or_zero(leg.ask_notional),
        }
        for instrument in _asked(call, book.active)
        for leg in book.exposures(instrument)
    ]


def largest(call: SignedCall, instrument: Instrument) -> str:
    """Write the largest position that the account's leverage allows in a contract, in USDT."""
    return fixed(max_notional(BRACKETS[instrument.name], call.account.leverage[instrument.name]), 0)


def _book(call: SignedCall) -> MarginBook:
    return call.exchange.margin(call.account, call.now_ms)


def _asked(call: SignedCall, instruments: Iterable[Instrument]) -> list[Instrument]:
    symbol = call.params.symbol()
    if symbol is not None:
        call.exchange.contract(symbol)
    return [instrument for instrument in instruments if symbol in {None, instrument.name}]


def _totals(call: SignedCall, book: MarginBook) -> dict[str, str]:
    wallet = call.account.wallet.get("USDT", ZERO)
    return {
        "totalInitialMargin": fixed(book.initial_margin),
        "totalMaintMargin": fixed(book.maintenance),
        "totalWalletBalance": fixed(wallet),
        "totalUnrealizedProfit": fixed(book.profit),
        "totalMarginBalance": fixed(wallet + book.profit),
        "totalPositionInitialMargin": fixed(book.position_margin),
        "totalOpenOrderInitialMargin": fixed(book.order_margin),
        "totalCrossWalletBalance": fixed(wallet),
        "totalCrossUnPnl": fixed(book.profit),
        "availableBalance": fixed(book.available),
        "maxWithdrawAmount": fixed(book.transferable),
    }


def _assets(call: SignedCall, names: Iterable[str]) -> list[dict[str, object]]:
    book = _book(call)
    return [
        _asset(call, name, book if name == "USDT" else None, call.account.wallet.get(name, ZERO))
        for name in names
    ]


def _asset(call: SignedCall, name: str, book: MarginBook | None, wallet: Decimal) -> dict[str, object]:
    profit = book.profit if book else ZERO
    return {
        "asset": name,
        "walletBalance": fixed(wallet),
        "unrealizedProfit": fixed(profit),
        "marginBalance": fixed(wallet + profit),
        "maintMargin": fixed(book.maintenance if book else ZERO),
        "initialMargin": fixed(book.initial_margin if book else ZERO),
        "positionInitialMargin": fixed(book.position_margin if book else ZERO),
        "openOrderInitialMargin": fixed(book.order_margin if book else ZERO),
        "crossWalletBalance": fixed(wallet),
        "crossUnPnl": fixed(profit),
        "availableBalance": fixed(book.available if book else wallet),
        "maxWithdrawAmount": fixed(book.transferable if book else wallet),
        # An asset that was never moved has a zero here.
        "updateTime": (call.account.funded_ms or call.account.opened_ms)
        if name in call.account.wallet
        else 0,
    }


def _identity(leg: Exposure) -> dict[str, object]:
    position = leg.position
    return {
        "symbol": position.instrument.name,
        "positionSide": position.side,
        "positionAmt": fixed(position.amount, position.instrument.quantity_places),
    }


def _margins(leg: Exposure) -> dict[str, object]:
    return {
        "initialMargin": fixed_or_zero(leg.position_margin + leg.order_margin),
        "maintMargin": fixed_or_zero(leg.maintenance),
        "positionInitialMargin": fixed_or_zero(leg.position_margin),
        "openOrderInitialMargin": fixed_or_zero(leg.order_margin),
    }


def _risk(leg: Exposure, book: MarginBook) -> dict[str, object]:
    liquidation = book.liquidation(leg.position.instrument) if leg.notional else None
    return {
        **_identity(leg),
        "entryPrice": trimmed(leg.position.entry),
        "breakEvenPrice": trimmed(_break_even(leg)),
        "markPrice": fixed(leg.mark),
        "unRealizedProfit": fixed(leg.profit),
        "liquidationPrice": fixed(liquidation) if liquidation else "0",
        "notional": fixed_or_zero(leg.notional),
        "isolatedWallet": "0",
        "updateTime": leg.position.updated_ms,
    }


def _break_even(leg: Exposure) -> Decimal:
    return leg.position.entry * (1 + TAKER * leg.position.leg.direction)


def _account_position_v2(call: SignedCall, leg: Exposure) -> dict[str, object]:
    return {
        **_identity(leg),
        **_margins(leg),
        "unrealizedProfit": fixed(leg.profit),
        "leverage": str(call.account.leverage[leg.position.instrument.name]),
        "isolated": False,
        "entryPrice": trimmed(leg.position.entry),
        "breakEvenPrice": trimmed(_break_even(leg)),
        "maxNotional": largest(call, leg.position.instrument),
        "notional": fixed_or_zero(leg.notional),
        "isolatedWallet": "0",
        "bidNotional": fixed_or_zero(leg.bid_notional),
        "askNotional": fixed_or_zero(leg.ask_notional),
        "updateTime": leg.position.updated_ms,
    }


_ONE = frozenset({"symbol"})

ROUTES: Routes = {
    ("GET", "/fapi/v2/balance"): SignedRoute(balance, weight=5),
    ("GET", "/fapi/v3/balance"): SignedRoute(balance, weight=5),
    ("GET", "/fapi/v2/account"): SignedRoute(account_v2, weight=5),
    ("GET", "/fapi/v3/account"): SignedRoute(account_v3, weight=5),
    ("GET", "/fapi/v2/positionRisk"): SignedRoute(position_risk_v2, _ONE, weight=5),
    ("GET", "/fapi/v3/positionRisk"): SignedRoute(position_risk_v3, _ONE, weight=5),
}
