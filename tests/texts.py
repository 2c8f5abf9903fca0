"""Parts of the text of a derivative."""

from __future__ import annotations


def own_text(source: str, name: str) -> str:
    """A function of a module from its name on, without the helpers that come after it.

    >>> own_text("import math\\n\\n\\ndef f(x):\\n    return g(x)\\n\\n\\ndef g(x):\\n    return x\\n", "f")
    '(x):\\n    return g(x)'
    """
    return source.partition(f"def {name}")[2].partition("\n\n\n")[0].rstrip("\n")
