"""Tests that the command's child processes, and their children, end with it."""

from __future__ import annotations

import contextlib
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from command.base import children
from conftest import ROOT

# Starts a program, prints its id, and doesn't end by itself or on SIGTERM.
PARENT = ["sh", "-c", "trap '' TERM; sleep 1000 & echo $!; wait; wait"]


def test_a_program_past_its_limit_is_ended_with_all_that_it_started() -> None:
    started: list[psutil.Process] = []
    code, _ = children.run(PARENT, each_line=lambda line: started.append(psutil.Process(int(line))), limit=1)
    assert code == -1
    assert psutil.wait_procs(started, timeout=10)[1] == [] and started


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_to_the_command_reaches_what_its_programs_started(number: signal.Signals) -> None:
    script = f"""
import sys, types
from command import main
from command.base import children
show = lambda line: print(line, flush=True)
sys.modules["command.setup.doctor"] = types.SimpleNamespace(main=lambda given: children.run({PARENT!r}, each_line=show)[0])
raise SystemExit(main.main(["doctor"]))
"""
    argv = [sys.executable, "-c", script]
    command = subprocess.Popen(
        argv,
        cwd=ROOT / "kernels",
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(
            number, signal.SIG_DFL
        ),  # the process that started the tests may ignore it, and children inherit that
    )
    assert command.stdout
    grandchild = psutil.Process(int(command.stdout.readline()))
    family = [grandchild, grandchild.parent()]
    command.send_signal(number)
    _, said = command.communicate(timeout=20)
    assert command.returncode == 130, said
    assert "Traceback" not in said
    assert psutil.wait_procs(family, timeout=10)[1] == []


# A program that ends and leaves another one with its standard output, in its own process group or in another one.
LEAVERS = {"in its group": "sleep 1000 & echo $!"} | ({"in another group": "setsid sleep 1000 & echo $!"} if shutil.which("setsid") else {})


@pytest.mark.parametrize("leaver", LEAVERS.values(), ids=LEAVERS.keys())
def test_a_program_that_ended_is_not_waited_for_because_of_what_it_left_behind(leaver: str) -> None:
    script = f"from command.base import children; print(children.run(['sh', '-c', {leaver!r} + '; printf torn; exit 7']))"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT / "kernels", capture_output=True, text=True, timeout=30)
    found = re.fullmatch(r"\(7, '(\d+)\\ntorn'\)\n", done.stdout)
    assert found, done.stdout + done.stderr
    with contextlib.suppress(psutil.NoSuchProcess):
        left = psutil.Process(int(found[1]))
        if "setsid" in leaver:
            left.kill()
        left.wait(10)


def test_every_line_comes_whole_however_it_was_written() -> None:
    seen: list[str] = []
    writer = "import os, time\nfor part in (b'a\\xc3', b'\\xa4b\\r', b'\\nsecond\\rthird\\n', b'\\xff'): os.write(1, part); time.sleep(0.1)"
    assert children.run([sys.executable, "-c", writer], each_line=seen.append) == (0, "aäb\nsecond\nthird\n\ufffd")
    assert seen == ["aäb", "second", "third", "\ufffd"]


AUTOGROUPS = Path("/proc/sys/kernel/sched_autogroup_enabled")


# What a program prints about its own niceness and its session's, after `children.run` has had the time to change the session.
SHOW = "import os, pathlib, time; time.sleep(0.5); print(os.nice(0), pathlib.Path('/proc/self/autogroup').read_text().split()[-1])"
with_autogroups = pytest.mark.skipif(
    not AUTOGROUPS.exists() or AUTOGROUPS.read_text().strip() != "1", reason="this system has no autogroups"
)


def shown_by(script: str) -> list[str]:
    """Returns the words that a Python program prints. In it, `show` runs a program and prints its niceness and its session's."""
    show = f"show = lambda: print(children.run([sys.executable, '-c', {SHOW!r}])[1])"
    given = f"import os, sys, threading\nfrom command.base import children\n{show}\n"
    done = subprocess.run(
        [sys.executable, "-c", given + script], cwd=ROOT / "kernels", capture_output=True, text=True, timeout=30, check=True
    )
    return done.stdout.split()


@with_autogroups
def test_programs_are_as_nice_as_the_process_that_starts_them() -> None:
    """Each program has its own session, and Linux compares niceness only inside a session."""
    assert shown_by("os.nice(7); show()") == ["7", "7"]


@with_autogroups
def test_only_the_programs_of_the_thread_that_gives_way_are_nicer() -> None:
    """The set-up ends by becoming JupyterLab, which would be as nice as its main thread."""
    gives_way = "thread = threading.Thread(target=lambda: (children.give_way(5), show())); thread.start(); thread.join()"
    assert shown_by(f"{gives_way}; show()") == ["5", "5", "0", "0"]
