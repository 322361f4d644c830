# SPDX-License-Identifier: GPL-3.0-or-later
"""A worker process that is asked and answers; one that dies or stands still is replaced, and that is its answer."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from . import ROOT

PATIENCE = 10.0
"""Processor seconds without progress after which a run hangs."""

LONGEST = 45.0
"""Processor seconds after which a run that still makes progress is stopped."""

STARTING = 1800.0
"""The same until a worker is ready: it compiles everything first, on a machine where others may be at work."""

ASLEEP = 120.0
"""Seconds without progress, whatever the processor did in them, after which a run hangs."""


class Worker:
    """One process, started when it is first asked. route: "numba" or "numpy"."""

    def __init__(self, route: str = "") -> None:
        self.route = route
        self._process: subprocess.Popen[str] | None = None
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._errors: Any = None

    def ask(self, request: dict[str, Any], *, patience: float = PATIENCE, longest: float = LONGEST) -> dict[str, Any]:
        """The last answer to a request; {"end": "crash" | "hang" | "slow", ...} where the process gave none."""
        if self._process is None:
            self._start()
        process = self._process
        assert process is not None
        assert process.stdin is not None
        try:
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
        except BrokenPipeError:
            return self._died("")
        begun = last = self._used()
        heard = time.monotonic()
        progress = "nothing"
        while True:
            try:
                line = self._lines.get(timeout=0.2)
            except queue.Empty:
                used = self._used()
                if used - last > patience or time.monotonic() - heard > ASLEEP + patience:
                    self.stop()
                    return {"end": "hang", "message": f"no progress for {used - last:.0f} s after {progress}"}
                continue
            if line is None:
                return self._died(progress)
            answer = json.loads(line)
            if "end" in answer:
                return answer
            progress, heard, last = f"frame {answer['frame']}", time.monotonic(), self._used()
            if last - begun > longest:
                self.stop()
                return {"end": "slow", "message": f"stopped at {progress} after {longest:.0f} s"}

    def _start(self) -> None:
        paths = os.pathsep.join(str(p) for p in (ROOT / "engine", ROOT / "addon", ROOT / "tests", ROOT))
        env = {**os.environ, "PYTHONPATH": paths, "OPENBLAS_NUM_THREADS": "1"}
        if self.route:
            env["REDMAX_ROUTE"] = self.route
        self._errors = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")  # noqa: SIM115  (closed by `stop`)
        self._process = subprocess.Popen(
            [sys.executable, "-X", "faulthandler", "-m", "tests.attack.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            encoding="utf-8",
            cwd=ROOT,
            env=env,
        )
        self._lines = queue.Queue()
        threading.Thread(target=_listen, args=(self._process.stdout, self._lines), daemon=True).start()
        answer = self.ask({"op": "ready"}, patience=STARTING, longest=STARTING)
        if self._process is None:
            raise RuntimeError(f"a worker of the attack did not start: {answer['message']}")

    def _used(self) -> float:
        """Processor seconds of the process; of the clock where the system does not tell."""
        try:
            fields = Path(f"/proc/{self._process.pid}/stat").read_text().rsplit(")", 1)[1].split()  # type: ignore[union-attr]
            return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        except (OSError, AttributeError, IndexError, ValueError):
            return time.monotonic()

    def _died(self, progress: str) -> dict[str, Any]:
        assert self._process is not None
        code = self._process.wait()
        self._errors.seek(0)
        said = self._errors.read()
        self.stop()
        how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        last = " | ".join(line.strip() for line in said.strip().splitlines()[:6])
        return {"end": "crash", "message": f"the process died ({how}) after {progress or 'nothing'}: {last[:400]}"}

    def stop(self) -> None:
        """Ends the process, if there is one."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            for stream in (self._process.stdin, self._process.stdout):
                if stream is not None:
                    stream.close()
            self._process = None
        if self._errors is not None:
            self._errors.close()
            self._errors = None


def _listen(stream: Any, lines: queue.Queue[str | None]) -> None:
    try:
        for line in stream:
            lines.put(line)
    except ValueError:  # closed while reading
        pass
    lines.put(None)
