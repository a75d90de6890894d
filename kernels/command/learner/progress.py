"""Implements `progress`, which shows this reader's progress as page 00 does. It starts the lab's `lab/src/page/Progress.scala`."""

from __future__ import annotations

import os
from argparse import Namespace

from ..dependencies.jars import Definition, Lock
from ..pages import former
from ..setup import kernel
from ..setup.compile import jar_of, module_path
from ..setup.programs import environment, hand_over
from ..setup.stages import set_up_first

MAIN = "lab.page.ProgressInATerminal"


def main(given: Namespace) -> int:
    """Prints pages opened, claims tried, exercises solved and the next step. Raises a Problem if the set-up fails."""
    course = set_up_first()
    former.migrate()
    definition = Definition.read()
    path = [jar_of("lab"), *module_path(definition, Lock.read(), "lab", course.files)]
    options = [*kernel.options(course.choice, course.java), "-XX:TieredStopAtLevel=1"]
    return hand_over([course.java.program, *options, "-cp", os.pathsep.join(map(str, path)), MAIN], environment(course))
