"""Every rule through the public interface: jvp, vjp and forward over reverse of a function that calls the primitive."""

from __future__ import annotations

import builtins
import importlib.util
import math
import operator
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from rules.harness import as_float64, floats, is_float_leaf, leaves, like, shifted
from rules.samples import SAMPLES, Call

import s2sad
import s2sad.rules
from s2sad.api import stop_gradient
from s2sad.rules.table import RULES
from s2sad.runtime import helpers

PER_PRIMITIVE = 8

MODULES = {"np": np, "np.linalg": np.linalg, "math": math, "operator": operator, "helpers": helpers, "": builtins}
NAMES = {
    id(value): f"{prefix}.{name}".lstrip(".")
    for prefix, module in reversed(MODULES.items())
    for name, value in vars(module).items()
    if not name.startswith("_") and callable(value)
}
#: Not functions a program calls with floats to differentiate.
SKIPPED = {print, stop_gradient, range, isinstance, helpers.zero_leaf, helpers.zeros_like, helpers.require_view}
#: Only some of their parameters are ever differentiated.
SKIPPED |= {helpers.tied_mean, helpers.tied_share, helpers.where_larger}


def literal(x: Any) -> str | None:
    """The source of a constant argument, None where there is none."""
    match x:
        case bool() | int() | str() | None:
            return repr(x)
        case slice():
            return f"slice({x.start}, {x.stop}, {x.step})"
        case type():
            return NAMES.get(id(x))
        case tuple() | list() if x and not any(map(is_float_leaf, leaves(x))):
            parts = [literal(item) for item in x]
            if None in parts:
                return None
            inner = ", ".join(parts)  # type: ignore[arg-type]
            return f"[{inner}]" if isinstance(x, list) else f"({inner},)"
    return None


def chosen(samples: list[Call]) -> list[Call]:
    """Some of many samples, from the whole list."""
    step = max(1, math.ceil(len(samples) / PER_PRIMITIVE))
    return samples[::step]


class Case:
    """A sample as a function ``f{k}`` of its floats, and a scalar ``h{k}`` made of it."""

    def __init__(self, k: int, primitive: Any, sample: Call) -> None:
        self.k, self.primitive, self.sample = k, primitive, sample
        self.given: list[Any] = []
        constant = self._constants()
        args = [self._place(a, k in constant) for k, a in enumerate(sample.args)]
        args += [f"{n}={self._place(a, n in constant)}" for n, a in sample.kwargs.items()]
        params = ", ".join(f"x{i}" for i in range(len(self.given)))
        self.source = (
            f"def f{k}({params}):\n    return {NAMES[id(primitive)]}({', '.join(args)})\n\n\n"
            f"def h{k}({params}):\n    return np.sum(np.sin(f{k}({params})))\n\n\n"
        )

    def _constants(self) -> set[Any]:
        """Positions and names of the parameters that the rule does not differentiate."""
        rule = RULES[self.primitive]
        if rule.form in ("zero", "composite"):
            return set()
        names = [p.name for p in rule.signature.parameters.values() if p.kind is not p.VAR_POSITIONAL]
        return {x for k, n in enumerate(names) if n not in rule.wrt for x in (k, n)}

    def _place(self, x: Any, constant: bool) -> str:
        text = f'float("{x}")' if constant and isinstance(x, float) else literal(x)
        if text is None:
            self.given.append(x)
            text = f"x{len(self.given) - 1}"
        return text

    @property
    def id(self) -> str:
        return f"{NAMES[id(self.primitive)]}-{self.k}"

    @property
    def tolerance(self) -> float:
        types = {getattr(leaf, "dtype", None) for leaf in leaves(self.given)}
        return 3e-3 if np.dtype(np.float32) in types else 1e-6


def make_cases() -> list[Case]:
    cases: list[Case] = []
    for primitive in RULES:
        if primitive in SKIPPED or id(primitive) not in NAMES:
            continue
        for sample in chosen([s for s in SAMPLES.get(primitive, []) if s.smooth]):
            case = Case(len(cases), primitive, sample)
            if case.given and any(map(is_float_leaf, leaves(case.given))):
                cases.append(case)
    return cases


CASES = make_cases()
parametrized = pytest.mark.parametrize("case", CASES, ids=lambda c: c.id)
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    """The functions of all cases, in a file so that their source can be read."""
    path = tmp_path_factory.mktemp("walk") / "walk.py"
    head = "import math\nimport operator\n\nimport numpy as np\n\nfrom s2sad.runtime import helpers\n\n\n"
    path.write_text(head + "".join(c.source for c in CASES))
    spec = importlib.util.spec_from_file_location("walk", path)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def random_like(x: Any, seed: int) -> Any:
    rng = np.random.default_rng(seed)
    return like(x, lambda shape: rng.uniform(-1.0, 1.0, shape))


def differences(f: Any, xs: list[Any], ds: list[Any], h: float = 1e-6) -> np.ndarray:
    """The directional derivative, in double precision."""
    wide = [as_float64(x) for x in xs]
    up, down = (floats(f(*(shifted(x, d, s) for x, d in zip(wide, ds, strict=True)))) for s in (h, -h))
    return (up - down) / (2 * h)


def close(got: Any, want: Any, eps: float) -> None:
    want = np.asarray(want)
    np.testing.assert_allclose(got, want, rtol=eps, atol=eps * max(1.0, np.abs(want).max(initial=0.0)))


@parametrized
def test_jvp(case: Case, module: ModuleType) -> None:
    f = getattr(module, f"f{case.k}")
    ds = [random_like(x, i) for i, x in enumerate(case.given)]
    y, dy = s2sad.jvp(f, tuple(case.given), tuple(ds))
    if case.primitive in (np.empty, np.empty_like) or not floats(y).size:
        return  # it ran
    close(floats(y), floats(f(*case.given)), 1e-12 if case.tolerance < 1e-5 else 1e-5)
    close(floats(dy), differences(f, case.given, ds), case.tolerance)


@parametrized
def test_vjp(case: Case, module: ModuleType) -> None:
    f = getattr(module, f"f{case.k}")
    y = f(*case.given)
    if case.primitive in (np.empty, np.empty_like) or not floats(y).size:
        pytest.skip("no float in the result")
    ct = random_like(y, 9)
    _, pullback = s2sad.vjp(f, *case.given)
    bxs = pullback(ct)
    assert len(bxs) == len(case.given)
    for i, (x, bx) in enumerate(zip(case.given, bxs, strict=True)):
        if not any(map(is_float_leaf, leaves(x))):
            assert bx is None
            continue
        for a, ba in zip(leaves(x), leaves(bx), strict=True):
            if is_float_leaf(a):
                assert np.shape(ba) == np.shape(a)
                assert not isinstance(a, np.ndarray) or ba.dtype == a.dtype
        ds = [random_like(g, i) if k == i else like(g, np.zeros) for k, g in enumerate(case.given)]
        want = np.dot(floats(ct), differences(f, case.given, ds))
        close(np.dot(floats(ds[i]), floats(bx)), want, case.tolerance)


@parametrized
def test_forward_over_reverse(case: Case, module: ModuleType) -> None:
    f, h = getattr(module, f"f{case.k}"), getattr(module, f"h{case.k}")
    y = f(*case.given)
    if not is_float_leaf(y) or case.tolerance > 1e-5:
        pytest.skip("not a float array in double precision")
    for i, x in enumerate(case.given):
        if not any(map(is_float_leaf, leaves(x))):
            continue
        d = random_like(x, i)
        ds = [d if k == i else like(g, np.zeros) for k, g in enumerate(case.given)]
        product = s2sad.hvp(h, wrt=i)(*case.given, d)
        gradient = s2sad.grad(h, wrt=i)
        close(floats(product), differences(gradient, case.given, ds), 2e-5)
