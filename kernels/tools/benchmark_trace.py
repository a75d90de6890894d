"""Measures the cost of a Trace per task. JMH runs kernels/lab/benchmark/TraceCost.scala against the compiled lab.

    .venv/bin/python kernels/tools/benchmark_trace.py [JMH options, for example -f 1 -wi 2]

Needs a finished set-up, and fetches JMH itself. Prints JMH's report, and then the nanoseconds that recording adds. The default is 3 forks,
each with 4 iterations of 1 s to warm up and 5 to measure, which takes about two minutes.
"""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from command.base.paths import BUILD, KERNELS
from command.dependencies import coursier, jars
from command.setup import stages
from command.setup.compile import SCALAC, jar_of

DEFAULT = ["-f", "3", "-wi", "4", "-w", "1", "-i", "5", "-r", "1"]
# The kernel's collector, and a heap large enough for the traces of a round.
FORK = "-XX:+UseSerialGC -Xmx512m"
WORK = BUILD / "benchmark-trace"


def path(*parts: str | Path) -> str:
    return os.pathsep.join(map(str, parts))


def main(options: list[str]) -> None:
    course, lock = stages.set_up(), jars.Lock.read()
    tool = coursier.Coursier(course.python, course.java, lock.coursier)
    files = jars.fetch(tool, lock, ["jmh", "scalac", "lab"])
    jmh, scalac, lab = (jars.class_path(lock, name, files) for name in ("jmh", "scalac", "lab"))
    shutil.rmtree(WORK, ignore_errors=True)
    classes, stubs, resources = (WORK / name for name in ("classes", "stubs", "resources"))
    for folder in (classes, stubs, resources):
        folder.mkdir(parents=True)
    libraries = path(classes, jar_of("lab"), *lab, *jmh)

    def java(*words: str | Path) -> None:
        subprocess.run([course.java.program, *words], check=True)

    # JMH's generator writes Java sources. ecj compiles them, because the runtime has no javac.
    sources = sorted((KERNELS / "lab" / "benchmark").glob("*.scala"))
    java("-cp", path(*scalac), SCALAC, "-cp", libraries, "-d", classes, *sources)
    java("-cp", libraries, "org.openjdk.jmh.generators.bytecode.JmhBytecodeGenerator", classes, stubs, resources, "default")
    compiler = "org.eclipse.jdt.internal.compiler.batch.Main"
    java("-cp", path(*jmh), compiler, "-11", "-nowarn", "-proc:none", "-cp", libraries, "-d", classes, stubs)
    shutil.copytree(resources, classes, dirs_exist_ok=True)
    report = WORK / "report.json"
    words = ["-jvmArgs", FORK, "-rf", "json", "-rff", str(report), *(options or DEFAULT)]
    java("-cp", libraries, "org.openjdk.jmh.Main", "TraceCost", *words)
    tell(json.loads(report.read_text()))


def tell(report: list[dict]) -> None:
    scores = {run["benchmark"].rpartition(".")[2]: run["primaryMetric"] for run in report}
    for pool in ("direct", "global"):
        bare, traced = scores[f"{pool}Bare"], scores[f"{pool}Traced"]
        added = traced["score"] - bare["score"]
        # An error is "NaN" if there was only one measurement.
        error = math.hypot(float(bare["scoreError"]), float(traced["scoreError"]))
        print(f"{pool}: recording adds {added:.0f} ± {error:.0f} ns per task ({bare['score']:.0f} bare, {traced['score']:.0f} traced)")


if __name__ == "__main__":
    main(sys.argv[1:])
