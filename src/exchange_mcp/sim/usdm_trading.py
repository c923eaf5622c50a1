"""How a USD-M account trades, under /fapi/v1: position mode, leverage, brackets, commissions.

Sources, under https://developers.binance.com/docs/derivatives/usds-margined-futures:
trade/rest-api/Change-Initial-Leverage; account/rest-api/Get-Current-Position-Mode,
Get-Current-Multi-Assets-Mode, Account-Config, Symbol-Config, Notional-and-Leverage-Brackets and User-Commission-Rate
"""

from exchange_mcp.sim.brackets import BRACKETS
from exchange_mcp.sim.digits import fixed
from exchange_mcp.sim.keys import Access
from exchange_mcp.sim.routes import Routes, SignedCall, SignedRoute
from exchange_mcp.sim.usdm_account import largest
from exchange_mcp.sim.usdm_engine import MAKER, TAKER
from exchange_mcp.sim.wire import Payload, read_integer


def position_mode(call: SignedCall) -> Payload:
    """Answer whether contracts have a long and a short leg of their own."""
    return {"dualSidePosition": call.account.is_hedged}


def multi_assets_mode(_call: SignedCall) -> Payload:
    """Answer whether assets other than USDT are margin too: never here."""
    return {"multiAssetsMargin": False}


def account_config(call: SignedCall) -> Payload:
    """Answer what holds for every contract alike: fee tier, permissions and both modes."""
    return {
        "feeTier": 0,
        "canTrade": True,
        "canDeposit": True,
        "canWithdraw": True,
        "dualSidePosition": call.account.is_hedged,
        "updateTime": 0,
        "multiAssetsMargin": False,
        "tradeGroupId": -1,
    }


def symbol_config(call: SignedCall) -> Payload:
    """Answer margin type and leverage, of one contract or of all."""
    symbol = known_symbol(call)
    return [
        {
            "symbol": instrument.name,
            "marginType": "CROSSED",
            "isAutoAddMargin": False,
            "leverage": call.account.leverage[instrument.name],
            "maxNotionalValue": largest(call, instrument),
        }
        for instrument in (contract.tape.instrument for contract in call.exchange.contracts)
        if symbol in {None, instrument.name}
    ]


def change_leverage(call: SignedCall) -> Payload:
    """Change a contract's leverage; margin figures follow at once."""
    symbol = call.exchange.contract(call.params.mandatory_symbol()).instrument.name
    leverage = read_integer("leverage", call.params.mandatory("leverage"))
    allowed = call.exchange.usdm_engine.set_leverage(call.account, symbol, leverage, call.now_ms)
    return {"leverage": leverage, "maxNotionalValue": fixed(allowed, 0), "symbol": symbol}


def leverage_bracket(call: SignedCall) -> Payload:
    """Answer the notional brackets: a list for all contracts, one object where a symbol was sent."""
    symbol = known_symbol(call)
    return _brackets(symbol) if symbol is not None else [_brackets(name) for name in BRACKETS]


def commission_rate(call: SignedCall) -> Payload:
    """Answer the commission rates of one contract."""
    name = call.exchange.contract(call.params.mandatory_symbol()).tape.instrument.name
    return {
        "symbol": name,
        "makerCommissionRate": fixed(MAKER, 6),
        "takerCommissionRate": fixed(TAKER, 6),
    }


def known_symbol(call: SignedCall) -> str | None:
    """Return the contract that a request names, or None; raise VenueError -1121 where there is none such."""
    symbol = call.params.symbol()
    if symbol is not None:
        call.exchange.contract(symbol)
    return symbol


def _brackets(name: str) -> dict[str, object]:
    return {
        "symbol": name,
        "brackets": [
            {
                "bracket": level.number,
                "initialLeverage": level.max_leverage,
                "notionalCap": int(level.cap),
                "notionalFloor": int(level.floor),
                # The venue writes these two as JSON numbers.
                "maintMarginRatio": float(level.rate),
                "cum": float(level.amount),
            }
            for level in BRACKETS[name]
        ],
    }


_ONE = frozenset({"symbol"})

ROUTES: Routes = {
    ("GET", "/fapi/v1/positionSide/dual"): SignedRoute(position_mode, weight=30),
    ("GET", "/fapi/v1/multiAssetsMargin"): SignedRoute(multi_assets_mode, weight=30),
    ("GET", "/fapi/v1/accountConfig"): SignedRoute(account_config, weight=5),
    ("GET", "/fapi/v1/symbolConfig"): SignedRoute(symbol_config, _ONE, weight=5),
    ("POST", "/fapi/v1/leverage"): SignedRoute(change_leverage, _ONE | {"leverage"}, access=Access.TRADE),
    ("GET", "/fapi/v1/leverageBracket"): SignedRoute(leverage_bracket, _ONE),
    ("GET", "/fapi/v1/commissionRate"): SignedRoute(commission_rate, _ONE, weight=20),
}
