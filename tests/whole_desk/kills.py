"""`make kill`: a desk is killed in the middle of a write, again and again, and what the venue has is counted.

A client proposes, and repeats itself at another price; an approver approves; and the desk is killed at a point that its
own journal, or the first bytes at the venue's door, decides. Where each kill fell is read from the journal afterwards.
Then the desk starts again, the client asks for the same once more, and in the end every order is counted.
"""

import random
import sqlite3
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Final

import httpx

from exchange_mcp.model.errors import ExchangeMcpError
from serving import simulated_exchange

from .between import Between, Stage, between
from .desk import TOML, WholeDesk, _base, whole_desk  # pyright: ignore[reportPrivateUsage] - one of this package
from .nursery import Nursery, nursery


class Interval(Enum):
    """Where in a write the desk died. C1 it is recorded, C2 approved, C3 claimed, C4 its outcome recorded."""

    C1_C2 = "C1-C2"
    C2_C3 = "C2-C3"
    C3_SEND = "C3-send"
    SEND_C4 = "send-C4"
    ELSEWHERE = "elsewhere"


WANTED: Final = (Interval.C1_C2, Interval.C2_C3, Interval.C3_SEND, Interval.SEND_C4)
LEAST: Final = 10
FULL: Final = 200
_OF_TWENTY: Final = (
    *(Interval.C1_C2,) * 4, *(Interval.C2_C3,) * 4, *(Interval.C3_SEND,) * 6, *(Interval.SEND_C4,) * 6,
)  # fmt: skip
# The event that arms a kill, and how many milliseconds after it the kill falls at the latest.
_ARMED_BY: Final = {
    Interval.C1_C2: ("proposed", 40.0),
    Interval.C2_C3: ("granted", 15.0),
    Interval.C3_SEND: ("claimed", 0.0),
}
_OVER: Final = frozenset({"settled", "lapsed", "denied"})
_MARKETS: Final = {  # an amount, and a price step that the venue's grid has
    "BTC/USDT": ("0.0015", "1"),
    "SOL/USDT": ("0.5", "0.1"),
    "ETH/USDT": ("0.03", "1"),
    "XRP/USDT:USDT": ("50", "0.001"),
    "BTC/USDT:USDT": ("0.002", "1"),
    "ETH/USDT:USDT": ("0.03", "1"),
    "SOL/USDT:USDT": ("1", "0.1"),
}
_LOOK_SECONDS: Final = 0.0001
_SETTLING_SECONDS: Final = 90.0
_TOML: Final = (
    TOML.replace(
        '"ETH/USDT:USDT"]', '"ETH/USDT:USDT", "SOL/USDT", "SOL/USDT:USDT", "XRP/USDT", "XRP/USDT:USDT"]'
    )
    .replace("max_daily_notional = 50000", "max_daily_notional = 5000000")
    .replace("max_orders_per_minute = 30", "max_orders_per_minute = 600")
    .replace("max_leverage = 10", "max_leverage = 20")
    .replace("max_daily_loss = 5000", "max_daily_loss = 500000")
)


@dataclass(eq=False)
class Wish:
    """What a client wants once, however often it asks; `intents` are those that its asking led to."""

    symbol: str
    side: str
    amount: str
    price: Decimal
    after: str | None
    intents: set[str] = field(default_factory=set[str])

    def request(self, price: Decimal) -> dict[str, object]:
        return {
            "symbol": self.symbol,
            "side": self.side,
            "type": "limit",
            "amount": self.amount,
            "price": str(price),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """What a run came to.

    Attributes:
        by: kills by interval. unsettled: intents that never came to an outcome; `left` says the last of each.
        duplicates: orders beyond the first, of one intent or of one wish. orphans: orders with this desk's tag
            that the journal does not know as sent, and intents said to be placed without an order.
        resent: order requests that reached the venue's door beyond the first of their intent, whatever it made of them.
    """

    by: Counter[Interval]
    intents: int
    venue_orders: int
    duplicates: int
    orphans: int
    unsettled: int
    resent: int
    left: tuple[str, ...] = ()

    @property
    def kills(self) -> int:
        return self.by.total()

    def faults(self) -> list[str]:
        """What a run of this size may not come to."""
        least = max(1, LEAST * min(self.kills, FULL) // FULL)
        few = [f"{each.value}: {self.by[each]} kills of {least}" for each in WANTED if self.by[each] < least]
        counts = {
            "duplicates": self.duplicates,
            "orphans": self.orphans,
            "unsettled": self.unsettled,
            "resent": self.resent,
        }
        return few + [f"{name}={count}" for name, count in counts.items() if count]

    def lines(self) -> list[str]:
        """For whoever ran it; the last line is the one that counts."""
        return [
            "kills by interval: " + ", ".join(f"{each.value} {self.by[each]}" for each in Interval),
            *(f"FAILED {fault}" for fault in self.faults()),
            *(f"unsettled {each}" for each in self.left),
            (
                f"kills={self.kills} intents={self.intents} venue_orders={self.venue_orders}"
                f" duplicates={self.duplicates} orphans={self.orphans}"
            ),
        ]


class Kills:
    """One run over one desk and one exchange."""

    def __init__(
        self, desk: WholeDesk, proxy: Between, births: Nursery, seed: int, breaks: str | None = None
    ) -> None:
        self._desk, self._proxy, self._births, self._breaks = desk, proxy, births, breaks
        self._random = random.Random(seed)  # noqa: S311 - a drawn delay, no secret
        self._seed = seed
        self._asked = 0
        self._wish_id = ""
        self._wishes: list[Wish] = []
        self._latest: dict[tuple[str, str], str] = {}
        self._by: Counter[Interval] = Counter()
        self.refusals: Counter[str] = Counter()
        self.left: list[str] = []

    def run(self, kills: int, only: Interval | None = None) -> Counted:
        """Kill so often, in every interval or in one, settle, count."""
        plan = [only or _OF_TWENTY[number % len(_OF_TWENTY)] for number in range(kills)]
        self._random.shuffle(plan)
        if kills <= len(_OF_TWENTY):
            # What a kill before the send leaves takes the venue's window to prove; the others go on meanwhile.
            plan.sort(key=lambda each: each is not Interval.C3_SEND)
        self._start()
        self._first_orders()
        for number, target in enumerate(plan):
            wish = self._wish(number)
            self._by[self._killed(wish, target)] += 1
            self._start()
            self._again(wish)
        return self._counted()

    def _start(self) -> None:
        self._births.run(self._desk.environ, self._desk.log, self._breaks)
        try:
            self._desk.until(lambda status: status.closed is None and status.accounts[0].closed is None)
        except ExchangeMcpError as error:
            raise AssertionError(self._desk.log.read_text(encoding="utf-8")[-3000:]) from error

    def _first_orders(self) -> None:
        """One order on each market: no absence is proved where no look-up was shown to find what is there."""
        for number, symbol in enumerate(_MARKETS):
            wish = self._wish(number, symbol)
            intent_id = self._ask(wish, self._proposal_id(), wish.price)
            assert intent_id is not None, f"a first order was not taken: {self.refusals}"
            self._desk.approve(intent_id)
            self._desk.settled(intent_id, "placed")

    # What the client does.

    def _wish(self, number: int, on: str | None = None) -> Wish:
        """The next one, on an asset of which nothing is unknown."""
        names = list(_MARKETS)
        deadline = time.monotonic() + _SETTLING_SECONDS
        while True:
            blocked = {
                row["underlying"] for row in self._rows("SELECT underlying FROM intent WHERE state='unknown'")
            }
            free = [name for name in names if name.partition("/")[0] not in blocked]
            if free:
                break
            assert time.monotonic() < deadline, "every asset has an unknown outcome"
            with self._desk.operator() as client:
                client.news(after=client.head(), wait_ms=200)
        symbol = on or free[number % len(free)]
        amount, step = _MARKETS[symbol]
        side = self._random.choice(("buy", "sell"))
        price = self._price(symbol, side).quantize(Decimal(step))
        wish = Wish(symbol, side, amount, price, self._latest.get((symbol.partition("/")[0], side)))
        self._wishes.append(wish)
        return wish

    def _price(self, symbol: str, side: str) -> Decimal:
        """One at which the order is filled at once, by the venue's own quote of the moment."""
        host, path = ("fapi.binance.com", "/fapi/v1") if ":" in symbol else ("api.binance.com", "/api/v3")
        asked = {"symbol": symbol.partition(":")[0].replace("/", "")}
        control = self._desk.sim.control
        quote = (
            control.get(f"{path}/ticker/bookTicker", params=asked, headers={"Host": host})
            .raise_for_status()
            .json()
        )
        return (
            Decimal(quote["askPrice"]) * Decimal("1.01")
            if side == "buy"
            else Decimal(quote["bidPrice"]) * Decimal("0.99")
        )

    def _ask(self, wish: Wish, proposal_id: str, price: Decimal) -> str | None:
        """The intent that asking led to; None where it was not taken."""
        request = wish.request(price)
        answer = self._desk.proposes(proposal_id, distinct_from=wish.after, **request)
        said = answer.json()
        if answer.is_error:
            self.refusals[str(said["error"]["code"])] += 1
            return None
        wish.intents.add(said["intent_id"])
        self._latest[wish.symbol.partition("/")[0], wish.side] = said["intent_id"]
        return str(said["intent_id"])

    def _killed(self, wish: Wish, target: Interval) -> Interval:
        """Where the desk died while the client and the approver wanted this."""
        self._asked += 1
        wish_id = self._proposal_id()
        arrived, since = len(self._proxy.writes), self._head()
        with self._killer(target, since):
            with suppress(httpx.TransportError, ExchangeMcpError):
                intent_id = self._ask(wish, wish_id, wish.price)
                assert intent_id is not None, f"a new wish was not taken: {self.refusals}"
                self._ask(wish, self._proposal_id(), self._moved(wish))
                self._desk.approve(intent_id)
            self._births.gone()
        self._proxy.watch = lambda _: None
        self._proxy.fault = type(self._proxy.fault)()
        wish_rows = self._rows("SELECT id FROM intent WHERE proposal_id=?", wish_id)
        wish.intents.update(row["id"] for row in wish_rows)
        kinds = {
            row["kind"]
            for row in self._rows("SELECT kind, intent FROM event WHERE seq>?", since)
            if row["intent"] in wish.intents
        }
        self._wish_id = wish_id
        if "settled" in kinds or "proposed" not in kinds or kinds & {"lapsed", "denied"}:
            return Interval.ELSEWHERE
        if "granted" not in kinds:
            return Interval.C1_C2
        if "claimed" not in kinds:
            return Interval.C2_C3
        return Interval.C3_SEND if len(self._proxy.writes) == arrived else Interval.SEND_C4

    def _again(self, wish: Wish) -> None:
        """The client lost its answer: it asks the same again, and at the price of the moment; who asks is approved."""
        wanted = {
            self._ask(wish, self._wish_id, wish.price),
            self._ask(wish, self._proposal_id(), self._moved(wish)),
        }
        for intent_id in sorted(filter(None, wanted)):
            if self._desk.intent(intent_id).state == "proposed":
                self._desk.approve(intent_id)
                self._desk.settled(intent_id, "placed", "lapsed", "unknown", "absent", "not_sent", "rejected")

    def _moved(self, wish: Wish) -> Decimal:
        """Another price on the venue's grid: at least a step of the price as written, and in the order's favour."""
        step = Decimal(1).scaleb(int(wish.price.as_tuple().exponent)) * self._random.randint(1, 3)
        return wish.price + (step if wish.side == "buy" else -step)

    def _proposal_id(self) -> str:
        self._asked += 1
        return f"kill-{self._seed}-{self._asked}-{self._random.getrandbits(64):016x}"

    # The killer.

    @contextmanager
    def _killer(self, target: Interval, since: int) -> Generator[None]:
        if target is Interval.SEND_C4:
            self._arm_proxy()
        kind, most = _ARMED_BY.get(target, ("settled", 0.0))
        delay = self._random.uniform(0, most) / 1000
        over = threading.Event()
        thread = threading.Thread(target=self._watched, args=(kind, since, delay, over), daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()

    def _arm_proxy(self) -> None:
        stage = self._random.choice(list(Stage))
        if stage is Stage.BEGUN and self._random.random() < 0.3:
            self._proxy.fault = type(self._proxy.fault)(is_taken=False)

        def watch(reached: Stage) -> None:
            if reached is stage:
                self._births.kill()

        self._proxy.watch = watch

    def _watched(self, kind: str, since: int, delay: float, over: threading.Event) -> None:
        """Kill when the journal has an event of this kind; at the latest when the write has come to its end."""
        seen = since
        with self._journal() as journal:
            # Who sleeps is woken first; who asks without a pause is made to wait for the others of a busy machine.
            while not over.wait(_LOOK_SECONDS):
                for seq, each in journal.execute(
                    "SELECT seq, kind FROM event WHERE seq>?", (seen,)
                ).fetchall():
                    seen = seq
                    if each == kind or each in _OVER:
                        if delay:
                            over.wait(delay)
                        self._births.kill()
                        return

    # What there is to count.

    @contextmanager
    def _journal(self) -> Generator[sqlite3.Connection]:
        connection = sqlite3.connect(f"file:{self._desk.places.desk_journal}?mode=ro", uri=True, timeout=10)
        connection.row_factory = sqlite3.Row
        try:
            yield connection
        finally:
            connection.close()

    def _rows(self, query: str, *bound: object) -> Sequence[sqlite3.Row]:
        with self._journal() as journal:
            return journal.execute(query, bound).fetchall()

    def _head(self) -> int:
        return int(self._rows("SELECT max(seq) AS seq FROM event")[0]["seq"])

    def _counted(self) -> Counted:
        open_states = "('dispatching', 'accepted', 'unknown')"
        deadline = time.monotonic() + _SETTLING_SECONDS
        with self._desk.operator() as client:
            while (
                unsettled := len(self._rows(f"SELECT id FROM intent WHERE state IN {open_states}"))  # noqa: S608 - ours
            ) and time.monotonic() < deadline:
                client.news(after=client.head(), wait_ms=200)
            for row in self._rows(f"SELECT id, market_id FROM intent WHERE state IN {open_states}"):  # noqa: S608 - ours
                texts = self._rows(
                    "SELECT text FROM event WHERE intent=? ORDER BY seq DESC LIMIT 1", row["id"]
                )
                self.left.append(f"{row['market_id']}: {texts[0]['text'][:600]}")
        return self._at_the_venue(unsettled)

    def _at_the_venue(self, unsettled: int) -> Counted:
        rows = self._rows("SELECT id, client_order_id, state, claimed_ms FROM intent")
        orders = self._desk.placed()
        of_id = Counter(str(order["client_order_id"]) for order in orders)
        id_of = {str(row["id"]): str(row["client_order_id"]) for row in rows}
        sent = {str(row["client_order_id"]) for row in rows if row["state"] == "placed"}
        twice = sum(max(0, count - 1) for count in of_id.values())
        of_wish = [sum(1 for one in wish.intents if of_id[id_of[one]]) for wish in self._wishes]
        return Counted(
            by=self._by,
            intents=len(rows),
            venue_orders=len(orders),
            duplicates=twice + sum(max(0, count - 1) for count in of_wish),
            orphans=sum(count for one, count in of_id.items() if one not in sent)
            + sum(1 for one in sent if not of_id[one]),
            unsettled=unsettled,
            left=tuple(self.left),
            resent=sum(count - 1 for count in Counter(self._proxy.ids).values()),
        )


def killed(kills: int, seed: int, *, breaks: str | None = None, only: Interval | None = None) -> Counted:
    """A whole run, of the desk as it is or of one that `broken` breaks."""
    sys.setswitchinterval(0.0005)  # the killer is one thread of several
    with ExitStack() as held:
        base = Path(held.enter_context(tempfile.TemporaryDirectory(prefix="xk", dir=_base())))
        births = held.enter_context(nursery())  # first: what it forks holds nothing of the others
        exchange = held.enter_context(simulated_exchange(base))
        proxy, behind = held.enter_context(between(exchange, base))
        desk = held.enter_context(whole_desk(sim=behind, toml=_TOML))
        return Kills(desk, proxy, births, seed, breaks).run(kills, only)


def main(arguments: Sequence[str]) -> int:
    """`python -m whole_desk.kills KILLS SEED`; exit code 1 where a count is not what it has to be."""
    kills, seed = int(arguments[0]), int(arguments[1])
    counted = killed(kills, seed)
    print("\n".join(counted.lines()))  # noqa: T201 - what `make kill` shows
    return 1 if counted.faults() else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
