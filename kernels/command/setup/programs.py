"""Programs of the installed Python: their environment, their command line, and how the command becomes one."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn

from ..base import children
from ..base.paths import BUILD, KERNELS, RUNTIME
from .stages import Course

BECOME = KERNELS / "command" / "setup" / "become.py"


def environment(course: Course, **more: str) -> dict[str, str]:
    """What Jupyter needs to know so that it finds this course's kernel first and leaves no trace elsewhere."""
    # The used Python is complete: what else the user's Python looks for stays out of it.
    env = {**children.without(os.environ, "PYTHONHOME", "PYTHONPATH"), **more}
    env["JUPYTER_PREFER_ENV_PATH"] = "1"
    env.setdefault("JUPYTER_RUNTIME_DIR", str(RUNTIME))
    if BUILD in course.spec.parents:  # the used Python could not be written to
        env["JUPYTER_PATH"] = os.pathsep.join([str(BUILD / "jupyter"), *filter(None, [env.get("JUPYTER_PATH")])])
    folder = course.python.program.parent
    env["PATH"] = os.pathsep.join([str(folder), env.get("PATH", "")])
    return env


def module(course: Course, name: str, *words: str) -> list[str | Path]:
    """The command line that runs a module on the installed Python, and lets no traceback of a damaged clone reach the reader."""
    return [course.python.program, BECOME, name, *words]


def hand_over(argv: Sequence[str | Path], env: Mapping[str, str]) -> NoReturn:
    """Becomes another program, so that signals reach it directly. Raises an OSError where there is no such program."""
    sys.stdout.flush()
    sys.stderr.flush()
    os.execve(argv[0], [str(word) for word in argv], dict(env))
