"""Numba's passes that are ours in compiled derivatives: they make what Numba's make, of less, in less."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

numba = pytest.importorskip("numba")

from numba import float64, int64, njit  # noqa: E402
from numba.core import event, ssa  # noqa: E402
from numba.core.codegen import CPUCodeLibrary  # noqa: E402
from numba.core.compiler import run_frontend  # noqa: E402
from numba.core.runtime import _nrt_python, rtsys  # noqa: E402
from numba.core.untyped_passes import InlineClosureLikes, ReconstructSSA  # noqa: E402

from s2sad.compiled import versions  # noqa: E402
from s2sad.compiled.machine import DerivativeCompiler  # noqa: E402

MATRIX = float64[:, ::1]


def handed_over(function: Callable[..., Any], signature: Any, **options: Any) -> str:
    """LLVM's assembly of a function as it is handed over."""
    texts = []
    add = CPUCodeLibrary.add_ir_module

    def noted(library, module):
        texts.append(str(module))
        add(library, module)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(CPUCodeLibrary, "add_ir_module", noted)
        njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, **options)(function).compile(signature)
    return max(texts, key=len)


def ours(function: Callable[..., Any], signature: Any) -> str:
    return handed_over(function, signature, pipeline_class=DerivativeCompiler)


# ---------------------------------------------------------------- what variables hold

HOLDING: list[Callable[..., Any]] = []


def holding(function: Callable[..., Any]) -> Callable[..., Any]:
    HOLDING.append(function)
    return function


@holding
def arrays_that_are_made_anew(x, n):
    total = np.zeros(3)
    for i in range(n):
        y = np.ones(3) * x
        total = total + y * i
    return total


@holding
def arrays_of_the_iteration_before(x, n):
    y = np.zeros(3)
    z = y
    for i in range(n):
        if i % 2:
            z = y
        y = np.ones(3) * (x + i)
        if i == 4:
            y = z
    return y + z


@holding
def arrays_that_are_used_after_some_exits(x, n):
    total = np.zeros(3)
    for i in range(n):
        y = np.ones(3) * i
        if i == 3:
            break
        if i == 1:
            z = y + x
            continue
        total += y
        if i > 1:
            total += z
    return total


@holding
def arrays_that_are_there_on_one_path(x, n):
    total = np.zeros(3)
    k = 0
    while True:
        k += 1
        if k > n:
            break
        if k % 3 == 0:
            y = np.ones(3) * x
        else:
            w = np.full(3, 2.0)
            total += w
        if k > 3:
            total += y
    return total


@holding
def lists_and_tuples_of_arrays(x, n):
    kept = [np.ones(3) * x]
    pair = (kept[0], np.zeros(3))
    for i in range(n):
        if i % 2:
            pair = (pair[1] + i, pair[0])
        kept.append(pair[0] * x)
        last = kept[-1]
        if i == 2:
            pair = (last, last)
    return pair[0] + pair[1] + kept[len(kept) - 1]


@holding
def arrays_that_are_returned_early(x, n):
    for i in range(n):
        y = np.ones(3) * i
        for j in range(i):
            z = y + x
            if j == 2:
                return z
            y = z
    return np.zeros(3)


@pytest.fixture
def kept():
    """How many arrays and lists there are of those made by compiled code."""
    _nrt_python.memsys_enable_stats()

    def count():
        found = rtsys.get_allocation_stats()
        return found.mi_alloc - found.mi_free, found.alloc - found.free

    yield count
    _nrt_python.memsys_disable_stats()


@pytest.mark.parametrize("function", HOLDING, ids=lambda f: f.__name__)
def test_all_is_let_go_of_that_was_made(function, kept):
    function_compiled = njit(pipeline_class=DerivativeCompiler)(function)
    function_compiled(0.5, 1)
    before = kept()
    for n in range(8):
        np.testing.assert_array_equal(function_compiled(0.5, n), function(0.5, n))
    assert kept() == before


def random_program(seed: int) -> str:
    """A function of arrays under three names that are assigned and read in nested loops and branches."""
    rng = random.Random(seed)
    lines = ["def f(x, n):", "    a, b, c = np.zeros(2), np.ones(2), np.full(2, x)", "    k = 0"]

    def put(depth: int, within: bool, count: int) -> None:
        for _ in range(count):
            one, two, three = (rng.choice("abc") for _ in range(3))
            indent = "    " * depth
            kind = rng.choice(["new", "new", "name", "if", "for", "leave"])
            if kind == "for" and depth < 4:
                lines.append(f"{indent}for i{depth} in range(n % {rng.randint(2, 4)}):")
                put(depth + 1, True, 3)
            elif kind == "if" and depth < 4:
                lines.append(f"{indent}if k % {rng.randint(2, 4)} == {rng.randint(0, 1)}:")
                put(depth + 1, within, 2)
                if rng.random() < 0.5:
                    lines.append(f"{indent}else:")
                    put(depth + 1, within, 2)
            elif kind == "leave" and within:
                lines.append(f"{indent}if k % {rng.randint(3, 6)} == 2:")
                lines.append(f"{indent}    {rng.choice(['break', 'continue', 'return a + c'])}")
            elif kind == "name":
                lines.append(f"{indent}{one} = {two}")
            else:
                lines.append(f"{indent}{one} = {two} * 0.5 + {three} + x")
            lines.append(f"{indent}k += 1")

    put(1, False, 6)
    return "\n".join([*lines, "    return a + b * c"])


@pytest.mark.parametrize("seed", range(12))
def test_random_programs_of_arrays(seed, kept):
    namespace: dict[str, Any] = {"np": np}
    exec(random_program(seed), namespace)
    f = namespace["f"]
    f_compiled = njit(pipeline_class=DerivativeCompiler)(f)
    f_compiled(0.5, 1)
    before = kept()
    for n in range(5):
        np.testing.assert_array_equal(f_compiled(0.25, n), f(0.25, n))
    assert kept() == before


def test_each_array_is_let_go_of_once():
    def f(x, n):
        total = 0.0
        for i in range(n):
            y = np.empty(3)
            for j in range(3):
                y[j] = x * j
            z = np.empty(3)
            for j in range(3):
                z[j] = y[j] + i
            for j in range(3):
                total += z[j]
        return total

    def count(text):
        return text.count('call void @"NRT_decref"')

    kinds = float64, int64
    assert count(ours(f, kinds)) == 2
    assert count(handed_over(f, kinds)) > 2


def test_nothing_is_taken_apart_to_be_counted():
    def f(x):
        for i in range(x.shape[0]):
            k = i, i
            x[k] += 1.0

    assert "extractvalue [2 x i64]" in handed_over(f, (MATRIX,))
    assert ours(f, (MATRIX,)).count("extractvalue [2 x i64]") < handed_over(f, (MATRIX,)).count(
        "extractvalue [2 x i64]"
    )


def test_ranges_by_one_are_kept_nowhere():
    def f(n, m):
        total = 0
        for i in range(n):
            for j in range(i, m):
                for k in range(j, -1, -1):
                    total += k * j - i
        return total

    kinds = int64, int64
    assert "alloca {i64, i64, i64}" in handed_over(f, kinds)
    assert "alloca {i64, i64, i64}" not in ours(f, kinds)


def test_ranges_of_any_step():
    def f(n, m):
        total = 0
        for i in range(n, m, 3):
            for j in range(i, n, -1):
                total += i * j
        for i in range(m, n, -2):
            total -= i
        return total

    f_compiled = njit(pipeline_class=DerivativeCompiler)(f)
    for n in range(-2, 6):
        assert [f_compiled(n, m) for m in range(-2, 7)] == [f(n, m) for m in range(-2, 7)]


# ---------------------------------------------------------------- products


def test_products_are_calls_of_one_function():
    def one(x, y):
        return x @ y

    def many(x, y):
        z = x @ y
        z = z @ x
        z = z @ y
        z = z @ x
        return z @ y

    kinds = MATRIX, MATRIX
    few, more = ours(one, kinds), ours(many, kinds)
    assert few.count("@numba_xxgemm") == more.count("@numba_xxgemm")
    assert more.count("\n") - few.count("\n") < 0.7 * few.count("\n")
    x, y = np.arange(9.0).reshape(3, 3), np.ones((3, 3))
    np.testing.assert_array_equal(njit(pipeline_class=DerivativeCompiler)(many)(x, y), many(x, y))


def test_products_of_other_layouts_are_functions_of_their_own():
    def f(x, y, z):
        return x @ y + x.T @ y @ z[::2] + (y @ z[1::2]).sum() + (z[::2] @ x.T)[0]

    x, y, z = np.arange(9.0).reshape(3, 3), np.ones((3, 3)) * 0.5, np.arange(6.0)
    np.testing.assert_array_equal(njit(pipeline_class=DerivativeCompiler)(f)(x, y, z), f(x, y, z))


def test_products_of_sizes_that_do_not_go_together_raise():
    def f(x, y):
        return x @ y

    with pytest.raises(ValueError, match="incompatible array sizes"):
        njit(pipeline_class=DerivativeCompiler)(f)(np.ones((2, 3)), np.ones((2, 3)))


# ---------------------------------------------------------------- new arrays


def test_new_arrays_take_no_function_for_each_spelling():
    def f(n):
        x, y = np.empty(n), np.empty((n,))
        z, w = np.empty((n, 2), np.float64), np.empty((2, n, 3), dtype=np.float64)
        k, b = np.empty(n, np.int64), np.empty((n, n), np.bool_)
        return x.size + y.size + z.size + w.size + k.size + b.size

    made = []

    class Noted(event.Listener):
        def on_start(self, event):
            made.append(event.data["dispatcher"].py_func.__qualname__)

        def on_end(self, event):
            pass

    with event.install_listener("numba:compile", Noted()):
        assert njit(pipeline_class=DerivativeCompiler)(f)(4) == f(4)
    assert made.count("ol_np_empty.<locals>.impl") == 1  # that with a keyword


def test_new_arrays_of_no_size_raise():
    def f(n, m):
        return np.empty((n, m))

    f_compiled = njit(pipeline_class=DerivativeCompiler)(f)
    assert f_compiled(0, 2).shape == (0, 2)
    with pytest.raises(ValueError, match="negative dimensions"):
        f_compiled(2, -1)
    with pytest.raises(ValueError, match="too big"):
        f_compiled(1 << 40, 1 << 40)


# ---------------------------------------------------------------- single assignment


def of_many_variables(count: int) -> Callable[..., Any]:
    """A function with so many variables that are assigned in a branch of their own."""
    lines = ["def f(x, n):", "    y0 = x"]
    for k in range(1, count):
        lines += [f"    y{k} = x", f"    if n > {k}:", f"        y{k} = y{k - 1} + {k}"]
    namespace: dict[str, Any] = {}
    exec("\n".join([*lines, f"    return y{count - 1}"]), namespace)
    f = namespace["f"]
    assert callable(f)
    return f


def readable(function: Any) -> str:
    lines = []
    for label, block in function.blocks.items():
        lines.append(f"{label}:")
        lines += [str(statement) for statement in block.body]
    return "\n".join(lines)


@pytest.mark.parametrize("function", [*HOLDING, of_many_variables(9)], ids=lambda f: f.__name__)
def test_single_assignment_is_numbas(function):
    texts = []
    for single in (ssa._run_ssa, versions._of_one_assignment):
        ir = run_frontend(function)
        ir.blocks = single(ir.blocks)
        texts.append(readable(ir))
    assert texts[0] == texts[1]


def statements_visited(count: int, monkeypatch: pytest.MonkeyPatch) -> int:
    visited = 0
    visit = ssa._run_ssa_block_pass

    def counted(states, block, handler):
        nonlocal visited
        visited += len(block.body)
        return visit(states, block, handler)

    with monkeypatch.context() as patch:
        patch.setattr(ssa, "_run_ssa_block_pass", counted)
        versions._of_one_assignment(run_frontend(of_many_variables(count)).blocks)
    return visited


def test_single_assignment_takes_time_in_proportion(monkeypatch):
    short, long = (statements_visited(n, monkeypatch) for n in (20, 80))
    assert long < 5 * short


# ---------------------------------------------------------------- passes that have nothing to do


def test_passes_with_nothing_to_do_are_left_out(monkeypatch):
    ran = []
    monkeypatch.setattr(InlineClosureLikes, "run_pass", lambda *args: ran.append("closures"))
    monkeypatch.setattr(ReconstructSSA, "run_pass", lambda *args: ran.append("versions"))

    @njit(pipeline_class=DerivativeCompiler)
    def f(x):
        total = 0.0
        for i in range(x.shape[0]):
            total += x[i]
        return total

    f.compile((float64[::1],))
    assert not ran


def test_passes_with_something_to_do_are_not():
    @njit(pipeline_class=DerivativeCompiler)
    def f(x, n):
        def scaled(y):
            return y * n

        return scaled(np.sqrt(x) + x * -x) + np.array([v + n for v in x]) + np.array([1.0, 2.0])

    x = np.array([1.0, 4.0])
    np.testing.assert_array_equal(f(x, 3), f.py_func(x, 3))
