"""Entries: which module in the cache is the derivative of a function, without deriving it again.

An entry is found by a digest of all that its derivation could depend on (:mod:`s2sad.compiled.reach`), so an
entry that is out of date is not found.  It names the module, and says how to get at the objects that
the module and its variant refer to.  What cannot be said so gets no entry.
"""

from __future__ import annotations

import functools
import importlib
import json
import sys
import types
from collections.abc import Callable, Collection
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from s2sad.analysis.held import Apart, Held
from s2sad.backends import Backend
from s2sad.compiled import loading, store
from s2sad.compiled.reach import Reach, TooFar
from s2sad.compiled.special_functions import place_of, routine
from s2sad.frontend.objects import kind_of_object
from s2sad.frontend.places import module_of, value_at
from s2sad.frontend.specs import Items, Spec
from s2sad.ir.nodes import Origin, Ref

if TYPE_CHECKING:
    from s2sad.backend.emit import Emitted

__all__ = ["Request", "Stored", "find", "record"]


@dataclass(frozen=True)
class Stored:
    """What an entry leads to: the compiled function, the outside values it relies on, and what must be apart."""

    function: Callable[..., Any]
    refs: tuple[Ref, ...]
    apart: Apart


class Request:
    """A derivative that is asked for: a function, mode, positions and specs."""

    def __init__(
        self, fn: Any, mode: str, wrt: tuple[int | Items, ...], specs: tuple[Spec | None, ...] | None, backend: Backend
    ) -> None:
        self.backend = backend
        try:
            self.reach: Reach | None = Reach(fn, specs)
        except (TooFar, RecursionError):
            self.reach = None
        else:
            said = f"{mode} {wrt} {specs is None}"
            self.key = store.digest(loading.versions(), _own_files(), repr(backend), said, self.reach.text)

    @property
    def file(self) -> str:
        """The name of the entry."""
        return f"entries/{self.key}.json"


@functools.cache
def _own_files() -> str:
    """A stamp of this package as it is installed: entries of another are not found."""
    root = Path(__file__).parents[1]
    stats = [path.stat() for path in sorted(root.rglob("*.py"))]
    return repr([(s.st_size, s.st_mtime_ns) for s in stats])


# ---------------------------------------------------------------- writing


def record(
    request: Request,
    emitted: Emitted,
    path: Path,
    refs: tuple[Ref, ...],
    apart: Apart,
    parsed: Collection[types.CodeType],
) -> None:
    """Write the entry of a derivative just compiled, if everything it depends on was reached."""
    reach = request.reach
    if any(r.exact for r in refs):  # which values they have is not in the key
        return
    if reach is None or not all(code in reach.codes or _is_ours(code) for code in parsed):
        return
    bindings = {name: _address(value, reach) for name, value in emitted.bindings.items()}
    places = [(_address(ref.root, reach), list(ref.path)) for ref in refs]
    if None in bindings.values() or any(address is None for address, _ in places):
        return
    origins = dict.fromkeys(emitted.line_map.values())
    numbers = {o: k for k, o in enumerate(origins)}
    text = json.dumps(
        {
            "module": path.name,
            "name": emitted.name,
            "bindings": bindings,
            "refs": places,
            "depends": reach.names,
            "apart": [astuple(h) for h in apart.held],
            "needs": None if apart.origin is None else _fields(apart.origin),
            "origins": [_fields(o) for o in origins],
            "lines": {line: numbers[o] for line, o in emitted.line_map.items()},
        }
    )
    store.put(request.file, text, replace=True)


def _fields(origin: Origin) -> list[Any]:
    return [getattr(origin, f) for f in Origin.__dataclass_fields__]


def _is_ours(code: types.CodeType) -> bool:
    """Whether code belongs to a library or to this package, or was made up by it."""
    if code.co_filename.startswith("<s2sad"):
        return True
    names = [m.__name__ for m in list(sys.modules.values()) if getattr(m, "__file__", None) == code.co_filename]
    from s2sad.backend.callables import is_library

    return any(is_library(n) or n.partition(".")[0] == "s2sad" for n in names)


def _address(value: Any, reach: Reach) -> list[Any] | None:
    """How to get at an object in another process; None if there is no way."""
    routine_at = place_of(value)
    if routine_at is not None:
        return ["routine", *routine_at]
    place = reach.place(value)
    if place is not None:
        return ["object", place]
    if isinstance(value, types.ModuleType) and sys.modules.get(value.__name__) is value:
        return ["module", value.__name__]
    namespace = getattr(value, "__dict__", None)
    for k, owner in enumerate(reach.objects):
        if isinstance(owner, types.FunctionType) and owner.__globals__ is namespace:
            return ["globals", k]
    return None


# ---------------------------------------------------------------- reading


def find(request: Request) -> Stored | None:
    """The derivative that is asked for, if the cache has it."""
    reach = request.reach
    text = None if reach is None else store.get(request.file)
    if text is None or reach is None:
        return None
    try:
        entry = json.loads(text)
        path = store.directory() / "modules" / entry["module"]
        if not loading.is_whole(path, entry["name"], request.backend):
            return None
        bindings = {name: _found(address, reach) for name, address in entry["bindings"].items()}
        refs = tuple(_ref(address, path, reach) for address, path in entry["refs"])
        needs = entry["needs"]
        held = tuple(Held(*fields) for fields in entry["apart"])
        apart = Apart(held, None if needs is None else Origin(*needs))
        origins = [Origin(*fields) for fields in entry["origins"]]
        lines = {int(line): origins[k] for line, k in entry["lines"].items()}
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, ImportError):
        return None  # written by something else
    return Stored(loading.load(path, entry["name"], bindings, lines, request.backend), refs, apart)


def _found(address: list[Any], reach: Reach) -> Any:
    match address:
        case ["object", int(k)]:
            return reach.objects[k]
        case ["globals", int(k)]:
            return module_of(reach.objects[k].__globals__)
        case ["module", str(name)]:
            return importlib.import_module(name)
        case ["routine", str(name), str(letters)]:
            return routine(name, letters)
    raise ValueError(address)


def _ref(address: list[Any], path: list[str], reach: Reach) -> Ref:
    root = _found(address, reach)
    value = value_at(root, path)
    return Ref(tuple(path), root, value, kind_of_object(value))
