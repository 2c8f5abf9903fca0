"""Exceptions that are caught: what is refused, what is asked for once, and what the text says of it."""

from __future__ import annotations

import importlib
import math
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import s2sad
from s2sad import check_grads, grad, hessian, hvp, jacobian, jvp, value_and_grad, vjp

SEEN: list[float] = []


class Rejected(Exception):
    pass


def two_stores(x: Any) -> Any:
    a = np.zeros(2)
    try:
        a[0] = x
        a[1] = math.log(x)
    except ValueError:
        pass
    return np.sum(a)


def a_store_by_another_name(x: Any) -> Any:
    a = np.eye(2) * x
    try:
        row = a[0]
        row += 1.0
        z = math.log(row[1])
    except ValueError:
        z = x
    return z * a[0, 0]


def a_store_into_an_argument(x: Any) -> Any:
    try:
        x[0] = x[1]
        z = math.log(x[0])
    except ValueError:
        z = x[1]
    return z


def a_helper_that_stores(x: Any) -> Any:
    a = np.ones(2) * x

    def halved(b: Any) -> Any:
        b[0] *= 0.5
        return b[0]

    try:
        z = math.log(halved(a))
    except ValueError:
        z = x
    return z * a[0]


def an_append_before_the_end(x: Any) -> Any:
    xs: list[Any] = []
    try:
        xs.append(x)
        z = math.log(x)
    except ValueError:
        z = x
    return z * len(xs)


def a_key_before_the_end(x: Any) -> Any:
    p = {"a": x}
    try:
        p["b"] = x * x
        z = math.log(x)
    except ValueError:
        z = x
    return z * p["a"]


def an_attribute_before_the_end(x: Any) -> Any:
    p = types.SimpleNamespace(a=x)
    try:
        p.a = x * x
        z = math.log(x)
    except ValueError:
        z = x
    return z * p.a


def an_append_outside(x: Any) -> Any:
    try:
        SEEN.append(x)
        z = math.log(x)
    except ValueError:
        z = x
    return z


@pytest.mark.parametrize(
    ("f", "line"),
    [
        (two_stores, "a[0] = x"),
        (a_store_by_another_name, "row += 1.0"),
        (a_store_into_an_argument, "x[0] = x[1]"),
        (a_helper_that_stores, "b[0] *= 0.5"),
        (an_append_before_the_end, "xs.append(x)"),
        (a_key_before_the_end, "p["),
    ],
)
def test_a_body_that_changes_what_was_there_is_refused(f: Callable[..., Any], line: str) -> None:
    at = np.array([1.5, 0.5]) if f is a_store_into_an_argument else 1.5
    with pytest.raises(s2sad.UnsupportedSyntax, match="the body of this `try` changes") as caught:
        grad(f)(at)
    if f is not a_key_before_the_end:
        assert line in str(caught.value)
    assert "test_caught.py" in str(caught.value)


def a_name_bound_on_the_way(x: Any) -> Any:
    try:
        y = 2.0 / x
        z = math.log(y)
    except ValueError:
        z = y
    return z


def a_name_read_after(x: Any) -> Any:
    y = x
    try:
        y = 2.0 / x
        z = math.log(y)
    except ValueError:
        z = x
    return z * y


def a_name_that_a_helper_binds(x: Any) -> Any:
    z = 1.0

    def log() -> Any:
        nonlocal z
        z = 2.0
        return math.log(x)

    try:
        z = log()
    except ValueError:
        pass
    return z * x


@pytest.mark.parametrize("f", [a_name_bound_on_the_way, a_name_read_after, a_name_that_a_helper_binds])
def test_a_name_that_may_or_may_not_be_bound_is_refused_where_it_is_read(f: Callable[..., Any]) -> None:
    with pytest.raises(s2sad.UnsupportedSyntax, match=r"had bound `[yz]` when it raised is not known"):
        grad(f)(1.5)


def bound_before_anything_raises(x: Any) -> Any:
    try:
        y = x * 2 - 3.0
        z = math.log(y)
    except ValueError:
        z = y
    return z * y


def several_bound_before(x: Any) -> Any:
    low = 1.0
    try:
        low, high = x * 0.9, -x
        low += 1.0
        z = math.sqrt(low + high - 1.0)
    except Exception:
        z = low * high
    return z * low


def bound_twice(x: Any) -> Any:
    y = x
    try:
        y = x * 3.0
        y = 1.0 / (y - 6.0)
    except ZeroDivisionError:
        y = y + x
    return y


@pytest.mark.parametrize("f", [bound_before_anything_raises, several_bound_before, bound_twice])
@pytest.mark.parametrize("backend", ["python", "numba"])
def test_names_are_bound_that_the_body_binds_before_it_may_raise(f: Callable[..., Any], backend: str) -> None:
    if backend == "numba":
        pytest.importorskip("numba")
    for x in (2.7, 1.3, -1.1):
        assert value_and_grad(f, backend=backend)(x)[0] == pytest.approx(f(x))
        check_grads(f, backend=backend)(x)
    assert grad(bound_twice, backend=backend)(2.0) == 4.0


def prints(x: Any) -> Any:
    try:
        print(x)
        return math.log(x)
    except ValueError:
        return x


def draws(x: Any) -> Any:
    try:
        return math.log(x) * np.random.rand()
    except ValueError:
        return x


def opens(x: Any) -> Any:
    try:
        with open("log") as log:
            x = math.log(x) + len(log.name)
    except ValueError:
        pass
    return x


@pytest.mark.parametrize("f", [prints, draws, opens, an_append_outside])
def test_a_body_with_an_effect_is_refused(f: Callable[..., Any]) -> None:
    with pytest.raises(s2sad.UnsupportedSyntax, match="what may have an effect"):
        grad(f)(1.5)
    assert not SEEN


def a_number_from_a_message(x: Any) -> Any:
    try:
        if x > 1.0:
            raise Rejected(x * x)
        return x
    except Rejected as e:
        return float(str(e))


def a_number_from_an_exception(x: Any) -> Any:
    try:
        if x > 1.0:
            raise Rejected(x * x)
        return x
    except Rejected as e:
        return e.args[0]


@pytest.mark.parametrize("f", [a_number_from_a_message, a_number_from_an_exception])
def test_no_number_comes_out_of_an_exception(f: Callable[..., Any]) -> None:
    with pytest.raises(s2sad.UnsupportedSyntax, match="the exception `e` may only be raised again"):
        grad(f)(1.5)


def returns_in_finally(x: Any) -> Any:
    try:
        x = x * x
    finally:
        return x


def prints_in_finally(x: Any) -> Any:
    try:
        y = x * x
    finally:
        print("done")
    return y


def divides_in_finally_within_another(x: Any) -> Any:
    try:
        try:
            z = math.log(x)
        finally:
            x = 1.0 / x
    except ValueError:
        z = 0.0
    return z * x


@pytest.mark.parametrize(
    ("f", "message"),
    [
        (returns_in_finally, "a `finally` that leaves by itself"),
        (prints_in_finally, "a `finally` that does more than to compute"),
        (divides_in_finally_within_another, "a `finally` that may raise is not handled in the body of another"),
    ],
)
def test_what_finally_may_not_do(f: Callable[..., Any], message: str) -> None:
    with pytest.raises(s2sad.UnsupportedSyntax, match=message):
        grad(f)(1.5)


def a_class_of_the_call(x: Any, kinds: Any) -> Any:
    try:
        return math.log(x)
    except kinds[0]:
        return x


def itself_within_itself(x: Any, n: Any) -> Any:
    try:
        return itself_within_itself(x - 1.0, n - 1) if n > 0 else math.log(x)
    except ValueError:
        return x


def itself_within_itself_in_the_end(x: Any, n: Any) -> Any:
    try:
        return itself_within_itself_in_the_end(x - 1.0, n - 1) if n > 0 else math.log(x)
    except ValueError:
        return x
    finally:
        n = 0


def raises_nothing_in_particular(x: Any) -> Any:
    if x > 1.0:
        raise
    return x


@pytest.mark.parametrize(
    ("f", "args", "message"),
    [
        (a_class_of_the_call, (1.5, {0: ValueError}), "not a class of exceptions that is known here"),
        (itself_within_itself, (1.5, 20), "run within itself"),
        (itself_within_itself_in_the_end, (1.5, 20), "run within itself"),
        (raises_nothing_in_particular, (0.5,), "a bare `raise` is handled only in a handler"),
    ],
)
def test_what_is_not_known_is_refused(f: Callable[..., Any], args: tuple[Any, ...], message: str) -> None:
    with pytest.raises(s2sad.UnsupportedSyntax, match=message):
        grad(f)(*args)


def root(x: Any) -> Any:
    try:
        return math.sqrt(x)
    except ValueError:
        return -2.0 * x


def test_what_no_handler_takes_comes_out() -> None:
    with pytest.raises(TypeError):
        grad(root)("four")

    def f(x: float) -> float:
        try:
            return math.exp(x) / (x - 1000.0)
        except ZeroDivisionError:
            return x

    for derivative in (grad(f), value_and_grad(f), lambda x: jvp(f, (x,), (1.0,)), lambda x: vjp(f, x)):
        with pytest.raises(OverflowError):
            derivative(1000.0)


def test_what_is_raised_again_is_the_exception_itself() -> None:
    def f(x: float, again: bool) -> float:
        try:
            if x > 1.0:
                raise Rejected("far", x)
            return x * x
        except Rejected as e:
            if again:
                raise
            raise KeyError(f"not {e}") from e

    with pytest.raises(Rejected) as caught:
        grad(f)(2.0, True)
    assert caught.value.args == ("far", 2.0)
    with pytest.raises(KeyError, match="not ") as other:
        grad(f)(2.0, False)
    assert isinstance(other.value.__cause__, Rejected)
    assert grad(f)(0.5, True) == 1.0


def test_every_operator_takes_both_ways() -> None:
    assert grad(root)(4.0) == 0.25 and grad(root)(-4.0) == -2.0
    assert value_and_grad(root)(-4.0) == (8.0, -2.0)
    assert jvp(root, (-4.0,), (3.0,)) == (8.0, -6.0)
    assert vjp(root, 4.0)[1](2.0) == (0.5,)
    assert grad(grad(root))(4.0) == -1.0 / 32.0 and grad(grad(root))(-4.0) == 0.0
    assert grad(lambda x: grad(root)(x) ** 2)(4.0) == 2.0 * 0.25 * -1.0 / 32.0
    many = lambda x: np.array([root(v) for v in x])
    at = np.array([4.0, -1.0, 1.0])
    assert np.array_equal(jacobian(many)(at), np.diag([0.25, -2.0, 0.5]))
    assert np.array_equal(jacobian(many, mode="forward")(at), np.diag([0.25, -2.0, 0.5]))
    total = lambda x: sum([root(v) ** 4 for v in x])
    assert np.allclose(hessian(total)(at), np.diag([2.0, 12.0 * 16.0, 2.0]))
    assert np.allclose(hvp(total)(at, np.ones(3)), [2.0, 192.0, 2.0])


def test_a_number_of_numpy_does_not_raise_where_one_of_python_does() -> None:
    def f(x: Any, y: Any) -> Any:
        try:
            z = x / y
        except ZeroDivisionError:
            z = 3.0 * x
        return 1.0 / z

    assert value_and_grad(f)(2.0, 0.0) == (1.0 / 6.0, -1.0 / 12.0)
    with np.errstate(all="ignore"):
        assert value_and_grad(f)(np.float64(2.0), np.float64(0.0))[0] == 0.0
    with np.errstate(all="raise"), pytest.raises(FloatingPointError):
        value_and_grad(f)(np.float64(2.0), np.float64(0.0))


def test_what_is_asked_once_is_asked_again_under_other_conditions() -> None:
    def f(x: Any) -> Any:
        a = x * x
        with np.errstate(all="ignore"):
            try:
                y = np.log(a - 1.0)
            except FloatingPointError:
                y = a
        with np.errstate(all="raise"):
            try:
                z = np.log(a - 1.0)
            except FloatingPointError:
                z = a
        return np.sum(z) + 0.0 * np.sum(np.nan_to_num(y))

    assert np.allclose(grad(f)(np.array([0.5, 0.25])), [1.0, 0.5])
    assert np.allclose(grad(f)(np.array([2.0, 3.0])), [4.0 / 3.0, 6.0 / 8.0])


def test_a_helper_may_be_defined_anew_and_a_class_bound_anew() -> None:
    namespace = types.SimpleNamespace(error=ValueError)

    def f(x: float) -> float:
        try:
            return math.sqrt(x)
        except namespace.error:
            return 3.0 * x

    derivative = grad(f)
    assert derivative(-1.0) == 3.0
    namespace.error = KeyError
    with pytest.raises(ValueError, match=r"math domain error|nonnegative"):
        derivative(-1.0)


def test_the_text_catches_what_the_function_catches() -> None:
    text = grad(root).source
    assert "def root_error(x):\n    try:\n        math.sqrt(x)\n    except ValueError as error:\n" in text
    assert "s2sad" not in text.partition("import")[2]


def test_bodies_that_do_the_same_are_one_function_in_the_text() -> None:
    def tried(f: Callable[..., Any], t: float) -> Any:
        try:
            return f(t)
        except ValueError:
            return 2.0 * t

    def f(x: float, y: float) -> Any:
        return tried(math.log, x) * tried(math.log, y) + tried(math.sqrt, x * y)

    text = grad(f).source
    assert text.count("try:") == 2 and text.count("math.log(") == 2
    assert value_and_grad(f, wrt=(0, 1))(1.0, -3.0) == (-6.0, (-12.0, 2.0))


def test_an_exception_of_the_programs_own_is_imported_by_the_text() -> None:
    def f(x: float) -> float:
        try:
            if x > 1.0:
                raise Rejected(x)
            return x * x
        except Rejected:
            return 3.0 * x

    assert "import Rejected" in grad(f).source and "except Rejected as error:" in grad(f).source
    assert grad(f)(2.0) == 3.0


def test_operations_keep_their_order_in_the_text() -> None:
    def f(x: float, y: float) -> float:
        try:
            a = 1.0 / x
            b = math.log(y)
            z = b * a
        except ZeroDivisionError:
            z = x + 2.0 * y
        except ValueError:
            z = 5.0 * y
        return z

    assert value_and_grad(f, wrt=(0, 1))(0.0, -1.0) == (-2.0, (1.0, 2.0))
    assert value_and_grad(f, wrt=(0, 1))(1.0, -1.0) == (-5.0, (0.0, 5.0))


def test_compiled_code_goes_the_same_way() -> None:
    pytest.importorskip("numba")
    for take in (grad, value_and_grad, jacobian):
        for x in (4.0, -4.0):
            assert take(root, backend="numba")(x) == pytest.approx(take(root)(x))


def test_what_is_known_to_raise_may_be_caught() -> None:
    def f(p: dict[str, float], x: float) -> float:
        try:
            rate = p["rate"]
        except KeyError:
            rate = 2.0 * p["start"]
        try:
            from math import no_such_function as g  # type: ignore[attr-defined]
        except ImportError:
            from math import sin as g
        return rate * g(x)

    assert grad(f)({"start": 3.0}, 1.0) == {"start": 2.0 * math.sin(1.0)}
    assert grad(f)({"start": 3.0, "rate": 1.0}, 1.0) == {"start": 0.0, "rate": math.sin(1.0)}


def test_what_is_known_to_raise_in_part_of_an_expression_is_refused() -> None:
    def f(p: dict[str, float], x: float) -> float:
        try:
            rate = p["rate"] if x > 2.0 else p["start"]
        except KeyError:
            rate = x
        return rate

    with pytest.raises(s2sad.UnsupportedSyntax, match="no key 'rate'"):
        grad(f)({"start": 3.0}, 1.0)


#: Zeros, of which some are Python's and some NumPy's: the text must divide by the same.
ZEROS = (
    *(
        "vals.tolist()[2]",
        "float(vals[2])",
        "vals[2].item()",
        "max(vals[2], -1.0)",
        "abs(vals[2])",
        "math.sin(vals[2])",
    ),
    *(
        "sum([v * 0 for v in vals])",
        "sum(v * 0 for v in vals)",
        "round(vals[2], 3)",
        "np.sum(vals) * 0",
        "list(vals)[2]",
    ),
    *("vals[2] if x > 0 else 0.0", "sorted(vals)[0] * 0", "min(list(vals), key=abs)", "np.float64(x) * 0", "x * 0"),
    *("math.fsum(vals) * 0", "float(np.sum(vals)) * 0", "np.max(vals) * 0", "np.linalg.norm(vals) * 0", "x - x"),
    *("np.exp(x) * 0", "math.exp(np.float64(0.0)) - 1.0", "np.abs(x) * 0", "np.maximum(x, 0.0) * 0", "x // 1e9"),
    *("vals.sum() * 0", "vals.mean() * 0", "vals @ vals * 0", "vals.flat[2]", "np.zeros(3)[1]", "math.prod(vals)"),
    *(
        "functools.reduce(lambda a, b: a + b * 0, vals, 0.0) * 0",
        "math.hypot(vals[2], 0.0)",
        "np.interp(x, [0, 1], [0, 0])",
    ),
)


def test_numbers_are_of_the_kind_that_they_are_of_in_the_function(tmp_path: Path, monkeypatch: Any) -> None:
    text = "import functools, math\nimport numpy as np\n"
    for k, zero in enumerate(ZEROS):
        text += (
            f"def f{k}(x, y):\n    vals = np.array([x, y, 0.0])\n    r = {zero}\n    try:\n        z = x / r\n"
            "    except ZeroDivisionError:\n        z = 9.0 * x * y\n    return z if np.isfinite(z) else 3.0 * x\n"
        )
    (tmp_path / "zeros_divided_by.py").write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    module = importlib.import_module("zeros_divided_by")
    with np.errstate(all="ignore"):
        for k, zero in enumerate(ZEROS):
            f = getattr(module, f"f{k}")
            assert jvp(f, (1.5, 2.5), (1.0, 0.0))[0] == vjp(f, 1.5, 2.5)[0] == f(1.5, 2.5), zero


def unread_in_the_end(x: Any, n: Any) -> Any:
    if n > 0:
        return unread_in_the_end(x, n - 1) * 1.0
    quotient = divmod(x, x - x)  # noqa: F841
    last = [x][9]  # noqa: F841
    return x * 2.0


def test_functions_that_a_body_calls_keep_their_operations_and_the_order_of_them() -> None:
    def f(x: float, n: int) -> Any:
        try:
            return unread_in_the_end(x, n)
        except ZeroDivisionError:
            return 3.0 * x
        except IndexError:
            return 11.0 * x

    assert value_and_grad(f)(2.5, 2) == (7.5, 3.0) == (f(2.5, 2), 3.0)


def a_class_that_the_body_binds(x: Any) -> Any:
    kinds: Any = ValueError
    try:
        kinds = ZeroDivisionError
        z = math.log(x)
    except kinds:
        z = 3.0 * x
    return z


def a_name_that_the_handler_deletes(x: Any) -> Any:
    e = 2.0 * x
    try:
        z = math.log(x)
    except ValueError as e:  # noqa: F841
        z = x
    return z * e


def test_a_handler_takes_the_class_that_its_name_stands_for_once_the_body_has_raised() -> None:
    for f in (a_class_that_the_body_binds, grad(a_class_that_the_body_binds)):
        with pytest.raises(ValueError, match="domain"):
            f(-1.5)


def test_a_name_that_a_handler_deletes_is_not_read_after_it() -> None:
    with pytest.raises(UnboundLocalError):
        a_name_that_the_handler_deletes(-1.5)
    with pytest.raises(s2sad.UnsupportedSyntax, match=r"had bound `e` when it raised is not known"):
        grad(a_name_that_the_handler_deletes)(-1.5)


def a_name_that_is_not_bound(x: Any) -> Any:
    try:
        if x < 0.0:
            z = x
        w = z * 2.0
    except NameError:
        w = 3.0 * x
    return w


def names_of_a_library_that_is_there(x: Any) -> Any:
    y = x * 2.0
    try:
        z = np.asarray(y)
        y = np.sum([v * z for v in (1.0, 2.0)])
    except NameError:
        y = x
    return y * x


def a_number_is_wrong(x: Any) -> Any:
    try:
        if np.asarray(x) < 0.0:
            raise ValueError("wrong")
    except NameError:
        if x < 0.0:
            raise ValueError("wrong") from None
    except TypeError:
        x = 2.0 * x
    return x * x


def an_array_or_a_number(x: Any) -> Any:
    x = 2.0 * x
    try:
        x[abs(x) < 1e-3] = 0.0
        x[0] = x[0] * 3.0
    except TypeError:
        if abs(x) < 1e-3:
            x = 0.0
    return np.sum(x * x)


def an_item_or_a_number(x: Any) -> Any:
    try:
        x[0] = 3.0
    except TypeError:
        x = 3.0 * x
    return x


@pytest.mark.parametrize(
    "f", [names_of_a_library_that_is_there, a_number_is_wrong, an_array_or_a_number, an_item_or_a_number]
)
def test_what_cannot_be_raised_or_always_is_leaves_one_path(f: Callable[..., Any]) -> None:
    check_grads(f)(1.5)
    if f is a_number_is_wrong:
        with pytest.raises(ValueError, match="wrong"):
            grad(f)(-1.5)
    else:
        assert "error" not in grad(f).source_for(1.5)


def bound_for_some(x: Any) -> Any:
    if x > 0.0:
        y = x * x
    return y


def a_name_that_a_helper_reads(x: Any) -> Any:
    try:
        y = bound_for_some(x)
    except NameError:
        y = 3.0 * x
    return y


def a_name_error_that_is_raised(x: Any) -> Any:
    try:
        if x < 0.0:
            raise NameError("x")
        y = x * x
    except NameError:
        y = 3.0 * x
    return y


def lengths_asked_for_at_the_end(x: Any) -> Any:
    s = 0.0
    try:
        for a, b in zip([x, 1.0], [x], strict=True):
            s = a * math.log(b)
    except ValueError:
        s = x
    return s


def floats_for_integers(x: Any) -> Any:
    a = np.array([1, 2])
    try:
        a += x
    except TypeError:
        return x
    return 2.0 * x


def no_number_for_an_integer(x: Any) -> Any:
    a = np.array([1, 2])
    try:
        a[0] = x * math.nan
    except ValueError:
        return x
    return 2.0 * x


@pytest.mark.parametrize(
    ("f", "message"),
    [
        (floats_for_integers, "whether this array takes floats"),
        (no_number_for_an_integer, "whether this array takes floats"),
        (a_name_that_a_helper_reads, "whether a name is bound is not asked for"),
        (a_name_error_that_is_raised, "whether a name is bound is not asked for"),
        (a_name_that_is_not_bound, "whether a name is bound is not asked for"),
        (lengths_asked_for_at_the_end, "`strict` in the body of a `try`"),
    ],
)
def test_what_is_raised_otherwise_here_is_refused(f: Callable[..., Any], message: str) -> None:
    with pytest.raises(s2sad.UnsupportedSyntax, match=message):
        grad(f)(1.5)


#: What raises of some of VALUES though it gives numbers of others, or does nothing that anyone would see.
QUESTIONS = (
    *("q[0]", "q[...]", "q['a']", "range(0, 5, q)", "range(q)", "enumerate(q)", "zip([x], q)", "map(abs, q)"),
    *("reversed(q)", "q.shape", "q.ndim", "q.T", "q.size", "q.copy()", "q.sum()", "q.tolist()", "q.a", "max(q, x)"),
    *("x if q else 0.0", "int(q)", "float(q)", "float('x')", "int(float('nan'))", "len(q)", "q / x", "x / q"),
)
VALUES = (2.5, 0, 2, np.float64(0.0), [1.0, 2.0], (1.0, 2.0), {"a": 1.0}, "ab", None, np.array([1.0, 2.0]), np.eye(2))
CLASSES = ("TypeError", "IndexError", "KeyError", "AttributeError", "ZeroDivisionError", "ValueError")


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
def test_values_raise_what_values_of_their_type_raise(tmp_path: Path, monkeypatch: Any) -> None:
    text = "import numpy as np\n"
    for k, question in enumerate(QUESTIONS):
        text += f"def q{k}(x, q):\n    try:\n        z = {question}\n" + "".join(
            f"    except {c}:\n        return {n}.0 * x\n" for n, c in enumerate(CLASSES, 2)
        )
        text += "    return 23.0 * x\n"
    (tmp_path / "questions.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    module = importlib.import_module("questions")
    taken = 0
    with np.errstate(all="ignore"):
        for k, question in enumerate(QUESTIONS):
            f = getattr(module, f"q{k}")
            for value in VALUES:
                try:
                    found = value_and_grad(f)(1.5, value)
                except s2sad.UnsupportedSyntax:
                    continue
                taken += 1
                assert found == (f(1.5, value), f(1.5, value) / 1.5), (question, value)
    assert taken > 200, taken


def stored_and_never_read(x: Any, y: Any) -> Any:
    out = np.zeros(3)
    try:
        out[:] = y
    except ValueError:
        return 7.0 * x
    return x * x


def stored_into_a_row(x: Any, y: Any) -> Any:
    out = np.zeros((2, 3))
    try:
        out[1] = x * y
    except ValueError:
        return 7.0 * x
    return np.sum(out) * x


@pytest.mark.parametrize("f", [stored_and_never_read, stored_into_a_row])
def test_an_array_that_does_not_fit_is_caught(f: Callable[..., Any]) -> None:
    for y in (np.ones(3), np.ones(1), np.ones(2)):
        value, slope = value_and_grad(f)(1.5, y)
        assert value == f(1.5, y)
        assert slope == pytest.approx((f(1.5 + 1e-6, y) - f(1.5 - 1e-6, y)) / 2e-6, rel=1e-6)


def stored_with_another_axis(x: Any) -> Any:
    out = np.zeros(3)
    try:
        out[:] = x * np.ones((1, 3))
    except ValueError:
        return 7.0 * x
    return np.sum(out)


def a_list_and_a_tuple(x: Any) -> Any:
    try:
        pair = [x, *(1.0, 2.0)] + (x,)
    except TypeError:
        return 7.0 * x
    return pair[0]


def a_tuple_of_unknown_length_and_a_list(x: Any) -> Any:
    return sum(tuple(v for v in x) + [1.0])


@pytest.mark.parametrize(
    ("f", "x", "message"),
    [
        (stored_with_another_axis, 1.5, "whether this value fits"),
        (a_list_and_a_tuple, 1.5, "a list and a tuple"),
        (a_tuple_of_unknown_length_and_a_list, np.ones(2), "a list and a tuple"),
    ],
)
def test_what_cannot_be_told_or_never_works_is_refused(f: Callable[..., Any], x: Any, message: str) -> None:
    with pytest.raises(s2sad.UnsupportedSyntax, match=message):
        grad(f)(x)


EXPONENTS = {"732": 2, "abc": 3}


def looked_up_by_text(x: Any, name: str) -> Any:
    try:
        n = EXPONENTS[name.replace("-", "").lower()]
    except KeyError:
        n = 5
    return x**n


def read_from_text(x: Any, name: str) -> Any:
    try:
        n = int(name.replace("-", ""))
    except ValueError:
        n = 7
    return x**n


@pytest.mark.parametrize(("f", "powers"), [(looked_up_by_text, (2, 3, 5)), (read_from_text, (732, 7, 7))])
def test_methods_of_text_have_no_effect(f: Callable[..., Any], powers: tuple[int, ...]) -> None:
    for name, n in zip(("7-32", "AB-C", "z"), powers, strict=True):
        assert value_and_grad(f)(0.99, name) == pytest.approx((0.99**n, n * 0.99 ** (n - 1)), rel=1e-12)


def by_its_name(x: Any, link: str = "id") -> Any:
    try:
        y = {"log": np.exp, "id": np.sin}[link](x) / x
        for _ in range(2):
            y = y * math.cos(y[0])
    except (KeyError, Rejected):
        raise ValueError(f"unknown link {link!r}") from None
    return np.sum(y)


def by_numbers(x: Any) -> Any:
    try:
        y = np.sin(x) / x
    except ArithmeticError:
        y = x
    return np.sum(y)


def test_a_body_that_raises_nothing_that_is_taken_is_no_body_of_a_try() -> None:
    x = np.array([0.5, 0.3])
    assert "try" not in grad(lambda x: by_its_name(x, "id")).source_for(x)
    assert "try" in grad(by_numbers).source_for(x)
    compiled = grad(lambda x: by_its_name(x, "id"), backend="numba")
    np.testing.assert_allclose(compiled(x), grad(by_its_name)(x, "id"), rtol=1e-13)
    with pytest.raises(ValueError, match="unknown link 'logit'"):
        grad(by_its_name)(x, "logit")
    with np.errstate(all="raise"):
        np.testing.assert_array_equal(grad(by_numbers)(np.zeros(2)), np.ones(2))
