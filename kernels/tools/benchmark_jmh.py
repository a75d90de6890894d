"""Compares a `%%jmh` cell with JMH's own command line: the scores, and the time.

    .venv/bin/python kernels/tools/benchmark_jmh.py [--rounds 3] [--options "-f 2 -wi 3 …"]

Each round compiles and runs the same source twice, first by hand (scalac, JMH's generator, ecj and JMH, one after the other) and then as a
new cell. Then it runs the cell again, which finds its classes. Prints each round's scores and seconds, and the medians. Deletes the
benchmarks that were compiled before.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from jupyter_client.manager import start_new_kernel

ROOT = Path(__file__).resolve().parent.parent.parent
TOOLS = json.loads((ROOT / ".build" / "installation.json").read_text())
SCALA = "2.13.18"
OPTIONS = "-f 2 -wi 3 -w 500ms -i 5 -r 500ms -bm avgt -tu us"
HEAP = "-Xmx384m"  # as in lab.magic.jmh.Run
SOURCE = """package fidelity
// {round}
import org.openjdk.jmh.annotations._

@State(Scope.Benchmark)
class Sorting {{
  val numbers = new scala.util.Random(1).shuffle((1 to 1000).toVector).toArray

  @Benchmark def sorted(): Array[Int] = {{ val copy = numbers.clone; java.util.Arrays.sort(copy); copy }}
}}
"""
Score = tuple[float, float]


def java(*words: str | Path, jvm: Sequence[str] = ()) -> None:
    program = Path(TOOLS["jdks"]["25"]) / "bin" / "java"
    done = subprocess.run([program, *jvm, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise SystemExit(done.stdout)


def by_hand(source: str, options: str) -> tuple[Score, float, float]:
    """Returns the score, the seconds of the three compiling steps, and the seconds of JMH."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        classes, stubs = folder / "classes", folder / "stubs"
        classes.mkdir()
        stubs.mkdir()
        (folder / "Source.scala").write_text(source)
        library = next(jar for jar in TOOLS["scalac"][SCALA] if "scala-library" in jar)
        path = os.pathsep.join([*TOOLS["jmh"], library])
        run_path = os.pathsep.join([str(classes), path])
        began = time.perf_counter()
        java("-cp", os.pathsep.join(TOOLS["scalac"][SCALA]), "scala.tools.nsc.Main", "-cp", path, "-d", classes, folder / "Source.scala")
        java("-cp", path, "org.openjdk.jmh.generators.bytecode.JmhBytecodeGenerator", classes, stubs, classes, "default")
        ecj = ["org.eclipse.jdt.internal.compiler.batch.Main", "-11", "-nowarn", "-proc:none"]
        java("-cp", path, *ecj, "-cp", run_path, "-d", classes, stubs)
        compiled = time.perf_counter()
        result = folder / "result.json"
        java("-cp", run_path, "org.openjdk.jmh.Main", *options.split(), "-rf", "json", "-rff", result, jvm=[HEAP])
        ended = time.perf_counter()
        metric = json.loads(result.read_text())[0]["primaryMetric"]
        return (metric["score"], metric["scoreError"]), compiled - began, ended - compiled


def in_cell(client, source: str, options: str) -> tuple[Score, float]:
    """Returns the score and the cell's seconds."""
    began = time.perf_counter()
    execute(client, f"%%jmh {options}\n{source}")
    seconds = time.perf_counter() - began
    text = execute(client, 'val score = results("sorted"); println(s"${score.score} ${score.error}")')
    score, error = map(float, text.split())
    return (score, error), seconds


def execute(client, code: str) -> str:
    printed: list[str] = []

    def hook(message) -> None:
        if message["msg_type"] == "stream":
            printed.append(message["content"]["text"])

    reply = client.execute_interactive(code, timeout=600, output_hook=hook)
    if reply["content"]["status"] != "ok":
        raise SystemExit(f"the cell failed: {reply['content']}")
    return "".join(printed)


def told(score: Score) -> str:
    return f"{score[0]:.3f} ± {score[1]:.3f} us/op"


def agree(one: Score, other: Score) -> bool:
    return abs(one[0] - other[0]) <= one[1] + other[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--options", default=OPTIONS, help="JMH's options for both ways")
    arguments = parser.parse_args()
    shutil.rmtree(ROOT / ".build" / "jmh", ignore_errors=True)
    manager, client = start_new_kernel(kernel_name="scala-course")
    try:
        execute(client, "1 + 1")
        seconds: list[tuple[float, float, float, float]] = []
        agreed = 0
        for number in range(arguments.rounds):
            source = SOURCE.format(round=f"round {number}")
            own, compiling, running = by_hand(source, arguments.options)
            fresh, cold = in_cell(client, source, arguments.options)
            again, warm = in_cell(client, source, arguments.options)
            agreed += agree(own, fresh) + agree(own, again)
            seconds.append((compiling, running, cold, warm))
            print(f"round {number + 1}: by hand {told(own)}, {compiling:.1f} s + {running:.1f} s", end="; ")
            print(f"cell {told(fresh)}, {cold:.1f} s; cell again {told(again)}, {warm:.1f} s", flush=True)
        compiling, running, cold, warm = (statistics.median(column) for column in zip(*seconds, strict=True))
        print(f"{agreed} of {2 * arguments.rounds} cells agree with JMH's own score within the errors")
        print(
            f"median: by hand {compiling:.1f} s compiling and {running:.1f} s running; the cell {cold:.1f} s, already compiled {warm:.1f} s"
        )
        print(
            f"the cell takes {cold / (compiling + running):.2f} × the whole by hand; already compiled {warm / running:.2f} × JMH's own run"
        )
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


if __name__ == "__main__":
    main()
