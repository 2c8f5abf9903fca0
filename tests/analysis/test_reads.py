"""What an operation reads: not what it gives a view of, but what it may give a copy of."""

from __future__ import annotations

import pytest

from s2sad.analysis.memory import Memory
from s2sad.analysis.reads import op_reads
from s2sad.ir.nodes import Op
from s2sad.ir.printer import show
from s2sad.ir.rewrite import walk
from s2sad.ir.verify import verify
from s2sad.optimise.branches import join_branches
from tests.ir.reader import read
from tests.optimise.test_docstrings import last_reversing

TEXT = """
def f(x: float64[2], i: int64[1], v: float64[1]):
    y = {}
    np.add.at(x, i, v)
    z = np.sum(y)
    return z
"""


@pytest.mark.parametrize(
    ("made", "reads"),
    [
        ("np.transpose(x)", False),
        ("np.swapaxes(x, 0, 1)", False),
        ("np.reshape(x, -1)", True),
        ("np.ravel(x)", True),
        ("unbroadcast(x, v)", True),
        ("np.negative(x)", True),
    ],
)
def test_what_may_be_a_copy_is_read(made, reads):
    function = read(TEXT.format(made))
    op = next(s for s in walk(function) if isinstance(s, Op))
    memory = Memory(function)
    assert (memory.of(function.params[0]) in set(op_reads(memory, op))) is reads


BRANCHES = """
def f(c: bool, x: float64[1], i: int64[1], w: float64[1]):
    if c:
        t = x * w
        y = np.sin(t)
        give y
    else:
        give x
    -> v
    zero = np.zeros_like(x)
    add_to_rows(zero, i, v)
    part = unbroadcast(zero, w)
    if c:
        s = np.cos(x)
        give s
    else:
        give w
    -> bx
    r = (bx, part)
    return r
"""


def test_what_may_be_a_copy_goes_behind_what_changes_it():
    text = show(verify(join_branches(last_reversing(read(BRANCHES)))))
    assert text.count("if c") == 1
    assert text.index("if c") < text.index("add_to_rows") < text.index("unbroadcast"), text
