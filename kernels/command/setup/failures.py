"""Reports the error that ended a verb."""

from __future__ import annotations

import sys

from ..base import children
from ..base.command_line import Misuse
from ..base.paths import shown
from ..base.problem import AGAIN, Problem, behind
from ..dependencies import python_env


def tell(error: Exception) -> int:
    """Reports the remedy for an error that ended a verb, and returns the exit code. Raises the error again if there is no known remedy.

    If a tool reported the error (`details`), its cause may be damage that the quick check before each verb doesn't see.
    """
    problem = behind(error)
    if problem is None or problem.details:
        problem = damaged_packages() or problem
    if problem is None:
        raise error
    sys.stderr.write("\n" + problem.told())
    return 2 if isinstance(problem, Misuse) else 1


def damaged_packages() -> Problem | None:
    """Returns the Problem of an installed Python that is marked complete but damaged, or None."""
    try:
        python = python_env.ready(tests=False)
        found = python_env.damage(python) if python else ""
    except (Problem, OSError, children.Stopped):  # Stopped comes if another part has already failed
        return None
    what = f"{shown(python.prefix)} is {found}." if python else ""
    return Problem(what, f"Run `kernels/course setup`, which repairs it, {AGAIN}") if found else None
