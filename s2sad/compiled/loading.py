"""The modules of compiled derivatives: kept as files, loaded.

A file's name is a digest of its text and of what it is compiled with, so that Numba's own
cache, which goes by the file, holds machine code of this very text.
"""

from __future__ import annotations

import platform
import re
import sys
import warnings
from collections.abc import Callable
from functools import cache
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from s2sad.backend.load import ORIGINS
from s2sad.backends import Backend
from s2sad.compiled import lapack, reading, rooms, store, transforms
from s2sad.compiled.errors import know_lines
from s2sad.compiled.shared import Helpers
from s2sad.compiled.unmistaken import unmistaken

if TYPE_CHECKING:
    from s2sad.backend.emit import Emitted

__all__ = [
    "CONTRACTED",
    "DECORATOR",
    "OF_HELPERS",
    "OF_ROUTINE",
    "REORDERED",
    "ROUTINES",
    "is_whole",
    "keep",
    "load",
    "text_of",
    "versions",
]

#: The decorator of compiled functions in a module.
DECORATOR = "__s2sad_njit__"
#: That of helpers which only compiled functions call: nothing is compiled, or kept, for calls from Python.
OF_HELPERS = "__s2sad_helper__"
#: That of routines outside, of which a module has the names; each has one of its own.
OF_ROUTINE = "__s2sad_{}__"
#: Those of helpers that are always put in place, and what the compiler may make of their operations, and no more:
#: one of a product and a sum in elementary functions, several side by side of additions in any order.
CONTRACTED, REORDERED = "__s2sad_contracted__", "__s2sad_reordered__"


#: What stands for routines outside, and what gives each as Numba calls it, or Python.
ROUTINES: dict[Any, Callable[[Any], Any]] = {
    **dict.fromkeys(lapack.ROUTINES, lapack.external),
    **dict.fromkeys(transforms.LOOPS, transforms.external),
    **dict.fromkeys(reading.READERS, reading.external),
    rooms.part: rooms.external,
}

#: The modules that decide what machine code a text becomes, besides those of Numba.
_DECIDING = (
    "machine",
    "instructions",
    "holding",
    "libraries",
    "lifetimes",
    "omitting",
    "own_calls",
    "references",
    "reread",
    "room_parts",
    "sites",
    "unmistaken",
    "unsigned",
    "versions",
)


@cache
def versions() -> str:
    """The versions that machine code depends on, of this package's own compiler too."""
    texts = [Path(__file__).with_name(f"{name}.py").read_text(encoding="utf-8") for name in _DECIDING]
    known = [f"compiler {store.digest(*texts)}"]
    known += [f"{name} {metadata.version(name)}" for name in ("numba", "llvmlite", "numpy")]
    known += [f"scipy {metadata.version('scipy')}"] if "scipy" in sys.modules else []
    try:
        own = metadata.version("s2sad")
    except metadata.PackageNotFoundError:
        own = "0"
    return ", ".join([f"s2sad {own}", f"python {platform.python_version()}", *known])


def keep(module: Emitted, backend: Backend) -> Path:
    """The file of a module, written unless it is there."""
    name = f"modules/{_digest(module.text, module.name, backend)}.py"
    return store.put(name, module.text, replace=not is_whole(store.directory() / name, module.name, backend))


def is_whole(path: Path, name: str, backend: Backend) -> bool:
    """Whether a module's file is there and holds what it was named for."""
    try:
        return path.stem == _digest(path.read_text(encoding="utf-8"), name, backend)
    except (OSError, UnicodeDecodeError):
        return False


def _digest(text: str, name: str, backend: Backend) -> str:
    return store.digest(versions(), repr(backend), name, text)


def load(path: Path, name: str, bindings: dict[str, Any], origins: Any, backend: Backend) -> Callable[..., Any]:
    """The function of a module's file; machine code is made, or read from Numba's cache, when it is first called."""
    import numba

    from s2sad.compiled.machine import DerivativeCompiler
    from s2sad.compiled.pausing import MODULE_PREFIX, pause_collector
    from s2sad.compiled.reread import read_back

    njit: Any = numba.njit

    _mend_numba()
    _keep_advice_back(path.parent)
    pause_collector()
    module = ModuleType(f"{MODULE_PREFIX}{path.stem}")
    namespace = vars(module)
    namespace |= {"__file__": str(path), **bindings, ORIGINS: origins}
    source = path.read_text(encoding="utf-8")
    helpers = Helpers(namespace, source)
    options: dict[str, Any] = {"error_model": "numpy", "fastmath": backend.fastmath, "no_cfunc_wrapper": True}
    options["pipeline_class"] = DerivativeCompiler
    namespace[DECORATOR] = lambda function: read_back(njit(**options)(unmistaken(function)))
    namespace[OF_HELPERS] = helpers.decorator(**options)
    for decorator, flag in ((CONTRACTED, "contract"), (REORDERED, "reassoc")):
        namespace[decorator] = helpers.decorator(**{**options, "fastmath": {flag}, "forceinline": True})
    for routine, external in ROUTINES.items():
        decorator = OF_ROUTINE.format(routine.__name__)
        if decorator in source:
            namespace[decorator] = helpers.external(routine.__name__, external(routine))
    sys.modules[module.__name__] = module  # machine code that is read from disk finds its globals so
    know_lines(path, origins)
    exec(compile(source, str(path), "exec", dont_inherit=True), namespace)
    helpers.bind()
    function: Callable[..., Any] = namespace[name]
    return function


def text_of(function: Callable[..., Any]) -> str:
    """The text of the module that a function was loaded from."""
    code = getattr(function, "py_func", function).__code__
    return Path(code.co_filename).read_text(encoding="utf-8")


def _keep_advice_back(directory: Path) -> None:
    """Have Numba not tell users how to make a module in this directory faster, which they have not written."""
    from numba.core.errors import NumbaPerformanceWarning

    within = re.escape(str(directory / "x")[:-1])
    warnings.filterwarnings("ignore", category=NumbaPerformanceWarning, module=within)


def _mend_numba() -> None:
    """Let Numba read back machine code of functions that it made up: it looks for their module by name."""
    from numba.core import funcdesc

    name, module = (getattr(funcdesc, attribute, None) for attribute in ("_dynamic_modname", "_dynamic_module"))
    if name is not None and module is not None:
        sys.modules.setdefault(name, module)
