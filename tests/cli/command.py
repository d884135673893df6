"""`saccade ARGUMENTS` in this process, and its jobs too: a new process takes a second or two only to start.

`--engine local` gives jobs processes of their own, for tests of what only these can show.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

from typer.testing import CliRunner

from saccade.cli import main


class CommandResult(NamedTuple):
    """What a finished command left behind, under the names of `subprocess.CompletedProcess`."""

    returncode: int
    stdout: str
    stderr: str


def saccade(*arguments: str | Path, folder: Path | None = None, **environment: str) -> CommandResult:
    """Calls the command's own `main`, so that exit codes and error sentences are the real ones.

    folder: where the command runs (the present folder otherwise). environment: variables that are set meanwhile.
    """
    here = Path.cwd()
    with (
        CliRunner().isolation(env={"SACCADE_ENGINE": "inline", **environment}) as (out, err, _),
        patch.object(sys, "argv", ["saccade", *map(str, arguments)]),
    ):
        os.chdir(folder or here)
        try:
            main()
            code = 0
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(end.code is not None)
        finally:
            os.chdir(here)
        sys.stdout.flush()
        sys.stderr.flush()
        return CommandResult(code, out.getvalue().decode(), err.getvalue().decode())
