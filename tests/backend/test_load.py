"""Loading: lines in tracebacks, notes, and nothing left behind."""

from __future__ import annotations

import gc
import inspect
import linecache
import operator
import subprocess
import sys
import traceback
from pathlib import Path
from typing import Any

import pytest

from s2sad import CompileError, grad
from s2sad.backend.emit import emit
from s2sad.backend.format import format_source
from s2sad.backend.load import annotate, load
from s2sad.ir.nodes import Const, Function, Op, Origin, Ref
from tests.backend.build import Code, var


def reciprocal() -> Function:
    x = var("x")
    code = Code()
    y = var("y")
    code.add(Op(y, operator.truediv, (Const(1.0), x), (), Origin("/tmp/user.py", 12, 4, "y = 1.0 / x")))
    return code.function("reciprocal", (x,), y)


def test_lines_show() -> None:
    f = load(emit([reciprocal()]))
    assert inspect.getsource(f).startswith("def reciprocal(x):")
    with pytest.raises(ZeroDivisionError) as caught:
        f(0.0)
    assert "y = 1.0 / x" in "".join(traceback.format_exception(caught.value))


def test_a_note_names_the_users_line() -> None:
    f = load(emit([reciprocal()]))
    with pytest.raises(ZeroDivisionError) as caught:
        f(0.0)
    annotate(caught.value)
    annotate(caught.value)
    (note,) = caught.value.__notes__
    assert 'File "/tmp/user.py", line 12' in note and "y = 1.0 / x" in note


def test_nothing_leaks() -> None:
    emitted = emit([reciprocal()])
    before = {k for k in linecache.cache if k.startswith("<s2sad")}
    for _ in range(300):
        load(emitted)
    gc.collect()
    assert {k for k in linecache.cache if k.startswith("<s2sad")} <= before


def test_text_is_a_complete_module(tmp_path: Path) -> None:
    import numpy as np

    module = type(sys)("settings")
    module.RATE = 0.25  # type: ignore[attr-defined]
    code, x, y = Code(), var("x"), var()
    code.add(Op(y, operator.mul, (x, Ref(("settings", "RATE"), module, 0.25, x.kind))))
    f = code.function("f", (x,), code(np.sin, y))
    text = format_source(emit([f], doc="f, from settings.py:3", style="text").text)
    assert text == (
        '"""f, from settings.py:3"""\n\nimport numpy as np\n\nRATE = 0.25\n\n\ndef f(x):\n    return np.sin(x * RATE)\n'
    )
    (tmp_path / "out.py").write_text(text)
    command = "import sys; sys.modules['s2sad'] = None; import out; print(out.f(4.0))"
    done = subprocess.run([sys.executable, "-c", command], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert float(done.stdout) == np.sin(1.0)


def test_too_many_cases_one_in_the_other() -> None:
    lines = [f"    if x > {k}:\n        return x * y * {k}\n    x = x + y" for k in range(150)]
    text = "def f(x: float, y: float):\n" + "\n".join(lines) + "\n    return x\n"
    linecache.cache["<cases>"] = (len(text), None, text.splitlines(keepends=True), "<cases>")
    names: dict[str, Any] = {}
    exec(compile(text, "<cases>", "exec"), names)
    with pytest.raises(CompileError, match="too many levels of indentation") as caught:
        grad(names["f"], wrt=(0, 1))(1.0, 2.0)
    assert "return x * y * " in str(caught.value)
