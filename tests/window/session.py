# SPDX-License-Identifier: GPL-3.0-or-later
"""A Blender window on a screen of its own: begin, look, act with mouse and keys, take its picture, end."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import numpy as np

from . import programs, screen

INSIDE = Path(__file__).parent / "inside.py"
WIDTH, HEIGHT = 1600, 1000

STEP = 15
"""Pixels between two places where a button is looked for: less than a button's height, 20."""

COLUMNS = (0.62, 0.3, 0.85)
"""Where buttons are looked for in a region of panels, as parts of its width: beside labels, left and right halves."""

MARGIN, LOW = 8, 60
"""Pixels at the rim of a region where nothing is looked for, and the height below which it has one row of buttons."""

SETTLED = 0.02
"""Seconds in which an event surely is in Blender's queue."""

FUNCTION_KEYS = {f"F{n}": str(code) for n, code in enumerate((*range(67, 77), 95, 96), start=1)}
"""Codes of the keys of a PC keyboard: sent by their names, these keys do not reach Blender."""

VIEW, SIDEBAR = ("VIEW_3D", "WINDOW"), ("VIEW_3D", "UI")
PROPERTIES, TIMELINE = ("PROPERTIES", "WINDOW"), ("DOPESHEET_EDITOR", "HEADER")
FILE_NAME = ("FILE_BROWSER", "EXECUTE")


class WindowError(Exception):
    """Blender ended, did not answer, or does not show what was looked for."""


class Window:
    """A running Blender, known by its folder: profile, log, screen and the files that carry questions and answers."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.hands: subprocess.Popen[str] | None = None
        self.children: list[subprocess.Popen[bytes]] = []
        self.seen: dict[tuple[tuple[str, str], str], tuple[int, int]] = {}
        self.number = time.monotonic_ns()
        self.running = json.loads((folder / "running.json").read_text(encoding="utf-8"))

    # Looking

    def look(self, expression: str, *, timeout: float = 60.0) -> Any:
        """The value of an expression in Blender; see `inside` for the names it may use."""
        self.number += 1
        question, answer = self.folder / "question.json", self.folder / "answer.json"
        _write(question, {"number": self.number, "expression": expression})
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            if answer.exists() and (said := json.loads(answer.read_text(encoding="utf-8")))["number"] == self.number:
                if "error" in said:
                    raise WindowError(f"{expression}\n{said['error']}")
                return said["value"]
            if not _alive(self.running["blender"]):
                raise WindowError(f"Blender has ended\n{self.log()[-2000:]}")
            time.sleep(0.005)
        raise WindowError(f"Blender did not answer within {timeout:g} s: {expression}")

    def wait(self, expression: str, *, timeout: float = 60.0) -> Any:
        """Look again and again until the value is true."""
        end = time.monotonic() + timeout
        while not (value := self.look(expression)):
            if time.monotonic() > end:
                raise WindowError(f"still not so after {timeout:g} s: {expression}")
            time.sleep(0.05)
        return value

    def picture(self, path: Path, box: tuple[int, int, int, int] = (0, 0, WIDTH, HEIGHT)) -> Path:
        """The screen, or a part of it (left, top, right, bottom), as a PNG."""
        self.settle(0.3)
        screen.picture(self.folder / "screen").crop(box).save(path)
        return path

    def log(self) -> str:
        return (self.folder / "blender.log").read_text(encoding="utf-8", errors="replace")

    def errors(self) -> list[str]:
        """What Blender's log has of errors: tracebacks, each whole, and lines that begin with Error."""
        traces = re.findall(r"^Traceback \(most recent call last\):\n(?:[ \t].*\n|\n)*.*", self.log(), re.MULTILINE)
        return traces + re.findall(r"^(?:Error|ERROR|Segmentation).*", self.log(), re.MULTILINE)

    # Acting

    def act(self, *words: object, pause: float = SETTLED) -> None:
        """A command of xdotool; then wait until Blender has taken the events."""
        if self.hands is None:
            environment = os.environ | {"DISPLAY": self.running["display"]}
            self.hands = subprocess.Popen(
                [*_programs().hands, "-"], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
        # A question of its own tells that the command before it is done.
        assert self.hands.stdin is not None
        assert self.hands.stdout is not None
        self.hands.stdin.write(" ".join(map(str, words)) + "\ngetmouselocation\n")
        self.hands.stdin.flush()
        if not self.hands.stdout.readline():
            raise WindowError(f"xdotool could not {words}")
        self.settle(pause)

    def settle(self, pause: float = SETTLED) -> None:
        time.sleep(pause)
        self.look("None")

    def move(self, x: float, y: float) -> None:
        self.act("mousemove", round(x), round(y))

    def click(self, x: float, y: float, *, button: int = 1, keys: tuple[str, ...] = (), times: int = 1) -> None:
        """Click there, with keys such as 'shift' held down. Buttons: 1 left, 2 middle, 3 right, 4 and 5 the wheel."""
        self.move(x, y)
        self._click_with(keys, "--repeat", times, "--delay", 60, button)

    def drag(self, start: tuple[float, float], end: tuple[float, float], *, button: int = 1, steps: int = 8) -> None:
        self.move(*start)
        self.act("mousedown", button)
        for part in np.linspace(0.0, 1.0, steps + 1)[1:]:
            self.move(*(a + part * (b - a) for a, b in zip(start, end, strict=True)))
        self.act("mouseup", button, pause=0.1)

    def wheel(self, clicks: int, *, keys: tuple[str, ...] = ()) -> None:
        """Down for positive numbers, where the mouse is."""
        self._click_with(keys, "--repeat", abs(clicks), "--delay", 5, 5 if clicks > 0 else 4)

    def _click_with(self, keys: tuple[str, ...], *words: object) -> None:
        """A click while keys are held; Blender must have taken them before it comes."""
        for key in keys:
            self.act("keydown", key)
        self.act("click", *words, pause=0.1)
        for key in keys:
            self.act("keyup", key)

    def press(self, *keys: str) -> None:
        """Keys one after another, in xdotool's words: 'shift+a', 'ctrl+z', 'Return', 'F3', 'KP_1'."""
        for key in keys:
            self.act("key", "+".join(FUNCTION_KEYS.get(part, part) for part in key.split("+")), pause=0.08)

    def type(self, text: str) -> None:
        self.act("type", "--delay", 15, "--", json.dumps(text), pause=0.1)  # a number may begin with a minus

    # Finding buttons

    def over_view(self) -> None:
        """Put the mouse into an empty corner of the viewport, where keys mean the scene."""
        left, _, _, bottom = self.rectangle(VIEW)
        self.move(left + 120, bottom - 120)

    def rectangle(self, where: tuple[str, str]) -> tuple[int, int, int, int]:
        left, top, right, bottom = self.look(f"rectangle{where}")
        return left, top, right, bottom

    def hovered(self, where: tuple[str, str]) -> str | None:
        said: str | None = self.look(f"hovered{where}")
        return said

    def find(self, name: str, where: tuple[str, str] = SIDEBAR) -> tuple[int, int]:
        """A place on a button, which is then on the screen and under the mouse.

        name: a part of what `hovered` says: 'redmax.simulate()', "root='LOCKED'" or 'joint.q'. The mouse moves over
        the region and asks what it is over, so neither font, theme nor layout matter; the region is scrolled as needed.
        """
        if (found := self._scan(name, where, self._beside(name, where))) is not None:
            return found
        for column in self._columns(where):
            former: list[float] | None = None
            for turn in (0, 30, -60, *[5] * 20):  # as it is, at the end, then from the top on
                if turn and not self._scrolled(turn, where, former):
                    break
                former = self.look(f"scroll{where}")
                if (found := self._scan(name, where, column)) is not None:
                    return found
        raise WindowError(f"{where} shows no button '{name}'")

    def buttons(self, where: tuple[str, str] = SIDEBAR) -> dict[str, tuple[int, int]]:
        """Everything the mouse can be over in a region, as it stands, from top to bottom."""
        self.seen.clear()
        for column in self._columns(where):
            self._scan("\n", where, column)
        found = sorted(self.seen.items(), key=lambda item: (item[1][1], item[1][0]))
        return {label: place for (_, label), place in found}

    def _scan(self, name: str, where: tuple[str, str], places: list[tuple[int, int]]) -> tuple[int, int] | None:
        for x, y in places:
            self.move(x, y)
            if (seen := self.hovered(where)) is not None:
                self.seen[where, seen] = x, y
                if name in seen:
                    return self._clear_of_arrows(name, where, x, y)
        return None

    def _scrolled(self, turn: int, where: tuple[str, str], former: list[float] | None) -> bool:
        """Scroll a region of panels; False in headers, and where five clicks of the wheel move nothing."""
        left, top, right, bottom = self.rectangle(where)
        if bottom - top < LOW:
            return False
        self.move((left + right) / 2, (top + bottom) / 2)
        self.wheel(turn)
        return turn != 5 or self.look(f"scroll{where}") != former

    def _columns(self, where: tuple[str, str]) -> list[list[tuple[int, int]]]:
        """Where to look for buttons, column by column; in a header along its one row."""
        left, top, right, bottom = self.rectangle(where)
        if bottom - top < LOW:
            return [[(x, (top + bottom) // 2) for x in range(right - MARGIN, left + MARGIN, -STEP)]]
        rows = range(top + MARGIN, bottom - MARGIN, STEP)
        return [[(round(left + part * (right - left)), y) for y in rows] for part in COLUMNS]

    def _beside(self, name: str, where: tuple[str, str]) -> list[tuple[int, int]]:
        """Places near the one where the button was last seen, the nearest first."""
        known = [at for (region, label), at in self.seen.items() if region == where and name in label]
        if not known:
            return []
        x, y = known[-1]
        _, top, _, bottom = self.rectangle(where)
        return [(x, y + way * STEP * far) for far in range(9) for way in (1, -1) if top < y + way * STEP * far < bottom]

    def _clear_of_arrows(self, name: str, where: tuple[str, str], x: int, y: int) -> tuple[int, int]:
        """In a header, where buttons are met at one of their ends, the middle: number fields end in arrows."""
        _, top, _, bottom = self.rectangle(where)
        if bottom - top < LOW:
            x += (self._reach(name, where, (x, y), 8) - self._reach(name, where, (x, y), -8)) // 2
            self.seen[where, name] = x, y
            self.move(x, y)
        return x, y

    def _reach(self, name: str, where: tuple[str, str], start: tuple[int, int], step: int) -> int:
        """How many pixels a button goes on to the right, or the left for negative steps."""
        left, _, right, _ = self.rectangle(where)
        x, y = start
        # Outside of the region Blender goes on naming the last button.
        while left < x < right and name in (self.hovered(where) or ""):
            x += step
            self.move(x, y)
        self.move(*start)
        return abs(x - start[0])

    def choose(self, name: str, item: int, count: int, where: tuple[str, str] = SIDEBAR) -> None:
        """Click an item, counted from 0, of an enum that stands as a row of buttons."""
        x, y = self.find(name, where)
        left, right = (self._reach(name, where, (x, y), step) for step in (-8, 8))
        self.click(x - left + (item + 0.5) * (left + right) / count, y)

    def press_button(self, name: str, where: tuple[str, str] = SIDEBAR) -> None:
        self.click(*self.find(name, where))

    def enter(self, name: str, text: str, where: tuple[str, str] = SIDEBAR) -> None:
        """Type into a number field: Enter opens it under the mouse, without a drag."""
        self.find(name, where)
        self.press("Return", "ctrl+a")
        self.type(text)
        self.press("Return")

    def open_tab(self, name: str) -> None:
        """Show the sidebar of the 3D Viewport (N) and go to a tab of it (Ctrl and wheel over the tabs)."""
        left, top, right, bottom = self.rectangle(VIEW)
        self.move((left + right) / 2, (top + bottom) / 2)
        if self.look("tab()") is None:
            self.press("n")
            self.settle(0.3)
        _, top, right, _ = self.rectangle(SIDEBAR)
        self.move(right - 14, top + 30)
        self.wheel(-12, keys=("ctrl",))
        for _ in range(12):
            if self.look("tab()") == name:
                return
            self.wheel(1, keys=("ctrl",))
        raise WindowError(f"the sidebar has no tab '{name}'")

    def menu(self, *words: str) -> None:
        """Search the menus (F3) for words such as 'four', 'bar' and take the first hit."""
        self.press("F3")
        self.settle(0.3)
        self.type(" ".join(words))
        self.settle(0.3)
        self.press("Return")

    def save_as(self, name: str) -> Path:
        """Save (Ctrl+Shift+S) under a new name, which is typed into the file browser; the file is in our folder."""
        self.press("ctrl+shift+s")
        self.wait("len(windows()) == 2")
        self.settle(0.5)
        left, top, _, bottom = self.rectangle(FILE_NAME)
        self.click(left + 100, (top + bottom) / 2, times=2)
        self.press("ctrl+a")
        self.type(name)
        self.press("Return")
        self.settle(0.3)
        if self.look("len(windows())") == 2:
            self.press_button("file.execute", FILE_NAME)
        self.wait("len(windows()) == 1")
        return self.folder / name

    # Ending

    def end(self) -> None:
        """End Blender and its screen."""
        if self.hands is not None:
            self.hands.communicate(timeout=10)
        for name in ("blender", "screen"):
            pid = self.running[name]
            for how in (signal.SIGTERM, signal.SIGKILL):
                if _alive(pid):
                    os.kill(pid, how)
                    _wait_until(lambda pid=pid: not _alive(pid), 3.0)
        for child in self.children:
            child.wait(timeout=10)


def begin(folder: Path, *, extension: Path, blend: Path | None = None) -> Window:
    """Install the extension into a clean profile in that folder and open a window of 1600 x 1000 pixels."""
    used = _programs()
    folder.mkdir(parents=True)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "BLENDER"))}
    environment |= {
        "BLENDER_USER_RESOURCES": str(folder / "profile"),
        "HOME": str(folder),  # where Blender saves what it is not told a place for
        "XDG_CACHE_HOME": os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache")),  # shaders compiled before
        "LIBGL_ALWAYS_SOFTWARE": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "PYTHONUNBUFFERED": "1",
        "REDMAX_WINDOW": str(folder),
    }
    install = [*used.blender, "--command", "extension", "install-file", "-r", "user_default", "-e", str(extension)]
    command = [*used.blender, "--gpu-backend", "opengl", "-p", "0", "0", str(WIDTH), str(HEIGHT)]
    command += [*([str(blend)] if blend else []), "-P", str(INSIDE)]
    monitor, display = screen.begin(used.screen, folder / "screen", WIDTH, HEIGHT)
    environment["DISPLAY"] = display
    with (folder / "blender.log").open("w", encoding="utf-8") as log:
        installed = subprocess.run(install, env=environment, stdout=log, stderr=log, check=False, timeout=120)
        if installed.returncode:
            monitor.kill()
            raise WindowError(f"the extension could not be installed\n{(folder / 'blender.log').read_text()}")
        blender = subprocess.Popen(command, env=environment, stdout=log, stderr=log, start_new_session=True)
    _write(folder / "running.json", {"blender": blender.pid, "screen": monitor.pid, "display": display})
    window = Window(folder)
    window.children = [blender, monitor]
    window.look("None")
    window.move(WIDTH / 2, HEIGHT / 2)
    return window


def _programs() -> programs.Programs:
    used = programs.found()
    if isinstance(used, str):
        raise WindowError(used)
    return used


def _write(path: Path, value: Any) -> None:
    new = path.with_suffix(".new")
    new.write_text(json.dumps(value), encoding="utf-8")
    new.replace(path)


def _alive(pid: int) -> bool:
    """Whether that process runs; one that has ended and is ours is taken away."""
    try:
        if os.waitpid(pid, os.WNOHANG)[0] == pid:
            return False
    except ChildProcessError:
        pass
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def _wait_until(done: Any, timeout: float) -> None:
    end = time.monotonic() + timeout
    while not done() and time.monotonic() < end:
        time.sleep(0.05)
