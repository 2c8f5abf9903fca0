"""``python -m tests.golden`` writes the golden files anew; look at what changed before committing it.

``python -m tests.golden NAME...`` writes those whose names begin so.
"""

from __future__ import annotations

import sys

from tests.golden.compile import FILES, source
from tests.golden.programs import CASES


def main(prefixes: list[str]) -> None:
    """Write the files, and remove those of functions that are no longer there."""
    FILES.mkdir(exist_ok=True)
    failed: list[str] = []
    for name in CASES:
        if not prefixes or name.startswith(tuple(prefixes)):
            path = FILES / f"{name}.py"
            try:
                text = source(name)
            except Exception as error:
                failed.append(f"{name}: {type(error).__name__}: {error}".partition("\n")[0])
                continue
            if not path.exists() or path.read_text(encoding="utf-8") != text:
                path.write_text(text, encoding="utf-8")
                print(path.relative_to(FILES.parents[2]))
    for path in FILES.glob("*.py"):
        if path.stem not in CASES:
            path.unlink()
            print("removed", path.relative_to(FILES.parents[2]))
    if failed:
        sys.exit("\n".join(["not written:", *failed]))


if __name__ == "__main__":
    main(sys.argv[1:])
