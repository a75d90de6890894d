"""Tests that set-up can be killed at any moment and then simply be run again."""

from __future__ import annotations

import signal
import subprocess
import time

import psutil
from conftest import awaited

# Messages with which set-up begins a step. Each is a moment for a kill.
MOMENTS = ("JARs: fetching", "Compiling lab", "Kernel: warming up")


def wait_for(child: subprocess.Popen[str], words: str) -> bool:
    """Reads the child's progress up to the line that contains these words. Returns whether there is one."""
    return any(words in line for line in child.stderr)


def test_killed_again_and_again_it_still_ends_well(clone_with_coursier):
    clone = clone_with_coursier
    for moment in MOMENTS:
        child = clone.start("setup", COURSE_KERNEL="ammonite")
        assert wait_for(child, moment), moment
        time.sleep(0.3)  # some way into the step, because a kill at any moment must be harmless
        child.send_signal(signal.SIGKILL)
        child.wait(10)
        child.stderr.close()
    done = clone.run("setup", COURSE_KERNEL="ammonite")
    assert done.code == 0, done.said
    assert "Ready after" in done.err
    leftovers = [path.name for path in (clone.folder / ".build").rglob("*") if path.name.endswith((".part", ".args"))]
    assert leftovers == []
    quick = clone.run("setup", COURSE_KERNEL="ammonite")
    assert quick.code == 0
    assert [line for line in quick.err.splitlines() if "Ready" not in line] == []


def test_an_interrupt_leaves_nothing_running(clone_with_coursier):
    child = clone_with_coursier.start("setup", COURSE_KERNEL="ammonite")
    assert wait_for(child, "Compiling lab")
    assert awaited(lambda: psutil.Process(child.pid).children(recursive=True), 20)
    family = psutil.Process(child.pid).children(recursive=True)
    child.send_signal(signal.SIGINT)
    rest = child.stderr.read()
    assert child.wait(20) == 130
    assert "Interrupted" in rest
    assert "Traceback" not in rest
    _, alive = psutil.wait_procs(family, timeout=10)
    assert alive == []


def test_a_foreign_active_python_is_not_used(clone, tmp_path):
    """Checks that set-up makes a separate .venv if the active Python lacks a package."""
    script = "import sys; sys.path.insert(0, 'kernels'); from command.dependencies import python_env; print(python_env.active(False))"
    env = clone.environment()
    ours = subprocess.run([clone.python, "-c", script], cwd=clone.folder, env=env, capture_output=True, text=True, timeout=30)
    assert "every locked package" in ours.stdout, ours.stderr
    lock = clone.folder / "kernels" / "locks" / "python.txt"
    lock.write_text(lock.read_text().replace("nbclient==", "nbclient==99."))
    other = subprocess.run([clone.python, "-c", script], cwd=clone.folder, env=env, capture_output=True, text=True, timeout=30)
    assert other.stdout.strip() == "None", other.stderr
