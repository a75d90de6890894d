"""Prepares the environment and the command line of the installed Python's programs, and lets the command become one of them."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn

from ..base import children
from ..base.machine import in_words
from ..base.paths import BUILD, KERNELS, RUNTIME
from .stages import Course

BECOME = KERNELS / "command" / "setup" / "become.py"


def environment(course: Course, **more: str) -> dict[str, str]:
    """Returns the environment in which Jupyter finds this course's kernel first and leaves no files elsewhere."""
    # The used Python is complete, so other packages of the user must not get into it.
    env = {**children.without(os.environ, "PYTHONHOME", "PYTHONPATH"), **more}
    if env.get("COURSE_RECORD", "").strip():
        env["COURSE_RECORD"] = in_words(env)  # for what pages record
    env["JUPYTER_PREFER_ENV_PATH"] = "1"
    env.setdefault("JUPYTER_RUNTIME_DIR", str(RUNTIME))
    if BUILD in course.spec.parents:  # the used Python wasn't writable
        env["JUPYTER_PATH"] = os.pathsep.join([str(BUILD / "jupyter"), *filter(None, [env.get("JUPYTER_PATH")])])
    folder = course.python.program.parent
    env["PATH"] = os.pathsep.join([str(folder), env.get("PATH", "")])
    return env


def module(course: Course, name: str, *words: str) -> list[str | Path]:
    """Returns the command line that runs a module on the installed Python, and replaces a damaged clone's traceback by a message."""
    return [course.python.program, BECOME, name, *words]


def hand_over(argv: Sequence[str | Path], env: Mapping[str, str]) -> NoReturn:
    """Replaces this process by another program, so that signals reach it directly. Raises an OSError if there is no such program."""
    sys.stdout.flush()
    sys.stderr.flush()
    os.execve(argv[0], [str(word) for word in argv], dict(env))
