"""What the command starts ends with it, and what that started, too."""

from __future__ import annotations

import signal
import subprocess
import sys

import psutil
import pytest
from command import children
from conftest import ROOT

# Starts a program, says which one, and doesn't end by itself nor when it is asked to.
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
from command import children, main
show = lambda line: print(line, flush=True)
sys.modules["command.doctor"] = types.SimpleNamespace(main=lambda: children.run({PARENT!r}, each_line=show)[0])
raise SystemExit(main.main(["doctor"]))
"""
    argv = [sys.executable, "-c", script]
    command = subprocess.Popen(
        argv,
        cwd=ROOT / "kernels",
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),  # whoever started the tests may ignore it, and hand that down
    )
    assert command.stdout
    grandchild = psutil.Process(int(command.stdout.readline()))
    family = [grandchild, grandchild.parent()]
    command.send_signal(number)
    _, said = command.communicate(timeout=20)
    assert command.returncode == 130, said
    assert "Traceback" not in said
    assert psutil.wait_procs(family, timeout=10)[1] == []
