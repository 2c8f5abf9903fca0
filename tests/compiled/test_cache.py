"""The cache: found again, never stale, and not to be spoilt by two processes at once."""

from __future__ import annotations

import importlib
import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import s2sad
from s2sad import cli, grad

pytest.importorskip("numba")

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    directory = tmp_path / "cache"
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(directory))
    return directory


def module(path: Path, text: str, name: str) -> ModuleType:
    """A module written to a file and imported afresh."""
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    sys.modules[name] = loaded
    spec.loader.exec_module(loaded)
    return loaded


def derivations(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """A list that grows with each derivation that is not found in the cache."""
    from s2sad import pipeline

    seen: list[Any] = []
    derived = pipeline.derived

    def counted(fn: Any, *rest: Any) -> Any:
        seen.append(fn)
        return derived(fn, *rest)

    monkeypatch.setattr(pipeline, "derived", counted)
    return seen


CALLER = "from {helper} import g\nSCALE = {scale}\n\ndef f(x):\n    return SCALE * g(x)\n"


def test_a_derivative_is_found_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = derivations(monkeypatch)
    for _ in range(2):  # functions of their own, as in another process
        module(tmp_path / "cached_g.py", "def g(x):\n    return x * x\n", "cached_g")
        f = module(tmp_path / "cached_f.py", CALLER.format(helper="cached_g", scale=2.0), "cached_f").f
        assert grad(f, backend="numba")(3.0) == 12.0
    assert len(seen) == 1


def test_a_changed_callee_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = derivations(monkeypatch)
    for body, expected in (("x * x", 12.0), ("x * x * x", 54.0), ("x * x", 12.0)):
        module(tmp_path / "changed_g.py", f"def g(x):\n    return {body}\n", "changed_g")
        f = module(tmp_path / "changed_f.py", CALLER.format(helper="changed_g", scale=2.0), "changed_f").f
        assert grad(f, backend="numba")(3.0) == expected
    assert len(seen) == 2


def test_a_callee_in_a_module_of_a_package_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for body, expected in (("x * x", 6.0), ("x * x * x", 27.0)):
        inner = module(tmp_path / "pack_inner.py", f"def g(x):\n    return {body}\n", "pack_inner")
        outer = module(tmp_path / "pack_outer.py", "import pack_inner\n", "pack_outer")
        text = "import pack_outer\n\ndef f(x):\n    return pack_outer.pack_inner.g(x)\n"
        assert outer.pack_inner is inner
        f = module(tmp_path / "pack_f.py", text, "pack_f").f
        assert grad(f, backend="numba")(3.0) == expected


WAYS = {
    "closure": """
def made():
    import swapped_g
    def f(x):
        return swapped_g.act(x)
    return f
f = made()
""",
    "attribute": """
import swapped_g
class Model:
    def __init__(self):
        self.lib = swapped_g
    def loss(self, x):
        return self.lib.act(x)
f = Model().loss
""",
    "tuple": """
import swapped_g
LIBRARIES = (swapped_g,)
def f(x):
    return LIBRARIES[0].act(x)
""",
    "argument": """
import swapped_g
def through(lib, x):
    return lib.act(x)
def f(x):
    return through(swapped_g, x)
""",
    "default": """
import swapped_g
def f(x, lib=swapped_g):
    return lib.act(x)
""",
    "import": """
def f(x):
    import swapped_g as lib
    return lib.act(x)
""",
    "import from": """
def f(x):
    from swapped_g import act
    return act(x)
""",
}


@pytest.mark.parametrize("way", WAYS)
def test_what_a_module_comes_to_name_is_noticed(way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = derivations(monkeypatch)
    for name, expected in (("sin", np.cos(2.0)), ("cos", -np.sin(2.0)), ("sin", np.cos(2.0))):
        module(tmp_path / "swapped_g.py", f"from numpy import {name} as act\n", "swapped_g")
        f = module(tmp_path / "swapped_f.py", WAYS[way], "swapped_f").f
        np.testing.assert_allclose(grad(f, backend="numba")(2.0), expected, rtol=1e-12)
    assert len(seen) == 2


def test_a_module_that_is_not_imported_yet_is_not_relied_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    for name, expected in (("sin", np.cos(2.0)), ("cos", -np.sin(2.0))):
        sys.modules.pop("later_g", None)
        importlib.invalidate_caches()
        (tmp_path / f"later_{name}.py").write_text(f"from numpy import {name} as act\n")
        (tmp_path / "later_g.py").write_text(f"from later_{name} import act\n")
        f = module(tmp_path / "later_f.py", WAYS["import"].replace("swapped_g", "later_g"), "later_f").f
        np.testing.assert_allclose(grad(f, backend="numba")(2.0), expected, rtol=1e-12)
    sys.modules.pop("later_g", None)


def test_values_outside_are_read_live_from_what_is_found(tmp_path: Path) -> None:
    for scale, expected in ((2.0, 12.0), (5.0, 30.0)):
        module(tmp_path / "live_g.py", "def g(x):\n    return x * x\n", "live_g")
        f = module(tmp_path / "live_f.py", CALLER.format(helper="live_g", scale=scale), "live_f").f
        assert grad(f, backend="numba")(3.0) == expected


def test_closures_differ_by_what_they_hold() -> None:
    def scaled(by: Any) -> Any:
        return lambda x: by(x) * x

    assert grad(scaled(lambda x: x), backend="numba")(3.0) == 6.0
    assert grad(scaled(lambda x: x * x), backend="numba")(3.0) == 27.0


BOUND = (
    "import functools, operator\n\nscaled = functools.partial(operator.mul, {by})\n\ndef f(x):\n    return scaled(x)\n"
)


def test_what_a_partial_binds_is_part_of_the_key(tmp_path: Path) -> None:
    for by in (2.0, 3.0):
        f = module(tmp_path / "bound.py", BOUND.format(by=by), "bound").f
        assert grad(f, backend="numba")(3.0) == by


def test_keywords_of_a_partial_are_looked_at_where_its_derivative_was_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = derivations(monkeypatch)
    text = "import functools\n\np = functools.partial(lambda x, n: x**n, n=2)\n\ndef f(x):\n    return p(x)\n"
    for _ in range(2):
        found = module(tmp_path / "kept_p.py", text, "kept_p")
        derivative = grad(found.f, backend="numba")
        assert derivative(2.0) == 4.0
        found.p.keywords["n"] = 3
        assert derivative(2.0) == 12.0
    assert len(seen) == 2


def test_a_spoilt_file_is_made_anew(tmp_path: Path, cache: Path) -> None:
    for damage in ("", "def f_grad(x):\n    return 1.0\n"):
        f = module(tmp_path / "spoilt.py", "def f(x):\n    return x * x\n", "spoilt").f
        assert grad(f, backend="numba")(3.0) == 6.0
        for path in (*cache.glob("modules/*.py"), *cache.glob("entries/*.json")):
            path.write_text(damage)
    f = module(tmp_path / "spoilt.py", "def f(x):\n    return x * x\n", "spoilt").f
    assert grad(f, backend="numba")(3.0) == 6.0


def test_a_directory_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path / "file"))
    assert grad(lambda x: x * x, backend="numba")(3.0) == 6.0


RACER = """
import s2sad
def f(x, n):
    y = x
    for k in range(n):
        y = y * x + k
    return y
print(s2sad.grad(f, backend="numba")(1.5, 3))
"""


def test_processes_may_race(tmp_path: Path) -> None:
    (tmp_path / "racer.py").write_text(RACER)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, str(tmp_path / "racer.py")]
    racers = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) for _ in range(3)]
    answers = {racer.communicate(timeout=300)[0] for racer in racers}
    assert [racer.returncode for racer in racers] == [0, 0, 0]
    after = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    assert answers == {after.stdout}


def answers_of_two_processes(tmp_path: Path, text: str, **told: str) -> list[list[str]]:
    """What a program prints, a line an item, that is run in a process and in another after it."""
    (tmp_path / "racer.py").write_text(text)
    command = [sys.executable, str(tmp_path / "racer.py")]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **told}
    return [
        subprocess.run(command, capture_output=True, text=True, env=environment, check=True).stdout.splitlines()
        for _ in range(2)
    ]


def test_a_second_process_does_not_import_what_derives(tmp_path: Path) -> None:
    told = RACER + "import sys; print('s2sad.pipeline' in sys.modules, 's2sad.frontend.lower' in sys.modules)"
    first, second = answers_of_two_processes(tmp_path, told)
    assert first[0] == second[0]
    assert first[1] == "True True" and second[1] == "False False"


COMPILING = "import sys; print('numba.np.arraymath' in sys.modules, 'scipy.linalg' in sys.modules)\n"
#: Compiled in a process that has read machine code: what compiling needs is loaded then.
AFTER = "import numba, numpy as np; print(numba.njit(lambda x: np.sort(x)[0])(np.array([2.0, 1.0])))\n"


def test_a_second_process_does_not_import_what_compiles(tmp_path: Path) -> None:
    first, second = answers_of_two_processes(tmp_path, RACER + COMPILING + AFTER)
    assert first[0] == second[0] and first[2] == second[2] == "1.0"
    assert first[1].startswith("True") and second[1] == "False False"


def test_what_machine_code_names_and_nobody_knows_is_looked_for(tmp_path: Path) -> None:
    """All that Numba compiles with is loaded, as it is without us: some of that may add the name."""
    asking = "from s2sad.compiled import reread; reread._names_outside = lambda module: ['known_to_nobody']\n"
    first, second = answers_of_two_processes(tmp_path, asking + RACER + COMPILING)
    assert first[0] == second[0]
    assert second[1].startswith("True")


def test_nothing_is_compiled_where_numba_is_told_so(tmp_path: Path) -> None:
    assert answers_of_two_processes(tmp_path, RACER, NUMBA_DISABLE_JIT="1") == [["14.5"], ["14.5"]]


def test_the_command_shows_and_clears(cache: Path) -> None:
    def f(x: float) -> float:
        return x * x

    grad(f, backend="numba")(3.0)
    runner = CliRunner()
    shown = runner.invoke(cli._group(), ["cache", "--show"])
    assert shown.exit_code == 0 and "f_grad" in shown.output
    cleared = runner.invoke(cli._group(), ["cache", "--clear"])
    assert cleared.exit_code == 0 and "removed" in cleared.output
    assert not list(cache.glob("*/*.*"))


def test_stale_kinds_of_globals(monkeypatch: pytest.MonkeyPatch) -> None:
    namespace: dict[str, Any] = {"__name__": "kinds_of_globals"}
    import linecache

    text = "def f(x):\n    return RATE * x * x\n"
    linecache.cache["<kinds>"] = (len(text), None, text.splitlines(True), "<kinds>")
    exec(compile(text, "<kinds>", "exec"), namespace)
    namespace["RATE"] = 2.0
    g = s2sad.grad(namespace["f"], backend="numba")
    assert g(3.0) == 12.0
    namespace["RATE"] = 3
    assert g(3.0) == 18.0


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_calls_of_a_primitive_are_told_apart(axis: int) -> None:
    x = np.array([[1.0, 2.0, 4.0], [8.0, 16.0, 32.0]])
    for other in (0, 1, axis):
        y, pullback = s2sad.vjp(np.cumsum, x, other, backend="numba")
        np.testing.assert_allclose(y, np.cumsum(x, other))
        np.testing.assert_allclose(pullback(x)[0], s2sad.vjp(np.cumsum, x, other)[1](x)[0])
    scan = s2sad.jacobian(np.cumsum, backend="numba")
    np.testing.assert_allclose(scan(x, axis=axis), s2sad.jacobian(np.cumsum)(x, axis=axis))
