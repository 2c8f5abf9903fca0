"""The command line: ``s2sad grad FILE.py:FUNC`` prints the source of a derivative.

click is imported when a command runs, not before.
"""

from __future__ import annotations

import contextlib
import difflib
import importlib
import importlib.util
import inspect
import io
import keyword
import os
import sys
import tokenize
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import is_dataclass
from pathlib import Path
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, NoReturn

from s2sad.errors import S2sadError

if TYPE_CHECKING:
    import click

    from s2sad.printed import Example, Printed

__all__ = ["load_function", "main"]

_HELP = """Print the source of derivatives of Python functions.

TARGET is FILE.py:FUNC or package.module:FUNC; FUNC may name a method, as in FILE.py:Class.method, whose
parameters are counted from behind the object.
Importing FILE runs its top level, as `python -m` would.

What is printed is a complete module, which runs where s2sad is not installed.
"""

_COMMANDS = {
    "grad": "Print the source of the gradient.",
    "value-and-grad": "Print the source of the function that returns value and gradient.",
    "jvp": "Print the source of the forward derivative: value and tangent, from arguments and tangents.",
    "vjp": "Print the source of the function that returns the value and its pullback.",
    "lower": "Print the three-address form that the function is differentiated in.",
}


class TargetError(Exception):
    """What the command was pointed at cannot be had; the message says why."""


def main(args: Sequence[str] | None = None) -> None:
    """Run the command line; exits with status 0, or 2 and an error on stderr."""
    _group().main(args=args, prog_name="s2sad")


def _group() -> click.Group:
    """The command with its subcommands."""
    import click

    group = click.Group("s2sad", help=_HELP, context_settings={"help_option_names": ["-h", "--help"]})
    group = click.version_option(package_name="s2sad")(group)
    for name, about in _COMMANDS.items():
        group.add_command(_command(name, about))
    group.add_command(_cache_command())
    return group


def _command(name: str, about: str) -> click.Command:
    import click

    params: list[click.Parameter] = [
        click.Argument(["target"]),
        click.Option(["-o", "--output"], metavar="OUT.py", type=click.Path(dir_okay=False), help="Write, not print."),
        click.Option(["--stop-after"], metavar="STAGE", help="Print the program as it is after this stage."),
        click.Option(["--dump-all"], is_flag=True, help="Print the program as it is after each stage."),
    ]
    given = "Arguments as in a call, say '2.0, np.ones(3)', in the names of FILE: print the text for such arguments."
    params.insert(1, click.Option(["--for", "given"], metavar="ARGS", help=given))
    if name != "lower":
        wrt = "Parameter to differentiate with respect to, by name or position; may be repeated."
        params.insert(1, click.Option(["--wrt"], multiple=True, metavar="NAME", help=wrt))
        tier = "What is to run it; numba: the loops that are compiled, as Python."
        backends = click.Choice(["python", "numba"])
        params.insert(3, click.Option(["--backend"], type=backends, default="python", help=tier))
    return click.Command(name, params=params, callback=_callback(name.replace("-", "_")), help=about)


def _cache_command() -> click.Command:
    import click

    params: list[click.Parameter] = [
        click.Option(["--show"], is_flag=True, help="List the derivatives that are kept, and what each depends on."),
        click.Option(["--clear"], is_flag=True, help="Remove them all."),
    ]
    about = "Show or clear the compiled derivatives of backend='numba', in $S2SAD_CACHE_DIR or the user's cache."
    return click.Command("cache", params=params, callback=_cache, help=about)


def _cache(show: bool, clear: bool) -> None:
    """What ``s2sad cache`` does; without an option it says where the cache is and how large."""
    from s2sad.compiled import store

    try:
        files = list(store.contents())
        size = sum(path.stat().st_size for path in files)
        lines = [f"{store.directory()}: {len(files)} files, {size / 1e6:.1f} MB"]
        if show:
            lines += store.listing()
        if clear:
            lines.append(f"removed {store.clear()} files")
    except (OSError, ImportError) as error:
        _fail(str(error))
    _print("\n".join(lines) + "\n")


def _callback(mode: str) -> Callable[..., None]:
    def run(
        target: str,
        output: str | None,
        stop_after: str | None,
        dump_all: bool,
        given: str | None,
        wrt: tuple[str, ...] = (),
        backend: str = "python",
    ) -> None:
        from s2sad.printed import Printed

        try:
            fn, names, ahead = load_target(target)
            example = None if given is None else _example(given, names)
            asked = Printed(fn, mode, _selection(mode, wrt, ahead), backend, example)
            text = _text(asked, stop_after, dump_all)
            if output is not None:
                Path(output).write_text(text, encoding="utf-8")
        except S2sadError as error:
            _fail(f"{type(error).__name__}: {error}")
        except (TargetError, OSError) as error:
            _fail(str(error))
        except Exception as error:
            if _is_refusal(error):
                _fail(f"{type(error).__name__}: {error}")
            _fail(f"this is a defect in s2sad, please report it.\n{''.join(traceback.format_exception(error))}")
        if output is None:
            _print(text)
        _suggest_example(asked)

    return run


def _suggest_example(asked: Printed) -> None:
    """Tell who looks on how a text that is for numbers and arrays alike becomes one for either."""
    import click

    if sys.stderr.isatty() and (untold := asked.untold()):
        names = ", ".join(untold)
        click.echo(f"note: nothing tells what {names} will be; --for ARGS prints the text for such arguments", err=True)


def _text(asked: Printed, stop_after: str | None, dump_all: bool) -> str:
    """What the command prints."""
    if stop_after is None and not dump_all:
        return asked.source().rstrip("\n") + "\n"
    if asked.backend != "python":
        raise TargetError("the stages are those of --backend python")
    stages = list(asked.stages(stop_after))
    names = [name for name, _ in stages]
    if stop_after is not None and stop_after not in names:
        raise TargetError(f"there is no stage {stop_after!r}; the stages are {', '.join(names)}")
    if not dump_all:
        return stages[-1][1].rstrip("\n") + "\n"
    return "\n".join(f"# --- {name} ---\n{text.rstrip()}\n" for name, text in stages)


def _selection(mode: str, wrt: tuple[str, ...], ahead: int) -> Any:
    """``wrt`` as the operators take it: one, a tuple, or what the mode has when none is given.

    Positions are counted from behind so many parameters ``ahead``.
    """
    chosen = tuple(int(name) + ahead * (name[0] != "-") if name.lstrip("-").isdigit() else name for name in wrt)
    if not chosen:
        return ahead if mode in ("grad", "value_and_grad") else None
    return chosen[0] if len(chosen) == 1 else chosen


def _example(text: str, names: Mapping[str, Any]) -> Example:
    """The arguments of ``--for``; ``math`` and ``np`` are known where the program has no such names."""
    import math

    import numpy as np

    from s2sad.printed import example_of

    try:
        return example_of(text, {"math": math, "np": np, **names})
    except Exception as error:
        cause = error.msg if isinstance(error, SyntaxError) else f"{type(error).__name__}: {error}"
        raise TargetError(f"--for {text!r}: {cause}") from error


# Finding the function


def load_function(target: str) -> Any:
    """Import what ``FILE.py:FUNC`` or ``package.module:FUNC`` names."""
    return load_target(target)[0]


def load_target(target: str) -> tuple[Any, Mapping[str, Any], int]:
    """What ``FILE.py:FUNC`` or ``package.module:FUNC`` names, the names of its module, and the parameters ahead of it.

    Of a method that is the object, one, unless it is a structure to differentiate by. Raises :class:`TargetError`
    where there is no such function.
    """
    where, colon, path = target.rpartition(":")
    if not colon or not where or not path:
        raise TargetError(f"{target!r} does not name a function: write FILE.py:FUNC or package.module:FUNC")
    is_file = where.endswith(".py") or os.sep in where
    try:
        with contextlib.redirect_stdout(sys.stderr):  # what is printed on stdout is a module
            module = _import_file(Path(where)) if is_file else _import_module(where)
    except TargetError:
        raise
    except (Exception, SystemExit) as error:
        raise TargetError(f"importing {where} failed:\n{''.join(_user_traceback(error)).rstrip()}") from error
    found: Any = module
    for name in path.split("."):
        owner, found = found, _member(found, name, where)
    if not callable(found):
        raise TargetError(f"{target} is not a function: it is of type {type(found).__name__}")
    return found, vars(module), int(_takes_object(owner, name))


def _takes_object(owner: Any, name: str) -> bool:
    """Whether what is under a name in a class takes, as its first argument, an object that no derivative is by."""
    if not inspect.isclass(owner) or is_dataclass(owner) or issubclass(owner, tuple | list | dict):
        return False
    return isinstance(inspect.getattr_static(owner, name), FunctionType)


def _member(owner: Any, name: str, where: str) -> Any:
    try:
        found = getattr(owner, name)
    except AttributeError:
        whose = f"class {owner.__qualname__} in {where}" if inspect.isclass(owner) else where
        near = difflib.get_close_matches(name, dir(owner), n=1)
        raise TargetError(f"{whose} has no {name!r}" + (f"; did you mean {near[0]!r}?" if near else "")) from None
    return found.fget if isinstance(found, property) else found


def _import_module(name: str) -> ModuleType:
    sys.path.insert(0, os.getcwd())
    if importlib.util.find_spec(name) is None:
        raise TargetError(f"there is no module {name!r}")
    return importlib.import_module(name)


def _import_file(path: Path) -> ModuleType:
    """Import a file: as part of its package if it is in one, else as a module by itself."""
    if not path.is_file():
        raise TargetError(f"there is no file {path}")
    path = path.resolve()
    name, root = path.stem, path.parent
    while (root / "__init__.py").is_file():
        name, root = f"{root.name}.{name}", root.parent
    sys.path.insert(0, str(root))
    package = name.rpartition(".")[0]
    if package:
        importlib.import_module(package)
    elif name in sys.stdlib_module_names or name in sys.modules:  # it must not take a library's place
        name = f"_target_{name}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise TargetError(f"{path} cannot be imported as Python")
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _user_traceback(error: BaseException) -> Iterator[str]:
    """The traceback from the user's file on, without the importing machinery."""
    ours = (__file__, importlib.__file__, "<frozen importlib")
    rendered = traceback.TracebackException.from_exception(error)
    rendered.stack[:] = [frame for frame in rendered.stack if not frame.filename.startswith(ours)]
    return rendered.format()


def _is_refusal(error: Exception) -> bool:
    """Whether an error was raised on purpose, about the arguments, rather than by an operation that failed."""
    line = traceback.extract_tb(error.__traceback__)[-1].line or ""
    return isinstance(error, TypeError | ValueError) and line.startswith("raise ")


# Printing


def _fail(message: str) -> NoReturn:
    import click

    click.echo(f"{click.style('error:', fg='red', bold=True)} {message}", err=True)
    sys.exit(2)


def _print(text: str) -> None:
    import click

    coloured = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    click.echo("".join(_coloured(text)) if coloured else text, nl=False)


def _coloured(text: str) -> Iterator[str]:
    """The program with keywords, comments and strings coloured for a terminal; as it is if not Python."""
    import click

    lines = text.splitlines(keepends=True)
    row, column = 1, 0
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError):
        tokens = []
    for token in tokens:
        style = _style(token)
        if style is None:
            continue
        (start_row, start), (end_row, end) = token.start, token.end
        yield _between(lines, row, column, start_row, start)
        yield click.style(_between(lines, start_row, start, end_row, end), **style)
        row, column = end_row, end
    yield _between(lines, row, column, len(lines) + 1, 0)


def _style(token: tokenize.TokenInfo) -> dict[str, Any] | None:
    match token.type:
        case tokenize.COMMENT:
            return {"fg": "bright_black"}
        case tokenize.STRING:
            return {"fg": "green"}
        case tokenize.NAME if keyword.iskeyword(token.string):
            return {"fg": "blue"}
    return None


def _between(lines: Sequence[str], row: int, column: int, end_row: int, end_column: int) -> str:
    """The text from one place to another; rows count from 1."""
    if row == end_row:
        return lines[row - 1][column:end_column] if row <= len(lines) else ""
    last = lines[end_row - 1][:end_column] if end_row <= len(lines) else ""
    return lines[row - 1][column:] + "".join(lines[row : end_row - 1]) + last
