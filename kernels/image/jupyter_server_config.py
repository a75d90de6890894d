"""What a setting of the container asks of Jupyter's server; what it needs always stands in the JSON files beside this and in ../jupyter."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))  # the package `command`

from command.base.problem import Problem
from command.learner import solutions

try:
    for option, value in solutions.options().items():
        section, name = option.removeprefix("--").split(".")
        c[section][name] = value  # noqa: F821 - Jupyter's configuration
except Problem as problem:
    sys.exit(problem.told())
