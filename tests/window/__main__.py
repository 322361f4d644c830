# SPDX-License-Identifier: GPL-3.0-or-later
"""Drive a Blender window by hand, one command after another:

python -m tests.window begin FOLDER [--zip EXTENSION.zip] [--blend FILE.blend]
python -m tests.window do FOLDER "key shift+a" "type four" "key Return" "picture a.png"
python -m tests.window end FOLDER
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from . import ROOT, session
from .session import Window, WindowError

REGIONS = {
    "sidebar": session.SIDEBAR,
    "view": session.VIEW,
    "properties": session.PROPERTIES,
    "timeline": session.TIMELINE,
}


def main(arguments: list[str] | None = None) -> int:
    epilog = "commands:\n" + "\n".join(f"  {name:9} {_usage(how)}" for name, how in COMMANDS.items())
    parser = argparse.ArgumentParser(
        prog="python -m tests.window",
        description=__doc__,
        epilog=epilog + f"\n\nREGION is one of {', '.join(REGIONS)}; without it the sidebar is meant.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("what", choices=["begin", "do", "end"])
    parser.add_argument("folder", type=Path, help="holds profile, log and screen; begin makes it")
    parser.add_argument("commands", nargs="*")
    parser.add_argument("--zip", type=Path, help="the extension (default: the slim zip in dist)")
    parser.add_argument("--blend", type=Path, help="a file to open")
    options = parser.parse_args(arguments)
    folder = options.folder.resolve()
    try:
        if options.what == "begin":
            extension = options.zip or next((ROOT / "dist").glob("*-slim.zip"))
            session.begin(folder, extension=extension.resolve(), blend=options.blend and options.blend.resolve())
            return 0
        window = Window(folder)
        if options.what == "end":
            window.end()
            return 0
        for command in options.commands:
            name, _, rest = command.partition(" ")
            if name not in COMMANDS:
                parser.error(f"unknown command '{name}'; --help lists them")
            said = COMMANDS[name](window, rest)
            if said is not None:
                print(said if isinstance(said, str) else json.dumps(said))
    except WindowError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _region(words: list[str], count: int) -> tuple[str, str]:
    return REGIONS[words[count]] if len(words) > count else session.SIDEBAR


def move(window: Window, rest: str) -> None:
    """X Y"""
    window.move(*map(float, rest.split()))


def click(window: Window, rest: str) -> None:
    """X Y [left|right|middle|double] [shift] [ctrl] [alt]"""
    x, y, *how = rest.split()
    button = {"middle": 2, "right": 3}
    window.click(
        float(x),
        float(y),
        button=next((button[word] for word in how if word in button), 1),
        keys=tuple(word for word in how if word in ("shift", "ctrl", "alt")),
        times=2 if "double" in how else 1,
    )


def pick(window: Window, rest: str) -> Any:
    """OBJECT [shift]: click its origin in the viewport; says what is selected then"""
    name, *keys = shlex.split(rest)
    window.click(*window.look(f"point({name!r})"), keys=tuple(keys))
    return window.look("selection()")


def drag(window: Window, rest: str) -> None:
    """X Y X Y [left|right|middle]"""
    x, y, to_x, to_y, *how = rest.split()
    button = {"left": 1, "middle": 2, "right": 3}[how[0] if how else "left"]
    window.drag((float(x), float(y)), (float(to_x), float(to_y)), button=button)


def wheel(window: Window, rest: str) -> None:
    """CLICKS [ctrl] [shift]: where the mouse is; down for positive numbers"""
    clicks, *keys = rest.split()
    window.wheel(int(clicks), keys=tuple(keys))


def key(window: Window, rest: str) -> None:
    """KEY...: shift+a, ctrl+z, Return, Escape, F3, KP_1, KP_Decimal"""
    window.press(*rest.split())


def type_text(window: Window, rest: str) -> None:
    """TEXT"""
    window.type(rest)


def add(window: Window, rest: str) -> None:
    """WORDS: Shift+A in the middle of the viewport, search, take the first hit"""
    left, top, right, bottom = window.rectangle(session.VIEW)
    window.move((left + right) / 2, (top + bottom) / 2)
    window.press("shift+a")
    window.type(rest)
    window.press("Return")


def menu(window: Window, rest: str) -> None:
    """WORDS: F3 where the mouse is, search all menus, take the first hit"""
    window.menu(rest)


def tab(window: Window, rest: str) -> None:
    """NAME of a tab of the sidebar, such as RedMax"""
    window.open_tab(rest)


def find(window: Window, rest: str) -> Any:
    """BUTTON [REGION]: move the mouse over it; says where it is, and what"""
    name, *words = shlex.split(rest)
    where = _region(words, 0)
    return [*window.find(name, where), window.hovered(where)]


def button(window: Window, rest: str) -> None:
    """BUTTON [REGION]: click it"""
    name, *words = shlex.split(rest)
    window.press_button(name, _region(words, 0))


def enter(window: Window, rest: str) -> None:
    """FIELD NUMBER [REGION]"""
    name, text, *words = shlex.split(rest)
    window.enter(name, text, _region(words, 0))


def choose(window: Window, rest: str) -> None:
    """ENUM ITEM COUNT [REGION]: an item, counted from 0, of a row of buttons"""
    name, item, count, *words = shlex.split(rest)
    window.choose(name, int(item), int(count), _region(words, 0))


def buttons(window: Window, rest: str) -> str:
    """[REGION]: everything the mouse can be over, as the region stands"""
    return "\n".join(f"{x:5} {y:5}  {label}" for label, (x, y) in window.buttons(_region(rest.split(), 0)).items())


def look(window: Window, rest: str) -> Any:
    """EXPRESSION in Blender: state().message, selection(), places in tests/window/inside.py"""
    return window.look(rest)


def wait(window: Window, rest: str) -> None:
    """EXPRESSION: until it is true, at most a minute"""
    window.wait(rest)


def picture(window: Window, rest: str) -> str:
    """FILE.png [LEFT TOP RIGHT BOTTOM]"""
    path, *box = shlex.split(rest)
    left, top, right, bottom = map(int, box) if box else (0, 0, session.WIDTH, session.HEIGHT)
    return str(window.picture(Path(path), (left, top, right, bottom)))


def errors(window: Window, _rest: str) -> str:
    """tracebacks and errors of Blender's log"""
    return "\n".join(window.errors()) or "none"


COMMANDS: dict[str, Callable[[Window, str], Any]] = {
    "move": move,
    "click": click,
    "pick": pick,
    "drag": drag,
    "wheel": wheel,
    "key": key,
    "type": type_text,
    "add": add,
    "menu": menu,
    "tab": tab,
    "find": find,
    "button": button,
    "enter": enter,
    "choose": choose,
    "buttons": buttons,
    "look": look,
    "wait": wait,
    "picture": picture,
    "errors": errors,
}


def _usage(command: Callable[[Window, str], Any]) -> str:
    return command.__doc__ or ""


if __name__ == "__main__":
    sys.exit(main())
