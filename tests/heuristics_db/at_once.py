"""Several processes that set out at one moment."""

from __future__ import annotations

import multiprocessing
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection, wait
from typing import Any

SPAWN = multiprocessing.get_context("spawn")
SECONDS = 120


def at_once(function: Callable[..., Any], *calls: tuple[Any, ...], seconds: int = SECONDS) -> list[Any]:
    """Call ``function(start, *call)`` for each call in a process of its own, where ``start`` is a barrier for all; return what they return.

    A process that fails or dies ends the test there and then: with its traceback, or, where it could not even begin, with its exit code
    (its last words are in what pytest captured).
    """
    start = SPAWN.Barrier(len(calls))
    jobs: dict[Connection, Any] = {}
    for call in calls:
        answer, writer = SPAWN.Pipe(duplex=False)
        jobs[answer] = SPAWN.Process(target=_answer, args=(writer, function, start, *call))
        jobs[answer].start()
        writer.close()  # only the process has it now: the pipe ends when the process does
    try:
        returned = _gathered(jobs, seconds)
        for job in jobs.values():
            job.join(SECONDS)
        return returned
    finally:
        for job in jobs.values():
            job.kill()


def _answer(writer: Connection, function: Callable[..., Any], *arguments: Any) -> None:
    try:
        writer.send((True, function(*arguments)))
    except BaseException:
        writer.send((False, traceback.format_exc()))


def _gathered(jobs: dict[Connection, Any], seconds: int) -> list[Any]:
    waiting, returned = list(jobs), []
    while waiting:
        ready = wait(waiting, seconds)
        assert ready, f"no answer within {seconds} seconds"
        for answer in ready:
            waiting.remove(answer)
            try:
                well, told = answer.recv()
            except EOFError:
                jobs[answer].join(SECONDS)
                raise AssertionError(f"a process ended with exit code {jobs[answer].exitcode} before it answered") from None
            assert well, f"a process failed:\n{told}"
            returned.append(told)
    return returned
