"""The root of ``lode``: the table of commands, loaded when asked for, and the exit code of each kind of fault."""

from __future__ import annotations

import difflib
import errno
import importlib
import importlib.metadata
import io
import os
import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.exceptions import Abort, TyperException

from experiments._errors import ExperimentError, ExperimentWarning
from experiments._home import Home
from experiments.commands import _output

DONE, CHECK_FAILED, WRONG_USE, INTERRUPTED, FAULT_OF_OURS, READER_GONE = 0, 1, 2, 3, 70, 141

_COMMANDS = {
    "demo": "_demo:demo",
    "datasets": "_datasets:app",
    "sweep": "_sweep:app",
    "trials": "_trials:app",
    "mine": "_mine:mine",
    "db": "_db:app",
    "validate": "_validate:validate",
    "automl": "_automl:app",
    "report": "_report:report",
    "doctor": "_doctor:doctor",
}
"""Command to ``module:attribute`` in this package: a ``typer.Typer`` for a group, a function for a single command."""

_USER_ERRORS = {
    "dataset_catalog": "CatalogError",
    "heuristics_db": "HeuristicsError",
    "mining": "MiningError",
    "automl": "AutoMLError",
    "experiments._errors": "ExperimentError",
}
_USER_ERRNOS = {
    getattr(errno, name)
    for name in ["ENOENT", "EACCES", "EPERM", "EISDIR", "ENOTDIR", "EEXIST", "ENOSPC", "EROFS", "EDQUOT", "ENAMETOOLONG", "ELOOP", "EXDEV"]
    if hasattr(errno, name)
}
"""Faults of paths and disks that a user gave, rather than of the program."""


class _CommandTable(TyperGroup):
    """Imports a command's module only when that command is called or its help is shown, so that ``lode`` itself starts at once."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in self.commands and cmd_name in _COMMANDS:
            self.commands[cmd_name] = _load(cmd_name)
        return self.commands.get(cmd_name)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        known = self.list_commands(ctx)
        if args and not args[0].startswith("-") and args[0] not in known:
            near = difflib.get_close_matches(args[0], known, n=1)
            ctx.fail(f"no such command {args[0]!r}" + (f"; did you mean {near[0]!r}?" if near else f"; there are: {', '.join(known)}"))
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise typer.Exit(_interrupted()) from None
        except BrokenPipeError:  # typer would answer 1, which means a failed check here
            raise typer.Exit(_reader_gone()) from None


app = typer.Typer(
    cls=_CommandTable,
    name="lode",
    rich_markup_mode="markdown",
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"lode {importlib.metadata.version('motherlode')}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def lode(
    ctx: typer.Context,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks and library warnings (also LODE_DEBUG=1).")] = False,
    version: Annotated[bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")] = False,
) -> None:
    """Mine heuristics for deep-learning AutoML: sweep, mine, validate on held-out datasets, promote, use.

    State lives in `.lode/` of the working directory, or in `$LODE_HOME`. Exit codes: 0 done, 1 a gate or check failed, 2 wrong use or
    bad input, 3 interrupted and resumable.
    """
    if debug:
        os.environ["LODE_DEBUG"] = "1"
    if not _debugging():
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", ExperimentWarning)
        warnings.showwarning = _warning_teller()
    if ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help(), nl=False)


def run(arguments: Sequence[str]) -> int:
    """Carry out ``lode ARGUMENTS`` and return its exit code; every fault a user can cause becomes one line on stderr.

    0 done · 1 a gate or check failed (the command raised ``typer.Exit(1)``) · 2 wrong use or bad input · 3 interrupted, resumable ·
    70 a fault of Motherlode itself, whose traceback was written under ``$LODE_HOME/crash`` · 141 the reader of stdout went away.
    """
    command = typer.main.get_command(app)
    try:
        code = command.main(args=list(arguments), prog_name="lode", standalone_mode=False)
    except TyperException as exc:
        return _refuse_usage(exc)
    except (KeyboardInterrupt, Abort):
        return _interrupted()
    except SystemExit as exc:
        if exc.code == signal.SIGTERM:  # Ray's own handler of that signal, which takes the place of ours
            return _interrupted()
        return exc.code if isinstance(exc.code, int) else DONE if exc.code is None else _refuse(str(exc.code))
    except Exception as exc:  # the last place where a fault can be told in one line
        return _explain(exc)
    return code if isinstance(code, int) else DONE


def main() -> None:
    """Entry point of the ``lode`` command."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by who called; libraries write to it all the same
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 - open as long as the process
        elif isinstance(stream := getattr(sys, name), io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a name in a script that the terminal cannot write ends no command
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # a scheduler's way to interrupt
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_DFL:  # a closed terminal's; nohup has it ignored
        signal.signal(signal.SIGHUP, signal.default_int_handler)
    sys.exit(_flushed(run(sys.argv[1:])))


def _flushed(code: int) -> int:
    """Write what stdout still holds, and return the exit code: another one when that cannot be written."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        return _reader_gone()
    except OSError as exc:
        _let_stdout_go()
        return code or _refuse(f"what was asked for could not be written to stdout: {(exc.strerror or str(exc)).lower()}")
    return code


def _load(name: str) -> Any:
    module, _, attribute = _COMMANDS[name].partition(":")
    found = getattr(importlib.import_module(f"experiments.commands.{module}"), attribute)
    if isinstance(found, typer.Typer):
        command: Any = typer.main.get_group(found)
    else:
        single = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
        single.command(name)(found)
        command = typer.main.get_command(single)
    command.name = name
    return command


def _warning_teller() -> Callable[..., None]:
    """Return what tells each warning once, in a line (Python's own once is forgotten whenever a library touches the filters)."""
    told: set[str] = set()

    def tell(message: Warning | str, *_where: object, **_more: object) -> None:
        line = " ".join(str(message).split())
        if line not in told:
            told.add(line)
            _output.warn(line)

    return tell


def _refuse(message: str) -> int:
    _output.complain(message)
    return WRONG_USE


def _refuse_usage(exc: TyperException) -> int:
    message = exc.format_message()
    if "\n" in message.strip():  # a group called without a command: its help is the answer
        typer.echo(message, err=True)
        return WRONG_USE
    context = getattr(exc, "ctx", None)
    return _refuse(f"{message.rstrip('.')} (see: {context.command_path} --help)" if context is not None else message)


def _interrupted() -> int:
    _output.complain("interrupted; what was journaled stands, and the same command (or `lode sweep resume`) goes on from there")
    return INTERRUPTED


def _explain(exc: Exception) -> int:
    if _debugging():
        traceback.print_exception(exc)
    if isinstance(exc, _user_errors()):
        return _refuse(str(exc))
    if isinstance(exc, OSError) and exc.errno in _USER_ERRNOS:
        where = f"{exc.filename}: " if exc.filename is not None else ""
        return _refuse(f"{where}{(exc.strerror or str(exc)).lower()}")
    return _report_crash(exc)


def _user_errors() -> tuple[type[Exception], ...]:
    """Return the error classes of the packages imported so far: what was never imported cannot have been raised."""
    return tuple(getattr(sys.modules[module], name) for module, name in _USER_ERRORS.items() if hasattr(sys.modules.get(module), name))


def _report_crash(exc: Exception) -> int:
    told = f"a fault of Motherlode itself: {type(exc).__name__}: {' '.join(str(exc).split())[:300]}"
    try:
        place = Home.find().root / "crash" / f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{os.getpid()}.txt"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("".join(traceback.format_exception(exc)), encoding="utf-8")
    except (OSError, ExperimentError):
        _output.complain(f"{told} (run again with LODE_DEBUG=1 to see the traceback)")
    else:
        _output.complain(f"{told} (traceback in {place})")
    return FAULT_OF_OURS


def _reader_gone() -> int:
    _let_stdout_go()
    return READER_GONE


def _let_stdout_go() -> None:
    """Have Python's last flush find a file that takes what is left."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _debugging() -> bool:
    return os.environ.get("LODE_DEBUG", "") not in {"", "0"}
