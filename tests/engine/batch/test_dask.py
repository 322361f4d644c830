# SPDX-License-Identifier: GPL-3.0-or-later
"""A batch on a real Dask cluster: a scheduler and two workers on the loopback interface."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("distributed")

from engine.batch.test_run_batch import chain_scene, content
from redmax.batch import Dask, LocalProcesses, ResultFolder, Settings, loads_csv, run_batch
from redmax.batch.schedulers import SchedulerError

BOOT = 60.0
"""Seconds within which scheduler and workers answer on a busy machine."""

COUNT = 200


def started(folder: Path, *command: str) -> subprocess.Popen[bytes]:
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(sys.path),
        "DASK_DISTRIBUTED__WORKER__DAEMON": "False",
        "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "3",
    }
    with (folder / f"{command[0]}-{time.monotonic_ns()}.log").open("wb") as log:
        program = [sys.executable, "-m", "dask", *command]
        return subprocess.Popen(program, cwd=folder, env=environment, stdout=log, stderr=subprocess.STDOUT)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """Address of the scheduler, and the processes of its two workers."""
    folder = tmp_path_factory.mktemp("cluster")
    scheduler_file = folder / "scheduler.json"
    address = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(scheduler_file)]
    processes = [started(folder, "scheduler", *address)]
    until = time.monotonic() + BOOT
    while not scheduler_file.exists():
        assert time.monotonic() < until, (next(folder.glob("*.log"))).read_text()
        time.sleep(0.1)
    options = ["--scheduler-file", str(scheduler_file), "--nthreads", "1", "--no-dashboard", "--no-nanny"]
    workers = [started(folder, "worker", *options, "--host", "127.0.0.1") for _ in range(2)]
    try:
        yield scheduler_address(scheduler_file), workers
    finally:
        for process in (*workers, *processes):
            process.kill()
            process.wait()


def scheduler_address(path: Path) -> str:
    from distributed import Client

    with Client(scheduler_file=str(path), timeout=BOOT, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=BOOT)
        return str(client.scheduler.address)


def test_two_hundred_variations_and_a_worker_that_is_killed(cluster, tmp_path):
    """Nothing is lost, and results are those of this machine's own processes, bit for bit."""
    address, workers = cluster
    text = "joints.j0.damping\n" + "".join(f"{0.001 * k}\n" for k in range(COUNT))
    scene, settings = chain_scene(20), Settings(duration=0.2)
    seen = []

    def kill_one(progress):
        seen.append(progress.done)
        if progress.done == COUNT // 4:
            os.kill(workers[0].pid, signal.SIGKILL)

    batch = run_batch(
        scene,
        loads_csv(text),
        ResultFolder(tmp_path / "cluster"),
        settings=settings,
        scheduler=Dask(address),
        progress=kill_one,
    )
    assert (len(batch.records), batch.lost, batch.failed) == (COUNT, {}, [])
    assert workers[0].wait(timeout=10) == -signal.SIGKILL
    assert seen == list(range(1, COUNT + 1))
    run_batch(scene, loads_csv(text), ResultFolder(tmp_path / "here"), settings=settings, scheduler=LocalProcesses(2))
    assert content(tmp_path / "cluster") == content(tmp_path / "here")


def test_no_cluster_is_said(tmp_path):
    text = "joints.j0.damping\n1\n"
    with pytest.raises(SchedulerError, match=r"no Dask scheduler answers at 'tcp://127.0.0.1:9'"):
        run_batch(
            chain_scene(2),
            loads_csv(text),
            ResultFolder(tmp_path),
            settings=Settings(duration=0.1),
            scheduler=Dask("tcp://127.0.0.1:9", patience=2),
        )
