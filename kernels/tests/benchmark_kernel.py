"""How long the kernel takes to its first answer, and how much memory it holds after two cells.

    .venv/bin/python kernels/tests/benchmark_kernel.py [--runs 7] [--options "-Xmx512m …"]

Prints each run and the medians. "First answer" is from the start of the process until `1 + 1` is answered; "memory" is
the resident set of the JVM once that cell and one that imports and runs Futures are done. Linux and macOS.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time

import psutil
from jupyter_client.manager import KernelManager

KERNEL = "scala-course"
SECOND_CELL = """import scala.concurrent._, duration._, ExecutionContext.Implicits.global
val answer = Await.result(Future(41).map(_ + 1), 5.seconds)"""


def measure() -> tuple[float, float, float]:
    """One kernel: seconds to the first answer, seconds of the second cell, resident megabytes after both."""
    manager = KernelManager(kernel_name=KERNEL)
    started = time.perf_counter()
    manager.start_kernel()
    client = manager.client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=60)
        answer(client, "1 + 1")
        first = time.perf_counter() - started
        second_started = time.perf_counter()
        answer(client, SECOND_CELL)
        second = time.perf_counter() - second_started
        return first, second, psutil.Process(manager.provisioner.pid).memory_info().rss / 2**20
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def answer(client, code: str) -> None:
    reply = client.execute_interactive(code, timeout=60, output_hook=lambda _: None)
    if reply["content"]["status"] != "ok":
        raise SystemExit(f"the cell failed: {code}: {reply['content']}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=7, help="kernels to start, one after the other (after one that is not counted)")
    parser.add_argument("--options", default="", help="more JVM options, to compare")
    arguments = parser.parse_args()
    if arguments.options:
        os.environ["JDK_JAVA_OPTIONS"] = arguments.options
    measure()
    runs = []
    for number in range(arguments.runs):
        runs.append(measure())
        print(f"run {number + 1}: first answer {runs[-1][0]:.2f} s, second cell {runs[-1][1]:.2f} s, {runs[-1][2]:.0f} MB", flush=True)
    first, second, memory = (statistics.median(column) for column in zip(*runs, strict=True))
    print(f"median: first answer {first:.2f} s, second cell {second:.2f} s, resident memory after two cells {memory:.0f} MB")


if __name__ == "__main__":
    main()
