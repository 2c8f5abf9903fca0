"""Find the source of a function and parse it.

The file (or notebook cell) that a function's code object names is parsed, the definition
is located in it by line, and then confirmed: the definition is compiled again and must give
the function's own byte code. So of several lambdas on a line the right one is picked, and a
file edited since it was imported is refused rather than believed.
"""

from __future__ import annotations
import __future__

import ast
import contextlib
import copy
import functools
import inspect
import linecache
import threading
import types
import weakref
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, TypeAlias

import gast

from s2sad.errors import S2sadError, SourceUnavailable, UnsupportedSyntax, qualified_name
from s2sad.frontend.scope import yields_in
from s2sad.heap import room_for_nesting
from s2sad.ir.nodes import Origin

__all__ = ["FunctionSource", "note_parsed", "parse_function", "underlying", "watched"]

Definition: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


@dataclass(frozen=True, slots=True, eq=False)
class FunctionSource:
    """A function with its syntax tree and the names it can see.

    ``node`` is a ``gast.FunctionDef`` without its decorators or a ``gast.Lambda``; its line
    numbers are those of ``filename``, of which ``lines`` is the text. It is shared between
    functions made from one definition and must not be changed. ``globals`` is the live
    dictionary and ``closure`` has the live cells.
    """

    function: types.FunctionType
    node: Any
    filename: str
    lines: Sequence[str]
    globals: dict[str, Any]
    closure: dict[str, types.CellType]
    defaults: tuple[Any, ...]
    kwdefaults: dict[str, Any]
    qualname: str

    @property
    def code(self) -> types.CodeType:
        """The code object, which tells definitions apart."""
        return self.function.__code__

    def origin(self, node: Any) -> Origin:
        """The place of one of the nodes, with its text on one line."""
        return Origin(
            self.filename, node.lineno, node.col_offset, self.text(node), node.end_lineno, node.end_col_offset
        )

    def text(self, node: Any) -> str:
        """The source of a node on one line; of a compound statement, its header."""
        if node.lineno != node.end_lineno or _has_block(node):
            return _one_line(node)
        line: str = self.lines[node.lineno - 1]
        part = slice(node.col_offset, node.end_col_offset)
        return line[part] if line.isascii() else line.encode()[part].decode()

    def refuse(self, error: type[S2sadError], node: Any, message: str, help: str = "") -> NoReturn:
        """Raise an error located at a node."""
        raise error(message, help, origin=self.origin(node), line=self.lines[node.lineno - 1])


def parse_function(fn: Any, generators: bool = False) -> FunctionSource:
    """The source of a Python function, with its tree, defaults and the names it can see.

    Wrappers that leave the function as it is (``numba.njit``, ``functools.cache``) are looked
    through; a Python wrapper made with ``functools.wraps`` is parsed itself, for it may do more.
    Generator functions are refused but where ``generators`` are asked for: a call of one gives no number.
    """
    function = underlying(fn)
    with room_for_nesting():
        located = _located(function)
    code = function.__code__
    note_parsed((function,))
    source = FunctionSource(
        function=function,
        node=located.node,
        filename=located.filename,
        lines=located.lines,
        globals=function.__globals__,
        closure=dict(zip(code.co_freevars, function.__closure__ or (), strict=True)),
        defaults=function.__defaults__ or (),
        kwdefaults=function.__kwdefaults__ or {},
        qualname=function.__qualname__,
    )
    if code.co_flags & inspect.CO_GENERATOR and not generators:
        what = f"{code.co_name} is a generator, which s2sad cannot differentiate."
        help = "write an ordinary function that returns its values, in a list for example."
        source.refuse(UnsupportedSyntax, yields_in(located.node)[0], what, help)
    return source


_watching: list[set[types.FunctionType]] = []


def note_parsed(functions: Iterable[types.FunctionType]) -> None:
    """The source of these functions is asked for, or was for what is used now."""
    for seen in _watching:
        seen.update(functions)


@contextlib.contextmanager
def watched() -> Iterator[set[types.FunctionType]]:
    """The functions whose source is asked for meanwhile."""
    seen: set[types.FunctionType] = set()
    _watching.append(seen)
    try:
        yield seen
    finally:
        _watching[:] = (other for other in _watching if other is not seen)  # sets may be equal


def underlying(fn: Any) -> types.FunctionType:
    """The Python function behind a wrapper that does not change what it computes."""
    seen = fn
    while not isinstance(seen, types.FunctionType):
        if hasattr(seen, "py_func"):  # numba's dispatchers
            seen = seen.py_func
        elif isinstance(seen, staticmethod | classmethod | types.MethodType):
            seen = seen.__func__
        elif isinstance(seen, functools._lru_cache_wrapper):
            seen = seen.__wrapped__
        else:
            raise SourceUnavailable(
                f"{qualified_name(fn)} is not a Python function, so it has no source to differentiate.",
                "pass a function written in Python, or declare a derivative rule for this one.",
            )
    return seen


# Locating a definition


@dataclass(frozen=True, slots=True)
class _Located:
    """A definition that was found: its tree, and the file it is in."""

    node: Any
    filename: str
    lines: Sequence[str]


_known: dict[int, tuple[weakref.ref[types.CodeType], _Located]] = {}
_trees: OrderedDict[str, tuple[Sequence[str], ast.Module | None]] = OrderedDict()
_lock = threading.RLock()
_TREES_KEPT = 16


def _located(function: types.FunctionType) -> _Located:
    # Kept by identity of the code: equal code objects may come from different files.
    code = function.__code__
    key = id(code)
    known = _known.get(key)
    if known is None or known[0]() is not code:
        with _lock:
            known = (weakref.ref(code, lambda _: _known.pop(key, None)), _locate(code, function.__globals__))
        _known[key] = known
    return known[1]


def _locate(code: types.CodeType, module_globals: dict[str, Any]) -> _Located:
    """Find, confirm and convert the definition a code object was compiled from."""
    filename = code.co_filename
    linecache.checkcache(filename)
    lines = linecache.getlines(filename, module_globals)
    if not lines:
        _refuse(
            code,
            f"the source of {code.co_name} cannot be found: it was defined in {filename}.",
            "define it in a file or a notebook cell, or enter its text in linecache under that name.",
        )
    for tree, imports in _readings(code, lines, module_globals):
        found = _confirmed(code, tree, imports)
        if found is not None:
            definition, class_name = found
            _refuse_async(code, definition)
            return _Located(_to_gast(definition, class_name), filename, lines)
    _refuse(
        code,
        f"the source of {code.co_name} in {filename} is not what it was compiled from.",
        "if the file was edited after it was imported, import it again; functions from exec need source in linecache.",
    )


def _refuse(code: types.CodeType, message: str, help: str) -> NoReturn:
    raise SourceUnavailable(message, help, filename=code.co_filename, lineno=code.co_firstlineno, line=" ")


def _readings(
    code: types.CodeType, lines: Sequence[str], module_globals: dict[str, Any]
) -> Iterator[tuple[ast.Module, Sequence[ast.stmt]]]:
    """Trees that the definition may be in, the quick guess first, each with the imports of its module.

    The imports matter because Python compiles a call of an attribute of an imported name in a way of its own.
    """
    chunk = _parse_chunk(code, lines)
    if chunk is not None:
        names = {name for c in _codes_within(code) for name in c.co_names}
        modules = [n for n in sorted(names) if isinstance(module_globals.get(n), types.ModuleType)]
        place = {"lineno": 1, "col_offset": 0, "end_lineno": 1, "end_col_offset": 0}
        yield chunk, [ast.Import([ast.alias(name, None, **place) for name in modules], **place)] if modules else []
    whole = _parse_file(code.co_filename, lines)
    if whole is not None:
        yield whole, list(_imports(whole.body))


def _parse_chunk(code: types.CodeType, lines: Sequence[str]) -> ast.Module | None:
    """Parse a top-level ``def`` by itself: quicker than its whole file.

    The guess at where it ends needs no care, since what comes of it is confirmed.
    """
    first = code.co_firstlineno - 1
    if first >= len(lines) or not lines[first].startswith(("def ", "@")):
        return None
    last = max((line for *_, line in code.co_lines() if line is not None), default=first)
    while last < len(lines) and lines[last][:1] in " \t\r\n\f)]}#":
        last += 1
    try:
        tree = ast.parse("".join(lines[first:last]))
    except SyntaxError:
        return None
    ast.increment_lineno(tree, first)
    return tree


def _parse_file(filename: str, lines: Sequence[str]) -> ast.Module | None:
    """Parse a whole file; the last few are kept. None if it is not Python."""
    kept = _trees.get(filename)
    if kept is None or (kept[0] is not lines and kept[0] != lines):
        try:
            tree = ast.parse("".join(lines))
        except (SyntaxError, ValueError):
            tree = None
        kept = _trees[filename] = (lines, tree)
    _trees.move_to_end(filename)
    if len(_trees) > _TREES_KEPT:
        _trees.popitem(last=False)
    return kept[1]


def _imports(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """The imports of a module, those under its ``if`` and ``try`` included."""
    for statement in body:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            yield statement
        elif not isinstance(statement, Definition | ast.ClassDef):
            for block in ("body", "orelse", "finalbody", "handlers"):
                yield from _imports(getattr(statement, block, ()))


def _confirmed(
    code: types.CodeType, tree: ast.Module, imports: Sequence[ast.stmt]
) -> tuple[Definition, str | None] | None:
    """The definition in a tree that compiles to this code, and the class it is in."""
    rewritten, same = [], []
    for statement in tree.body:
        if not _first_line(statement) <= code.co_firstlineno <= (statement.end_lineno or 0):
            continue
        for candidate in _candidates(code, statement):
            fresh = _compile(code, [*imports, statement], candidate[0])
            if fresh is not None and _same_code(code, fresh):
                if _positions(code) == _positions(fresh):
                    return candidate
                same.append(candidate)
            elif _is_rewritten(code):
                rewritten.append(candidate)
    if same:  # no positions to tell them apart, but they compile alike and so mean the same
        return same[0]
    return rewritten[0] if len(rewritten) == 1 else None


def _candidates(code: types.CodeType, statement: ast.stmt) -> Iterator[tuple[Definition, str | None]]:
    """Definitions in a statement with the name and first line of a code object, each with its class."""
    stack: list[tuple[ast.AST, str | None]] = [(statement, None)]
    while stack:
        node, class_name = stack.pop()
        match node:
            case ast.ClassDef(name=class_name):
                pass
            case ast.Lambda() if code.co_name == "<lambda>" and node.lineno == code.co_firstlineno:
                yield node, class_name
            case ast.FunctionDef() | ast.AsyncFunctionDef() if node.name == code.co_name:
                if _first_line(node) == code.co_firstlineno:
                    yield node, class_name
        children = [child for child in ast.iter_child_nodes(node) if _is_around(child, code.co_firstlineno)]
        stack.extend((child, class_name) for child in reversed(children))


def _is_around(node: ast.AST, line: int) -> bool:
    """Whether a line may be one of a node's: expressions within text have other places, so they are not asked."""
    return not isinstance(node, ast.stmt) or _first_line(node) <= line <= (node.end_lineno or line)


def _first_line(node: ast.stmt) -> int:
    """The first line of a statement, as the compiler counts: its decorators are part of it."""
    return min([d.lineno for d in getattr(node, "decorator_list", ())], default=node.lineno)


_FUTURE = functools.reduce(int.__or__, (getattr(__future__, n).compiler_flag for n in __future__.all_feature_names))
_FAR = 1 << 24


def _compile(code: types.CodeType, body: list[ast.stmt], candidate: Definition) -> types.CodeType | None:
    """The code of a candidate, from compiling what stands around it once more.

    A lambda is moved far down while compiling, so that its line number tells it from others.
    """
    moved = candidate if isinstance(candidate, ast.Lambda) else None
    _move(moved, _FAR)
    try:
        flags = code.co_flags & _FUTURE
        module = compile(ast.Module(body, []), code.co_filename, "exec", flags=flags, dont_inherit=True)
    except (SyntaxError, ValueError):  # an await at the top level of a notebook cell, say
        return None
    finally:
        _move(moved, -_FAR)
    wanted = code.co_name, code.co_firstlineno + (_FAR if moved else 0)
    return next((c for c in _codes_within(module) if (c.co_name, c.co_firstlineno) == wanted), None)


def _move(node: ast.Lambda | None, lines: int) -> None:
    if node is not None:
        node.lineno += lines
        node.end_lineno = (node.end_lineno or 0) + lines
        ast.increment_lineno(node.body, lines)


def _codes_within(code: types.CodeType) -> Iterator[types.CodeType]:
    """A code object and those nested in it, outer ones first."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes_within(constant)


_COMPARED = [
    "co_code",
    "co_names",
    "co_varnames",
    "co_freevars",
    "co_cellvars",
    "co_argcount",
    "co_posonlyargcount",
    "co_kwonlyargcount",
    "co_flags",
    "co_exceptiontable",
]


def _same_code(a: types.CodeType, b: types.CodeType) -> bool:
    """Whether two code objects do the same, wherever they stand."""
    if any(getattr(a, name) != getattr(b, name) for name in _COMPARED) or len(a.co_consts) != len(b.co_consts):
        return False
    return all(_same_constant(x, y) for x, y in zip(a.co_consts, b.co_consts, strict=True))


def _same_constant(x: Any, y: Any) -> bool:
    if isinstance(x, types.CodeType) and isinstance(y, types.CodeType):
        return _same_code(x, y)
    return bool(_constant_key(x) == _constant_key(y))


def _constant_key(x: Any) -> Any:
    """What tells constants apart that compare equal: 0.0 from -0.0, 1 from True."""
    if isinstance(x, tuple | frozenset):
        return type(x), type(x)(_constant_key(item) for item in x)
    return type(x), repr(x)


def _positions(code: types.CodeType) -> list[tuple[int | None, ...]]:
    """The places in the source that instructions come from, by lines from the first."""
    first = code.co_firstlineno
    return [(line - first, start, end) for line, _, start, end in code.co_positions() if line is not None]


def _is_rewritten(code: types.CodeType) -> bool:
    """Whether pytest has rewritten the assertions in a function, so that it compiles differently."""
    return any(name.startswith("@py") for c in _codes_within(code) for name in (*c.co_names, *c.co_varnames))


def _refuse_async(code: types.CodeType, definition: Definition) -> None:
    """Refuse async functions."""
    if code.co_flags & (inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
        raise UnsupportedSyntax(
            f"{code.co_name} is an async function, which s2sad cannot differentiate.",
            "write an ordinary function that returns its values, in a list for example.",
            filename=code.co_filename,
            lineno=definition.lineno,
            col_offset=definition.col_offset,
            end_lineno=definition.end_lineno,
            end_col_offset=definition.end_col_offset,
        )


# Conversion


def _to_gast(definition: Definition, class_name: str | None) -> Any:
    node = gast.ast_to_gast(definition)
    if isinstance(node, gast.FunctionDef):
        node.decorator_list = []
    prefix = class_name.lstrip("_") if class_name else ""
    if prefix:
        _mangle(node, prefix)
    return node


_NAMES = ("id", "attr", "arg", "name", "asname")


def _mangle(node: Any, prefix: str) -> None:
    """Spell out private names as the interpreter does inside a class: ``__x`` is ``_Class__x``."""

    def spelled(name: Any) -> Any:
        private = isinstance(name, str) and name.startswith("__") and not name.endswith("__") and "." not in name
        return f"_{prefix}{name}" if private else name

    stack = [node]
    while stack:
        node = stack.pop()
        for field in _NAMES:
            if hasattr(node, field):
                setattr(node, field, spelled(getattr(node, field)))
        if isinstance(node, gast.Global | gast.Nonlocal):
            node.names = [spelled(name) for name in node.names]
        if not isinstance(node, gast.ClassDef):  # a class inside has its own
            stack.extend(gast.iter_child_nodes(node))


def _one_line(node: Any) -> str:
    """A node written on one line; of a compound statement, its header."""
    if _has_block(node):
        node = copy.copy(node)
        for block in ("body", "orelse", "handlers", "finalbody"):
            if hasattr(node, block):
                setattr(node, block, [])
    return " ".join(part.strip() for part in gast.unparse(node).strip().splitlines())


def _has_block(node: Any) -> bool:
    return isinstance(getattr(node, "body", None), list)
