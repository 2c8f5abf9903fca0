"""Functions that call each primitive with its samples, for tests through the public interface."""

from __future__ import annotations

import builtins
import importlib.util
import math
import operator
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from rules.harness import is_float_leaf, leaves, like
from rules.samples import SAMPLES, Call

import s2sad.rules  # noqa: F401
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
SKIPPED = {print, stop_gradient, range, isinstance, helpers.zero_leaf, helpers.zeros_like}
#: Only some of their parameters are ever differentiated.
SKIPPED |= {helpers.tied_mean, helpers.tied_share, helpers.where_larger, helpers.shadow_view}


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
        if rule.form == "zero" or rule.composite_for(self.sample.args, self.sample.kwargs) is not None:
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


def make_cases(change: Callable[[Any], Any] = lambda x: x) -> list[Case]:
    """A case for each sample, its arguments changed."""
    cases: list[Case] = []
    for primitive in RULES:
        if primitive in SKIPPED or id(primitive) not in NAMES:
            continue
        smooth = [s for s in SAMPLES.get(primitive, []) if s.smooth]
        given = RULES[primitive].given
        plain = [s for s in smooth if given.isdisjoint(s.kwargs)]
        spelt_out = [s for s in smooth if not given.isdisjoint(s.kwargs)]
        for sample in chosen(plain) + chosen(spelt_out):
            changed = Call(change(sample.args), change(sample.kwargs))
            case = Case(len(cases), primitive, changed)
            if case.given and any(map(is_float_leaf, leaves(case.given))):
                cases.append(case)
    return cases


def load(cases: list[Case], path: Path) -> ModuleType:
    """The functions of all cases, in a file so that their source can be read."""
    head = "import math\nimport operator\n\nimport numpy as np\n\nfrom s2sad.runtime import helpers\n\n\n"
    path.write_text(head + "".join(c.source for c in cases))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def random_like(x: Any, seed: int) -> Any:
    """Random numbers in the structure of x."""
    rng = np.random.default_rng(seed)
    return like(x, lambda shape: rng.uniform(-1.0, 1.0, shape))
