"""Binance USD-M: prices, margin, position, settings, brackets and fee rate. Quantities count base.

https://developers.binance.com/docs/derivatives/usds-margined-futures/account/rest-api/Account-Information-V3
https://developers.binance.com/docs/derivatives/usds-margined-futures/account/rest-api/Account-Config
https://developers.binance.com/docs/derivatives/usds-margined-futures/trade/rest-api/Position-Information-V2
https://developers.binance.com/docs/derivatives/usds-margined-futures/account/rest-api/Notional-and-Leverage-Brackets
https://developers.binance.com/docs/derivatives/usds-margined-futures/account/rest-api/User-Commission-Rate
"""

from collections.abc import Mapping
from decimal import Decimal
from typing import Final, Literal, cast

from exchange_mcp.model.decimals import add
from exchange_mcp.model.errors import BadAnswerError, NotCoveredError
from exchange_mcp.model.positions import MarginMode
from exchange_mcp.model.readings import (
    AccountModes,
    Brackets,
    MarginAccount,
    MarketSettings,
    OpenPositions,
    StandingPart,
)
from exchange_mcp.model.terms import Bracket, Fees, Held, Reference
from exchange_mcp.venue.standing.question import About, Question, mapping, rows
from exchange_mcp.venue.terms import Parsed, number, positive

_SIDES: Final[dict[str, Literal["long", "short"]]] = {"LONG": "long", "SHORT": "short"}
_MARGIN_MODES: Final[dict[str, MarginMode]] = {"cross": "cross", "crossed": "cross", "isolated": "isolated"}

# No venue has more than some hundreds; what is larger is no leverage.
_MOST_LEVERAGE: Final = 1000


def _last(answer: object, about: About) -> Reference:
    return Reference(last=positive(about.own(answer), "lastPrice"), mark=None, average=None)


def _mark(answer: object, about: About) -> Reference:
    return Reference(last=None, mark=positive(about.own(answer), "markPrice"), average=None)


def _margin(answer: object, about: About) -> MarginAccount:
    told, settle = mapping(answer), str(about.market["settleId"])
    row = next((each for each in rows(told.get("assets")) if each.get("asset") == settle), None)
    if row is None:
        raise NotCoveredError(f"the venue lists no {settle} among the assets of this futures account")
    maintenance, unrealised, why = _others(rows(told.get("positions")), about, settle)
    return MarginAccount(
        available=number(row, "availableBalance"),
        equity=number(row, "marginBalance"),
        wallet_balance=number(row, "crossWalletBalance"),
        maintenance_others=maintenance,
        unrealised_others=unrealised,
        why=why,
    )


def _others(positions: list[Parsed], about: About, settle: str) -> tuple[Decimal | None, Decimal | None, str]:
    """Maintenance margin and unrealised profit of every other cross position that settles in the same asset."""
    maintenance = unrealised = Decimal(0)
    for row in positions:
        symbol = str(row.get("symbol"))
        if symbol == about.market_id or not _told(row, "positionAmt") or number(row, "isolatedWallet"):
            continue  # an isolated position stands for itself
        market = about.named(symbol)
        if market is None:
            return None, None, f"the position in {symbol} is in a market that is not listed"
        if market["settleId"] == settle:
            maintenance = add(maintenance, _told(row, "maintMargin"))
            unrealised = add(unrealised, _told(row, "unrealizedProfit"))
    return maintenance, unrealised, ""


def _modes(answer: object, _: About) -> AccountModes:
    told = mapping(answer)
    return AccountModes(
        position_mode="hedge" if _flag(told, "dualSidePosition") else "one_way",
        shares_margin=_flag(told, "multiAssetsMargin"),
    )


def _positions(answer: object, about: About) -> OpenPositions:
    """Every leg of the market, also one that holds nothing, since leverage and margin mode are told there."""
    legs = [about.own(row) for row in rows(answer)]
    if not legs:
        raise BadAnswerError("the venue sent no leg of the position, not even an empty one")
    leverages = {_leverage(leg, "leverage") for leg in legs}
    modes: set[MarginMode | None] = {_MARGIN_MODES.get(str(leg.get("marginType")).lower()) for leg in legs}
    open_legs = [held for leg in legs if (held := _held(leg)) is not None]
    if len({held.side for held in open_legs}) < len(open_legs):
        raise BadAnswerError("the venue sent two positions on one side of the market")
    return OpenPositions(
        held=tuple(open_legs),
        settings=MarketSettings(
            leverage=leverages.pop() if len(leverages) == 1 else None,
            margin_mode=modes.pop() if len(modes) == 1 else None,
        ),
    )


def _held(leg: Parsed) -> Held | None:
    amount = _told(leg, "positionAmt")
    if not amount:
        return None
    signed: Literal["long", "short"] = "long" if amount > 0 else "short"
    if _SIDES.get(str(leg.get("positionSide")), signed) != signed:
        raise BadAnswerError("the venue sent a position whose size has the other side's sign")
    is_isolated = str(leg.get("marginType")).lower() == "isolated"
    return Held(
        side=signed,
        amount=amount.copy_abs(),
        entry_price=positive(leg, "entryPrice"),
        isolated_margin=number(leg, "isolatedWallet") if is_isolated else None,
    )


def _brackets(answer: object, about: About) -> Brackets:
    # With a symbol the page shows one object, and without one a list.
    found = [mapping(cast("object", answer))] if isinstance(answer, Mapping) else rows(answer)
    row = about.own(next((each for each in found if each.get("symbol") == about.market_id), None))
    if (number(row, "notionalCoef") or 1) != 1:
        raise NotCoveredError("the brackets of this account are adjusted, and how is not documented")
    levels = sorted((_bracket(each) for each in rows(row.get("brackets"))), key=lambda each: each.floor)
    if not levels:
        raise BadAnswerError("the venue sent no bracket")
    # The page's brackets begin at nothing and each where the last one ends; between others no figure would be right.
    ends = [Decimal(0), *(level.cap for level in levels)]
    if any(level.floor != end or level.cap <= end for level, end in zip(levels, ends, strict=False)):
        raise BadAnswerError("the venue sent brackets that do not join one another")
    if any(not 0 <= level.rate < 1 for level in levels):
        raise BadAnswerError("the venue sent a maintenance rate that is not from 0 up to 1")
    return Brackets(rows=tuple(levels))


def _bracket(row: Parsed) -> Bracket:
    return Bracket(
        floor=_told(row, "notionalFloor"),
        cap=_told(row, "notionalCap"),
        rate=_told(row, "maintMarginRatio"),
        deduction=_told(row, "cum"),
        max_leverage=_leverage(row, "initialLeverage"),
    )


def _fees(answer: object, about: About) -> Fees:
    row = about.own(answer)
    return Fees(
        maker=_told(row, "makerCommissionRate"),
        taker=_told(row, "takerCommissionRate"),
        source="the account's own rate",
        asset=str(about.market["settle"]),
    )


def _told(row: Parsed, name: str) -> Decimal:
    value = number(row, name)
    if value is None:
        raise BadAnswerError(f"the venue sent no {name}")
    return value


def _leverage(row: Parsed, name: str) -> int:
    value = _told(row, name)
    if not 1 <= value <= _MOST_LEVERAGE or value != value.to_integral_value():
        raise BadAnswerError(f"the venue sent a {name} that is no whole number from 1 to {_MOST_LEVERAGE}")
    return int(value)


def _flag(row: Parsed, name: str) -> bool:
    value = row.get(name)
    if not isinstance(value, bool):
        raise BadAnswerError(f"the venue sent no {name}")
    return value


REFERENCE: Final[tuple[Question[Reference], ...]] = (
    Question(source="last price", call="fapiPublicGetTicker24hr", read=_last),
    Question(source="mark price", call="fapiPublicGetPremiumIndex", read=_mark),
)
STANDING: Final[tuple[Question[StandingPart], ...]] = (
    Question(source="margin", call="fapiPrivateV3GetAccount", read=_margin, by_symbol=False),
    Question(source="account modes", call="fapiPrivateGetAccountConfig", read=_modes, by_symbol=False),
    Question(source="position", call="fapiPrivateV2GetPositionRisk", read=_positions),
    Question(source="fee rate", call="fapiPrivateGetCommissionRate", read=_fees),
    Question(source="leverage brackets", call="fapiPrivateGetLeverageBracket", read=_brackets),
)
