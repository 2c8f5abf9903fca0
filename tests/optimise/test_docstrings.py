"""The before and after in the docstring of each pass are what the pass does."""

from __future__ import annotations

import inspect
import itertools
import re
import textwrap
from dataclasses import replace
from types import ModuleType

import pytest

from s2sad.ir import kinds
from s2sad.ir.nodes import Const, For, Function, If
from s2sad.ir.printer import show
from s2sad.ir.rewrite import map_stmts, walk, with_body
from s2sad.ir.verify import verify
from s2sad.optimise import (
    assume,
    at_hand,
    at_once,
    branches,
    counting,
    cse,
    dead,
    early,
    exits_behind,
    first_lengths,
    foresee,
    gathered,
    known_arrays,
    last_iterations,
    outer,
    simplify,
    stores,
    taken,
    tapes,
    tests_in_front,
    tokens,
    trips,
    unread,
    updates,
    zeros,
)
from tests.ir.reader import read


def of_adjoints(function: Function) -> Function:
    """The function with branches that say of their results that they are adjoints."""
    return with_body(function, map_stmts(function.body, lambda s: replace(s, adjoint=True) if isinstance(s, If) else s))


def last_reversing(function: Function) -> Function:
    """The function with its last branch saying that its results are adjoints."""
    *_, last = (s for s in walk(function) if isinstance(s, If))
    return with_body(function, map_stmts(function.body, lambda s: replace(s, adjoint=True) if s is last else s))


def reversing_first(function: Function) -> Function:
    """The function with its last loop saying that it reverses the first."""
    first, *_, last = (s for s in walk(function) if isinstance(s, For))
    return with_body(function, map_stmts(function.body, lambda s: replace(s, reverses=first.index) if s is last else s))


def reversing(function: Function) -> Function:
    """The function with each loop that goes down saying that it reverses the one before it."""
    loops = [s for s in walk(function) if isinstance(s, For)]
    known = {id(b): a.index for a, b in itertools.pairwise(loops) if b.step == Const(-1)}
    change = lambda s: replace(s, reverses=known[id(s)]) if id(s) in known else s
    return with_body(function, map_stmts(function.body, change))


PASSES = {
    at_hand: at_hand.take_at_hand,
    at_once: lambda f: at_once.reverse_at_once(reversing(f)),
    branches: lambda f: dead.dead_code(branches.join_branches(last_reversing(f))),
    gathered: lambda f: gathered.know_gathered(reversing_first(f)),
    dead: dead.dead_code,
    early: early.record_early,
    simplify: lambda f: dead.dead_code(simplify.simplify(f)),
    cse: cse.merge_common,
    stores: stores.tidy_stores,
    tapes: tapes.merge_tapes,
    taken: taken.go_by_what_is_there,
    trips: trips.count_rounds,
    unread: unread.drop_unread,
    known_arrays: known_arrays.call_by_arrays,
    outer: lambda f: outer.sum_outer_products(reversing_first(f)),
    updates: updates.augment_items,
    zeros: lambda f: zeros.skip_zeros(of_adjoints(f)),
    assume: assume.take_equal,
    first_lengths: lambda f: first_lengths.take_lengths(f, [(f.params[1], 0, 1)]),
    foresee: foresee.foresee_lengths,
    counting: lambda f: counting.count_loops(f)[0],
    exits_behind: lambda f: exits_behind.put_exits_behind(f)[0],
    last_iterations: lambda f: last_iterations.end_like_others(f)[0],
    tests_in_front: lambda f: tests_in_front.put_tests_in_front(f)[0],
    tokens: lambda f: tokens.name_shapes(f)[0],
}


def example(module: ModuleType, word: str) -> str:
    """A block of the docstring, without the remarks at the ends of lines."""
    m = re.search(rf"^{word}.*::\n\n((?:    .*\n|\n)+)", inspect.getdoc(module) or "", re.MULTILINE)
    assert m
    return re.sub(r"  +#.*$", "", textwrap.dedent(m[1]), flags=re.MULTILINE).strip()


@pytest.mark.parametrize("module", PASSES, ids=lambda m: m.__name__)
def test_example(module: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kinds, "_shapes", itertools.count(2))  # shape 1 is in the examples
    new: Function = verify(PASSES[module](read(example(module, "Before"))))
    assert show(new, kinds=module is tokens) == example(module, "After")
