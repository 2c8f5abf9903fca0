"""Write ``statements.txt`` anew: ``python -m tests.loops``. Look at the difference before you keep it."""

from __future__ import annotations

from tests.loops.cases import FILE, cases, lowered

if __name__ == "__main__":
    parts = [f"## {title}\n{before}\n-->\n{lowered(before, title)}\n" for title, (before, _) in cases().items()]
    FILE.write_text("\n".join(parts), encoding="utf-8")
