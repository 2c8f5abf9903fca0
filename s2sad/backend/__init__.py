"""From IR to Python: emit text, format it, load it.

::

    emitted = emit([function], doc="gradient of f, model.py:3", style="exec")
    f_grad = load(emitted)
    text = format_source(emit([function], style="text").text)
"""
