"""Reads the setting that keeps solutions closed until their exercises have been tried (closed_solutions.py)."""

from __future__ import annotations

import os
from collections.abc import Mapping

from ..base.problem import Problem

SETTING, CLOSED = "COURSE_SOLUTIONS", "after-an-attempt"


def stay_closed(env: Mapping[str, str] = os.environ) -> bool:
    """Returns whether solutions stay closed. Raises a Problem if the setting is invalid."""
    value = env.get(SETTING, "").strip().lower()
    if value not in ("", "open", CLOSED):
        raise Problem(
            f"{SETTING} is {env[SETTING]!r}; it can be 'open' or {CLOSED!r}.",
            "Set it to one of the two, or unset it to open the solutions.",
        )
    return value == CLOSED


def options(env: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Returns Jupyter's command-line options for closed solutions. Raises a Problem if the setting is invalid."""
    return {"--ServerApp.contents_manager_class": "command.learner.closed_solutions.ClosedSolutions"} if stay_closed(env) else {}
