# SPDX-License-Identifier: GPL-3.0-or-later
"""Who simulates the variations of a batch: this process, several on this machine, or a cluster that Dask runs.

A scheduler gives results as they come, in any order. A process that ends while it simulates costs that variation a
second try, and the others nothing.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Protocol

from .. import __version__
from ..errors import MissingWheelError, RedMaxError
from ..warm_up import warm_up
from .work import Result, Task, simulated

AHEAD = 4
"""Tasks that are handed out for each process before results are waited for: memory stays small, nobody waits."""

TRIES = 3
"""A task whose process ended is given to so many in all."""


class SchedulerError(RedMaxError):
    """A cluster that cannot be used."""


class LostError(RedMaxError):
    """A variation whose process ended each time it was tried."""


Answer = tuple[Task, Result | LostError]


class Scheduler(Protocol):
    """Simulates tasks. `results` may be closed at any time; what was not given by then is lost."""

    def results(self, tasks: Sequence[Task]) -> Iterator[Answer]: ...


class ThisProcess:
    """One after another, here."""

    def results(self, tasks: Sequence[Task]) -> Iterator[Answer]:
        for task in tasks:
            yield task, simulated(task)


class LocalProcesses:
    """Several processes on this machine. A script that uses it needs `if __name__ == "__main__":`."""

    def __init__(self, count: int | None = None) -> None:
        self.count = count or os.cpu_count() or 1

    def results(self, tasks: Sequence[Task]) -> Iterator[Answer]:
        waiting, tried = list(reversed(tasks)), dict[str, int]()
        while waiting:
            alone = tried.get(waiting[-1].key, 0) > 0
            pool = self._pool(1 if alone else self.count)
            lost: list[Task] = []
            try:
                yield from self._from_pool(pool, [waiting.pop()] if alone else waiting, lost)
            finally:
                pool.shutdown(wait=False, cancel_futures=True)
            for task in lost:
                # One of those that were under way ended the process; each is tried alone.
                tried[task.key] = tried.get(task.key, 0) + 1
                if tried[task.key] < TRIES:
                    waiting.append(task)
                else:
                    yield task, LostError("the process that simulated it ended without a word; is there enough memory?")

    def _pool(self, count: int) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(count, multiprocessing.get_context("spawn"), initializer=_one_thread)

    def _from_pool(self, pool: ProcessPoolExecutor, waiting: list[Task], lost: list[Task]) -> Iterator[Answer]:
        """Results of what is waiting; tasks whose process ended are put into `lost`, and the rest stays waiting."""
        under_way: dict[Future[Result], Task] = {}
        broken = False
        while (waiting and not broken) or under_way:
            while waiting and not broken and len(under_way) < AHEAD * self.count:
                task = waiting.pop()
                try:
                    under_way[pool.submit(simulated, task)] = task
                except BrokenProcessPool:
                    waiting.append(task)
                    broken = True
            done, _ = wait(under_way, return_when=FIRST_COMPLETED)
            for future in done:
                task = under_way.pop(future)
                if isinstance(future.exception(), BrokenProcessPool):
                    lost.append(task)
                    broken = True
                else:
                    yield task, future.result()


def _one_thread() -> None:
    """Processes that each use all cores only wait for each other."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    os.environ.setdefault("OMP_NUM_THREADS", "1")


class Dask:
    """A cluster that is there already, by the address of its scheduler, such as tcp://127.0.0.1:8786.

    patience: seconds within which it must answer.
    """

    def __init__(self, address: str, *, patience: float = 20.0) -> None:
        if find_spec("distributed") is None:
            raise MissingWheelError("a batch on a cluster", "distributed")
        self.address, self.patience = address, patience

    def results(self, tasks: Sequence[Task]) -> Iterator[Answer]:
        distributed = import_module("distributed")
        try:
            client = distributed.Client(self.address, timeout=self.patience, set_as_default=False)
        except (OSError, ValueError, TypeError) as error:
            raise SchedulerError(f"no Dask scheduler answers at '{self.address}': {error}") from None
        with client:
            workers = self._prepared(client)
            waiting = list(reversed(tasks))
            known: dict[str, Task] = {}

            def hand_out() -> Any:
                task = waiting.pop()
                known[task.key] = task
                return client.submit(simulated, task, key=f"redmax-{task.key}", pure=True, retries=0)

            first = [hand_out() for _ in range(min(len(waiting), AHEAD * workers))]
            arriving = distributed.as_completed(first, loop=client.loop)
            for future in arriving:
                task = known.pop(future.key.removeprefix("redmax-"))
                failure = future.exception()
                if failure is None:
                    yield task, future.result()
                elif isinstance(failure, distributed.KilledWorker):
                    yield task, LostError("the workers that simulated it ended without a word; is there enough memory?")
                else:
                    raise SchedulerError(f"a worker of '{self.address}' failed: {failure}")
                future.release()
                if waiting:
                    arriving.add(hand_out())

    def _prepared(self, client: Any) -> int:
        """Number of threads of workers, whose engine is this one and compiled: once for each machine."""
        found = client.scheduler_info(n_workers=-1)["workers"]
        if not found:
            raise SchedulerError(f"the Dask scheduler at '{self.address}' has no workers; start some")
        try:
            versions = client.run(_version)
        except Exception as error:  # whatever a worker without the engine says
            raise SchedulerError(f"workers of '{self.address}' have no redmax: {error}") from error
        for worker, version in versions.items():
            if version != __version__:
                raise SchedulerError(f"worker {worker} has redmax {version}, this is {__version__}; install the same")
        machines = {worker["host"]: address for address, worker in found.items()}
        client.run(warm_up, workers=list(machines.values()))
        return sum(int(worker["nthreads"]) for worker in found.values())


def _version() -> str:
    return __version__
