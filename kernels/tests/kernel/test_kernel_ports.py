"""Tests that no kernel is lost while it starts: because another program took one of its ports after Jupyter chose it, or a clock jumped."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from types import SimpleNamespace

import pytest
from command.base.paths import TESTS
from command.learner.lab import CONFIGURATION
from command.setup import starting
from conftest import FULL
from jupyter_client.manager import KernelManager
from traitlets.config import Config

STARTS = 50 if FULL else 25  # about one in four loses a port


def own_network() -> list[str]:
    """Returns the words that run a program in a separate network, so that it takes no ports from other tests.

    Returns none if that isn't allowed here.
    """
    for words in (["unshare", "--net"], ["unshare", "--map-root-user", "--net"]):
        if shutil.which(words[0]) and subprocess.run([*words, "true"], capture_output=True).returncode == 0:
            return words
    return []


def test_every_kernel_starts_beside_a_program_that_takes_ports_all_the_time() -> None:
    network = own_network()
    argv = [*network, sys.executable, str(TESTS / "kernel" / "port_thief.py"), str(STARTS), *(["--alone"] if network else [])]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=600, env={**os.environ, "JUPYTER_PREFER_ENV_PATH": "1"})
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [""] * STARTS, done.stderr
    assert "starting the kernel again with new ports" in done.stderr, "no port was taken: this proves nothing"


def test_a_kernel_whose_port_stays_taken_is_given_up_with_a_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(starting, "TRIES", 2)
    manager = KernelManager(kernel_name="scala-course")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        manager.control_port = taken.getsockname()[1]
        with pytest.raises(starting.NotStarted) as told:
            starting.start(manager, 60)
    said = str(told.value)
    assert said.startswith("2 times another program took one of its ports") and str(manager.control_port) in said
    assert "five ports of 127.0.0.1" in said and "End the program" in said
    assert not manager.has_kernel


def test_jupyterlab_starts_a_kernel_that_lost_a_port_with_new_ports() -> None:
    """Checks that the manager caches no ports. Otherwise it would reuse them in a restart, although the restarter asks for new ones."""
    manager = KernelManager(kernel_name="scala-course", config=Config(json.loads(CONFIGURATION.read_text())))
    manager.start_kernel(stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    before = set(manager.ports)
    manager.restart_kernel(now=True, newports=True)
    try:
        assert before.isdisjoint(manager.ports)
    finally:
        manager.shutdown_kernel(now=True)


def test_a_clock_that_is_set_forward_ends_no_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel is stopped until Jupyter looks at the clock again. It does that after a second without an answer, and sees a later day."""
    manager = KernelManager(kernel_name="scala-course")
    looks = itertools.count(1)

    def seconds() -> int:
        look = next(looks)
        if look <= 2:
            os.killpg(manager.provisioner.pgid, signal.SIGSTOP if look == 1 else signal.SIGCONT)
        return look * 86400

    monkeypatch.setattr("jupyter_client.client.time", SimpleNamespace(time=seconds))
    client = starting.start(manager, 60)
    client.stop_channels()
    manager.shutdown_kernel(now=True)
    assert next(looks) > 2, "nobody looked at this clock again: this proves nothing"
