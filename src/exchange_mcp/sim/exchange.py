"""The state of the simulated venue: its clock, markets, accounts and keys. No wire format here."""

import secrets
from decimal import Decimal

from exchange_mcp.sim import keys, seeding, settlement
from exchange_mcp.sim.accounts import Account, MarginBook
from exchange_mcp.sim.algo_engine import AlgoEngine
from exchange_mcp.sim.books import Tape
from exchange_mcp.sim.brackets import BRACKETS
from exchange_mcp.sim.catalogue import CROSSES, SPOT, USDM, Instrument
from exchange_mcp.sim.clock import Clock
from exchange_mcp.sim.errors import bad_symbol
from exchange_mcp.sim.history import Statistics
from exchange_mcp.sim.listings import Contract, Listing
from exchange_mcp.sim.numbers import Numbers
from exchange_mcp.sim.orders import FuturesOrder
from exchange_mcp.sim.prices import AssetPath, CrossPath, Path
from exchange_mcp.sim.spot_engine import SpotEngine
from exchange_mcp.sim.usdm_engine import UsdmEngine


class Exchange:
    """Everything the venue knows.

    Args:
        seed: what prices, books and opening balances follow from.
        clock: where the venue takes its time from.
        accounts: how many accounts there are: main, alt, acct3 and so on.
        entropy: where keys come from; never from the seed outside of tests.
    """

    def __init__(
        self, *, seed: int, clock: Clock, accounts: int = 2, entropy: keys.Entropy = secrets.token_bytes
    ) -> None:
        now = clock.now_ms()
        self.seed = seed
        self.clock = clock
        self.accounts = seeding.accounts(seeding.Opening(seed, now), accounts)
        self.keys = keys.issue(self.accounts, entropy, now)
        self._spot = {instrument.name: self._list(instrument, path) for instrument, path in _spot_paths(seed)}
        self._usdm = {instrument.name: self._list_contract(instrument) for instrument in USDM}
        self.spot_engine = SpotEngine(self._spot, Numbers(seed, "spot"))
        self.usdm_engine = UsdmEngine(self._usdm, Numbers(seed, "usdm"), self.margin)
        self.algo_engine = AlgoEngine(self._usdm, Numbers(seed, "algo"), self.usdm_engine)

    def spot(self, symbol: str) -> Listing:
        """Return a spot pair; raise VenueError -1121 where there is none."""
        listing = self._spot.get(symbol)
        if listing is None:
            raise bad_symbol()
        return listing

    def contract(self, symbol: str) -> Contract:
        """Return a USD-M contract; raise VenueError -1121 where there is none."""
        contract = self._usdm.get(symbol)
        if contract is None:
            raise bad_symbol()
        return contract

    @property
    def spot_listings(self) -> list[Listing]:
        """Every spot pair, in the catalogue's order."""
        return list(self._spot.values())

    @property
    def contracts(self) -> list[Contract]:
        """Every USD-M contract, in the catalogue's order."""
        return list(self._usdm.values())

    def settle(self, account: Account, now_ms: int) -> None:
        """Let everything happen that was due to an account's orders up to a moment, in the order of time."""
        settlement.settle(account, now_ms, self.spot_engine, self.usdm_engine, self.algo_engine)

    def margin(self, account: Account, at_ms: int, extra: FuturesOrder | None = None) -> MarginBook:
        """Compute an account's USD-M figures at one moment, as if one `extra` order rested where given."""

        def mark(instrument: Instrument) -> Decimal:
            return self._usdm[instrument.name].mark.price(at_ms)

        return MarginBook(account, mark, BRACKETS, extra)

    def _list(self, instrument: Instrument, path: Path) -> Listing:
        tape = Tape(self.seed, instrument, path)
        return Listing(tape, Statistics(self.seed, tape))

    def _list_contract(self, instrument: Instrument) -> Contract:
        traded, mark, index = (
            AssetPath(self.seed, instrument.base, instrument.nominal, basis=basis) for basis in (2, 1, 0)
        )
        tape = Tape(self.seed, instrument, traded)
        return Contract(tape, Statistics(self.seed, tape), mark, index)


def _spot_paths(seed: int) -> list[tuple[Instrument, Path]]:
    paths: dict[str, Path] = {
        instrument.name: AssetPath(seed, instrument.base, instrument.nominal)
        for instrument in SPOT
        if instrument.name not in CROSSES
    }
    for name, (base, quote) in CROSSES.items():
        paths[name] = CrossPath(paths[base], paths[quote])
    return [(instrument, paths[instrument.name]) for instrument in SPOT]
