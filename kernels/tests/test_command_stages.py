"""The set-up's second stage goes on beside JupyterLab: it ends with it, goes on at the next start, and pages wait for what they need."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager

import psutil
import pytest
from conftest import Lab, new_clone
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager

NO_PROXY_ANSWERS = "http://127.0.0.1:9"
KOTLIN = "%%kotlin --name Small\nfun answer() = 42"
BROUGHT_LATER = "for kotlin"  # in what set-up says while it fetches that part


class Reader:
    """Somebody who starts JupyterLab in the same clone again and again."""

    def __init__(self, clone, folder):
        self.clone = clone
        # Nothing that comes later is there already.
        self.env = clone.environment(COURSIER_CACHE=str(folder / "cache"), COURSE_KERNEL="ammonite")

    def lab(self, **more):
        return Lab(self.clone.folder, self.clone.folder, self.clone.python, {**self.env, **more})

    def listed(self, name):
        """What set-up tells the kernels; empty if it doesn't."""
        path = self.clone.folder / ".build" / name
        return json.loads(path.read_text()) if path.exists() else {}

    @contextmanager
    def kernel(self) -> Iterator:
        specs = KernelSpecManager(kernel_dirs=[str(self.clone.python.parent.parent / "share" / "jupyter" / "kernels")])
        manager = KernelManager(kernel_name="scala-course", kernel_spec_manager=specs)
        manager.start_kernel(env=self.env)
        client = manager.client()
        client.start_channels()
        try:
            client.wait_for_ready(timeout=60)
            yield client
        finally:
            client.stop_channels()
            manager.shutdown_kernel(now=True)


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reader")
    return Reader(new_clone(folder), folder)


def answer(client, code, see=lambda content: None):
    """The reply to a cell; `see` is called with what it shows."""

    def hook(message):
        see(str(message["content"]))

    return client.execute_interactive(code, timeout=180, output_hook=hook, allow_stdin=False)["content"]


def test_it_ends_with_jupyterlab(reader):
    with reader.lab() as lab:
        lab.await_line(BROUGHT_LATER)
        background = psutil.Process(reader.listed("set-up.json")["process"])
        family = [background, *background.children(recursive=True)]
        assert background.ppid() == lab.process.pid
        lab.process.kill()
        _, alive = psutil.wait_procs(family, timeout=20)
        assert alive == []
    assert "jmh" in reader.listed("installation.json")
    assert "systems" not in reader.listed("installation.json")


def test_one_that_was_killed_is_not_waited_for(reader):
    with reader.lab() as lab, reader.kernel() as client:
        lab.await_line(BROUGHT_LATER)
        psutil.Process(reader.listed("set-up.json")["process"]).kill()
        reply = answer(client, KOTLIN)
        assert "`kotlin` isn't there" in reply["evalue"]


def test_without_a_network_it_says_so_and_so_does_the_cell_that_lacks_something(reader):
    with reader.lab(HTTPS_PROXY=NO_PROXY_ANSWERS, https_proxy=NO_PROXY_ANSWERS) as lab:
        lab.await_line("What later pages need could not be brought")
        lab.await_line("What to do: ")
        while not reader.listed("set-up.json").get("failed"):
            time.sleep(0.1)
        assert "could not be reached" in reader.listed("set-up.json")["failed"]
        with reader.kernel() as client:
            reply = answer(client, KOTLIN)
            assert reply["status"] == "error"
            assert "`kotlin` isn't there" in reply["evalue"]
            assert "could not be reached" in reply["evalue"]
            assert "kernels/course setup" in reply["evalue"]
            assert answer(client, "40 + 2")["status"] == "ok"


def test_the_next_start_goes_on_and_a_cell_that_comes_too_early_waits(reader):
    with reader.lab() as lab, reader.kernel() as client:
        lab.await_line(BROUGHT_LATER)
        background = psutil.Process(reader.listed("set-up.json")["process"])
        background.suspend()  # else it may be done before the cell asks
        waited = []

        def see(content):
            if "waits for the set-up's part `kotlin`" in content:
                waited.append(content)
                background.resume()

        reply = answer(client, KOTLIN, see)
        background.resume()
        assert reply["status"] == "ok", reply
        assert waited
        assert "kotlin" in reader.listed("installation.json")
