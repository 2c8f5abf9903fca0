"""Objects that give their items one by one: what goes over them is a generator that does what the loop would do.

An object with ``__next__`` gives items until that raises StopIteration. Its method is made a generator:

.. code-block:: python

    def __next__(self):
        if self.k >= self.n:
            raise StopIteration
        self.k += 1
        return self.x**self.k

.. code-block:: python

    def __next__(self):
        while True:
            if self.k >= self.n:
                return
            self.k += 1
            yield self.x**self.k

One with ``__getitem__`` alone is asked for the items 0, 1, 2 and so on until that raises IndexError.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import gast

from s2sad.frontend.binding import frame_of
from s2sad.frontend.interface import Lowering
from s2sad.frontend.nullable import need_there
from s2sad.frontend.operator_methods import method_of
from s2sad.frontend.parse import parse_function
from s2sad.frontend.scope import own_nodes, parameter_names
from s2sad.frontend.values import AVal, GeneratorV, ObjectV, PyFunc, class_of

__all__ = ["backwards", "items_by_place", "items_of_steps"]

_BLOCKS = (gast.For, gast.While, gast.Match, gast.With, gast.Try)


def items_by_place(sequence: Any) -> Iterator[Any]:
    """What an object with ``__getitem__`` alone gives in a loop."""
    place = 0
    while True:
        try:
            item = sequence[place]
        except IndexError:
            return
        yield item
        place += 1


def backwards(sequence: Any) -> Iterator[Any]:
    """``reversed`` of an object with ``__getitem__`` and ``__len__``."""
    for place in range(len(sequence) - 1, -1, -1):
        yield sequence[place]


def items_of_steps(lo: Lowering, value: AVal) -> AVal | None:
    """What an object gives in a loop by ``__next__``, or by ``__getitem__`` alone; None for others."""
    if isinstance(value, ObjectV) and value.live is not None:
        return None
    step = method_of(value, "__next__")
    if step is not None:
        need_there(lo, value, TypeError, "'NoneType' object is not iterable")
        source = parse_function(step.fn)
        key = id(source.node), "generator"
        if key not in lo.rewritten:
            lo.rewritten[key] = _as_generator(lo, source.node)
        (name,) = parameter_names(source.node.args)
        node = lo.rewritten[key]
        return GeneratorV("generated", (), node=node, frame=frame_of(source), given=((name, value),))
    if method_of(value, "__getitem__") is not None and not hasattr(class_of(value), "__iter__"):
        return lo.call(PyFunc.of(items_by_place), [value], {})
    return None


def _as_generator(lo: Lowering, node: Any) -> Any:
    """The body of a ``__next__``, again and again, with ``yield`` for ``return``, and that for the end."""
    within = (n for block in own_nodes(node) if isinstance(block, _BLOCKS) for n in gast.walk(block))
    if any(isinstance(n, gast.Return) or (isinstance(n, gast.Raise) and _is_end(n)) for n in within):
        raise lo.unsupported(
            "a `__next__` that returns or ends within a loop, `match`, `with` or `try` is not handled.",
            "Let `__iter__` be a generator.",
        )
    if any(isinstance(n, gast.Yield | gast.YieldFrom) for n in own_nodes(node)):
        raise lo.unsupported("a `__next__` that yields is not handled.", "Let `__iter__` be a generator.")
    body = _with_yields(copy.deepcopy(node.body), last=True)
    if not _returns(node.body):
        body.append(_at(gast.Expr(value=_at(gast.Yield(value=None), node)), node))
    loop = gast.While(test=_at(gast.Constant(value=True, kind=None), node), body=body, orelse=[])
    made = copy.copy(node)
    made.body = [_at(loop, node)]
    return made


def _with_yields(body: list[Any], last: bool) -> list[Any]:
    """A block with ``yield`` for ``return`` and ``return`` for the end; ``last`` where nothing follows it."""
    made: list[Any] = []
    for k, s in enumerate(body):
        ends = last and k == len(body) - 1
        match s:
            case gast.Return(value=value):
                made.append(_at(gast.Expr(value=_at(gast.Yield(value=value), s)), s))
                made += [] if ends else [_at(gast.Continue(), s)]
            case gast.Raise() if _is_end(s):
                made.append(_at(gast.Return(value=None), s))
            case gast.If(test=test, body=then, orelse=orelse):
                both = (_with_yields(then, ends), _with_yields(orelse, ends))
                made.append(_at(gast.If(test=test, body=both[0], orelse=both[1]), s))
            case _:
                made.append(s)
    return made


def _is_end(s: Any) -> bool:
    """Whether a statement raises StopIteration."""
    raised = s.exc.func if isinstance(s.exc, gast.Call) else s.exc
    return isinstance(raised, gast.Name) and raised.id == "StopIteration"


def _returns(body: list[Any]) -> bool:
    """Whether a block never comes to its end."""
    match body[-1] if body else None:
        case gast.Return() | gast.Raise():
            return True
        case gast.If(body=then, orelse=orelse):
            return _returns(then) and _returns(orelse)
    return False


def _at(node: Any, place: Any) -> Any:
    return gast.copy_location(node, place)
