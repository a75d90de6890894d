"""Measures how long kernels take to their first answer, and how much memory they use after two cells.

    .venv/bin/python kernels/tools/benchmark_kernel.py [--runs 7] [--kernels scala-course,almond] [--options "-Xmx512m …"]

Prints each run and the medians. Several kernels take turns, so that a busy minute affects all of them. "Ready" is the time from the start
of the process until the kernel answers the request for its info. "First answer" is the time until `1 + 1` is answered. "Memory" is the
JVM's resident set after that cell and a second one, which imports and runs Futures, and again after a pause. Works on Linux and macOS.

To compare with an unmodified Almond, write a kernelspec that starts Almond's launcher, and name it. `jupyter kernelspec list` shows the
folders.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from dataclasses import astuple, dataclass

import psutil
from jupyter_client.manager import KernelManager

PAUSE = 25  # seconds, long enough for two trims (see `trim_options` in java.py)
SECOND_CELL = """import scala.concurrent._, duration._, ExecutionContext.Implicits.global
val answer = Await.result(Future(41).map(_ + 1), 5.seconds)"""


@dataclass(frozen=True)
class Start:
    """Describes one start of a kernel: the seconds until ready, until the first answer and for the second cell, and the memory in MB after
    that cell and after the pause."""

    ready: float
    first: float
    second: float
    megabytes: float
    rested: float

    def __str__(self) -> str:
        return (
            f"ready {self.ready:.2f} s, first answer {self.first:.2f} s, second cell {self.second:.2f} s, "
            f"resident memory after two cells {self.megabytes:.0f} MB, {PAUSE} s later {self.rested:.0f} MB"
        )


def measure(kernel: str) -> Start:
    manager = KernelManager(kernel_name=kernel)
    started = time.perf_counter()
    manager.start_kernel()
    client = manager.client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=60)
        ready = time.perf_counter() - started
        answer(client, "1 + 1")
        first = time.perf_counter() - started
        second_started = time.perf_counter()
        answer(client, SECOND_CELL)
        second = time.perf_counter() - second_started
        process = psutil.Process(manager.provisioner.pid)
        megabytes = process.memory_info().rss / 2**20
        time.sleep(PAUSE)
        return Start(ready, first, second, megabytes, process.memory_info().rss / 2**20)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def answer(client, code: str) -> None:
    reply = client.execute_interactive(code, timeout=60, output_hook=lambda _: None)
    if reply["content"]["status"] != "ok":
        raise SystemExit(f"the cell failed: {code}: {reply['content']}")


def median(starts: list[Start]) -> Start:
    return Start(*(statistics.median(column) for column in zip(*map(astuple, starts), strict=True)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=7, help="starts of each kernel, after one that is not counted")
    parser.add_argument(
        "--kernels",
        default="scala-course",
        help="kernelspecs, separated by commas; the first is compared with the others",
    )
    parser.add_argument("--options", default="", help="additional JVM options")
    arguments = parser.parse_args()
    if arguments.options:
        os.environ["JDK_JAVA_OPTIONS"] = arguments.options
    kernels = arguments.kernels.split(",")
    for kernel in kernels:
        measure(kernel)
    starts: dict[str, list[Start]] = {kernel: [] for kernel in kernels}
    for number in range(arguments.runs):
        for kernel in kernels:
            starts[kernel].append(measure(kernel))
            print(f"run {number + 1}: {kernel}: {starts[kernel][-1]}", flush=True)
    for kernel in kernels:
        print(f"median: {kernel}: {median(starts[kernel])}")
    for other in kernels[1:]:
        print(f"first answer of {kernels[0]}: {median(starts[kernels[0]]).first / median(starts[other]).first:.2f} of that of {other}")


if __name__ == "__main__":
    main()
