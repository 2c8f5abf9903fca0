"""Time the compiler and what it makes, and print a table.

Run ``python -m tests.benchmarks``. Each figure is the best of several runs on one thread; ratios
are of figures from the same run, taken by turns, so that a busy machine disturbs both alike.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import s2sad
from examples import lstm
from tests.benchmarks.programs import by_hand, straight_line, textbook

Row = tuple[str, str, str]  #: what, the figure, what it should be


def best(run: Callable[[], Any], times: int) -> float:
    """The least number of seconds that one of so many runs takes."""
    return min(_seconds(run) for _ in range(times))


def _seconds(run: Callable[[], Any]) -> float:
    began = time.perf_counter()
    run()
    return time.perf_counter() - began


def by_turns(first: Callable[[], Any], second: Callable[[], Any], times: int, calls: int = 1) -> tuple[float, float]:
    """The best seconds for each of two functions, called in alternation."""

    def repeated(run: Callable[[], Any]) -> float:
        began = time.perf_counter()
        for _ in range(calls):
            run()
        return (time.perf_counter() - began) / calls

    pairs = [(repeated(first), repeated(second)) for _ in range(times)]
    return min(a for a, _ in pairs), min(b for _, b in pairs)


def first_result(statements: int, seed: int) -> float:
    """Seconds from the decoration of a function the compiler has not seen to its first gradient."""
    f = straight_line(statements, seed)
    return _seconds(lambda: s2sad.grad(f, wrt=(0, 1))(0.3, 0.4))


def compile_time() -> Iterator[Row]:
    """A short function, once everything the compiler itself needs is loaded."""
    first_result(30, 0)
    seconds = min(first_result(30, seed) for seed in range(1, 21))
    yield "30-line scalar function, decoration to first gradient", f"{1e3 * seconds:.1f} ms", "< 30 ms"


def linear_cost() -> Iterator[Row]:
    """The compile time per statement of short and long functions."""
    short, long = (min(first_result(n, seed) for seed in range(k)) / n for n, k in ((500, 3), (5000, 2)))
    yield "compile time per statement, of 500", f"{1e6 * short:.0f} us", ""
    yield "compile time per statement, of 5,000", f"{1e6 * long:.0f} us", ""
    yield "    ratio", f"{long / short:.2f}", "< 2"


def scalar_gradient() -> Iterator[Row]:
    """A gradient of two floats, against the same by hand: what the entry costs, and the code."""
    gradient = s2sad.grad(textbook, wrt=(0, 1))
    gradient(2.0, 5.0)
    ours, hand = by_turns(lambda: gradient(2.0, 5.0), lambda: by_hand(2.0, 5.0), 20, 20_000)
    yield "log(x1) + x1 * x2 - sin(x2), gradient by hand", f"{1e9 * hand:.0f} ns", ""
    yield "the same by s2sad.grad", f"{1e9 * ours:.0f} ns", ""
    yield "    ratio", f"{ours / hand:.2f}", ""


def lstm_gradient() -> Iterator[Row]:
    """The gradient of the LSTM example, against the loss."""
    tokens, alphabet = lstm.make_tokens("the quick brown fox jumps over the lazy dog and runs away. " * 4, 20, 8)
    model = lstm.make_model(len(alphabet), 16, 2)
    gradient = s2sad.value_and_grad(lstm.loss)
    gradient(model, tokens)
    ours, loss = by_turns(lambda: gradient(model, tokens), lambda: lstm.loss(model, tokens), 20, 5)
    yield "LSTM loss", f"{1e3 * loss:.2f} ms", ""
    yield "LSTM value and gradient", f"{1e3 * ours:.2f} ms", ""
    yield "    ratio", f"{ours / loss:.2f}", ""


def import_time() -> Iterator[Row]:
    """The time to import in a fresh interpreter, less that of starting one."""

    def seconds(text: str) -> float:
        return best(lambda: subprocess.run([sys.executable, "-c", text], check=True), 5)

    nothing = seconds("pass")
    numpy, ours = seconds("import numpy") - nothing, seconds("import s2sad") - nothing
    yield "import numpy", f"{1e3 * numpy:.0f} ms", ""
    yield "import s2sad (and numpy)", f"{1e3 * ours:.0f} ms", ""
    yield "    ratio", f"{ours / numpy:.2f}", ""


BENCHMARKS = (compile_time, linear_cost, scalar_gradient, lstm_gradient, import_time)


def main(names: list[str]) -> None:
    """Run the benchmarks of these names, or all."""
    for benchmark in BENCHMARKS:
        if not names or benchmark.__name__ in names:
            for what, figure, wanted in benchmark():
                print(f"{what:55} {figure:>10}  {wanted}".rstrip(), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
