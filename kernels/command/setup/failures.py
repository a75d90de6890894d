"""What is said about an error that ends a verb."""

from __future__ import annotations

import sys

from ..base import children
from ..base.command_line import Misuse
from ..base.paths import shown
from ..base.problem import AGAIN, Problem, behind
from ..dependencies import python_env


def tell(error: Exception) -> int:
    """Says what to do about an error that ended a verb, and returns the exit code. Raises the error again if nothing is known of it.

    What a tool says of itself (`details`) may come of damage that the quick look before each verb doesn't see.
    """
    problem = behind(error)
    if problem is None or problem.details:
        problem = damaged_packages() or problem
    if problem is None:
        raise error
    sys.stderr.write("\n" + problem.told())
    return 2 if isinstance(problem, Misuse) else 1


def damaged_packages() -> Problem | None:
    """The problem of an installed Python that claims to be complete and isn't."""
    try:
        python = python_env.ready(tests=False)
        found = python_env.damage(python) if python else ""
    except (Problem, OSError, children.Stopped):  # after another part failed, no program is started any more
        return None
    what = f"{shown(python.prefix)} is {found}." if python else ""
    return Problem(what, f"Run `kernels/course setup`, which repairs it, {AGAIN}") if found else None
