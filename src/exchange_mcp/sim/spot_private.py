"""Signed spot endpoints, under /api/v3, and what the wallet says about a key, under /sapi/v1.

Sources: https://github.com/binance/binance-spot-api-docs/blob/master/rest-api.md (account endpoints),
https://developers.binance.com/docs/wallet/account/api-key-permission and, on how long a key may trade,
https://www.binance.com/en/support/announcement/cda0a4b53da04396b5d27881e93abf78
"""

from decimal import Decimal

from exchange_mcp.sim.digits import ZERO, fixed
from exchange_mcp.sim.routes import Routes, SignedCall, SignedRoute
from exchange_mcp.sim.spot_engine import COMMISSION
from exchange_mcp.sim.wire import Payload

_RATES = {
    "maker": fixed(COMMISSION),
    "taker": fixed(COMMISSION),
    "buyer": "0.00000000",
    "seller": "0.00000000",
}
_TRADING_RIGHT_MS = 30 * 86_400_000
_NO_RATES = dict.fromkeys(_RATES, "0.00000000")


def account(call: SignedCall) -> Payload:
    """Answer balances and what the account may do; what resting orders hold back is locked."""
    omit_zeros = (call.params.text("omitZeroBalances") or "false") == "true"
    holder = call.account
    assets = [asset for asset, total in _balances(call).items() if total or not omit_zeros]
    return {
        "makerCommission": 10,
        "takerCommission": 10,
        "buyerCommission": 0,
        "sellerCommission": 0,
        "commissionRates": _RATES,
        "canTrade": True,
        "canWithdraw": True,
        "canDeposit": True,
        "brokered": False,
        "requireSelfTradePrevention": False,
        "preventSor": False,
        "updateTime": max(
            (order.updated_ms for order in holder.orders.spot.every()), default=holder.opened_ms
        ),
        "accountType": "SPOT",
        "balances": [
            {
                "asset": asset,
                "free": fixed(holder.free(asset)),
                "locked": fixed(holder.orders.locked(asset)),
            }
            for asset in assets
        ],
        "permissions": ["SPOT"],
        "uid": holder.uid,
    }


def commission(call: SignedCall) -> Payload:
    """Answer the commission rates of one pair."""
    name = call.exchange.spot(call.params.mandatory_symbol()).tape.instrument.name
    return {
        "symbol": name,
        "standardCommission": _RATES,
        "specialCommission": _NO_RATES,
        "taxCommission": _NO_RATES,
        "discount": {
            "enabledForAccount": False,
            "enabledForSymbol": True,
            "discountAsset": "BNB",
            "discount": "0.75000000",
        },
    }


def api_restrictions(call: SignedCall) -> Payload:
    """Answer what the key that asks may do."""
    permissions = call.key.permissions
    # The right to withdraw needs an IP restriction; the right to trade without one runs out after 30 days.
    is_bound = permissions.may_withdraw
    expires = permissions.may_trade and not is_bound
    return {
        "ipRestrict": is_bound,
        "createTime": call.key.created_at_ms,
        "enableReading": True,
        "enableWithdrawals": permissions.may_withdraw,
        "enableInternalTransfer": False,
        "enableMargin": False,
        "enableFutures": permissions.may_trade,
        "permitsUniversalTransfer": False,
        "enableVanillaOptions": False,
        "enableFixApiTrade": False,
        "enableFixReadOnly": False,
        "enableSpotAndMarginTrading": permissions.may_trade,
        "enablePortfolioMarginTrading": False,
        **({"tradingAuthorityExpirationTime": call.key.created_at_ms + _TRADING_RIGHT_MS} if expires else {}),
    }


def _balances(call: SignedCall) -> dict[str, Decimal]:
    listed = [listing.tape.instrument for listing in call.exchange.spot_listings]
    every = {asset: ZERO for instrument in listed for asset in (instrument.base, instrument.quote)}
    return {**every, **call.account.spot}


ROUTES: Routes = {
    ("GET", "/api/v3/account"): SignedRoute(account, frozenset({"omitZeroBalances"}), weight=20),
    ("GET", "/api/v3/account/commission"): SignedRoute(commission, frozenset({"symbol"}), weight=20),
}

WALLET_ROUTES: Routes = {
    ("GET", "/sapi/v1/account/apiRestrictions"): SignedRoute(api_restrictions),
}
