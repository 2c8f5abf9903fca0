"""Text that is known while compiling: the keys of parameters, mostly."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import gast

from s2sad.frontend.interface import Lowering
from s2sad.frontend.values import MOST_SPELT_OUT
from s2sad.ir import kinds as K
from s2sad.ir.nodes import Atom, Const, Ref

__all__ = ["has_few", "kind_of_method", "nodes_in", "spelt_out", "text_of_call", "text_of_method", "with_known_bounds"]


#: What is known of text: other text, a count or a place, the answer to a question.
_FOUND = (str, int, bool)


def text_of_call(fn: Callable[..., Any], args: Iterable[Atom], named: Sequence[tuple[str, Atom]] = ()) -> Const | None:
    """What a function gives for text and integers, all known: text, an integer or a truth value.

    None where it gives something else, or would raise.

    >>> text_of_call(format, (Const(7), Const("03d"))), text_of_call(format, (Const(7), Const("s")))
    (Const(value='007'), None)
    """
    args = tuple(args)
    given = [a.value for a in (*args, *(a for _, a in named)) if isinstance(a, Const) and type(a.value) in (int, str)]
    if len(given) < len(args) + len(named):
        return None
    with contextlib.suppress(ValueError, TypeError, LookupError):  # to be raised when the function runs
        names = (name for name, _ in named)
        found = fn(*given[: len(args)], **dict(zip(names, given[len(args) :], strict=True)))
        return Const(found) if type(found) in _FOUND else None
    return None


def text_of_method(text: Atom, name: str, args: Sequence[Atom], named: Sequence[tuple[str, Atom]] = ()) -> Const | None:
    """The same of a method of text.

    >>> text_of_method(Const("W{}"), "format", [Const(3)])
    Const(value='W3')
    >>> text_of_method(Const("W1"), "startswith", [Const("W")])
    Const(value=True)
    """
    if not isinstance(text, Const) or type(text.value) is not str or not hasattr(str, name):
        return None
    return text_of_call(getattr(text.value, name), args, named)


#: The kinds of what methods of text give, where that is no text.
_METHODS: dict[str, K.Kind] = {
    **dict.fromkeys(("count", "find", "rfind", "index", "rindex"), K.INT),
    **dict.fromkeys(("split", "rsplit", "splitlines"), K.List(K.STR)),
    **dict.fromkeys(("partition", "rpartition"), K.Tuple((K.STR,) * 3)),
    **dict.fromkeys(("encode", "maketrans"), K.ANY),
}


def kind_of_method(name: str) -> K.Kind:
    """The kind of what a method of text gives.

    >>> kind_of_method("lower"), kind_of_method("isdigit"), kind_of_method("count")
    (Other(type=<class 'str'>), Scalar(dtype='bool'), Scalar(dtype='int'))
    """
    asks = name.startswith("is") or name in ("startswith", "endswith")
    return K.BOOL if asks else _METHODS.get(name, K.STR)


def spelt_out(items: Any, target: Any, body: list[Any], whatever: bool = False) -> Any:
    """What a loop goes through: one by one where its index, of a range known while compiling, is put into text.

    The text is a key, mostly, as in ``params[f"W{k}"]``, and what is found there is known if the key is. With
    ``whatever``, ranges are gone through in that way whatever is done.
    """
    match items, target:
        case (Const(int(start)), Const(int(stop)), Const(int(step)), None), gast.Name(id=name):
            indices = range(start, stop, step)
            if whatever or (len(indices) <= MOST_SPELT_OUT and _puts_into_text(body, name)):
                return [partial(Const, k) for k in indices]
    return items


def with_known_bounds(lo: Lowering, items: Any, target: Any, body: list[Any]) -> Any:
    """What a loop goes through, whose index is put into text: a range with bounds outside has those as they are now."""
    match items, target:
        case (*bounds, None), gast.Name(id=name) if any(isinstance(b, Ref) for b in bounds) and _puts_into_text(
            body, name
        ):
            now: list[Any] = [b.value if isinstance(b, Const | Ref) else None for b in bounds]
            if all(type(b) is int for b in now) and len(range(*now)) <= MOST_SPELT_OUT:
                return (*map(lo.known_value, bounds), None)
    return items


def has_few(items: Any) -> bool:
    """Whether a loop goes over a range, known while compiling, that is short enough to be spelt out."""
    match items:
        case (Const(int(start)), Const(int(stop)), Const(int(step)), None):
            return len(range(start, stop, step)) <= MOST_SPELT_OUT
    return False


def _puts_into_text(body: list[Any], name: str) -> bool:
    """Whether text is made of a variable, other than for messages."""
    for node in nodes_in(body, (gast.Raise, gast.Assert)):
        match node:
            case gast.JoinedStr() | gast.Call(func=gast.Name(id="str")):
                pass
            case gast.BinOp(left=gast.Constant(value=str()), op=gast.Mod()):
                pass
            case gast.Call(func=gast.Attribute(value=gast.Constant(value=str()), attr="format")):
                pass
            case _:
                continue
        if any(isinstance(n, gast.Name) and n.id == name for n in gast.walk(node)):
            return True
    return False


def nodes_in(body: list[Any], without: tuple[type, ...]) -> Iterator[Any]:
    """The nodes in statements, but for those in nodes of some classes and in calls of print."""
    work = list(body)
    while work:
        node = work.pop()
        printed = isinstance(node, gast.Call) and isinstance(node.func, gast.Name) and node.func.id == "print"
        if not isinstance(node, without) and not printed:
            yield node
            work += gast.iter_child_nodes(node)
