"""Every rule: samples exist, tangent equals central differences, adjoint is the transpose of the tangent."""

from __future__ import annotations

import inspect
import math
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import MethodDescriptorType
from typing import Any

import numpy as np
import pytest
from rules import complex_samples
from rules.harness import Applied, as_float64, floats, is_float_leaf, leaves, like, shifted
from rules.samples import SAMPLES, Call

import s2sad
from s2sad.analysis.activity import TRANSPARENT
from s2sad.analysis.effects import WRITES
from s2sad.rules.table import RULES, Rule
from s2sad.runtime import helpers
from s2sad.transform.adjoint import Reverse


def name_of(primitive: Any) -> str:
    """module.name of a primitive."""
    module = (getattr(primitive, "__module__", None) or "numpy").removeprefix("s2sad.runtime.").lstrip("_")
    return f"{module}.{getattr(primitive, '__name__', primitive)}"


def cases(*forms: str) -> list[Any]:
    """The sample calls that are computed by some forms of rules, as test parameters."""
    return [
        pytest.param(rule, sample, id=f"{name_of(primitive)}-{k}")
        for primitive, rule in RULES.items()
        for k, sample in enumerate(SAMPLES.get(primitive, []))
        if (rule.form if rule.composite_for(sample.args, sample.kwargs) is None else "composite") in forms
    ]


def is_read_later(primitive: Any) -> bool:
    """Whether a rule is of a library whose rules are read with it: those have tests of their own."""
    if isinstance(primitive, np.ufunc):
        return not any(primitive is f for f in vars(np).values())
    if isinstance(primitive, MethodDescriptorType):
        return True  # of a class of a library: NumPy's methods are those functions
    module = getattr(primitive, "__module__", None) or ""
    own = module.startswith("s2sad.runtime.") and module not in helpers.MODULES
    return own or module.startswith(("scipy", "statistics"))


OWN = {primitive: rule for primitive, rule in RULES.items() if not is_read_later(primitive)}


@pytest.mark.parametrize("primitive", OWN, ids=name_of)
def test_has_samples(primitive: Any) -> None:
    known = SAMPLES.get(primitive) or complex_samples.OWN.get(primitive)
    assert known, f"{name_of(primitive)} has a rule and no samples in tests/rules/samples.py"


@pytest.mark.parametrize("rule", [r for r in OWN.values() if r.given], ids=lambda rule: name_of(rule.primitive))
def test_has_samples_of_what_is_spelt_out(rule: Rule) -> None:
    """Each argument that makes a call a composite is given in some sample."""
    samples = SAMPLES.get(rule.primitive) or complex_samples.OWN[rule.primitive]
    assert rule.given <= {name for sample in samples for name in sample.kwargs}


@pytest.mark.parametrize("primitive", SAMPLES, ids=name_of)
def test_has_rule(primitive: Any) -> None:
    assert primitive in RULES


HELPERS = {n: f for n, f in vars(helpers).items() if inspect.isfunction(f) and f.__module__ in helpers.MODULES}
#: Helpers that change an object in place: the transforms know them.
IN_PLACE = {"add_at", "add_to_rows", "add_back", "add_items", "add_nested", "add_repeats", "put_back", "take_tail"}
#: Helpers that only helpers call.
INNER = {"addend", "contracted", "copy_view", "einsum_terms", "field_names", "map_leaves", "record_of", "untake_flat"}
#: Helpers of loops over elements, which are lowered to when all is differentiated.
INNER |= {f.__name__ for f in helpers.AS_THEY_STAND if f not in RULES}


@pytest.mark.parametrize("name", HELPERS)
def test_helpers_differentiate_again(name: str) -> None:
    """What derivative code calls has a rule, or is known to the transforms."""
    if name in IN_PLACE:
        assert HELPERS[name] in WRITES
    elif HELPERS[name] in Reverse.STRUCTURAL:
        assert HELPERS[name] in TRANSPARENT
    elif name in INNER:
        package = Path(s2sad.__file__).parent
        callers = [p for layer in ("frontend", "transform") for p in (package / layer).glob("*.py")]
        assert not any(f"helpers.{name}" in p.read_text() for p in callers)
    else:
        assert HELPERS[name] in RULES


def random_like(x: Any, seed: int) -> Any:
    rng = np.random.default_rng(seed)
    return like(x, lambda shape: rng.uniform(-1.0, 1.0, shape))


def differences(applied: Applied, tangents: dict[str, Any], h: float = 1e-6) -> np.ndarray:
    """The directional derivative, by central differences in float64."""
    given = {n: as_float64(applied.bound.arguments[n]) for n in tangents}
    up = applied.call_primitive(**{n: shifted(given[n], tangents[n], h) for n in tangents})
    down = applied.call_primitive(**{n: shifted(given[n], tangents[n], -h) for n in tangents})
    return (floats(up) - floats(down)) / (2 * h)


def tolerance(applied: Applied, tight: float) -> float:
    values = leaves([*applied.bound.args, applied.result])
    single = any(getattr(leaf, "dtype", None) in (np.float32, np.float16) for leaf in values)
    return 3e-3 if single else tight


SMOOTH = ("elementwise", "linear", "multilinear", "tangent")


@pytest.mark.parametrize(("rule", "sample"), cases(*SMOOTH))
def test_tangent_equals_differences(rule: Rule, sample: Call) -> None:
    applied = Applied(rule, sample.args, sample.kwargs, sample.wrt)
    if not sample.smooth:
        pytest.skip("not differentiable here")
    for seed, name in enumerate([None, *applied.wrt]):
        chosen = applied.wrt if name is None else [name]
        tangents = {n: random_like(applied.bound.arguments[n], seed) for n in chosen}
        if not tangents:
            continue
        got = floats(applied.tangent(tangents))
        want = differences(applied, tangents)
        size = np.broadcast_to(got, want.shape) if got.size == 1 else got
        eps = tolerance(applied, 1e-6)
        np.testing.assert_allclose(size, want, rtol=eps, atol=eps * max(1.0, np.abs(want).max(initial=0.0)))


@pytest.mark.parametrize(("rule", "sample"), cases(*SMOOTH))
def test_adjoint_is_transpose_of_tangent(rule: Rule, sample: Call) -> None:
    applied = Applied(rule, sample.args, sample.kwargs, sample.wrt)
    tangents = {n: random_like(applied.bound.arguments[n], 1) for n in applied.wrt}
    if not tangents:
        return
    ct = random_like(applied.result, 2)
    contributions = applied.contributions(ct)
    forward = applied.tangent(tangents)
    left = np.dot(floats(ct), floats(forward))
    right = sum(np.dot(_inner(d), _inner(c)) for d, c in _pairs(tangents, contributions))
    assert not np.isnan(left)
    eps = tolerance(applied, 1e-10)
    assert right == pytest.approx(left, rel=eps, abs=eps)


def _inner(x: Any) -> np.ndarray:
    return np.ravel(np.asarray(x, float))


def _pairs(tangents: dict[str, Any], contributions: dict[str, Any]) -> Iterator[tuple[Any, Any]]:
    for name, tangent in tangents.items():
        yield from zip(leaves(tangent), leaves(contributions[name]), strict=True)


@pytest.mark.parametrize(("rule", "sample"), cases(*SMOOTH))
def test_contributions_have_the_form_of_the_arguments(rule: Rule, sample: Call) -> None:
    applied = Applied(rule, sample.args, sample.kwargs, sample.wrt)
    contributions = applied.contributions(random_like(applied.result, 2))
    for name in applied.wrt:
        given = leaves(applied.bound.arguments[name])
        for x, bx in zip(given, leaves(contributions[name]), strict=True):
            if not is_float_leaf(x):
                continue
            assert np.shape(bx) == np.shape(x)
            if np.ndim(x):
                assert isinstance(bx, np.ndarray)
                assert bx.dtype == x.dtype
            elif isinstance(bx, np.ndarray):  # of a 0-d array a number will do, not the other way about
                assert isinstance(x, np.ndarray)
            elif not isinstance(bx, float | int):
                assert isinstance(bx, np.floating)


@pytest.mark.parametrize(("rule", "sample"), cases("zero"))
def test_zero_derivatives(rule: Rule, sample: Call, capsys: pytest.CaptureFixture[str]) -> None:
    primitive, h = rule.primitive, 1e-6
    result = primitive(*sample.args, **sample.kwargs)
    if (
        not sample.smooth
        or primitive is np.empty
        or primitive is np.empty_like
        or not floats(result).size
        or isinstance(result, str)
    ):
        return
    for k, x in enumerate(sample.args):
        if is_float_leaf(x):
            up, down = (primitive(*sample.args[:k], x + s, *sample.args[k + 1 :], **sample.kwargs) for s in (h, -h))
            np.testing.assert_allclose(floats(up), floats(down), atol=1e-12)


def with_special_values(rule: Rule, sample: Call) -> Iterator[tuple[Any, ...]]:
    """The arguments, and again with NaN, infinities and zeros here and there."""
    yield sample.args
    for k, x in enumerate(sample.args):
        if rule.primitive is np.gradient and k > 0:
            continue  # it looks whether coordinates are evenly spaced: 0 / 0 is an infinity then
        if rule.primitive is np.interp and k == 1:
            continue  # points that do not increase
        if rule.primitive is np.linalg.lstsq or getattr(rule.primitive, "__name__", "").endswith("fit"):
            continue  # LAPACK's least squares are not made for what is not finite
        if is_float_leaf(x) and np.size(x):
            # since NumPy 2.5 np.linalg.cond is NaN where np.linalg.svd, which it is by, raises
            apart = rule.primitive is np.linalg.cond and np.lib.NumpyVersion(np.__version__) >= "2.5.0"
            strange = () if apart else (math.nan, math.inf, -math.inf)
            for special in (*strange, 0.0, -0.0):
                for where in ([0], [-1], range(np.size(x))):
                    changed = np.array(x)
                    changed.flat[where] = special
                    back = changed if isinstance(x, np.ndarray) else type(x)(changed)
                    yield *sample.args[:k], back, *sample.args[k + 1 :]


@pytest.mark.parametrize(("rule", "sample"), cases("composite"))
def test_composites_compute_the_same(rule: Rule, sample: Call) -> None:
    composite = rule.composite_for(sample.args, sample.kwargs)
    assert composite is not None
    for args in with_special_values(rule, sample):
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            want, got = (outcome(f, args, sample.kwargs) for f in (rule.primitive, composite))
        for a, b in zip(leaves(got), leaves(want), strict=True):
            assert np.shape(a) == np.shape(b)
            assert np.asarray(a).dtype == np.asarray(b).dtype
            if isinstance(b, type):
                assert a is b
            elif hasattr(b, "coef"):  # a polynomial
                assert a == b
            else:
                np.testing.assert_allclose(a, b, rtol=1e-6 if np.asarray(b).dtype == np.float32 else 1e-12)


def outcome(f: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What a call gives: a value, or the class of an error."""
    try:
        return f(*args, **kwargs)
    except (ArithmeticError, ValueError) as error:
        return type(error)
