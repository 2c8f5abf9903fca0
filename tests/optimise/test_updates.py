"""Items that are taken, changed and put back, and what must stay spelt out."""

from __future__ import annotations

import pytest

from s2sad.ir.printer import show
from s2sad.ir.verify import verify
from s2sad.optimise.updates import augment_items
from tests.ir.reader import read

CASES = {
    "a quotient": ("t = b[i]; u = t / x; b[i] = u", "b[i] /= x"),
    "by what was read in between": ("t = b[i]; v = b[j]; u = t * v; b[i] = u", "v = b[j]; b[i] *= v"),
    "in a list": ("t = xs[i]; u = t - x; xs[i] = u", "xs[i] -= x"),
    "the other way round": ("t = b[i]; u = x - t; b[i] = u", None),
    "another item": ("t = b[i]; u = t / x; b[j] = u", None),
    "another array": ("t = b[i]; u = t / x; c[i] = u", None),
    "needed again": ("t = b[i]; u = t / x; b[i] = u; c[j] = t", None),
    "result needed again": ("t = b[i]; u = t / x; b[i] = u; c[j] = u", None),
    "changed in between": ("t = b[i]; b[j] = x; u = t / x; b[i] = u", None),
    "squared": ("t = b[i]; u = t * t; b[i] = u", None),
    "a part of an array": (
        "s = make_slice(0, 2, None); t: float64[1]#2 = b[s]; u: float64[1]#2 = t / x; b[s] = u",
        None,
    ),
    "a call in between": ("t = b[i]; print(t); u = t / x; b[i] = u", None),
}


def function(body: str):
    head = "def f(b: float64[1]#1, c: float64[1]#1, xs: list[float], i: int, j: int, x):"
    return read("\n".join([head, *(f"    {s}" for s in body.split("; ")), "    r = (b, c, xs)", "    return r"]))


@pytest.mark.parametrize("name", CASES)
def test_updates(name: str) -> None:
    before, after = CASES[name]
    assert show(verify(augment_items(function(before)))) == show(function(after or before))
