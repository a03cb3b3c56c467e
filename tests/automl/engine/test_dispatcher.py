"""How workers are lent, without Ray: actors that answer, and actors that have died."""

import asyncio
from types import SimpleNamespace

import pytest
from ray.exceptions import ActorDiedError

from automl._workers import ABANDONED_SECONDS, Dispatcher


class Actor:
    """Answers as a worker does; ``dies_at`` names the call at which its process is gone."""

    def __init__(self, dies_at=None, idle=0.0):
        self.dies_at, self.idle, self.calls = dies_at, idle, []

    def __getattr__(self, name):
        async def answer():
            self.calls.append(name)
            if name == self.dies_at:
                raise ActorDiedError
            return {"ready": 1, "idle_seconds": self.idle}.get(name)

        return SimpleNamespace(remote=answer)


async def lend(actors):
    dispatcher = Dispatcher(lambda: next(actors), 1)
    await dispatcher.begin()
    await dispatcher.wait_ready()
    return dispatcher, await dispatcher.acquire(None)


@pytest.mark.parametrize("dies_at", ["idle_seconds", "abandon"])
def test_a_dead_worker_whose_holder_is_gone_is_replaced(dies_at):
    async def scene():
        fresh = Actor()
        dispatcher, lent = await lend(iter([Actor(dies_at, idle=2 * ABANDONED_SECONDS), fresh]))
        await dispatcher._reclaim()
        number, generation = await dispatcher.acquire(10)
        assert (number, generation > lent[1]) == (0, True)
        assert await dispatcher.handle(0) is fresh
        await dispatcher.lost(*lent)  # its holder was not gone after all: it comes too late
        await dispatcher.release(number, generation)
        assert await dispatcher.acquire(10) == (number, generation)

    asyncio.run(scene())


def test_an_idle_worker_is_taken_back_and_one_at_work_is_not():
    async def scene(idle):
        worker = Actor(idle=idle)
        dispatcher, lent = await lend(iter([worker]))
        await dispatcher._reclaim()
        again = await dispatcher.acquire(0.01)
        assert ("abandon" in worker.calls) == (again is not None)
        return again, lent

    again, lent = asyncio.run(scene(2 * ABANDONED_SECONDS))
    assert again == (lent[0], lent[1] + 1)
    assert asyncio.run(scene(1.0))[0] is None
