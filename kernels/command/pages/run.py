"""`run`: set up what is missing, then hand over to the installed Python, which executes the pages."""

from __future__ import annotations

import time

from ..base import say
from ..base.paths import KERNELS
from ..setup.programs import environment, hand_over, module
from ..setup.stages import set_up
from . import notebooks


def main(words: list[str]) -> int:
    """Executes the pages that the words name, or all of them. Raises the Problems of set-up, and one of a page that is not there."""
    pages = notebooks.find(words)
    course = set_up()
    env = environment(course, PYTHONPATH=str(KERNELS), COURSE_BEGAN=str(time.monotonic() - say.elapsed()))
    kernel = f"{course.choice.kernel} {course.choice.version}"
    return hand_over(module(course, "command.pages.execute", kernel, *map(str, pages)), env)
