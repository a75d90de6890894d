"""Records the noise of this machine, with which tests simulate how verdicts are reached. Can also act as a busy neighbour.

    kernels/tools/noise.py compile                                   compiles the lab repeatedly, on one CPU, until you stop it
    COURSE_RECORD="the machine in words" kernels/tools/noise.py quiet [ROUNDS]   writes data/recorded/noise-quiet.csv
    COURSE_RECORD="the machine in words" kernels/tools/noise.py busy [ROUNDS]    the same next to such a compiler: noise-busy.csv

Run it with the installed Python (.venv/bin/python) after `kernels/course test lint`. A recording of 300 rounds takes nine minutes.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "kernels"))

import old_versions  # noqa: E402
from command.dependencies import jars  # noqa: E402
from command.pages import neighbour, settings  # noqa: E402
from command.setup import compile, kernel, stages  # noqa: E402

ROUNDS = 300


def course() -> tuple[stages.Workshop, dict[str, Path]]:
    shop = stages.Workshop.open(tests=True)
    files: dict[str, Path] = {}
    for name in stages.wanted_sets(shop.definition) + stages.test_sets(shop.definition):
        files |= jars.fetched(shop.lock, [name]) or {}
    return shop, files


def record(what: str, rounds: int) -> None:
    on = old_versions.machine()
    shop, files = course()
    path = [compile.jar_of("lab-test"), *compile.module_path(shop.definition, shop.lock, "lab-test", files)]
    jvm = [shop.java.program, *kernel.options(kernel.remembered(shop.definition), shop.java), "-cp", os.pathsep.join(map(str, path))]
    file = ROOT / "data" / "recorded" / f"noise-{what}.csv"
    with settings.applied(settings.Setting(next_to=settings.COMPILER if what == "busy" else settings.QUIET), {}):
        code = subprocess.run([*jvm, "lab.measure.NoiseRecorder", str(file), str(rounds), on], cwd=ROOT).returncode
    if code:
        sys.exit(code)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["compile"]:
            neighbour.compile_lab()
        case ["quiet" | "busy" as what, *rounds]:
            record(what, int(rounds[0]) if rounds else ROUNDS)
        case _:
            sys.exit(__doc__)
