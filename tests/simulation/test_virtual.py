"""The virtual time in which histories are told: nothing waits, nothing of a dead process runs, the order is one."""

import asyncio
import itertools

import pytest

from simulation.virtual import EPOCH_MS, Killed, Process, SeededEntropy, VirtualClock, VirtualLoop


def test_time_passes_only_when_nothing_else_is_left_to_do() -> None:
    loop, seen = VirtualLoop(), list[tuple[str, float]]()

    async def one(name: str, seconds: float) -> None:
        await asyncio.sleep(seconds)
        seen.append((name, loop.time()))

    async def story() -> None:
        await asyncio.gather(one("late", 86_400.0), one("soon", 0.5), one("at once", 0.0))

    loop.run_history(story())
    assert seen == [("at once", 0.0), ("soon", 0.5), ("late", 86_400.0)]
    assert VirtualClock(loop).now_ms() == EPOCH_MS + 86_400_000


def test_of_a_dead_process_no_handler_and_no_finally_runs() -> None:
    loop, ran, kept = VirtualLoop(), list[str](), list[asyncio.Task[None]]()

    async def work() -> None:
        try:
            await asyncio.sleep(1.0)
            ran.append("after")
        except BaseException:
            ran.append("handler")
            raise
        finally:
            ran.append("finally")

    async def story() -> None:
        process = Process("desk")
        with process.running():
            kept.append(asyncio.get_running_loop().create_task(work()))
        await asyncio.sleep(0.5)
        process.kill()
        await asyncio.sleep(5.0)
        assert not ran
        assert not kept[0].done()
        with pytest.raises(Killed):
            process.alive()

    loop.run_history(story())


def test_a_history_that_never_ends_and_one_that_waits_for_nothing_are_errors() -> None:
    async def for_ever() -> None:
        for _ in itertools.count():
            await asyncio.sleep(0)

    async def for_nothing() -> None:
        await asyncio.get_running_loop().create_future()

    with pytest.raises(RuntimeError, match="does not end"):
        VirtualLoop().run_history(for_ever(), most_steps=1000)
    with pytest.raises(RuntimeError, match="nothing is left"):
        VirtualLoop().run_history(for_nothing())


def test_one_seed_gives_one_sequence() -> None:
    first, second, other = SeededEntropy("a"), SeededEntropy("a"), SeededEntropy("b")
    assert first.token(16) == second.token(16) != other.token(16)
    assert first.token(16) == second.token(16)
