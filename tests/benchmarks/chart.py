"""The chart: a group for each program, a mark for each contestant, on a logarithmic scale."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tests.benchmarks.race import CONTESTANTS, Result

__all__ = ["draw"]

#: How contestants are marked: ours filled and large, the others as outlines.
MARKS = {
    "primal": ("|", "black", 12),
    "primal numba": ("|", "tab:orange", 12),
    "s2sad": ("o", "tab:blue", 8),
    "s2sad numba": ("D", "tab:red", 8),
    "hand": ("x", "tab:blue", 6),
    "hand numba": ("x", "tab:red", 6),
    "jax": ("s", "tab:green", 6),
    "jax rewritten": ("s", "yellowgreen", 5),
    "torch": ("^", "tab:purple", 6),
    "autograd": ("v", "tab:brown", 6),
    "casadi": ("*", "tab:gray", 7),
}
FILLED = ("s2sad", "s2sad numba")


def draw(results: Sequence[Result], path: Path) -> None:
    """Write the results as SVG, the first on top. The same results give the same file."""
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    with pyplot.rc_context({"svg.hashsalt": "s2sad", "svg.fonttype": "none", "font.size": 8}):
        figure, axes = pyplot.subplots(figsize=(9.0, 1.2 + 0.24 * len(results)), layout="constrained")
        rows = range(len(results))
        for name in CONTESTANTS:
            marker, colour, size = MARKS[name]
            points = [(1e3 * r.seconds[name], y) for y, r in zip(rows, results) if name in r.seconds]
            if points:
                face = colour if name in FILLED or marker in "|x" else "none"
                style = {"marker": marker, "color": colour, "markersize": size, "markerfacecolor": face}
                axes.plot(*zip(*points), linestyle="none", label=name, **style)
        axes.set(xscale="log", xlabel="milliseconds a call", yticks=rows, yticklabels=[r.label for r in results])
        axes.set_ylim(len(results) - 0.4, -0.6)
        axes.grid(axis="x", linewidth=0.4)
        for y in rows:
            axes.axhline(y + 0.5, color="lightgray", linewidth=0.4)
        figure.legend(loc="outside upper center", ncols=6, frameon=False)
        figure.savefig(path, metadata={"Date": None})
        pyplot.close(figure)
