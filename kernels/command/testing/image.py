"""Implements `image`, which builds the Dockerfile and tries the container with the CPU and the memory that Binder gives it.

Docker or Podman runs it. The measurements are in `.build/image/report.json`, next to the log of the build.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import socket
import sys
import time
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from ..base import children
from ..base.files import write_whole
from ..base.paths import BUILD, ROOT, TESTS
from ..base.problem import Problem
from ..base.say import say
from ..pages import notebooks
from ..setup.programs import environment
from ..setup.stages import Course, set_up

TAG = "which-thread"
FOLDER = BUILD / "image"
REPORT = FOLDER / "report.json"
EXECUTED = FOLDER / "run"  # the pages that the container executed, with report and ledger, named as in .build/run
BUILD_LOG = FOLDER / "build.log"
CPUS, MEMORY = 1, "2g"  # Binder's limits for a session
LARGEST = 950  # MB, unpacked
MOST_MEMORY = 1638  # MiB (1.6 GiB) for JupyterLab, a kernel and its child processes
# Certificates that this machine's administrator added to Debian's. Behind a company's proxy, the build needs them, too.
ADDED_CERTIFICATES = Path("/usr/local/share/ca-certificates")
BINDERS_ADDRESS = "/user/a-reader/"
JUPYTERS_PORT = 8888  # the only port that may be open to other machines
WATCHED = "/tmp/watched.json"


# ---- the engine


@dataclass(frozen=True)
class Engine:
    """Runs Docker, or Podman, which has the same commands."""

    program: str

    def run(self, *words: str | Path, each_line: Callable[[str], None] | None = None, limit: float | None = None) -> tuple[int, str]:
        return children.run([self.program, *words], each_line=each_line, limit=limit)

    def answer(self, *words: str | Path) -> str:
        """Returns the engine's output. Raises a Problem if the engine fails."""
        code, output = self.run(*words)
        if code:
            raise Problem(
                f"{self.program} {' '.join(map(str, words[:2]))} failed (exit code {code}).",
                f"Check that `{self.program} info` succeeds, then run the command again.",
                "\n".join(output.strip().splitlines()[-15:]),
            )
        return output


def engine() -> Engine | None:
    """Returns the first engine that works, or None. Docker's client is often installed without its engine."""
    for program in ("docker", "podman"):
        if shutil.which(program) and children.run([program, "info"], limit=60)[0] == 0:
            return Engine(program)
    return None


def needed_engine() -> Engine:
    """Returns Docker or Podman. Raises a Problem if neither works."""
    found = engine()
    if not found:
        raise Problem(
            "Neither Docker nor Podman works here.",
            "Install one (Debian, Ubuntu: apt-get install podman) and check that `docker info` or `podman info` succeeds, "
            "then run the command again.",
        )
    return found


# ---- building


def build(docker: Engine) -> dict[str, Any]:
    """Builds the image. Returns the seconds, and the unpacked size in MB (a million bytes). Raises a Problem if the build fails."""
    say(f"Image: building with {docker.program}")
    began = time.monotonic()
    certificates: list[str] = []
    if docker.program == "podman" and any(ADDED_CERTIFICATES.glob("*.crt")):
        say(f"Image: it also trusts the certificates of {ADDED_CERTIFICATES}, so use it only for tests and don't publish it")
        certificates = ["--volume", f"{ADDED_CERTIFICATES}:{ADDED_CERTIFICATES}:ro"]
    # Docker's image format, because the OCI format has no health check.
    podmans = ["--format", "docker", *certificates] if docker.program == "podman" else []
    code, output = docker.run("build", *podmans, "--tag", TAG, ROOT)
    write_whole(BUILD_LOG, output)
    if code:
        raise Problem(
            f"Building the image failed (exit code {code}).",
            f"Correct what the log {BUILD_LOG} reports, then run the command again: finished steps are kept.",
            "\n".join(output.strip().splitlines()[-15:]),
        )
    seconds = time.monotonic() - began
    size = int(docker.answer("image", "inspect", "--format", "{{.Size}}", TAG)) / 1e6
    say(f"Image: built in {seconds:.0f} s, {size:.0f} MB unpacked")
    return {"build_seconds": round(seconds), "size_mb": round(size)}


# ---- running


class Container:
    """Runs programs in one container of the image, under Binder's limits."""

    def __init__(self, docker: Engine, name: str) -> None:
        self.docker, self.name = docker, name

    def execute(self, *words: str, each_line: Callable[[str], None] | None = None) -> tuple[int, str]:
        return self.docker.run("exec", self.name, *words, each_line=each_line)

    def read(self, path: str) -> Any:
        """Returns the content of a JSON file in the container. Raises a Problem if it is missing or torn."""
        text = self.docker.answer("exec", self.name, "cat", path)
        try:
            return json.loads(text)
        except ValueError as error:
            raise Problem(
                f"{path} in the container is torn ({error}).", "Check that the disk has space, then run the command again.", text
            ) from None

    def watch(self) -> None:
        """Starts to record the container's memory and the ports that it opens."""
        self.docker.answer("exec", "--detach", self.name, "python3", "kernels/image/watch.py", WATCHED)

    def logs(self) -> str:
        return self.docker.run("logs", self.name)[1]

    def await_health(self, patience: float = 120) -> None:
        """Waits until the image's health check finds that JupyterLab answers. Raises a Problem after `patience` seconds."""
        until = time.monotonic() + patience
        while self.execute("python3", "kernels/image/healthy.py")[0]:
            if time.monotonic() > until:
                raise Problem(
                    f"JupyterLab did not answer within {patience:.0f} s in the container.",
                    "Remove the cause that its log above shows.",
                    self.logs()[-2000:],
                )
            time.sleep(0.3)


@contextmanager
def container(docker: Engine, *options: str, command: Sequence[str] = ()) -> Iterator[Container]:
    """Yields a running container, and removes it afterwards. Raises a Problem if it doesn't start."""
    name = f"{TAG}-{os.getpid()}-{secrets.token_hex(2)}"
    limits = [f"--memory={MEMORY}", f"--memory-swap={MEMORY}", f"--cpus={CPUS}"]
    try:  # a container that failed to start also exists and must be removed
        docker.answer("run", "--detach", "--name", name, *limits, *options, TAG, *command)
        yield Container(docker, name)
    finally:
        docker.run("rm", "--force", name)


def longest_first(pages: Sequence[Path]) -> list[Path]:
    """Returns the pages, sorted by their stated run time, longest first. So no container runs alone for long at the end."""

    def minutes(page: Path) -> int:
        found = re.search(r"running (\d+) in the quick profile", page.read_text())
        return int(found[1]) if found else 0

    return sorted(pages, key=minutes, reverse=True)


def tried(docker: Engine, course: Course) -> dict[str, Any]:
    """Returns what the browser tests found, and the results that need no network: health, `doctor`, every page, memory and open ports.

    Containers work in parallel: one for the browser, and others that take the pages in turn, one more when the browser is done. There are
    no more containers than CPUs, because each needs one, and no more than half the pages, so that many CPUs don't need much memory for a
    small gain.
    """
    pages = longest_first(notebooks.pages())
    lanes, waiting = max(1, min(os.cpu_count() or 1, len(pages) // 2)), iter(pages)
    say(f"Image: the browser tests, and every page without a network, in {lanes} container{'s' * (lanes > 1)} at a time")
    shutil.rmtree(EXECUTED, ignore_errors=True)
    with ThreadPoolExecutor(lanes) as pool:
        browser = pool.submit(in_a_browser, docker, course)
        started = [pool.submit(one_session, docker, waiting) for _ in range(lanes)]
        sessions = [found for one in started if (found := one.result())]
    rows = sorted((row for session in sessions for row in session.pop("rows")), key=lambda row: row["page"])
    write_whole(EXECUTED / "report.json", json.dumps(rows, indent=1) + "\n")
    return {
        **sessions[0],
        "pages": {row["page"]: {key: row.get(key) for key in ("status", "seconds", "peak_memory_mb", "error")} for row in rows},
        "pages_passed": all(row["status"] == "ok" for row in rows),
        "peak_memory_mib": max(session["peak_memory_mib"] for session in sessions),
        "ports": sorted({port for session in sessions for port in session["ports"]}),
        **browser.result(),
    }


def one_session(docker: Engine, waiting: Iterator[Path]) -> dict[str, Any] | None:
    """Runs waiting pages in one container, one after the other, with few rounds. Keeps the executed pages in `EXECUTED`.

    Returns None, and starts no container, if no page is waiting.
    """
    rows: list[dict[str, Any]] = []
    if (first := next(waiting, None)) is None:
        return None
    with container(docker, "--network=none") as box:
        box.await_health()
        code, doctor = box.execute("python3", "kernels/course", "doctor")
        hub = box.execute("jupyterhub-singleuser", "--version")
        box.watch()
        for page in chain([first], waiting):
            _, said = box.execute("env", "COURSE_PROFILE=smoke", "python3", "kernels/course", "run", page.stem, each_line=show_progress)
            rows.append(outcome(page.stem, box.read(".build/run/report.json"), said))
            missing, executed = box.execute("cat", f".build/run/{page.name}")
            if not missing:
                write_whole(EXECUTED / page.name, executed)
        watched = box.read(WATCHED)
    return {
        "doctor": "nothing is missing" if code == 0 and "Nothing is missing." in doctor else doctor,
        "jupyterhub": hub[1].strip().splitlines()[-1] if hub[0] == 0 else "",
        "rows": rows,
        "peak_memory_mib": watched["peak_mib"],
        "ports": watched["ports"],
    }


def outcome(page: str, report: list[dict[str, Any]], said: str) -> dict[str, Any]:
    """Returns a page's row of the report, or a failed row if the run ended before it wrote its own report."""
    unknown = {"page": page, "status": "failed", "seconds": 0, "error": "\n".join(said.strip().splitlines()[-15:])}
    return next((row for row in report if row["page"] == page), unknown)


def show_progress(line: str) -> None:
    if re.match(r"\[.*\] (Page |\d\d-[\w-]+: (ok|failed))", line):
        sys.stderr.write(line + "\n")


def in_a_browser(docker: Engine, course: Course) -> dict[str, Any]:
    """Runs the browser tests against a container that is started as on Binder. Returns their result and the seconds to the first plot."""
    port, token = free_port(), secrets.token_hex(16)
    place = [f"--port={port}", f"--ServerApp.base_url={BINDERS_ADDRESS}", f"--IdentityProvider.token={token}"]
    began = time.time()
    with container(docker, f"--publish=127.0.0.1:{port}:{port}", command=["jupyter-lab", "--ip=0.0.0.0", *place]) as box:
        box.await_health()
        healthy = time.time()
        box.watch()
        address = f"http://127.0.0.1:{port}{BINDERS_ADDRESS}lab/tree/notebooks/00-start-here.ipynb?token={token}"
        drawn = FOLDER / "first-plot"
        drawn.unlink(missing_ok=True)
        env = {**environment(course), "COURSE_LAB": address, "COURSE_FIRST_PLOT": str(drawn)}
        argv = [course.python.program, "-m", "pytest", "-p", "no:cacheprovider", "-q", *sorted(TESTS.rglob("test_browser*.py"))]
        code, output = children.run(argv, env, cwd=ROOT)
        memory = box.read(WATCHED)["peak_mib"]
    write_whole(FOLDER / "browser.log", output)
    return {
        "browser_passed": code == 0,
        "browser": output.strip().splitlines()[-1],
        "seconds_to_jupyterlab": round(healthy - began, 1),
        "seconds_to_first_plot": round(float(drawn.read_text()) - began, 1) if drawn.exists() else None,
        "peak_memory_mib_in_the_browser": memory,
    }


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


# ---- all of it


def amiss(found: dict[str, Any]) -> list[str]:
    """Returns a description of each fault."""
    pages = [f"page {name}: {row['error']}" for name, row in found["pages"].items() if row["status"] != "ok"]
    peak = max(found["peak_memory_mib"], found["peak_memory_mib_in_the_browser"])
    checks = [
        (found["size_mb"] <= LARGEST, f"the image has {found['size_mb']} MB, expected at most {LARGEST}"),
        (found["doctor"] == "nothing is missing", f"doctor: {found['doctor']}"),
        (bool(found["jupyterhub"]), "jupyterhub-singleuser doesn't start"),
        (found["pages_passed"], "; ".join(pages) or "kernels/course run failed"),
        (found["ports"] == [JUPYTERS_PORT], f"ports {found['ports']} were open to other machines; expected {JUPYTERS_PORT}, JupyterLab's"),
        (peak <= MOST_MEMORY, f"{peak} MiB were used simultaneously, expected at most {MOST_MEMORY}"),
        (found["browser_passed"], f"the browser tests failed: {FOLDER / 'browser.log'}"),
        (found["seconds_to_first_plot"] is not None, "no plot was drawn"),
    ]
    return [words for good, words in checks if not good]


def summary(found: dict[str, Any]) -> str:
    """Returns the measurements, one per line."""
    pages = ", ".join(f"{name[:2]} {row['seconds']:.0f} s" for name, row in found["pages"].items())
    lines = {**found, "pages": pages, "amiss": len(found["amiss"])}
    return "".join(f"{name.replace('_', ' '):<32}{value}\n" for name, value in lines.items())


def main(given: Namespace) -> int:
    """Builds and tries the image. Returns 1 if there is a fault. Raises a Problem if the image can't be built or tried."""
    docker = needed_engine()
    course = set_up(tests=True)
    found = build(docker)
    found.update(tried(docker, course))
    found["amiss"] = amiss(found)
    write_whole(REPORT, json.dumps(found, indent=1) + "\n")
    sys.stdout.write(summary(found))
    for fault in found["amiss"]:
        sys.stdout.write(f"amiss: {fault}\n")
    return 1 if found["amiss"] else 0
