"""Lowering of ``match``: each case is a test and bindings, tried in order."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Any

import gast
import numpy as np

from s2sad.frontend.conflicts import refuse_conflict
from s2sad.frontend.interface import Lowering
from s2sad.frontend.values import AVal, DictV, FuncV, ObjectV, PyFunc, TupleV, fields_of, is_atom, kind_of, runtime_kind
from s2sad.ir import kinds as K
from s2sad.ir.nodes import Atom, Const

__all__ = ["ARRAYS_ARE_SEQUENCES", "Matching"]

#: Whether arrays match sequence patterns, as they do from NumPy 2.5 on: the interpreter looks at this flag of a type.
ARRAYS_ARE_SEQUENCES = bool(np.ndarray.__flags__ & 1 << 5)


class Matching(Lowering):
    """The part of the lowerer that deals with ``match``."""

    def stmt_Match(self, node: Any) -> None:
        subject = self.expr(node.subject)
        self.cases(subject, list(node.cases))

    def cases(self, subject: AVal, cases: list[Any]) -> None:
        """Try the cases in order."""
        refuse_conflict(self, subject)
        if not cases:
            return
        case, rest = cases[0], cases[1:]
        matched = self.pattern(case.pattern, subject)
        if matched is False:
            self.cases(subject, rest)
            return

        def run() -> None:
            if case.guard is None:
                self.statements(case.body)
                return
            guard = self.condition(case.guard)
            if isinstance(guard, bool):
                self.statements(case.body) if guard else self.cases(subject, rest)
            else:
                self.branch(guard, lambda: self.statements(case.body), lambda: self.cases(subject, rest))

        if matched is True:
            run()
        else:
            self.branch(matched, run, lambda: self.cases(subject, rest))

    def pattern(self, pattern: Any, subject: AVal) -> Atom | bool:
        """Whether a pattern matches, as far as is known now; binds the names it captures."""
        match pattern:
            case gast.MatchValue(value=value):
                return self.truth(self.compare(gast.Eq(), subject, self.expr(value)))
            case gast.MatchSingleton(value=value):
                return self.truth(self.compare(gast.Is(), subject, Const(value)))
            case gast.MatchAs(pattern=None, name=None):
                return True
            case gast.MatchAs(pattern=inner, name=name):
                matched = True if inner is None else self.pattern(inner, subject)
                if matched is not False:
                    self.bind(name if isinstance(name, str) else name.id, subject)
                return matched
            case gast.MatchOr(patterns=patterns):
                return self.any_pattern(patterns, subject)
            case gast.MatchSequence(patterns=patterns):
                return self.sequence_pattern(patterns, subject)
            case gast.MatchMapping(keys=keys, patterns=patterns, rest=None) if isinstance(subject, DictV):
                names = [self.expr(k).value for k in keys]  # type: ignore[union-attr]
                if any(n not in self.dict_keys(subject) for n in names):
                    return False
                return self.all_patterns(patterns, [self.read((subject, n)) for n in names])  # type: ignore[misc]
            case gast.MatchMapping() if is_never(subject, Mapping):
                return False
            case gast.MatchClass():
                return self.class_pattern(pattern, subject)
        raise self.unsupported("this pattern is not handled.", "Use if and elif.")

    def any_pattern(self, patterns: list[Any], subject: AVal) -> Atom | bool:
        result: Atom | bool = False
        for p in patterns:
            matched = self.pattern(p, subject)
            if matched is True:
                return True
            if matched is False:
                continue
            result = matched if result is False else self.emit(operator.or_, result, matched, kind=K.BOOL)  # type: ignore[arg-type]
        return result

    def all_patterns(self, patterns: list[Any], parts: list[AVal]) -> Atom | bool:
        result: Atom | bool = True
        for p, part in zip(patterns, parts, strict=True):
            result = self.both(result, self.pattern(p, part))
            if result is False:
                return False
        return result

    def both(self, first: Atom | bool, second: Atom | bool) -> Atom | bool:
        """Whether two patterns match, as far as is known now."""
        if first is False or second is False:
            return False
        if first is True or second is True:
            return second if first is True else first
        return self.emit(operator.and_, first, second, kind=K.BOOL)

    def sequence_pattern(self, patterns: list[Any], subject: AVal) -> Atom | bool:
        is_tuple = isinstance(subject, TupleV) or isinstance(runtime_kind(subject), K.Tuple)
        items = self.known_items(subject) if is_tuple else None
        if items is None and is_never(subject, Sequence):
            return False
        if items is None:
            raise self.unsupported(
                "a sequence pattern needs a tuple whose length is known while compiling.",
                "Ask for the length with `len` and for the items by index.",
            )
        star = next((k for k, p in enumerate(patterns) if isinstance(p, gast.MatchStar)), None)
        if star is None:
            return self.all_patterns(patterns, items) if len(items) == len(patterns) else False
        after = len(patterns) - star - 1
        if len(items) < len(patterns) - 1:
            return False
        name = patterns[star].name
        if name is not None:
            self.bind(name if isinstance(name, str) else name.id, TupleV(tuple(items[star : len(items) - after])))
        rest = items[len(items) - after :] if after else []
        return self.all_patterns([*patterns[:star], *patterns[star + 1 :]], [*items[:star], *rest])

    def class_pattern(self, pattern: Any, subject: AVal) -> Atom | bool:
        wanted = self.expr(pattern.cls)
        matched = self.truth(self.call(PyFunc.of(isinstance), [subject, wanted], {}))
        if matched is False or not isinstance(wanted, PyFunc) or not isinstance(wanted.fn, type):
            return matched
        if wanted.fn in (bool, bytes, float, int, str, tuple, list, dict) and len(pattern.patterns) == 1:
            inner = self.pattern(pattern.patterns[0], subject)
            return self.both(matched, inner)
        has_fields = isinstance(subject, ObjectV | TupleV) or isinstance(runtime_kind(subject), K.Row)
        if matched is not True or not has_fields:
            if pattern.patterns or pattern.kwd_attrs:
                raise self.unsupported("this class pattern is not handled.", "Use isinstance and attributes.")
            return matched
        names = [
            *getattr(wanted.fn, "__match_args__", fields_of(wanted.fn))[: len(pattern.patterns)],
            *pattern.kwd_attrs,
        ]
        parts = [self.attribute(subject, n) for n in names]
        return self.all_patterns([*pattern.patterns, *pattern.kwd_patterns], parts)


def is_never(subject: AVal, sort: type) -> bool:
    """Whether a value is no sequence, or no mapping, to patterns: text is neither."""
    match subject:
        case DictV():
            return sort is not Mapping
        case TupleV(cls=None):
            return sort is not Sequence
        case FuncV():
            return True
        case ObjectV(cls=cls):
            return not issubclass(cls, sort)
    match kind_of(subject) if is_atom(subject) else K.ANY:
        case K.Other(type() as other):
            return not issubclass(other, sort) or issubclass(other, str | bytes | bytearray)
        case K.Scalar():
            return True
        case K.Array() | K.Numeric():
            return sort is not Sequence or not ARRAYS_ARE_SEQUENCES
        case K.Dict():
            return sort is not Mapping
        case K.List():
            return sort is not Sequence
    return False
