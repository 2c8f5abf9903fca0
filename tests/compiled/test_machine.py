"""What Numba's IR becomes: items, loops and what is said of memory, against the same functions under Python.

Each function here is one in which wrong words about memory, or about the sign of an index, would show.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

numba = pytest.importorskip("numba")

from numba import float64, int64, njit  # noqa: E402
from numba.core import analysis, transforms  # noqa: E402
from numba.core.compiler import run_frontend  # noqa: E402

from s2sad import jvp  # noqa: E402
from s2sad.compiled import lifetimes, loading, references  # noqa: E402
from s2sad.compiled.machine import DerivativeCompiler  # noqa: E402
from s2sad.compiled.sites import Sites  # noqa: E402
from tests.compiled.test_passes import handed_over  # noqa: E402

PROGRAMS: list[Callable[..., Any]] = []


def program(function: Callable[..., Any]) -> Callable[..., Any]:
    PROGRAMS.append(function)
    return function


def compiled(function: Callable[..., Any], **options: Any) -> Any:
    return njit(pipeline_class=DerivativeCompiler, error_model="numpy", **options)(function)


def uncalled(function: Callable[..., Any]) -> Any:
    """Compiled for other compiled functions alone."""
    return compiled(function, no_cpython_wrapper=True, no_cfunc_wrapper=True)


def annotated(function: Callable[..., Any], *signature: Any) -> Any:
    """Numba's IR with its types, as the passes have it."""
    dispatcher = compiled(function)
    dispatcher.compile(signature)
    return dispatcher.overloads[signature].type_annotation


# ---------------------------------------------------------------- helpers of the programs


@compiled
def stepped(x):
    out = np.empty(x.shape[0])
    for i in range(x.shape[0]):
        out[i] = x[i] + 0.5 * x[i - 1]
    return out


@compiled
def itself(x):
    x[0] += 1.0
    return x


def in_place(x):
    """Put in place of its calls, so that a loop over them is one over what it does."""
    out = np.empty(8)
    for i in range(8):
        out[i] = x[i] + 0.5 * x[i - 1]
    return out


in_place = compiled(in_place, forceinline=True)


@compiled
def its_own_or_the_argument(x, k):
    if k % 2:
        return x
    out = np.zeros(x.shape[0])
    for i in range(x.shape[0]):
        out[i] = x[i] + 1.0
    return out


@compiled
def halves(x):
    return x[: x.shape[0] // 2], x[x.shape[0] // 2 :]


@compiled
def doubled(x):
    for i in range(x.shape[0]):
        x[i] *= 2.0


# ---------------------------------------------------------------- memory


@program
def buffers_that_change_places(x):
    y = np.empty(x.shape[0])
    x = x.copy()
    for _ in range(5):
        for i in range(1, x.shape[0]):
            y[i] = x[i - 1] + 0.5 * x[i]
        y[0] = x[0]
        x, y = y, x
    return x


@program
def results_of_a_helper_passed_to_it_again(x):
    for _ in range(6):
        x = stepped(x)
    return x


@program
def results_of_helpers_one_in_another(x):
    y = np.zeros(x.shape[0])
    for _ in range(3):
        z = stepped(stepped(x))
        for i in range(x.shape[0]):
            y[i] += z[i]
            x[i] = y[i] - z[i - 1]
    return y


@program
def what_is_put_in_place_passed_to_itself(x):
    for _ in range(4):
        x = in_place(x)
    y = np.zeros(8)
    for _ in range(3):
        z = in_place(in_place(x))
        for i in range(8):
            x[i] = z[i - 1]
            y[i] += x[i] - z[i]
    return x, y


@program
def its_own_or_what_is_passed(x):
    y = np.zeros(x.shape[0])
    for k in range(4):
        z = its_own_or_the_argument(y, k)
        for i in range(1, x.shape[0]):
            z[i] += y[i - 1] + x[i]
        y[0] += z[1]
    return y, z


@program
def an_argument_given_back(x):
    y = np.zeros(x.shape[0])
    z = itself(y)
    for i in range(1, x.shape[0]):
        z[i] = y[i - 1] + x[i]
    return y


@program
def parts_given_back(x):
    y = np.ones(x.shape[0])
    left, right = halves(y)
    for i in range(right.shape[0]):
        right[i] += y[i] + left[0]
        left[0] = y[y.shape[0] - 1]
    return y


@program
def a_helper_that_changes_an_array(x):
    y = np.ones(x.shape[0])
    total = 0.0
    for i in range(x.shape[0]):
        y[i] += x[i]
        doubled(y)
        total += y[i]
    return total, y


@program
def views_that_overlap(x):
    y = np.ones(x.shape[0])
    after, back = y[1:], y[::-1]
    for i in range(after.shape[0]):
        after[i] += 0.5 * y[i]
        back[i] -= y[i]
    return y


@program
def views_of_other_forms(x):
    y = np.zeros((4, 6))
    columns, flat, square = y.T, y.ravel(), y.reshape(6, 4)
    for i in range(4):
        for j in range(6):
            columns[j, i] += x[i] + flat[i + j]
            square[j, i] += y[i, j]
            flat[i * 6 + j] += 1.0
    return y


@program
def rows_of_an_array(x):
    y = np.zeros((5, x.shape[0]))
    for k in range(1, 5):
        row, before = y[k], y[k - 1]
        for i in range(x.shape[0]):
            row[i] = before[i - 1] + x[i]
            y[0, i] += row[i]
    return y


@program
def rows_that_are_gone_over(x):
    y = np.ones((5, x.shape[0]))
    for row in y:
        for i in range(1, x.shape[0]):
            row[i] = y[0, i - 1] + x[i]
    return y


@program
def updated_under_another_name(x):
    y = np.zeros(x.shape[0])
    z = y
    z += x
    for i in range(1, x.shape[0]):
        z[i] = y[i - 1] + 1.0
    return y


@program
def kept_in_a_list(x):
    y, z = np.zeros(x.shape[0]), np.ones(x.shape[0])
    rows = [y, z]
    for k in range(2):
        w = rows[k]
        for i in range(1, x.shape[0]):
            w[i] = y[i - 1] + z[i] + x[i]
    return y, z


@program
def appended_and_read_again(x):
    rows = [np.zeros(x.shape[0])]
    for k in range(4):
        y = np.empty(x.shape[0])
        before = rows[k]
        for i in range(x.shape[0]):
            y[i] = before[i - 1] + x[i]
        rows.append(y)
        last = rows[-1]
        for i in range(1, x.shape[0]):
            last[i] += y[i - 1]
    return rows[4]


@program
def kept_in_a_tuple(x):
    y, z = np.zeros(x.shape[0]), np.ones(x.shape[0])
    pair = (y, z)
    for w in pair:
        for i in range(1, x.shape[0]):
            w[i] += y[i - 1] * z[i]
    return y, z


@program
def perhaps_there(x):
    y = np.zeros(x.shape[0])
    z = y if x[0] > 0.0 else None
    if z is not None:
        for i in range(1, x.shape[0]):
            z[i] = y[i - 1] + x[i]
    return y


@program
def one_of_two(x):
    y, z = np.zeros(x.shape[0]), np.ones(x.shape[0])
    for k in range(4):
        w = y if k % 2 else z
        for i in range(1, x.shape[0]):
            w[i] = y[i - 1] + z[i - 1] + x[i]
    return y, z


@program
def memory_that_is_used_again(x):
    total = 0.0
    for k in range(50):
        y = np.empty(x.shape[0])
        for i in range(x.shape[0]):
            y[i] = x[i] * k
        z = np.empty(x.shape[0])
        for i in range(x.shape[0]):
            z[i] = y[i - 1] + 1.0
        for i in range(x.shape[0]):
            total += z[i] * y[i]
    return total


@program
def real_and_imaginary_parts(x):
    y = np.zeros(x.shape[0], np.complex128)
    re, im = y.real, y.imag
    for i in range(1, x.shape[0]):
        re[i] = x[i] + y[i - 1].imag
        im[i] = re[i - 1] - 1.0
        y[i] *= 1j
    return y


@program
def products_and_sums_of_arrays(x):
    y = np.ones((3, 3))
    z = y @ y
    w = z + y
    for i in range(3):
        for j in range(3):
            y[i, j] = z[j, i] + w[i, j] * x[i]
            z[i, j] -= w[j, i]
    return y, z, w


@program
def two_names_of_an_argument(x):
    y = x
    for i in range(1, x.shape[0]):
        y[i] = x[i - 1] + 1.0
    return x


# ---------------------------------------------------------------- indices and ranges


@program
def indices_from_the_end(x):
    y = np.zeros(x.shape[0])
    for i in range(x.shape[0]):
        y[i - 1] += x[-1 - i] * x[i - x.shape[0]]
    y[-1] = y[0]
    return y


@program
def indices_that_count_down(x):
    y, k = np.zeros(x.shape[0]), x.shape[0]
    for i in range(x.shape[0] - 1, -1, -1):
        k -= 1
        y[k] += x[i]
        y[i - 2] += x[k]
    for i in range(3, -4, -1):
        y[i] += x[i]
    return y, k


@program
def ranges(x):
    y, count = np.zeros(x.shape[0]), 0
    for a in (-3, 0, 2):
        for b in (-2, 0, 2, 5):
            for i in range(a, b):
                y[i] += x[i - 1]
                count += 1
            for i in range(a, b, 2):
                y[i] -= x[i]
                count += 10
            for i in range(b, a, -1):
                y[i] += 2.0 * x[i]
                count += 100
            for i in range(b, a, -3):
                y[i] *= 0.5
                count += 1000
    return y, count


@program
def ranges_that_are_left(x):
    last, total = -1, 0.0
    for i in range(x.shape[0]):
        if i == 2:
            continue
        if i > 4:
            break
        total += x[i]
        last = i
    else:
        total = -1.0
    for j in range(3):
        total += x[j]
    return total, last, i, j


@program
def a_range_with_a_name(x):
    r, total = range(1, x.shape[0]), 0.0
    for i in r:
        for j in r:
            total += x[i] * x[j - 1]
    return total, len(r), len(range(5, 1, -1))


@program
def indices_in_arrays(x):
    y = np.zeros(x.shape[0])
    for dtype_max in range(2):
        where = np.array([0, -1, 2, -3, 1])
        small = where.astype(np.int8)
        natural = np.array([0, 1, 2, 3, 4], np.uint32)
        for k in range(5):
            y[where[k]] += x[small[k]] + x[natural[k]] * dtype_max
    return y


@program
def items_of_many_kinds(x):
    mask, counts, single = np.zeros(x.shape[0], np.bool_), np.zeros((2, 3), np.int32), np.ones(3, np.float32)
    for i in range(x.shape[0]):
        mask[i] = x[i] > 0.0
        counts[i % 2, i % 3] += mask[i]
        single[i % 3] += x[i]
    return mask, counts, single


@program
def an_index_with_a_name(x):
    y = np.zeros((3, 4))
    for i in range(3):
        place = (i, -1)
        y[place] = x[i]
        for place in ((0, 1), (2, -2)):
            y[place] += 1.0
    return y


# ---------------------------------------------------------------- tests


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_what_is_computed_is_what_python_computes(function):
    x = np.linspace(-1.0, 2.0, 16)
    for given in (x, np.repeat(x, 2)[::2], np.asfortranarray(x[:9])):
        wanted = function(given.copy())
        for _ in range(2):
            found = compiled(function)(given.copy() if given.flags.c_contiguous else given.repeat(2)[::2])
            for a, b in zip(*(r if isinstance(r, tuple) else (r,) for r in (found, wanted)), strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-13)
                assert np.asarray(a).dtype == np.asarray(b).dtype


@pytest.mark.parametrize("layout", "CFA")
def test_items_of_arrays_of_every_layout(layout):
    def turned(a):
        out = np.zeros(a.shape)
        for i in range(a.shape[0]):
            for j in range(a.shape[1]):
                for k in range(a.shape[2]):
                    out[i, j, k] = a[i, j - 1, -k] + a[-1, 0, k]
        return out

    a = np.arange(60.0).reshape(3, 4, 5)
    given = {"C": a, "F": np.asfortranarray(a), "A": np.repeat(a, 2, axis=1)[:, ::2]}[layout]
    np.testing.assert_array_equal(compiled(turned)(given), turned(a))


def test_a_range_may_not_stand_still():
    def f(n):
        total = 0
        for i in range(0, 5, n):
            total += i
        return total

    assert compiled(f)(2) == 6
    with pytest.raises(ValueError, match="must not be zero"):
        compiled(f)(0)


def test_indices_are_checked_where_that_is_asked_for():
    def f(x, i):
        return x[i]

    with pytest.raises(IndexError):
        compiled(f, boundscheck=True)(np.ones(3), 3)


def test_indices_are_checked_where_the_environment_asks_for_it(tmp_path):
    text = "import numpy as np, s2sad\ndef f(x, i):\n    return x[i] ** 2\n"
    (tmp_path / "checked.py").write_text(text + "s2sad.grad(f, backend='numba')(np.ones(3), 3)\n", encoding="utf-8")
    environment = {**os.environ, "NUMBA_BOUNDSCHECK": "1", "S2SAD_CACHE_DIR": str(tmp_path / "cache")}
    done = subprocess.run(
        [sys.executable, str(tmp_path / "checked.py")], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode and "IndexError" in done.stderr.splitlines()[-1]


def test_code_for_debuggers_is_as_numba_makes_it():
    def f(x):
        y = np.zeros(3)
        for i in range(3):
            y[i] = x[i]
        return y

    np.testing.assert_array_equal(compiled(f, debug=True)(np.arange(3.0)), np.arange(3.0))


def test_loops_and_items_take_few_instructions():
    def f(x, y):
        for i in range(x.shape[0]):
            for j in range(x.shape[1]):
                y[i, j] += 2.0 * x[i, j]

    kinds = float64[:, ::1], float64[:, ::1]
    count = {}
    for name, options in (("ours", {"pipeline_class": DerivativeCompiler}), ("numba", {})):
        count[name] = unoptimised(f, kinds, options)
    assert count["ours"] < 0.5 * count["numba"]


def unoptimised(function, signature, options):
    """How many lines of LLVM's assembly Numba hands over."""
    return handed_over(function, signature, **options).count("\n")


def test_errors_that_are_handed_on_do_not_keep_references_counted():
    x, wide = np.arange(12.0).reshape(3, 4), np.ones((3, 5))
    raising, catching = njit(lambda a, b: raising_rows(a, b)), njit(lambda a, b: catching_rows(a, b)[0])
    assert raising(x, x) == catching(x, x) == np.sum(x * x)
    assert counts(raising_rows) == 0
    if sys.version_info < (3, 12):  # where they are caught all is as Numba leaves it, which may be none
        assert counts(catching_rows) >= 1  # for what it gives: without, arguments would not be counted at all
    with pytest.raises(ValueError, match="differ"):
        raising(x, wide)
    known = sys.getrefcount(wide)
    assert catching(x, wide) == -1.0
    assert sys.getrefcount(wide) >= known  # none too few: Numba forgets one where it leaves by an error


def counts(function):
    """How often the machine code of a function counts references."""
    (text,) = function.inspect_llvm().values()
    counting = ("@NRT_incref", "@NRT_decref", *(f"@{name}" for name in references.COUNTING.values()))
    return sum("call" in line and any(name in line for name in counting) for line in text.splitlines())


@uncalled
def same_length(n, m):
    if n != m:
        raise ValueError("differ")


@uncalled
def product_of(a, b):
    same_length(a.shape[0], b.shape[0])
    total = 0.0
    for i in range(a.shape[0]):
        total += a[i] * b[i]
    return total


@uncalled
def raising_rows(a, b):
    total = 0.0
    for i in range(a.shape[0]):
        total += product_of(a[i], b[i])
    return total


@uncalled
def catching_rows(a, b):
    total = 0.0
    try:
        for i in range(a.shape[0]):
            total += product_of(a[i], b[i])
    except Exception:
        total = -1.0
    return total, a


def test_memory_that_functions_give_is_known_to_be_their_own():
    def f(x):
        y, z = stepped(x), itself(x)
        return y[0] + z[0]

    told = annotated(f, float64[::1])
    sites = Sites(told.blocks, told.typemap, told.calltypes)
    assert not sites.of("y")[0] & sites.of("x")[0]
    assert sites.of("z")[0] == sites.of("x")[0]


def test_what_was_shown_may_be_anything_from_outside():
    def f(x):
        y, z = np.zeros(3), np.ones(3)
        kept = [y]
        w = kept[0]
        return w[0] + z[0] + x[0]

    told = annotated(f, float64[::1])
    sites = Sites(told.blocks, told.typemap, told.calltypes)
    assert sites.of("y")[0] < sites.of("x")[0] == sites.of("w")[0]
    assert not sites.of("z")[0] & sites.of("x")[0]


def test_results_that_are_returned_together_are_apart():
    def f(x):
        y, z = np.zeros(3), np.ones(3)
        y[0] = x[0]
        return y, z

    told = annotated(f, float64[::1])
    sites = Sites(told.blocks, told.typemap, told.calltypes)
    assert not sites.of("y")[0] & (sites.of("x")[0] | sites.of("z")[0])


def test_of_a_tuple_that_is_also_read_they_are_not():
    def f(x):
        y, z = np.zeros(3), np.ones(3)
        both = y, x
        for row in both:
            row[0] += z[0]
        return both

    told = annotated(f, float64[::1])
    sites = Sites(told.blocks, told.typemap, told.calltypes)
    assert sites.of("y")[0] & sites.of("row")[0] and not sites.of("z")[0] & sites.of("row")[0]


def test_code_kept_on_disk_is_named_by_the_modules_that_made_it(monkeypatch):
    versions = loading.versions.__wrapped__
    before = versions()
    assert before == versions()
    monkeypatch.setattr(loading, "_DECIDING", ("machine", "sites"))
    assert versions() != before


def test_of_what_only_compiled_functions_call_no_machine_code_is_made():
    options = {"pipeline_class": DerivativeCompiler}

    @njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, **options)
    def checked(x, n):
        if n > x.shape[0]:
            raise ValueError("too few")
        return x[:n].sum()

    checked.compile((float64[::1], int64))
    [helper] = checked.overloads.values()
    assert not helper.library.codegen._engine.is_symbol_defined(helper.fndesc.llvm_func_name)
    outer = njit(lambda x, n: checked(x, n) + checked(x, 1), **options)
    assert outer(np.arange(1.0, 4.0), 2) == 4.0
    with pytest.raises(ValueError, match="too few"):
        outer(np.arange(3.0), 4)
    again = njit(lambda x: checked(x, 1))  # of Numba's own, with what was compiled before
    assert again(np.arange(2.0, 4.0)) == 2.0


def test_without_lifetimes_the_instructions_are_the_same(monkeypatch):
    def mixed(x, n):
        rows, total = [x * 1.5], 0.0
        for i in range(n):
            y = x[i:] * 2.0
            if total > 3.0:
                rows.append(y)
            elif y[0] < 0.5:
                continue
            z = rows[i % len(rows)]
            while total < z.shape[0]:
                total += z[0] + y[0]
        return total

    def instructions():
        function = compiled(mixed)
        function.compile((float64[::1], int64))
        return [
            re.sub(r"[%@!]\S+|\d+", "", line) for line in function.inspect_llvm(function.signatures[0]).splitlines()
        ]

    assert lifetimes._is_known()
    reduced = instructions()
    monkeypatch.setattr(lifetimes, "_is_known", lambda: False)
    assert instructions() == reduced


@pytest.mark.parametrize("terms", [2, 400])
def test_what_is_small_is_put_in_the_place_of_calls(terms):
    steps = [f"    s = s * x[{k}] + x[{2 * k}]" for k in range(terms)]
    namespace = {}
    exec("\n".join(["def many_terms(x):", "    s = 0.0", *steps, "    return s"]), namespace)
    plain = namespace["many_terms"]
    function = njit(pipeline_class=DerivativeCompiler)(plain)

    @njit
    def call(x):
        return function(x) + function(x[1:])

    x = np.linspace(0.1, 0.9, 2 * terms + 2)
    assert call(x) == pytest.approx(plain(x) + plain(x[1:]), rel=1e-13)
    [text] = call.inspect_llvm().values()
    calls = [line for line in text.splitlines() if " call " in line and "many_terms" in line]
    assert bool(calls) == (terms == 400)


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_names_that_live_where_blocks_begin_are_those_that_numba_finds(function):
    blocks = run_frontend(getattr(function, "py_func", function)).blocks
    blocks = transforms.canonicalize_cfg(blocks)
    given = analysis.compute_cfg_from_blocks(blocks), blocks, *analysis.compute_use_defs(blocks)
    assert lifetimes.live_names(*given) == analysis.compute_live_map(*given)


def test_a_list_that_an_array_is_made_of_is_a_list_until_then():
    """Numba makes an array of it in the first place."""

    def twice_as_long(y):
        items = []
        for k in range(len(y)):
            items.append(y[k] * 1j)
        both = items * 2
        both.append(2j)
        return np.sum(np.abs(np.array(items))) * len(both) + np.abs(both[-2] - both[0])

    y = np.array([1.5 + 0.5j, 2.0 - 1.0j])
    found, expected = jvp(twice_as_long, (y,), (y * y,), backend="numba"), jvp(twice_as_long, (y,), (y * y,))
    np.testing.assert_allclose(found, expected, rtol=1e-13)
    assert found[0] == pytest.approx(twice_as_long(y))
