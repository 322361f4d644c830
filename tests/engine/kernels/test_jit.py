# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled functions on disk: found again wherever the package lies, and never in the way of a run."""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import logging
import os
import pickle
import re
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("numba", reason="needs numba")

import redmax
from engine.kernels.toy_kernels import KERNELS
from redmax.kernels.cache import cache_folder, jit, kernel_file
from redmax.kernels.cache import machine_code as stored

KERNELS_FOLDER = Path(jit.__file__).parents[1]
NUMBERS = np.array([1.0, 2.0, 4.0])


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """An empty folder of this test; nothing has been said yet."""
    monkeypatch.setenv(cache_folder.VARIABLE, str(tmp_path / "cache"))
    monkeypatch.setattr(jit, "_said", [])
    monkeypatch.setattr(jit, "sizes", dict(jit.sizes))
    cache_folder.look_again()
    yield cache_folder.folder()
    cache_folder.look_again()


@pytest.fixture
def load(tmp_path):
    """A module of kernels as a new process finds it, at a place of its own."""

    def load(place: str = "here", code: str = KERNELS):
        path = tmp_path / place / "toy_kernels.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(code)
        spec = importlib.util.spec_from_file_location("toy_kernels", path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
        return module

    yield load
    sys.modules.pop("toy_kernels", None)


def compiled_by(call) -> list[str]:
    """Names of what had to be compiled."""
    names: list[str] = []
    with jit.watched(lambda name, done: names.append(name) if done else None):
        assert call() == 14.0
    return names


def test_a_function_is_compiled_once_and_found_again_after_the_package_was_moved(load, folder):
    assert compiled_by(lambda: load("here").doubled_sum(NUMBERS)) == ["toy_kernels.twice", "toy_kernels.doubled_sum"]
    assert len(list(folder.glob("*.kernel"))) == 2
    assert compiled_by(lambda: load("there").doubled_sum(NUMBERS)) == []


PARTS = """
from redmax.kernels.cache.jit import compiled, inlined, inner

@inlined
def twice(x):
    return 2.0 * x

@inner
def thrice(x):
    return x + twice(x)

@inner
def sixfold(x):
    return twice(thrice(x))

@compiled
def sevenfold(x):
    return sixfold(x) + thrice(x) - twice(x)
"""


def test_what_only_compiled_functions_call_is_part_of_them(load, folder):
    """It is made once, and nothing of it is left beside the machine code of what calls it."""
    names = ["toy_kernels.sevenfold", "toy_kernels.sixfold", "toy_kernels.thrice", "toy_kernels.twice"]
    assert sorted(compiled_by(lambda: load(code=PARTS).sevenfold(2.0))) == names
    (path,) = folder.glob("*.kernel")
    assert path.name.startswith("toy_kernels.sevenfold.")
    assert compiled_by(lambda: load(code=PARTS).sevenfold(2.0)) == []


def test_the_watcher_hears_of_the_beginning_and_the_end(load):
    heard: list[tuple[str, bool]] = []
    with jit.watched(lambda name, done: heard.append((name.removeprefix("toy_kernels."), done))):
        load().doubled_sum(NUMBERS)
    assert heard == [("doubled_sum", False), ("twice", False), ("twice", True), ("doubled_sum", True)]


def test_the_watcher_hears_of_its_own_thread_only(load, caplog):
    heard: list[str] = []
    module = load()
    with jit.watched(lambda name, _done: heard.append(name)):
        other = threading.Thread(target=module.doubled_sum, args=(NUMBERS,))
        other.start()
        other.join()
    assert heard == []
    assert "compiles its fast solver" in caplog.text


def test_where_nobody_watches_one_line_is_logged(load, caplog):
    load().doubled_sum(NUMBERS)
    assert [record.levelno for record in caplog.records] == [logging.WARNING]
    assert "RedMax compiles its fast solver, once for this computer" in caplog.text
    assert "python -m redmax warm-up" in caplog.text


DAMAGES = {
    "emptied": lambda sound: b"",
    "short": lambda sound: b"x",
    "cut": lambda sound: sound[: len(sound) // 2],
    "longer": lambda sound: sound + b"x",
    "one bit": lambda sound: sound[:-1] + bytes([sound[-1] ^ 1]),
    "one bit of its hash": lambda sound: sound[:20] + bytes([sound[20] ^ 1]) + sound[21:],
    "other facts": lambda sound: kernel_file.packed({"identity": 3}, (b"", b"")),
    "no facts": lambda sound: kernel_file.packed({}, ()),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_made_anew(load, folder, caplog, damage):
    load().doubled_sum(NUMBERS)
    (path,) = folder.glob("*doubled_sum*")
    path.write_bytes(DAMAGES[damage](path.read_bytes()))
    assert compiled_by(lambda: load().doubled_sum(NUMBERS)) == ["toy_kernels.doubled_sum"]
    assert re.search(r"is damaged \(.+\) and made anew", caplog.text)
    assert compiled_by(lambda: load().doubled_sum(NUMBERS)) == []


WRONG = (None, 7, [7], [[]], ["tuple", ["tuple", {}]], [["a", "b", "c"]], ["array", "float64", 1, "Z", 2], "ABSENT")


def test_wrong_facts_with_a_right_hash_are_refused_before_anything_happens(load, folder):
    module = load()
    module.doubled_sum(NUMBERS)
    (path,) = folder.glob("*doubled_sum*")
    facts, parts = kernel_file.unpacked(path.read_bytes())
    (signature,) = module.doubled_sum.signatures
    context = module.doubled_sum.targetctx

    def read(content: bytes):
        return stored.from_bytes(content, facts["identity"], module.doubled_sum.py_func, signature, context)

    assert read(kernel_file.packed(facts, parts)).entry_point(NUMBERS) == 14.0
    for fact in facts:
        for value in WRONG:
            others = {name: each for name, each in facts.items() if name != fact}
            wrong = others if value == "ABSENT" else others | {fact: value}
            with pytest.raises(kernel_file.MalformedError):
                read(kernel_file.packed(wrong, parts))
    with pytest.raises(kernel_file.MalformedError, match="another function"):
        read(kernel_file.packed(facts | {"identity": facts["identity"] + " "}, parts))
    for wrong_parts in ((), parts[:1], (*parts, b"")):
        with pytest.raises(kernel_file.MalformedError):
            read(kernel_file.packed(facts, wrong_parts))


def test_a_file_in_the_place_of_another_is_not_taken_for_it(load, folder):
    """Its machine code would be called with other arguments."""
    load().doubled_sum(NUMBERS)
    (path,), (other,) = folder.glob("*doubled_sum*"), folder.glob("*twice*")
    path.write_bytes(other.read_bytes())
    assert compiled_by(lambda: load().doubled_sum(NUMBERS)) == ["toy_kernels.doubled_sum"]


class Hostile:
    """What pickle turns into a call."""

    def __init__(self, sign: Path) -> None:
        self.sign = sign

    def __reduce__(self):
        return os.mkdir, (str(self.sign),)


def test_a_pickle_in_the_place_of_a_kernel_is_not_run(load, folder, tmp_path):
    """Neither as the files were before, a hash and then a pickle, nor as numba's own, an index and data."""
    load().doubled_sum(NUMBERS)
    sign = tmp_path / "it ran"
    pickled = pickle.dumps(Hostile(sign))
    kernels = [*folder.glob("*.kernel")]
    assert len(kernels) == 2
    for path in kernels:
        for content in (hashlib.sha256(pickled).digest() + pickled, pickled, kernel_file.MAGIC + pickled):
            path.write_bytes(content)
            assert load().doubled_sum(NUMBERS) == 14.0
            assert not sign.exists()
    caches = [folder, tmp_path / "here" / "__pycache__"]
    for place in caches:
        place.mkdir(exist_ok=True)
        for name in ("doubled_sum", "twice"):
            for line in (4, 8, 9):
                (place / f"toy_kernels.{name}-{line}.py311.nbi").write_bytes(pickled)
                (place / f"toy_kernels.{name}-{line}.py311.1.nbc").write_bytes(pickled)
    assert load().doubled_sum(NUMBERS) == 14.0
    assert not sign.exists()


def test_no_pickle_is_read_where_kernels_are_found_again(tmp_path, folder):
    """Python itself tells of every name that a pickle asks for."""
    program = (
        "import sys, numpy, numba, toy_kernels\nasked = []\n"
        "sys.addaudithook(lambda event, _: asked.append(event) if event.startswith('pickle') else None)\n"
        "assert toy_kernels.doubled_sum(numpy.array([1.0, 2.0, 4.0])) == 14.0\nprint(asked)"
    )
    _, again = told_twice(tmp_path, KERNELS, program)
    assert again == "[]"


def test_a_folder_that_cannot_be_written_costs_only_time(load, folder, caplog):
    module = load()
    folder.joinpath(cache_folder.USED).unlink()
    folder.rmdir()
    folder.write_text("")  # a file where the folder was: nobody can write into it, not even root
    assert module.doubled_sum(NUMBERS) == 14.0
    assert sum("cannot be kept in" in record.message for record in caplog.records) == 1


def test_without_any_folder_everything_still_works(load, monkeypatch):
    monkeypatch.setattr(cache_folder, "folder", lambda: None)
    assert load().doubled_sum(NUMBERS) == 14.0


def test_an_inner_function_is_refused_by_name_from_python(load):
    module = load(code=PARTS)
    for _ in range(2):  # also once it has been compiled for its caller
        with pytest.raises(TypeError, match="sixfold is compiled for other kernels and cannot be called from Python"):
            module.sixfold(1.0)
        module.sevenfold(2.0)


def test_another_exception_leaves_the_compiler_in_working_order(load):
    """Leaving the compiler in the middle, as a cancelled warm-up does."""

    class Stop(BaseException):
        pass

    def stop(name: str, _done: bool) -> None:
        if name == "toy_kernels.twice":
            raise Stop

    module = load()
    with jit.watched(stop), pytest.raises(Stop):
        module.doubled_sum(NUMBERS)
    assert compiled_by(lambda: module.doubled_sum(NUMBERS)) == ["toy_kernels.twice", "toy_kernels.doubled_sum"]


def test_two_processes_at_once_leave_whole_files(tmp_path, folder):
    (tmp_path / "toy_kernels.py").write_text(KERNELS)
    program = "import numpy, toy_kernels; print(toy_kernels.doubled_sum(numpy.array([1.0, 2.0, 4.0])))"
    path = os.pathsep.join([str(tmp_path), str(Path(redmax.__file__).parents[1])])
    environment = os.environ | {"PYTHONPATH": path}
    command = [sys.executable, "-c", program]
    both = [subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    assert [process.communicate(timeout=120)[0].strip() for process in both] == ["14.0", "14.0"]
    assert sorted(path.suffix for path in folder.iterdir()) == ["", ".kernel", ".kernel"]


def told_twice(tmp_path, kernels: str, program: str) -> list[str]:
    """What a fresh process prints that compiles the kernels, and one that finds them again."""
    (tmp_path / "toy_kernels.py").write_text(kernels)
    path = os.pathsep.join([str(tmp_path), str(Path(redmax.__file__).parents[1])])
    command, environment = [sys.executable, "-c", program], os.environ | {"PYTHONPATH": path}
    told = {"env": environment, "capture_output": True, "text": True, "timeout": 120}
    return [subprocess.run(command, check=True, **told).stdout.strip() for _ in range(2)]


def test_what_is_found_again_leaves_the_compiler_unprepared(tmp_path, folder):
    """numba's implementations of text and linear algebra take longer to import than all the rest of a start."""
    program = (
        "import sys, numpy, toy_kernels; assert toy_kernels.doubled_sum(numpy.array([1.0, 2.0, 4.0])) == 14.0; "
        "print([name for name in ('numba.cpython.unicode', 'numba.np.linalg', 'scipy.linalg') if name in sys.modules])"
    )
    first, second = told_twice(tmp_path, KERNELS, program)
    assert "numba.cpython.unicode" in first, "compiling no longer needs it: choose another sign"
    assert second == "[]"


TAKES_IN = """
import numpy as np
from redmax.kernels.cache.jit import compiled

@compiled
def doubled(numbers):
    result = np.zeros_like(numbers)
    result += 2.0 * np.atleast_1d(numbers)
    return result
"""


def test_modules_of_what_was_taken_in_are_not_imported(tmp_path, folder):
    """numba would, for globals that machine code does not ask for; nor is its runtime compiled to give an array."""
    program = (
        "import sys, numpy, toy_kernels; from numba.core.runtime import rtsys; "
        "assert toy_kernels.doubled(numpy.array([1.0, 2.0])).tolist() == [2.0, 4.0]; "
        "print('numba.np.arrayobj' in sys.modules, rtsys._init)"
    )
    assert told_twice(tmp_path, TAKES_IN, program) == ["True True", "False False"]


ASKS = """
from redmax.kernels.cache.jit import compiled, inner

@inner
def complain(x):
    print("so it is", x)
    raise ValueError("too large", x)

@compiled
def checked(x):
    if x > 1.0:
        complain(x)
    return x
"""


def test_machine_code_that_asks_for_its_surroundings_has_them(tmp_path, folder):
    """Text to print and the values of an exception are kept outside machine code, also for a function taken in."""
    program = (
        "import toy_kernels\n"
        "try:\n    toy_kernels.checked(2.0)\n"
        "except ValueError as error:\n    print(error.args, toy_kernels.checked(1.0))"
    )
    assert told_twice(tmp_path, ASKS, program) == 2 * ["so it is 2.0\n('too large', 2.0) 1.0"]


def test_what_is_found_again_can_be_taken_in_by_what_is_compiled_later(load, folder):
    load().doubled_sum(NUMBERS)
    (path,) = folder.glob("*doubled_sum*")
    path.unlink()
    module = load()
    assert compiled_by(lambda: module.doubled_sum(NUMBERS)) == ["toy_kernels.doubled_sum"]
    (found,) = module.twice.overloads.values()
    assert [function.name for function in found.library.get_defined_functions()] == []  # machine code alone was read
    assert found.library._get_module_for_linking() is found.library._get_module_for_linking()


def test_compiled_modules_read_only_what_the_name_of_the_folder_knows():
    """A constant of another file is compiled in; when that file changes, so must the folder."""
    compiled = [path for path in KERNELS_FOLDER.rglob("*.py") if "jit import" in path.read_text()]
    assert len(compiled) > 8
    inside = {path.relative_to(KERNELS_FOLDER).with_suffix("").as_posix() for path in KERNELS_FOLDER.rglob("*.py")}
    for path in compiled:
        place = path.relative_to(KERNELS_FOLDER).parent
        assert (place / path.stem).as_posix() not in cache_folder.NOT_COMPILED
        for name in imported(path):
            if name.startswith("kernels/"):
                within = name.removeprefix("kernels/")
                assert within in inside, (path, name)
                assert within not in cache_folder.NOT_COMPILED or within == "route", (path, name)
            else:
                assert name in cache_folder.READ_OUTSIDE or name.startswith("joints/"), (path, name)


def imported(path: Path) -> set[str]:
    """Modules of the engine that a file imports, as paths below it without an ending."""
    here = ["kernels", *path.relative_to(KERNELS_FOLDER).parent.parts]
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level > 0:
            base = here[: len(here) - (node.level - 1)] + (node.module.split(".") if node.module else [])
            whole = ["/".join(base)] if (KERNELS_FOLDER.parent / "/".join(base)).with_suffix(".py").is_file() else []
            found |= set(whole or ["/".join([*base, alias.name]) for alias in node.names])
    return found


def test_an_edited_kernel_has_another_folder(tmp_path):
    """The readable callee of a compiled function may lie in another file, which numba alone would not notice."""
    engine = tmp_path / "engine"
    source = Path(redmax.__file__).parent
    outside = [source / f"{name}.py" for name in ("__init__", "errors", *cache_folder.READ_OUTSIDE)]
    outside += (source / "joints").glob("*.py")
    for path in [*outside, *(source / "kernels").rglob("*.py")]:
        copy = engine / "redmax" / path.relative_to(source)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
    program = "from redmax.kernels.cache import cache_folder; print(cache_folder.digest())"

    environment = os.environ | {"PYTHONPATH": str(engine)}

    def digest() -> str:
        command = [sys.executable, "-c", program]
        run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert run.returncode == 0, run.stderr
        return run.stdout.strip()

    before = digest()
    assert before == cache_folder.digest()  # wherever the sources lie
    (engine / "redmax" / "kernels" / "compiled_tree.py").write_text("# edited")
    assert digest() == before
    digests = {before}
    for name in ("kernels/spatial.py", "kernels/cache/jit.py", "joints/screw.py"):
        with (engine / "redmax" / name).open("a") as file:
            file.write("# edited\n")
        digests.add(digest())
    assert len(digests) == 4
