"""Tables, figures to reach and the document, from made-up times."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.benchmarks import document, report
from tests.benchmarks.chart import draw
from tests.benchmarks.memory import Memory
from tests.benchmarks.programs import PROGRAMS
from tests.benchmarks.race import Result, _told

FAST, SLOW = (
    Result(
        PROGRAMS[1],
        size,
        {"primal": 1e-3, "s2sad": ours, "primal numba": 1e-6, "s2sad numba": 2e-6, "hand numba": 2e-6, "jax": 1e-4},
        {"torch": "ImportError: no torch"},
    )
    for size, ours in (((100,), 3e-3), ((10_000,), 5e-3))
)
RESULTS = (FAST, SLOW)


def test_durations_have_three_digits() -> None:
    assert [report.duration(s) for s in (2.5, 0.0123, 4.56e-4, 78.9e-9, None)] == [
        "2.50 s",
        "12.3 ms",
        "456 µs",
        "78.9 ns",
        "–",
    ]


def test_goals_name_the_rows_that_miss_them() -> None:
    goals = {row[0]: row[1:] for row in report.goals(RESULTS)}
    assert goals["Python tier: gradient / NumPy primal: at most 4"] == ["1 of 2", f"{SLOW.label} 5.00"]
    assert goals["JAX / compiled gradient, geometric mean: at least 10"] == ["yes", "mean 50.0 over 2 rows"]
    assert goals["faster than JAX on every program"] == ["yes", ""]
    assert goals["compiled gradient / its own compiled primal, the rest: at most 4"] == ["–", ""]


def test_ratios_end_with_their_means() -> None:
    table = report.ratios(RESULTS)
    column = table[0].index("s2sad / primal")
    assert [row[column] for row in table[1:]] == ["3.00", "5.00", "3.87"]
    assert table[-1][table[0].index("hand / primal")] == "–"


def test_text_is_in_columns() -> None:
    assert report.text([["a", "bc"], ["def", "g"]]) == "a    bc\ndef   g"


def test_the_document_keeps_what_its_author_wrote(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    path = tmp_path / "performance.md"
    path.write_text(f"before\n\n{document.BEGIN}\nold\n{document.END}\nafter\n", encoding="utf-8")
    monkeypatch.setattr(document, "DOCUMENT", path)
    document.write(RESULTS, [Memory(PROGRAMS[1], 80_000, {"python": 2**20, "numba": None, "hand": 2**10})], [])
    text = path.read_text(encoding="utf-8")
    assert text.startswith("before\n") and text.endswith("after\n") and "old" not in text
    assert "| Rosenbrock | 78 KiB | 1.00 MiB | – | 1 KiB |" in text
    assert "- torch, 2 rows: `ImportError: no torch`" in text


def test_the_chart_is_the_same_for_the_same_results(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    for name in ("first.svg", "second.svg"):
        draw(RESULTS, tmp_path / name)
    assert (tmp_path / "first.svg").read_bytes() == (tmp_path / "second.svg").read_bytes()


def test_the_document_has_room_for_a_run() -> None:
    text = document.DOCUMENT.read_text(encoding="utf-8")
    assert text.count(document.BEGIN) == text.count(document.END) == 1


def test_what_an_error_says_fits_in_a_line() -> None:
    error = ValueError("file.py:3\n    x = `f`(y)\n        ^^^^\nno such thing in /home/me/file.py (4)")
    assert _told(error) == "ValueError: file.py:3 x = 'f'(y) no such thing in file.py (4)"
