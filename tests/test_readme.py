"""Every block of the README and the docs is run, and every claim of the README is checked.

``python tests/test_readme.py`` writes what the blocks print now into the pages.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import linecache
import os
import re
import shlex
import shutil
import subprocess
import sys
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
PAGES = [README, *sorted((ROOT / "docs").glob("*.md"))]
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CHECK = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    page: Path
    language: str
    text: str

    def __str__(self) -> str:
        line = self.page.read_text(encoding="utf-8")[: self.start].count("\n") + 2
        return f"{self.page.name}:{line}"

    @property
    def start(self) -> int:
        return self.page.read_text(encoding="utf-8").index(f"```{self.language}\n{self.text}```")


@dataclass(frozen=True)
class Example:
    """A statement typed at the prompt, and what is shown below it (blank lines included, unlike doctest)."""

    source: str
    want: str


def examples(text: str) -> Iterator[Example]:
    """The statements of a session."""
    for part in re.findall(r"^>>> .*\n(?:(?!>>> ).*\n)*", text, re.MULTILINE):
        typed = re.match(r">>> .*\n(?:\.\.\..*\n)*", part)
        assert typed
        source = "".join(line[4:] or "\n" for line in typed[0].splitlines(keepends=True))
        yield Example(source, part[typed.end() :])


def blocks(page: Path, *languages: str) -> list[Block]:
    found = FENCE.findall(page.read_text(encoding="utf-8"))
    return [Block(page, language, text) for language, text in found if not languages or language in languages]


def of_all_pages(language: str) -> list[Block]:
    return [block for page in PAGES for block in blocks(page, language)]


# Running blocks


def run_session(page: Path) -> Iterator[tuple[Block, list[tuple[Example, str]]]]:
    """Run the sessions of a page in one namespace: for each block its examples and what they print."""
    namespace: dict[str, Any] = {"__name__": page.stem}
    names: list[str] = []
    try:
        for block in blocks(page, "pycon"):
            results = []
            for example in examples(block.text):
                names.append(f"<python-input-{len(names)}>")  # as the prompt of Python 3.13 does
                results.append((example, run_example(example.source, names[-1], namespace)))
            yield block, results
    finally:
        for name in names:
            linecache.cache.pop(name, None)


def run_example(source: str, name: str, namespace: dict[str, Any]) -> str:
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        try:
            exec(compile(source, name, "single", dont_inherit=True), namespace)
        except Exception as error:
            out.write("Traceback (most recent call last):\n    ...\n")
            out.write("".join(traceback.format_exception_only(error)))
    return out.getvalue()


def run_console(text: str, directory: Path) -> str:
    """Run the commands of a console block; the block as it should read."""
    parts = []
    for line in text.splitlines():
        if line.startswith("$ "):
            parts.append(f"{line}\n{run_command(line[2:], directory)}")
    return "".join(parts)


def run_command(command: str, directory: Path) -> str:
    program, *arguments = shlex.split(command)
    assert program == "s2sad", f"cannot run {program}"
    start = [sys.executable, "-c", "from s2sad.cli import main; main()"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        [*start, *arguments], capture_output=True, text=True, cwd=directory, env=environment, check=False
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done.stdout + done.stderr


def lay_out(page: Path, directory: Path) -> Path:
    """The directory commands run in: the examples, and the files that blocks of the page begin by naming."""
    shutil.copytree(ROOT / "examples", directory / "examples", ignore=shutil.ignore_patterns("__pycache__", ".*"))
    for block in blocks(page, "python"):
        name = re.match(r"# (\w+\.py)\n", block.text)
        if name:
            (directory / name[1]).write_text(block.text, encoding="utf-8")
    return directory


# The blocks are true


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_sessions_print_what_is_shown(page: Path) -> None:
    if page.stem == "compiled":
        pytest.importorskip("numba")
    checker = doctest.OutputChecker()
    for block, results in run_session(page):
        for example, printed in results:
            assert checker.check_output(
                example.want, printed, CHECK
            ), f"{block}: {example.source}\nshown:\n{example.want}\nprinted:\n{printed}"


@pytest.mark.parametrize("block", of_all_pages("console"), ids=str)
def test_commands_print_what_is_shown(block: Block, tmp_path: Path) -> None:
    assert run_console(block.text, lay_out(block.page, tmp_path)) == block.text


@pytest.mark.parametrize("block", of_all_pages("python"), ids=str)
def test_programs_shown_are_those_of_the_repository(block: Block) -> None:
    named = re.match(r"# (\w+\.py)\n", block.text)
    texts = [path.read_text(encoding="utf-8") for part in ("examples", "s2sad") for path in (ROOT / part).rglob("*.py")]
    assert named or any(block.text in text for text in texts), f"{block} is in no file"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_nothing_shown_fails_but_what_is_to_be_refused(page: Path) -> None:
    failed = [str(block) for block in blocks(page, "pycon") if "Traceback" in block.text]
    failed += [str(b) for b in blocks(page, "console") if "\nerror:" in b.text and "running.py" not in b.text]
    assert not failed


# The README's claims


def setup_commands() -> list[str]:
    return [block.text.strip() for block in blocks(README, "bash")]


def test_there_are_two_setup_commands() -> None:
    install, test = setup_commands()
    assert install.startswith("pip install . && s2sad grad ")
    assert test == 'pip install ".[test]" && pytest -n auto'


def test_the_first_command_prints_the_gradient_shown() -> None:
    command = setup_commands()[0].partition("&& ")[2]
    assert any(block.text.startswith(f"$ {command}\n") for block in blocks(README, "console"))


def test_ci_runs_the_second_command() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    awk = re.search(r"command=\$\((awk .*) README\.md\)", script)
    assert awk and "pytest" not in script
    done = subprocess.run(f"{awk[1]} README.md", shell=True, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == setup_commands()[1]


def test_printed_modules_run_without_s2sad(tmp_path: Path) -> None:
    run_command("s2sad grad examples/quickstart.py:f --wrt x1 --wrt x2 -o out.py", lay_out(README, tmp_path))
    text = (tmp_path / "out.py").read_text(encoding="utf-8")
    assert not re.search(r"^\s*(import|from) s2sad", text, re.MULTILINE)
    check = "import sys; sys.modules['s2sad'] = None; import out; print(*out.f_grad(2.0, 5.0))"
    done = subprocess.run([sys.executable, "-c", check], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert [float(part) for part in done.stdout.split()] == pytest.approx([5.5, 1.7163378145367738], rel=1e-15)


def rows() -> dict[str, str]:
    return dict(re.findall(r"^\| ([\w ]+) \| (.*) \|$", README.read_text(encoding="utf-8"), re.MULTILINE))


def test_operators_named_exist() -> None:
    import s2sad

    for name in re.findall(r"`(\w+)`", rows()["operators"]):
        assert name in s2sad.__all__ and callable(getattr(s2sad, name))


def test_commands_named_exist() -> None:
    from s2sad.cli import _COMMANDS, _group

    commands, _, options = rows()["command"].partition("; options ")
    named = [name.removeprefix("s2sad ") for name in re.findall(r"`([\w -]+)`", commands)]
    assert named == [*_COMMANDS, "cache"]
    taken = {option for parameter in _group().commands["grad"].params for option in parameter.opts}
    assert set(re.findall(r"`(--\w+)`", options)) <= taken


def test_syntax_named_has_the_status_claimed() -> None:
    table = (ROOT / "docs" / "language.md").read_text(encoding="utf-8")
    status = dict(re.findall(r"^\| `(\w+)` \| (\w+) \|", table, re.MULTILINE))
    handled = (
        "FunctionDef Lambda If For While Match Break Continue Return ListComp GeneratorExp Subscript AugAssign Yield"
    )
    refused = "TryStar AsyncFunctionDef Await ClassDef"
    assert {status[name] for name in handled.split()} == {"handled"}
    assert {status[name] for name in refused.split()} == {"refused"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_named_exist(page: Path) -> None:
    for named in re.findall(r"(?<![\w/.])((?:\w+/)+\w+\.py)\b", page.read_text(encoding="utf-8")):
        assert any((root / named).exists() for root in (ROOT, ROOT / "s2sad")), f"{page.name} names {named}"


# Writing the pages


def refresh(page: Path, directory: Path) -> None:
    """Write what the blocks of a page print now into it."""
    text = page.read_text(encoding="utf-8")
    for block, results in run_session(page):
        shown = "".join(prompt(example.source) + tidied(printed) for example, printed in results)
        text = text.replace(f"```pycon\n{block.text}```", f"```pycon\n{shown}```")
    lay_out(page, directory)
    for block in blocks(page, "console"):
        text = text.replace(f"```console\n{block.text}```", f"```console\n{run_console(block.text, directory)}```")
    page.write_text(text, encoding="utf-8")


def prompt(source: str) -> str:
    first, *others = source.splitlines()
    return "".join(f"{mark} {line}".rstrip() + "\n" for mark, line in [(">>>", first), *(("...", o) for o in others)])


def tidied(printed: str) -> str:
    return printed.rstrip("\n") + "\n" if printed.strip() else ""


if __name__ == "__main__":
    import tempfile

    sys.path.insert(0, str(ROOT))
    for each in PAGES:
        with tempfile.TemporaryDirectory() as scratch:
            refresh(each, Path(scratch))
