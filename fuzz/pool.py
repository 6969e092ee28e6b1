"""Worker processes: a model that hangs or ends the interpreter is counted, and the others go on."""

from __future__ import annotations

import contextlib
import multiprocessing as mp
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection, wait
from typing import Any

POLL = 0.5


def _work(pipe: Connection, function: Callable):
    """Answer (index, outcome) for every index that comes."""
    while (index := pipe.recv()) is not None:
        pipe.send((index, function(index)))


class Worker:
    """A process and the index it works on."""

    def __init__(self, function):
        context = mp.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=_work, args=(theirs, function), daemon=True)
        self.process.start()
        theirs.close()
        self.index, self.since = None, 0.0

    def give(self, index):
        self.index, self.since = index, time.monotonic()
        self.pipe.send(index)

    def end(self):
        if self.process.is_alive() and self.index is None:
            with contextlib.suppress(OSError):
                self.pipe.send(None)
            self.process.join(5.0)
        if self.process.is_alive():
            self.process.kill()
        self.process.join()
        self.pipe.close()


def each(function: Callable, indices, workers: int, seconds: float) -> Iterator[tuple[Any, Any]]:
    """(index, outcome) of all; an outcome is "hang" or "crash" where there is none."""
    todo, busy = iter(list(indices)), []
    fresh = [Worker(function) for _ in range(max(1, workers))]
    try:
        for worker in fresh:
            _next(worker, todo, busy)
        while busy:
            ready = wait([worker.pipe for worker in busy], POLL)
            for worker in list(busy):
                answer = None
                if worker.pipe in ready:
                    try:
                        answer = worker.pipe.recv()
                    except (EOFError, ConnectionResetError):
                        answer = (worker.index, "crash")
                elif time.monotonic() - worker.since > seconds:
                    answer = (worker.index, "hang")
                if answer is None:
                    continue
                busy.remove(worker)
                if answer[1] in ("hang", "crash"):
                    worker.end()
                    fresh.remove(worker)
                    worker = Worker(function)
                    fresh.append(worker)
                _next(worker, todo, busy)
                yield answer
    finally:
        for worker in fresh:
            worker.end()


def _next(worker, todo, busy):
    worker.index = None
    for index in todo:
        worker.give(index)
        busy.append(worker)
        return
