"""Coinbase: what its answers to writes prove. Spot, by Advanced Trade (version 3).

An order that was read and refused comes with status 200, `success` false and the reason in one of three places. Other
statuses have the gateway's own errors, of which no list was found: they are unknown. There is no leverage to set.
"""

import re
from typing import Final

from exchange_mcp.rules.outcomes.shapes import (
    Acceptance,
    Code,
    Codes,
    Doubt,
    Path,
    Refusal,
    Route,
    doubts,
    refusals,
)

UNTOLD: Final = (
    "the codes of its gateway (every status but 200), a limit's 429 among them; what a refusal without a "
    "reason means; whether a cancel that was begun found its order"
)

_ORDERS: Final = "https://docs.cdp.coinbase.com/api-reference/advanced-trade-api/rest-api/orders"
_PLACE: Final = f"{_ORDERS}/create-order"
_CANCEL: Final = f"{_ORDERS}/cancel-order"
_HOSTS: Final = frozenset({"api.coinbase.com"})
_OK: Final = (200,)

# UNKNOWN_FAILURE_REASON stands where a reason is not given, beside success too; it is in no list here.
_REASONS: Final = (
    *("UNSUPPORTED_ORDER_CONFIGURATION", "INVALID_SIDE", "INVALID_PRODUCT_ID", "INVALID_SIZE_PRECISION"),
    *("INVALID_PRICE_PRECISION", "INSUFFICIENT_FUND", "INSUFFICIENT_FUNDS", "INVALID_LEDGER_BALANCE"),
    *("ORDER_ENTRY_DISABLED", "INELIGIBLE_PAIR", "INVALID_LIMIT_PRICE_POST_ONLY", "INVALID_LIMIT_PRICE"),
    *("INVALID_NO_LIQUIDITY", "INVALID_REQUEST", "COMMANDER_REJECTED_NEW_ORDER", "IN_LIQUIDATION"),
    *("UNTRADABLE_PRODUCT", "GEOFENCING_RESTRICTION", "STOP_TRIGGER_PRICE_OUT_OF_BOUNDS", "FOK_DISABLED"),
    *("FOK_ONLY_ALLOWED_ON_LIMIT_ORDERS", "POST_ONLY_NOT_ALLOWED_WITH_FOK", "END_TIME_IS_IN_THE_PAST"),
    *("LIMIT_PRICE_TOO_FAR_FROM_MARKET", "PRICE_NOT_ALLOWED_FOR_MARKET_ORDERS"),
    *("REDUCE_ONLY_NOT_ALLOWED_ON_SPOT_PRODUCTS", "LIMIT_ORDER_PRICE_EXCEEDS_PRICE_BAND_ON_BUY"),
    *("LIMIT_ORDER_PRICE_EXCEEDS_PRICE_BAND_ON_SELL", "PRODUCT_TRADING_HALTED", "TRADING_DISABLED"),
    "BREACHED_RISK_LIMIT",
)
_PREVIEWS: Final = (
    *("PREVIEW_INVALID_SIDE", "PREVIEW_INVALID_ORDER_CONFIG", "PREVIEW_INVALID_PRODUCT_ID"),
    *("PREVIEW_INVALID_SIZE_PRECISION", "PREVIEW_INVALID_PRICE_PRECISION"),
    *("PREVIEW_INVALID_LEDGER_BALANCE", "PREVIEW_INSUFFICIENT_LEDGER_BALANCE"),
    *("PREVIEW_INVALID_LIMIT_PRICE_POST_ONLY", "PREVIEW_INVALID_LIMIT_PRICE", "PREVIEW_INVALID_NO_LIQUIDITY"),
    *("PREVIEW_INSUFFICIENT_FUND", "PREVIEW_INVALID_STOP_PRICE", "PREVIEW_INVALID_BASE_SIZE_TOO_LARGE"),
    *("PREVIEW_INVALID_BASE_SIZE_TOO_SMALL", "PREVIEW_INVALID_QUOTE_SIZE_PRECISION"),
    *("PREVIEW_INVALID_QUOTE_SIZE_TOO_LARGE", "PREVIEW_INVALID_QUOTE_SIZE_TOO_SMALL"),
    *("PREVIEW_INVALID_PRICE_TOO_LARGE", "PREVIEW_BREACHED_PRICE_LIMIT", "PREVIEW_UNTRADABLE_PRODUCT"),
    *("PREVIEW_NOT_ALLOWED_BY_MARKET_STATE", "PREVIEW_GEOFENCING_RESTRICTION", "PREVIEW_INVALID_END_TIME"),
    *("PREVIEW_INVALID_STOP_PRICE_PRECISION", "PREVIEW_STOP_PRICE_ABOVE_LIMIT_PRICE"),
    *("PREVIEW_STOP_PRICE_BELOW_LIMIT_PRICE", "PREVIEW_STOP_PRICE_ABOVE_LAST_TRADE_PRICE"),
    *("PREVIEW_STOP_PRICE_BELOW_LAST_TRADE_PRICE", "PREVIEW_FOK_DISABLED", "PREVIEW_TRADING_DISABLED"),
    *("PREVIEW_CLOSE_ONLY_FAILURE", "PREVIEW_PRODUCT_TRADING_HALTED"),
)
_IN_USE: Final = doubts(
    _PLACE,
    "says that the client order id is in use: an order of ours may be there, and has to be looked for",
    "DUPLICATE_CLIENT_ORDER_ID",
)


def _reason(name: str, definite: dict[Code, Refusal], duplicate: dict[Code, Doubt] | None = None) -> Codes:
    return Codes(
        members=frozenset(
            {
                *("success", "failure_reason", "order_id", "success_response", "error_response"),
                *("order_configuration", "attached_order_configuration"),
            }
        ),
        code=("error_response", name),
        message=("error_response", "message"),
        must={("success",): frozenset({False})},
        definite=definite,
        duplicate=duplicate or {},
        empty=(("order_id",), ("success_response",)),
    )


_RESULT: Final[Path] = ("results", 0)

ROUTES: Final[tuple[Route, ...]] = (
    Route(
        action="place",
        market="spot",
        hosts=_HOSTS,
        path=re.compile(r"/api/v3/brokerage/orders"),
        codes=(
            _reason("new_order_failure_reason", refusals(_PLACE, _OK, *_REASONS), _IN_USE),
            _reason("error", refusals(_PLACE, _OK, *_REASONS), _IN_USE),
            _reason("preview_failure_reason", refusals(_PLACE, _OK, *_PREVIEWS)),
        ),
        acceptance=Acceptance(
            page=_PLACE,
            must={("success",): frozenset({True})},
            order_id=("success_response", "order_id"),
            client_id=("success_response", "client_order_id"),
            refuted_by=(("error_response",),),
        ),
    ),
    Route(
        action="cancel",
        market="spot",
        hosts=_HOSTS,
        path=re.compile(r"/api/v3/brokerage/orders/batch_cancel"),
        codes=(
            Codes(
                members=frozenset({"results"}),
                code=(*_RESULT, "failure_reason"),
                must={(*_RESULT, "success"): frozenset({False})},
                definite=refusals(_CANCEL, _OK, "INVALID_CANCEL_REQUEST"),
                ambiguous=doubts(
                    _CANCEL,
                    "says that it did not cancel, not whether the order is still there",
                    *("UNKNOWN_CANCEL_ORDER", "COMMANDER_REJECTED_CANCEL_ORDER", "DUPLICATE_CANCEL_REQUEST"),
                    "UNKNOWN_CANCEL_FAILURE_REASON",
                ),
            ),
        ),
        acceptance=Acceptance(
            page=_CANCEL,
            must={(*_RESULT, "success"): frozenset({True})},
            order_id=(*_RESULT, "order_id"),
            remark="The cancel was begun; whether the order was still there has to be read.",
        ),
    ),
)
