"""The three-address intermediate representation.

Structured single assignment.  Every :class:`Var` has exactly one definition.
Control flow is structured and carries values explicitly: an :class:`If` has
``results`` that take the ``outs`` of the branch that ran; a loop has ``params``
that start as ``inits``, take the body's ``outs`` after each iteration, and leave
their last values in ``results``.  There is no break, continue or return inside:
the frontend turns them into nesting and, for ``break`` and ``return`` in loops, an
``exit`` flag; the emitter turns the flags back.

Objects with identity (arrays, lists, dicts) are values too: references. A
:class:`Store` or a mutating :class:`Op` changes the object, not the variable.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Literal, TypeAlias

from s2sad.ir.kinds import Kind, Other, Scalar
from s2sad.ir.record import record

__all__ = [
    "UNDEF",
    "Atom",
    "Block",
    "Callee",
    "Closure",
    "Comment",
    "Const",
    "For",
    "Function",
    "If",
    "Op",
    "Origin",
    "Ref",
    "Stmt",
    "Store",
    "Var",
    "While",
    "With",
    "kind_of",
]

_ids = count()

#: Types of constants that are the same where they are equal.
_COMPARED = (int, str, bool, type(None))


@record
class Origin:
    """Where in the user's source a statement comes from.

    ``text`` is the source statement on one line (for comments); line numbers count
    from 1 in ``filename``.
    """

    filename: str
    lineno: int
    col_offset: int
    text: str = ""
    end_lineno: int | None = None
    end_col_offset: int | None = None


@record(eq=False)
class Var:
    """A single-assignment value. Identity is equality.

    ``hint`` is the name the user gave, or would; the emitter makes it unique.
    """

    hint: str
    kind: Kind
    id: int = field(default_factory=lambda: next(_ids))

    def __repr__(self) -> str:
        return f"%{self.hint}.{self.id}"


@record
class Const:
    """A literal: number, string, bool, None, Ellipsis, or UNDEF."""

    value: Any

    def __eq__(self, other: object) -> bool:
        if type(other) is not Const or type(self.value) is not type(other.value):
            return False
        if type(self.value) in _COMPARED:
            return bool(self.value == other.value)
        return repr(self.value) == repr(other.value)  # tells -0.0 from 0.0, and a NaN is itself

    def __hash__(self) -> int:
        value = self.value
        return hash((type(value), value if type(value) in _COMPARED else repr(value)))


@record(eq=False)
class Ref:
    """A live Python object from outside the function, read each time it is used.

    ``path`` says how emitted code reaches it, e.g. ``("np", "pi")`` or
    ``("mymodule", "RATE")``: its first part is bound in the emitted module to ``root``
    (a module, or another object held by the loader), the rest are attributes.
    ``value`` is the object when compiled (for kinds and callee resolution only).
    Two are equal where they read one place: the cells of two closures, and the globals of
    two modules, may go by one path. ``exact`` tells of a number, or text, or a list of text, that what is compiled
    relies on.
    """

    path: tuple[str, ...]
    root: Any
    value: Any
    kind: Kind
    exact: bool = False

    def __eq__(self, other: object) -> bool:
        return type(other) is Ref and self.path == other.path and self.root is other.root

    def __hash__(self) -> int:
        return hash(self.path)


class _Undef:
    """The value of a variable that is not bound."""

    def __repr__(self) -> str:
        return "UNDEF"


UNDEF = Const(_Undef())

Atom: TypeAlias = Var | Const | Ref


def kind_of(a: Atom) -> Kind:
    """The kind of an atom; that of a literal from its value."""
    if isinstance(a, Const):
        v = a.value
        return Scalar(type(v).__name__) if isinstance(v, bool | int | float | complex) else Other(type(v))
    return a.kind


@record
class Op:
    """``target = fn(*args, **kwargs)``.

    ``fn`` is the Python callable itself: a NumPy function, an ``operator`` function,
    one of :mod:`s2sad.ir.prims`, a runtime helper, or a :class:`Function`.
    ``target`` is None where the result is not used (an effect such as ``print``).
    """

    target: Var | None
    fn: Callable[..., Any] | Function
    args: tuple[Atom, ...]
    kwargs: tuple[tuple[str, Atom], ...] = ()
    origin: Origin | None = None


@record
class Store:
    """``obj[index] = value``, or ``obj[index] += value`` with ``aug`` one of ``+ - * / ...``.

    ``index`` may be Const(Ellipsis): the whole array; emitted as ``obj += value`` when
    augmented (arrays only) and ``obj[...] = value`` otherwise.
    """

    obj: Atom
    index: Atom
    value: Atom
    aug: str | None = None
    origin: Origin | None = None


@record
class Block:
    """Statements in order, and the values the block hands to its parent."""

    stmts: tuple[Stmt, ...] = ()
    outs: tuple[Atom, ...] = ()


@record
class If:
    """``results`` take ``then.outs`` where ``cond`` is true, else ``orelse.outs``.

    ``adjoint`` says of results that they are adjoints: where one is a literal zero, what computed the value did not
    matter to the result.
    """

    cond: Atom
    then: Block
    orelse: Block
    results: tuple[Var, ...] = ()
    origin: Origin | None = None
    adjoint: bool = False


@record
class For:
    """``for index in range(start, stop, step)``.

    ``body.outs`` are the next values of ``params``, followed by one more, the exit
    flag, when ``has_exit``: a true flag ends the loop after this iteration.
    ``index`` is visible in the body only. ``independent`` says of iterations that what one of them
    writes to, of what there was before the loop, is then as it was before, or is not read by others:
    "directions" are of a Jacobian; "terms" may also add to what no iteration reads, and carry sums.
    ``reverses`` is the index of the loop whose iterations this one reverses, last to first: what each of them
    appends to lists that only these two loops touch, the one that reverses it takes from them again.

    With ``items``, a list, it is ``for index in reversed(items)``, and the bounds say nothing: in text for Python
    (:mod:`s2sad.backend.drained`), and nowhere before that.
    """

    index: Var
    start: Atom
    stop: Atom
    step: Atom
    params: tuple[Var, ...]
    inits: tuple[Atom, ...]
    body: Block
    results: tuple[Var, ...]
    has_exit: bool = False
    origin: Origin | None = None
    independent: Literal["", "directions", "terms"] = ""
    reverses: Var | None = None
    items: Var | None = None


@record
class While:
    """``while test: body``. ``test`` is a block that reads ``params``; its one out is the condition.

    ``body.outs`` as for :class:`For`.
    """

    params: tuple[Var, ...]
    inits: tuple[Atom, ...]
    test: Block
    body: Block
    results: tuple[Var, ...]
    has_exit: bool = False
    origin: Origin | None = None

    @property
    def is_endless(self) -> bool:
        """Whether only the body ends the loop."""
        return self.test == Block((), (Const(True),))


@record
class With:
    """``with context: body``; ``results`` take ``body.outs``. ``target`` is bound by ``as``."""

    context: Atom
    target: Var | None
    body: Block
    results: tuple[Var, ...] = ()
    origin: Origin | None = None


@dataclass(slots=True, eq=False, repr=False)
class Callee:
    """A function of its own that operations call: a recursive one, say. Identity is equality.

    ``function`` is set once its body is known (a body may call its own callee); ``derived`` holds
    the callees made from it, by mode. ``pure`` says that a call does nothing but give a value, ``spares``
    that it changes no argument, though it may raise or print. One that gives the result of another with its pullback
    has that as ``base``. One that ``updates`` arguments, at these places, has copies of them, and gives those back.
    What an ``apart`` one gives shares memory with none of its arguments.

    One that is handed to a helper, as a constant among the arguments of an operation, ``varies`` in so many of
    its first parameters: the helper chooses at which numbers it calls it.
    """

    name: str
    function: Function | None = None
    pure: bool = True
    spares: bool = True
    derived: dict[str, Callee] = field(default_factory=dict)
    base: Callee | None = None
    varies: int = 0
    updates: tuple[int, ...] = ()
    apart: bool = False

    def __repr__(self) -> str:
        return f"<{self.name} {id(self)}>"

    @property
    def catches(self) -> bool:
        """Whether a call tells what its body raises, and gives no value besides."""
        return self.function is not None and bool(self.function.catches)

    def __call__(self, *args: Any) -> Any:
        raise TypeError(f"{self.name} exists only in the intermediate representation")


@record
class Closure:
    """A nested function: its body may use any value visible here (``def`` in a ``def``)."""

    target: Var
    function: Function
    origin: Origin | None = None


@record
class Comment:
    """A comment line in the output: the primal statement that the following block reverses."""

    text: str


Stmt: TypeAlias = Op | Store | If | For | While | With | Closure | Comment


@record(eq=False)
class Function:
    """A function: ``params`` in order, and a body with exactly one out, the result.

    ``defaults`` gives emitted defaults by parameter position from the right.
    One that ``catches`` exceptions of some classes gives the exception where its body raises one, else its out.
    ``alike`` are pairs of positions, of a tangent among the parameters and of what it is the tangent of.
    """

    name: str
    params: tuple[Var, ...]
    body: Block
    doc: str = ""
    origin: Origin | None = None
    catches: tuple[Atom, ...] = ()
    alike: tuple[tuple[int, int], ...] = ()

    @property
    def result(self) -> Atom:
        return self.body.outs[0]
