"""The cache directory: compiled modules as files, which no two processes can spoil for each other.

A module's file is named by what is in it, so it never changes once it is there.  What is found
for a function without compiling anything is an *entry* (:mod:`s2sad.compiled.entries`), a file
named by what the function and its arguments are.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

__all__ = ["clear", "contents", "digest", "directory", "get", "listing", "put"]

VARIABLE = "S2SAD_CACHE_DIR"
#: All files are as old as each other: Numba takes a file with another time for a changed one.
_TIME = 1_000_000_000


def directory() -> Path:
    """Where compiled modules are kept: ``$S2SAD_CACHE_DIR``, or the user's cache directory."""
    chosen = os.environ.get(VARIABLE)
    if chosen:
        return Path(chosen)
    import platformdirs

    return Path(platformdirs.user_cache_dir("s2sad", appauthor=False))


@functools.cache
def _temporary() -> Path:
    """A directory for this process alone, where the cache cannot be written."""
    path = Path(tempfile.mkdtemp(prefix="s2sad-"))
    import atexit

    atexit.register(shutil.rmtree, path, ignore_errors=True)
    return path


def digest(*parts: str | bytes) -> str:
    """A name for a sequence of texts: different for different ones."""
    found = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        found.update(len(data).to_bytes(8, "little"))
        found.update(data)
    return found.hexdigest()[:40]


def put(name: str, text: str, *, replace: bool = False) -> Path:
    """Write a file at once or not at all, and give its path; without ``replace`` one that is there is left alone."""
    try:
        return _put(directory() / name, text, replace)
    except OSError:
        return _put(_temporary() / name, text, replace)


def _put(path: Path, text: str, replace: bool) -> Path:
    if not replace and path.is_file():
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.stem, suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        os.utime(temporary, (_TIME, _TIME))
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    return path


def get(name: str) -> str | None:
    """The text of a file; None where there is none."""
    try:
        return (directory() / name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def contents() -> Iterator[Path]:
    """All files of the cache, those of Numba included."""
    root = directory()
    for pattern in ("modules/*.py", "modules/__pycache__/*", "entries/*.json"):
        yield from sorted(root.glob(pattern))


def listing() -> list[str]:
    """A line for each entry: the derivative, its module, and the functions that it was made from."""
    lines = []
    for path in sorted((directory() / "entries").glob("*.json")):
        try:
            entry = json.loads(path.read_text(encoding="utf-8"))
            lines.append(f"{entry['name']}  {entry['module']}  from {', '.join(entry['depends'])}")
        except (OSError, ValueError, KeyError):
            lines.append(f"{path.name}  not readable")
    return lines


def clear() -> int:
    """Remove all files of the cache; how many there were."""
    count = 0
    for path in list(contents()):
        with contextlib.suppress(OSError):
            path.unlink()
            count += 1
    return count
