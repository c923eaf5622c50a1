"""`make kill`: a desk is killed in the middle of a write, again and again, and what the venue has is counted.

A client proposes, and repeats itself at another price; an approver approves; and the desk is killed at a point that its
own journal, or the first bytes at the venue's door, decides. Where each kill fell is read from the journal afterwards.
Then the desk starts again, the client asks for the same once more, and in the end every order is counted.
"""

import json
import random
import sqlite3
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from decimal import Decimal
from itertools import groupby
from pathlib import Path
from typing import Any, Final

import httpx

from exchange_mcp.audit.verify import BrokenLogError, UnreadableLogError, verify
from exchange_mcp.model.errors import ExchangeMcpError
from faults.fault_proxy import Fault
from secret_forms import forms
from serving import simulated_exchange

from .between import Between, Stage, between
from .counted import Counted, Interval
from .desk import CREDENTIAL, WIDE_TOML, WholeDesk, short_place, whole_desk
from .nursery import Nursery, nursery
from .wishes import FEW_MARKETS, MARKETS, Wish

# In this order where they are all: what a claim without a send leaves takes the venue's window to prove, and others go
# on meanwhile.
_OF_TWENTY: Final = (
    *(Interval.C3_SEND,) * 4, *(Interval.C1_C2,) * 5, *(Interval.SEND_C4,) * 6, *(Interval.C2_C3,) * 5,
)  # fmt: skip
# The event that arms a kill, and how many milliseconds after it the kill falls at the latest.
_ARMED_BY: Final = {
    Interval.C1_C2: ("proposed", 40.0),
    Interval.C2_C3: ("granted", 15.0),
}
_OVER: Final = frozenset({"settled", "lapsed", "denied"})
_LOOK_SECONDS: Final = 0.0001
_SETTLING_SECONDS: Final = 90.0


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
        self._late = 0
        self._markets = MARKETS
        self.refusals: Counter[str] = Counter()
        self.left: list[str] = []

    def run(self, kills: int, only: Interval | None = None) -> Counted:
        """Kill so often, in every interval or in one, settle, count."""
        plan = [only or _OF_TWENTY[number % len(_OF_TWENTY)] for number in range(kills)]
        if kills > len(_OF_TWENTY):
            self._random.shuffle(plan)
        else:
            self._markets = FEW_MARKETS
        self._start()
        self._first_orders()
        for number, target in enumerate(plan):
            wish = self._wish(number)
            self._by[self._killed(wish, target)] += 1
            self._start()
            self._again(wish)
            self._let_arrive()
        return self._counted()

    def _start(self) -> None:
        self._births.run(self._desk.environ, self._desk.log, self._breaks)
        try:
            self._desk.until(lambda status: status.closed is None and status.accounts[0].closed is None)
        except ExchangeMcpError as error:
            raise AssertionError(self._desk.log.read_text(encoding="utf-8")[-3000:]) from error

    def _first_orders(self) -> None:
        """One order on each market: no absence is proved where no look-up was shown to find what is there."""
        by_kind = groupby(enumerate(self._markets), key=lambda each: ":" in each[1])
        for _, markets in by_kind:  # no asset twice in one of them, so that nothing waits for its like
            asked: list[str] = []
            for number, symbol in markets:
                wish = self._wish(number, symbol)
                intent_id = self._ask(wish, self._proposal_id(), wish.price)
                assert intent_id is not None, f"a first order was not taken: {self.refusals}"
                self._desk.approve(intent_id)
                asked.append(intent_id)
            for intent_id in asked:
                self._desk.settled(intent_id, "placed")

    # What the client does.

    def _wish(self, number: int, on: str | None = None) -> Wish:
        """The next one, on an asset of which nothing is unknown."""
        names = list(self._markets)
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
        amount, step = self._markets[symbol]
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
        wish_id = self._proposal_id()
        arrived, since = len(self._proxy.writes), self._head()
        with self._killer(target, since):
            with suppress(httpx.TransportError, ExchangeMcpError):
                intent_id = self._ask(wish, wish_id, wish.price)
                assert intent_id is not None, f"a new wish was not taken: {self.refusals}"
                self._ask(wish, self._proposal_id(), self._moved(wish))
                self._desk.approve(intent_id)
            self._births.gone()
        has_left = self._proxy.drained(arrived)
        self._proxy.watch = lambda _: None
        self._proxy.fault = Fault()
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
        return Interval.SEND_C4 if has_left else Interval.C3_SEND

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
        if target is Interval.C3_SEND:
            self._births.step(self._desk.places.desk_journal, since)
            yield
            return
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
        """Kill once the write has come so far; what is only begun goes on to the venue, is lost, or arrives late."""
        stage, fault, is_held = self._random.choice(
            (
                (Stage.BEGUN, Fault(), False),
                (Stage.BEGUN, Fault(is_taken=False), False),
                (Stage.BEGUN, Fault(), True),
                (Stage.TAKEN, Fault(), False),
                (Stage.GIVEN, Fault(), False),
            )
        )
        self._proxy.fault, self._proxy.held = fault, threading.Event() if is_held else None

        def watch(reached: Stage) -> None:
            if reached is stage:
                self._births.kill()

        self._proxy.watch = watch

    def _let_arrive(self) -> None:
        """Let through what the venue has not heard of yet: the desk is back, has looked for it, and was asked again."""
        held, self._proxy.held = self._proxy.held, None
        if held is not None:
            self._late += self._proxy.holding
            held.set()

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
        rows = self._rows("SELECT id, client_order_id, state, claimed_ms, plan_text FROM intent")
        orders = self._desk.placed()
        plans = {str(row["client_order_id"]): json.loads(row["plan_text"]) for row in rows}
        claimed = {str(row["client_order_id"]) for row in rows if row["claimed_ms"] is not None}
        of_id = Counter(str(order["client_order_id"]) for order in orders)
        id_of = {str(row["id"]): str(row["client_order_id"]) for row in rows}
        sent = {str(row["client_order_id"]) for row in rows if row["state"] == "placed"}
        twice = sum(max(0, count - 1) for count in of_id.values())
        of_wish = [sum(1 for one in wish.intents if of_id[id_of[one]]) for wish in self._wishes]
        return Counted(
            by=self._by,
            late=self._late,
            intents=len(rows),
            venue_orders=len(orders),
            duplicates=twice + sum(max(0, count - 1) for count in of_wish),
            orphans=sum(count for one, count in of_id.items() if one not in sent)
            + sum(1 for one in sent if not of_id[one]),
            unsettled=unsettled,
            left=tuple(self.left),
            resent=sum(count - 1 for count in Counter(self._proxy.ids).values()),
            unclaimed=sum(1 for one in self._proxy.ids if one not in claimed),
            altered=sum(1 for order in orders if not _is_as_planned(order, plans)),
            leaks=self._leaks(),
            log=self._log(),
        )

    def _leaks(self) -> int:
        """How many files of the desk's own hold one of its secrets, in any form."""
        secrets = (CREDENTIAL, self._desk.sim.published()["keys"]["trader"]["secret"])
        wanted = [form for secret in secrets for form in forms(secret)]
        kept = [path for path in self._desk.places.state.rglob("*") if path.is_file()]
        contents = [path.read_bytes() for path in (self._desk.log, *kept)]
        return sum(1 for content in contents if any(form in content for form in wanted))

    def _log(self) -> str:
        """What an auditor finds wrong with the event log after all those kills; "" where it holds together."""
        try:
            verify(self._desk.places.desk_journal)
        except (BrokenLogError, UnreadableLogError) as error:
            return str(error)
        return ""


def _is_as_planned(order: Mapping[str, Any], plans: Mapping[str, Any]) -> bool:
    """Whether what the venue has is what was approved, field by field."""
    plan = plans.get(str(order["client_order_id"]))
    if plan is None:
        return False
    asked = plan["request"]["parameters"]
    texts = all(str(order[name]) == str(asked[name]) for name in ("symbol", "side", "type"))
    return texts and all(Decimal(order[name]) == Decimal(str(asked[name])) for name in ("quantity", "price"))


def killed(kills: int, seed: int, *, breaks: str | None = None, only: Interval | None = None) -> Counted:
    """A whole run, of the desk as it is or of one that `broken` breaks."""
    sys.setswitchinterval(0.0005)  # the killer is one thread of several
    with ExitStack() as held:
        base = Path(held.enter_context(tempfile.TemporaryDirectory(prefix="xk", dir=short_place())))
        births = held.enter_context(nursery())  # first: what it forks holds nothing of the others
        exchange = held.enter_context(simulated_exchange(base))
        proxy, behind = held.enter_context(between(exchange, base))
        desk = held.enter_context(whole_desk(sim=behind, toml=WIDE_TOML))
        return Kills(desk, proxy, births, seed, breaks).run(kills, only)


def main(arguments: Sequence[str]) -> int:
    """`python -m whole_desk.kills KILLS SEED`; exit code 1 where a count is not what it has to be."""
    kills, seed = int(arguments[0]), int(arguments[1])
    counted = killed(kills, seed)
    print("\n".join(counted.lines()))  # noqa: T201 - what `make kill` shows
    return 1 if counted.faults() else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
