"""From IR to Python: emit text, format it, load it.

::

    emitted = emit([function], doc="gradient of f, model.py:3", style="exec")
    f_grad = load(emitted)
    text = format_source(emit([function], style="text").text)
"""

from s2sad.backend.emit import Emitted, Style, emit
from s2sad.backend.format import format_source
from s2sad.backend.load import annotate, load

__all__ = ["Emitted", "Style", "annotate", "emit", "format_source", "load"]
