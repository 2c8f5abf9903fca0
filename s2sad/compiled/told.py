"""Errors with values in their text, raised such that Python puts the text together.

Before::

    def f(x: float, n: int):
        t: bool = x < 0.0
        if t:
            t_1: str = format_value(x, '', '.3f')
            t_2: str = format_value(n, 'r', '')
            t_3: str = join_str('negative: ', t_1, ' at ', t_2)
            t_4: any = ValueError(t_3)
            raise_(t_4)
        return x

After::

    def f(x, n):
        t = x < 0.0
        if t:
            t_1 = Raised(ValueError, 'negative: {:.3f} at {!r}', x, n)
            raise_(t_1)
        return x

Numba puts no floats into text, and takes long for integers. But it hands over numbers, tuples and arrays with an error,
whose class is called with them in Python. Classes of the user's, if a module has them by name, go over by that name.

Requires: the IR of a derivative, before what Numba compiles is parted from what stays Python.
Ensures: the same errors with the same texts, of Python's numbers where those are NumPy's. Texts of other values, and
texts for other uses, are left.
"""

from __future__ import annotations

import builtins
import operator
import re
import sys
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from string import Formatter
from types import ModuleType
from typing import Any, TypeAlias

from s2sad.analysis.memory import Memory
from s2sad.compiled.expand import kind_of
from s2sad.compiled.raised import Raised
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Block, Const, Function, If, Op, Ref, Stmt, Var
from s2sad.ir.rewrite import definitions, map_stmts, use_counts, with_body

__all__ = ["errors_told"]

#: The class of an error, the form of its text, and what goes into it.
_Error: TypeAlias = tuple[Atom, Atom, tuple[Atom, ...]]
#: Numbers that come out of compiled code as they would be in Python, but for their class.
_NUMBERS = ("bool", "int", "float", "int64", "float64")
_CONVERSIONS: dict[Any, str] = {str: "", repr: "r", ascii: "a"}
_PERCENT = re.compile(r"%(%|([-+ 0#]*)(\d*)((?:\.\d+)?)([dirsfFeEgG]))")


def errors_told(function: Function) -> Function:
    """Hand over the values in the text of errors, not the text."""
    errors = _Errors(function)
    told = with_body(function, map_stmts(function.body, errors.told))
    return _without(told, errors.taken) if errors.taken else told


def _without(function: Function, taken: set[Var]) -> Function:
    """Without what made errors and their texts, where nothing else asks for it."""
    while unused := {v for v in taken if v not in use_counts(function)}:
        taken = taken - unused
        function = with_body(function, map_stmts(function.body, partial(_unless, unused)))
    return function


def _unless(unused: set[Var], s: Stmt) -> Stmt | list[Stmt]:
    return [] if isinstance(s, Op) and s.target in unused else s


@dataclass(frozen=True)
class _Text:
    """A format string, and what goes into its fields one after the other."""

    form: str = ""
    values: tuple[Atom, ...] = ()

    def __add__(self, other: _Text) -> _Text:
        return _Text(self.form + other.form, self.values + other.values)


def _literal(text: str) -> _Text:
    return _Text(text.replace("{", "{{").replace("}", "}}"))


def _sum(parts: Sequence[_Text | None]) -> _Text | None:
    whole = _Text()
    for part in parts:
        if part is None:
            return None
        whole += part
    return whole


class _Errors:
    """The errors of a function; ``taken`` are those that are told otherwise, and the texts that they had."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.made = definitions(function)
        self.taken: set[Var] = set()

    def told(self, s: Stmt) -> Stmt | list[Stmt]:
        """What takes the place of a statement."""
        if not isinstance(s, Op):
            return s
        if s.fn is prims.assert_ and len(s.args) == 2 and (text := self.text(s.args[1])) is not None and text.values:
            failed = Var("", K.BOOL)
            raised = _raised(s, _class(AssertionError), Const(text.form), text.values)
            test = Op(failed, operator.not_, s.args[:1], (), s.origin)
            return [test, If(failed, Block(tuple(raised)), Block(), (), s.origin)]
        if s.fn is prims.raise_ and all(cause == Const(None) for cause in s.args[1:]):
            found = self.error(s.args[0])
            return s if found is None else _raised(s, *found)
        return s

    def error(self, error: Atom) -> _Error | None:
        """The class, the form and the values of an error that Numba does not raise as it stands."""
        if isinstance(error, Ref):
            place = _place(error)
            return None if place is None else (place, Const(None), ())
        s = self.made.get(error) if isinstance(error, Var) else None
        if not isinstance(s, Op) or s.kwargs:
            return None
        found = self.of_library(s.fn, s.args) if isinstance(s.fn, type) else self.of_users(s)
        if found is not None:
            self.taken.add(s.target)  # type: ignore[arg-type]
        return found

    def of_library(self, cls: type, args: tuple[Atom, ...]) -> _Error | None:
        """The same of an error with one argument, a text with values in it."""
        place, text = _class(cls), self.text(args[0]) if len(args) == 1 else None
        return None if place is None or text is None or not text.values else (place, Const(text.form), text.values)

    def of_users(self, s: Op) -> _Error | None:
        """The same of an error whose class is the user's."""
        if s.fn is not prims.call_value or (place := _place(s.args[0])) is None:
            return None
        args = s.args[1:]
        if len(args) == 1 and (text := self.text(args[0])) is not None:
            return place, Const(text.form), text.values
        return (place, Const(None), args) if all(map(self.can_go_over, args)) else None

    def can_go_over(self, a: Atom) -> bool:
        """Whether compiled code hands this over with an error, as it was when the text was put together."""
        match kind_of(a):
            case K.Scalar(dtype):
                return dtype in _NUMBERS
            case K.Array(dtype, int()):
                return dtype in _NUMBERS and self.memory.of(a) not in self.memory.written
            case K.Tuple(items, None):
                return all(isinstance(item, K.Scalar) and item.dtype in _NUMBERS for item in items)
        return kind_of(a) == K.STR

    @cached_property
    def memory(self) -> Memory:
        """What may be stored into."""
        return Memory(self.function)

    # -- texts --

    def text(self, a: Atom) -> _Text | None:
        """What a text consists of; None for what is no text, or holds what cannot go over."""
        if isinstance(a, Const):
            return _literal(a.value) if isinstance(a.value, str) else None
        s = self.made.get(a) if isinstance(a, Var) else None
        build = _TEXTS.get(s.fn) if isinstance(s, Op) and isinstance(s.fn, Hashable) and not s.kwargs else None
        if not isinstance(s, Op) or build is None:
            return _Text("{}", (a,)) if kind_of(a) == K.STR else None
        found = build(self, s)
        if found is not None:
            self.taken.add(a)  # type: ignore[arg-type]
        return found

    def field(self, value: Atom, conversion: Any = "", spec: Any = "") -> _Text | None:
        """One value of a text, as f-strings and ``str.format`` have it."""
        if not isinstance(conversion, str) or not isinstance(spec, str) or "{" in spec:
            return None
        if conversion in ("", "s") and not spec and (text := self.text(value)) is not None:
            return text
        if not self.can_go_over(value) or (spec and not isinstance(kind_of(value), K.Scalar)):
            return None
        form = f"!{conversion}" * bool(conversion) + f":{spec}" * bool(spec)
        return _Text("{" + form + "}", (value,))

    def items(self, values: Atom) -> list[Atom] | None:
        """What ``text % values`` puts in; None where that is not known."""
        s = self.made.get(values) if isinstance(values, Var) else None
        if isinstance(s, Op) and s.fn is prims.make_tuple:
            return list(s.args)
        return [values] if isinstance(kind_of(values), K.Scalar) or kind_of(values) == K.STR else None


# ---------------------------------------------------------------- what makes texts


def _formatted(errors: _Errors, s: Op) -> _Text | None:
    value, *rest = s.args
    given = [a.value if isinstance(a, Const) else None for a in rest]
    return errors.field(value, *(given if s.fn is prims.format_value else ("", *given)))


def _converted(errors: _Errors, s: Op) -> _Text | None:
    return errors.field(s.args[0], _CONVERSIONS[s.fn]) if len(s.args) == 1 else None


def _joined(errors: _Errors, s: Op) -> _Text | None:
    return _sum([errors.text(a) for a in s.args])


def _by_braces(errors: _Errors, s: Op) -> _Text | None:
    """``form.format(*values)``"""
    form, method, *values = (a.value if isinstance(a, Const) and n < 2 else a for n, a in enumerate(s.args))
    if not isinstance(form, str) or method != "format":
        return None
    parts: list[_Text | None] = []
    places = iter(range(len(values)))
    for before, name, spec, conversion in Formatter().parse(form):
        parts.append(_literal(before))
        if name is not None:
            place = int(name) if name.isdigit() else next(places, -1) if not name else -1
            parts.append(errors.field(values[place], conversion or "", spec) if 0 <= place < len(values) else None)
    return _sum(parts)


def _by_percent(errors: _Errors, s: Op) -> _Text | None:
    """``form % values``"""
    form, values = s.args[0], errors.items(s.args[1])
    if not isinstance(form, Const) or not isinstance(form.value, str) or values is None:
        return None
    parts: list[_Text | None] = []
    at = 0
    for found in _PERCENT.finditer(form.value):
        parts.append(_literal(form.value[at : found.start()]))
        at = found.end()
        if found[1] == "%":
            parts.append(_literal("%"))
        else:
            parts.append(_by_letter(errors, values.pop(0), *found.groups()[1:]) if values else None)
    rest = form.value[at:]
    return None if values or "%" in rest else _sum([*parts, _literal(rest)])


def _by_letter(errors: _Errors, value: Atom, flags: str, width: str, digits: str, letter: str) -> _Text | None:
    """One value of such a text: of numbers as ``format`` writes them."""
    kind = kind_of(value)
    if letter in "rs":
        return None if flags or width or digits else errors.field(value, "r" if letter == "r" else "")
    counted = letter in "di"
    if not isinstance(kind, K.Scalar) or "-" in flags or (counted and (digits or not K.is_integer(kind))):
        return None
    if "0" in flags and not counted:
        return None  # of infinities, other fillings
    sign = "+" if "+" in flags else " " if " " in flags else ""
    order = sign + "#" * ("#" in flags) + "0" * ("0" in flags)
    return errors.field(value, "", order + width + digits + ("d" if counted else letter))


_TEXTS: dict[Any, Callable[[_Errors, Op], _Text | None]] = {
    **dict.fromkeys((prims.format_value, format), _formatted),
    **dict.fromkeys(_CONVERSIONS, _converted),
    **dict.fromkeys((prims.join_str, operator.add), _joined),
    prims.call_method: _by_braces,
    operator.mod: _by_percent,
}


# ---------------------------------------------------------------- what is raised


def _raised(s: Op, kind: Atom | None, form: Atom, values: tuple[Atom, ...]) -> list[Stmt]:
    """The statements that raise such an error in the place of one that raises."""
    assert kind is not None
    error = Var("", K.Other(Raised))
    return [Op(error, Raised, (kind, form, *values), (), s.origin), Op(None, prims.raise_, (error,), (), s.origin)]


def _class(cls: type) -> Atom | None:
    """A class of errors of Python's or a library's."""
    if getattr(builtins, cls.__name__, None) is cls:
        return Ref((cls.__name__,), builtins, cls, K.Other(type))
    found = getattr(sys.modules.get(cls.__module__), cls.__name__, None)
    return Const(f"{cls.__module__}:{cls.__name__}") if found is cls and issubclass(cls, BaseException) else None


def _place(cls: Atom) -> Atom | None:
    """Where a module of the user's has a class of errors."""
    if not isinstance(cls, Ref) or not isinstance(cls.value, type) or not issubclass(cls.value, BaseException):
        return None
    if not isinstance(cls.root, ModuleType) or len(cls.path) < 2:
        return None
    return Const(f"{cls.root.__name__}:{'.'.join(cls.path[1:])}")
