"""The command line: what it is pointed at, what it prints where, and how it ends."""

from __future__ import annotations

import os
import subprocess
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import s2sad
from s2sad.cli import TargetError, _coloured, load_function, main
from s2sad.errors import MissingRule
from tests.texts import own_text

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = """
import math
from dataclasses import dataclass

print("top level of", __name__)
SMALL = 3

def f(x, y=2.0):
    return x * math.sin(y)

def carried(u, k, steps=SMALL):
    for _ in range(steps):
        u = k * u
    return u @ u

def refused(x):
    for k in range(3):
        yield k * x

@dataclass
class Model:
    rate: float = 2.0

    def scaled(self, x):
        return self.rate * x

    @staticmethod
    def halved(x):
        return x / 2.0

    @property
    def double(self):
        return 2.0 * self.rate

NUMBER = 3

if __name__ == "__main__":
    raise SystemExit("imported, not run")
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty working directory with a program in it; imports made there are forgotten."""
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "program", raising=False)  # another test may have one of that name
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        if getattr(sys.modules[name], "__file__", None) and str(tmp_path) in str(sys.modules[name].__file__):
            del sys.modules[name]


class Pipeline(types.ModuleType):
    """Stands in for the compiler: records what it is asked, and answers with fixed text."""

    def __init__(self) -> None:
        super().__init__("s2sad.pipeline")
        self.asked: list[Any] = []
        self.error: Exception | None = None

    def derivative_source(self, fn: Any, mode: str, wrt: Any) -> str:
        self.asked.append((fn.__name__, mode, wrt))
        if self.error is not None:
            raise self.error
        return "def f_grad(x):  # é\n    return 1.0\n"

    def lowered_source(self, fn: Any) -> str:
        self.asked.append((fn.__name__, "lower"))
        return "lowered\n"

    def dump(self, fn: Any, mode: str, wrt: Any, stop_after: str | None = None) -> Iterator[tuple[str, str]]:
        for stage in ("lower", "adjoint", "emit"):
            yield stage, f"text of {stage}"
            if stage == stop_after:
                return


@pytest.fixture
def pipeline(monkeypatch: pytest.MonkeyPatch) -> Pipeline:
    stand_in = Pipeline()
    monkeypatch.setitem(sys.modules, "s2sad.pipeline", stand_in)
    monkeypatch.setattr(s2sad, "pipeline", stand_in, raising=False)
    return stand_in


def command(*args: str) -> int:
    """Run the command; its exit status."""
    with pytest.raises(SystemExit) as ended:
        main(args)
    return int(ended.value.code or 0)


# Targets


def test_file_and_function(here: Path) -> None:
    assert load_function("program.py:f")(1.0, 0.0) == 0.0
    assert load_function(f"{here / 'program.py'}:f").__code__.co_filename == str(here / "program.py")


def test_methods(here: Path) -> None:
    assert load_function("program.py:Model.scaled").__qualname__ == "Model.scaled"
    assert load_function("program.py:Model.halved")(3.0) == 1.5
    assert load_function("program.py:Model.double").__qualname__ == "Model.double"


def test_modules_and_packages(here: Path) -> None:
    package = here / "bundle" / "inner"
    package.mkdir(parents=True)
    for directory in (package, package.parent):
        (directory / "__init__.py").touch()
    (package.parent / "base.py").write_text("RATE = 2.0\n")
    (package / "code.py").write_text("from ..base import RATE\ndef f(x):\n    return RATE * x\n")
    by_name = load_function("bundle.inner.code:f")
    by_file = load_function("bundle/inner/code.py:f")
    assert by_name(1.0) == by_file(1.0) == 2.0
    assert by_file.__module__ == "bundle.inner.code"
    assert load_function("math:sin")(0.0) == 0.0


def test_a_file_named_like_a_library_does_not_take_its_place(here: Path) -> None:
    (here / "random.py").write_text("def f(x):\n    return x\n")
    import random

    assert load_function("random.py:f")(1.0) == 1.0
    assert sys.modules["random"] is random


@pytest.mark.parametrize(
    ("target", "says"),
    [
        ("program.py", "write FILE.py:FUNC"),
        ("program.py:", "write FILE.py:FUNC"),
        (":f", "write FILE.py:FUNC"),
        ("absent.py:f", "there is no file absent.py"),
        ("absent_module:f", "there is no module 'absent_module'"),
        ("absent_package.module:f", "absent_package"),
        ("program.py:g", "program.py has no 'g'"),
        ("program.py:refuse", "did you mean 'refused'?"),
        ("program.py:Model.scale", "class Model in program.py has no 'scale'; did you mean 'scaled'?"),
        ("program.py:NUMBER", "is not a function: it is of type int"),
    ],
)
def test_targets_that_cannot_be_had(here: Path, target: str, says: str) -> None:
    with pytest.raises(TargetError) as caught:
        load_function(target)
    assert says in str(caught.value)


@pytest.mark.parametrize("body", ["1 / 0", "raise SystemExit(0)", "x ="])
def test_a_file_that_fails_is_shown_from_its_own_lines_on(here: Path, body: str) -> None:
    (here / "broken.py").write_text(f"\n{body}\n")
    with pytest.raises(TargetError, match=r"importing broken.py failed") as caught:
        load_function("broken.py:f")
    message = str(caught.value)
    assert 'broken.py", line 2' in message
    assert "importlib" not in message and "cli.py" not in message


# Modes and options


@pytest.mark.parametrize(
    ("args", "asked"),
    [
        (["grad"], ("f", "grad", 0)),
        (["grad", "--wrt", "y"], ("f", "grad", "y")),
        (["grad", "--wrt", "x", "--wrt", "1"], ("f", "grad", ("x", 1))),
        (["value-and-grad", "--wrt", "-1"], ("f", "value_and_grad", -1)),
        (["jvp"], ("f", "jvp", None)),
        (["vjp", "--wrt", "x"], ("f", "vjp", "x")),
        (["lower"], ("f", "lower")),
    ],
)
def test_what_is_asked_of_the_compiler(here: Path, pipeline: Pipeline, args: list[str], asked: Any) -> None:
    assert command(args[0], "program.py:f", *args[1:]) == 0
    assert pipeline.asked == [asked]


def test_text_goes_to_stdout_and_only_text(here: Path, pipeline: Pipeline, capsys: pytest.CaptureFixture[str]) -> None:
    assert command("grad", "program.py:f") == 0
    out, err = capsys.readouterr()
    assert out == "def f_grad(x):  # é\n    return 1.0\n"
    assert err == "top level of program\n", "what the file prints must not get into the module"


def test_output_file(here: Path, pipeline: Pipeline, capsys: pytest.CaptureFixture[str]) -> None:
    assert command("grad", "program.py:f", "-o", "out.py") == 0
    assert "def f_grad" not in capsys.readouterr().out
    assert (here / "out.py").read_text(encoding="utf-8") == "def f_grad(x):  # é\n    return 1.0\n"


def test_a_failure_leaves_the_output_file_alone(here: Path, pipeline: Pipeline) -> None:
    (here / "out.py").write_text("old")
    pipeline.error = MissingRule("numpy.foo", "reverse")
    assert command("grad", "program.py:f", "-o", "out.py") == 2
    assert (here / "out.py").read_text() == "old"
    assert command("lower", "program.py:f", "-o", "absent/out.py") == 2


def test_stages(here: Path, pipeline: Pipeline, capsys: pytest.CaptureFixture[str]) -> None:
    def printed(*options: str) -> str:
        capsys.readouterr()
        assert command("grad", "program.py:f", *options) == 0
        return capsys.readouterr().out

    assert printed("--stop-after", "adjoint") == "text of adjoint\n"
    assert printed("--dump-all", "--stop-after", "adjoint") == (
        "# --- lower ---\ntext of lower\n\n# --- adjoint ---\ntext of adjoint\n"
    )
    assert printed("--dump-all").count("# ---") == 3
    assert command("grad", "program.py:f", "--stop-after", "nothing") == 2
    assert "the stages are lower, adjoint, emit" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (
            MissingRule("numpy.foo", "reverse", filename="a.py", lineno=3, line="np.foo(x)"),
            "MissingRule: a.py:3\n    np",
        ),
        (TypeError("no parameter 'q'"), "TypeError: no parameter 'q'"),
        (KeyError("q"), "this is a defect in s2sad"),
    ],
)
def test_errors_are_rendered_on_stderr(
    here: Path, pipeline: Pipeline, capsys: pytest.CaptureFixture[str], error: Exception, says: str
) -> None:
    pipeline.error = error
    assert command("grad", "program.py:f") == 2
    out, err = capsys.readouterr()
    assert err.partition("\n")[2].startswith(f"error: {says}")
    assert ("Traceback" in err) == isinstance(error, KeyError)
    assert out == ""


@pytest.mark.parametrize("args", [["grad"], ["nothing"], ["lower", "program.py:f", "--wrt", "x"], ["grad", "a", "b"]])
def test_wrong_usage(here: Path, args: list[str]) -> None:
    assert command(*args) == 2


def test_help_says_that_the_file_is_imported(capsys: pytest.CaptureFixture[str]) -> None:
    assert command("--help") == 0
    text = capsys.readouterr().out
    assert "Importing FILE runs its top level" in " ".join(text.split())
    for name in ("grad", "value-and-grad", "jvp", "vjp", "lower"):
        assert f"  {name} " in text
        assert command(name, "--help") == 0
        assert "TARGET" in capsys.readouterr().out


def test_colours_change_no_character() -> None:
    import click

    text = "import math\n\n\ndef f(x):  # a comment\n    '''two\n    lines'''\n    return x\n"
    coloured = "".join(_coloured(text))
    assert "\x1b[" in coloured
    assert click.unstyle(coloured) == text
    for odd in ("", "a", "%x = sin(%y) '\n", "(\n"):
        assert click.unstyle("".join(_coloured(odd))) == odd


# End to end


def run(*args: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    start = [sys.executable, "-m", "s2sad"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}
    return subprocess.run([*start, *args], capture_output=True, text=True, cwd=cwd, env=environment, check=False)


@pytest.mark.parametrize("mode", ["grad", "value-and-grad", "jvp", "vjp"])
def test_printed_modules_run(here: Path, mode: str) -> None:
    done = run(mode, "program.py:f", "-o", "out.py", cwd=here)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "top level of program\n")
    call = f"f_{mode.replace('-', '_')}"
    arguments = "2.0, 1.0, 1.0, 0.0" if mode == "jvp" else "2.0, 1.0"
    check = f"import sys; sys.modules['s2sad'] = None; import out; print(out.{call}({arguments}))"
    ran = subprocess.run([sys.executable, "-c", check], cwd=here, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith(
        {"grad": "0.84147", "value-and-grad": "(1.68294", "jvp": "(1.68294"}.get(mode, "(1.68")
    )


def test_lower_and_stages(here: Path) -> None:
    lowered = run("lower", "program.py:f", cwd=here)
    assert lowered.returncode == 0 and "sin" in lowered.stdout
    every = run("grad", "program.py:f", "--dump-all", cwd=here)
    assert every.returncode == 0
    names = [line.strip("# -") for line in every.stdout.splitlines() if line.startswith("# --- ")]
    assert len(names) >= 3 and len(set(names)) == len(names)
    one = run("grad", "program.py:f", "--stop-after", names[1], cwd=here)
    assert one.returncode == 0
    assert one.stdout in every.stdout


def test_what_is_refused_is_rendered_with_a_caret(here: Path) -> None:
    done = run("grad", "program.py:refused", cwd=here)
    assert done.returncode == 2
    lines = done.stderr.splitlines()[1:]
    assert lines[0] == "error: UnsupportedSyntax: program.py:18"
    assert lines[1:3] == ["    yield k * x", "    ^^^^^^^^^^^"]
    assert lines[-1].startswith("help: ")
    assert "Traceback" not in done.stderr


def test_a_parameter_that_is_not_there(here: Path) -> None:
    done = run("grad", "program.py:f", "--wrt", "q", cwd=here)
    assert done.returncode == 2
    assert "q" in done.stderr and "Traceback" not in done.stderr


def test_methods_are_differentiated(here: Path) -> None:
    done = run("grad", "program.py:Model.halved", cwd=here)
    assert done.returncode == 0, done.stderr
    assert "halved_grad(x)" in done.stdout


def test_methods_of_objects_in_the_module(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "held.py").write_text(
        "class Spring:\n    stiffness = 2.0\n    def energy(self, x):\n        return self.stiffness * x**2\n"
        "spring = Spring()\n"
    )
    for given in ((), ("--for", "2.0")):
        for mode in ("grad", "vjp", "jvp"):
            assert f"energy_{mode}(self, x" in printed(mode, "held.py:spring.energy", *given, capsys=capsys)


ORDINARY = """
class Spring:
    stiffness = 2.0
    def energy(self, x: float, y: float = 1.0):
        return self.stiffness * x**2 * y
    @classmethod
    def of_class(cls, x: float):
        return cls.stiffness * x
"""


@pytest.mark.parametrize(
    ("given", "by_name"),
    [
        ((), ("--wrt", "x")),
        (("--wrt", "0"), ("--wrt", "x")),
        (("--wrt", "1"), ("--wrt", "y")),
        (("--wrt", "-1"), ("--wrt", "y")),
    ],
)
def test_parameters_of_a_method_are_counted_from_behind_the_object(
    here: Path, given: tuple[str, ...], by_name: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "held.py").write_text(ORDINARY)
    for example in ((), ("--for", "Spring(), 3.0")):
        out, named = (printed("grad", "held.py:Spring.energy", *w, *example, capsys=capsys) for w in (given, by_name))
        assert own_text(out, "energy_grad") == own_text(named, "energy_grad") != ""


def test_class_methods(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "held.py").write_text(ORDINARY)
    assert '"""grad of of_class, from held.py:7."""' in printed("grad", "held.py:Spring.of_class", capsys=capsys)


HEADERS = """
import numpy as np
POINTS = object()
def ordinary(x: float, n=2, *, rate=0.5, scale=(1.0, None)):
    return rate * x**n
def all_of_them(x: float, y: float, /, z=1.0, *rest, w, **named):
    return x * y * z * w
def with_arrays(x: float, at=np.arange(3.0)):
    return x * at[1]
def unwritten(x: float, y=1.0, at=POINTS, *, then=POINTS, z=2.0):
    return x * y * z
"""


@pytest.mark.parametrize(
    ("name", "header"),
    [
        ("ordinary", "x, n=2, *, rate=0.5, scale=(1.0, None)"),
        ("all_of_them", "x, y, /, z=1.0, *rest, w, **named"),
        ("with_arrays", "x, at=np.array([0.0, 1.0, 2.0])"),
        ("unwritten", "x, y, at, *, then, z=2.0"),
    ],
)
def test_what_is_printed_takes_arguments_as_the_function_does(
    here: Path, name: str, header: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "headers.py").write_text(HEADERS)
    for mode in ("grad", "value-and-grad", "vjp"):
        assert f"def {name}_{mode.replace('-', '_')}({header}):" in printed(mode, f"headers.py:{name}", capsys=capsys)


def test_what_is_printed_is_called_as_the_function_is(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "headers.py").write_text(HEADERS)
    names: dict[str, Any] = {}
    exec(printed("grad", "headers.py:ordinary", capsys=capsys), names)
    exec(printed("grad", "headers.py:all_of_them", capsys=capsys), names)
    exec(printed("grad", "headers.py:with_arrays", capsys=capsys), names)
    assert names["ordinary_grad"](3.0) == 3.0
    assert names["ordinary_grad"](3.0, n=3, rate=1.0) == 27.0
    assert names["all_of_them_grad"](3.0, 2.0, 5.0, 7.0, w=1.0, more=2.0) == 10.0
    assert names["with_arrays_grad"](3.0) == 1.0


def test_the_installed_command(here: Path) -> None:
    script = Path(sys.executable).with_name("s2sad")
    if not script.exists():
        pytest.skip("s2sad is not installed")
    done = subprocess.run([script, "--version"], capture_output=True, text=True, cwd=here, check=False)
    assert done.returncode == 0 and "version" in done.stdout
    printed = subprocess.run([script, "grad", "program.py:f"], capture_output=True, text=True, cwd=here, check=False)
    assert printed.returncode == 0 and "def f_grad(x, y" in printed.stdout, printed.stderr


# Arguments by example


def printed(*args: str, capsys: pytest.CaptureFixture[str]) -> str:
    capsys.readouterr()
    assert command(*args) == 0
    return capsys.readouterr().out


GIVEN = "program.py:carried", "--for", "np.ones(4), 0.5, steps=2 + SMALL"


@pytest.mark.parametrize("backend", ["python", "numba"])
def test_the_text_for_arguments_like_these(here: Path, capsys: pytest.CaptureFixture[str], backend: str) -> None:
    if backend == "numba":
        pytest.importorskip("numba")
    out = printed("grad", *GIVEN, "--wrt", "k", "--backend", backend, capsys=capsys)
    carried = load_function("program.py:carried")
    assert out == s2sad.grad(carried, wrt="k", backend=backend).source_for(np.ones(4), 0.5, steps=5)
    assert "_unbroadcast" in printed("grad", "program.py:carried", capsys=capsys) and "_unbroadcast" not in out


def test_all_modes_take_an_example(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = [printed(mode, *GIVEN, capsys=capsys) for mode in ("value-and-grad", "jvp", "vjp", "lower")]
    starts = "carried_value_and_grad(u, k, steps=3)", "carried_jvp(u, k, steps, du, dk)", "carried_vjp(u, k, steps=3)"
    for text, start in zip(found, (*starts, "carried(u, k, steps)"), strict=True):
        assert f"def {start}:" in text and "_unbroadcast" not in text
    assert "_unbroadcast" not in printed("grad", *GIVEN, "--stop-after", "format", capsys=capsys)
    assert "u = " not in printed("lower", *GIVEN, "--stop-after", "lower", capsys=capsys).partition("for ")[0]


def test_integers_to_differentiate_by_are_floats(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = printed("grad", "program.py:f", "--for", "3", capsys=capsys)
    assert out == s2sad.grad(load_function("program.py:f")).source_for(3.0)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("2.0,, 1", "--for '2.0,, 1': invalid syntax"),
        ("2.0) + (1.0", "this is not what stands between the brackets of a call"),
        ("absent", "NameError: name 'absent' is not defined"),
        ("1.0, 2.0, 3.0", "takes from 1 to 2 positional arguments but 3 were given"),
        ("x=1.0, z=2.0", "unexpected keyword argument 'z'"),
        ("'text'", "argument 'x' of f is a str"),
    ],
)
def test_examples_that_are_no_call(here: Path, capsys: pytest.CaptureFixture[str], given: str, says: str) -> None:
    assert command("grad", "program.py:f", "--for", given) == 2
    err = capsys.readouterr().err
    assert says in err and "Traceback" not in err


def test_stages_are_those_of_the_python_tier(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command("grad", "program.py:f", "--backend", "numba", "--dump-all") == 2
    assert "the stages are those of --backend python" in capsys.readouterr().err


def test_what_nothing_tells_is_said(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def notes(*args: str) -> list[str]:
        assert command(*args) == 0
        return [line for line in capsys.readouterr().err.splitlines() if line.startswith("note: ")]

    assert notes("grad", "program.py:carried") == []
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    (said,) = notes("grad", "program.py:carried")
    assert said.startswith("note: nothing tells what u, k will be; --for ARGS prints")
    assert notes("grad", *GIVEN) == notes("lower", "program.py:carried") == []
