"""Tests the set-up's second stage alongside JupyterLab. It ends with JupyterLab, continues at the next start, and pages wait for it."""

from __future__ import annotations

import http.server
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import psutil
import pytest
from command.dependencies import coursier
from command.setup.background import NICE
from command.setup.starting import start
from conftest import Lab, new_clone
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager

NO_PROXY_ANSWERS = "http://127.0.0.1:9"
HELD = "kotlin-compiler-embeddable"
KOTLIN = "%%kotlin --name Small\nfun answer() = 42"
BROUGHT_LATER = "for kotlin"  # part of set-up's message while it fetches that part


class Repository:
    """Acts as a Maven repository on this machine with this set-up's JARs. It holds one JAR back until `release` is set."""

    def __init__(self):
        self.release = threading.Event()
        repository, cache = self, coursier.cache_folder()

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                if HELD in self.path:
                    repository.release.wait(300)
                found = next(cache.glob(f"https/*/maven2{self.path}"), None)
                content = found.read_bytes() if found else b""
                self.send_response(200 if found else 404)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                with suppress(OSError):  # the client was killed
                    self.wfile.write(content)

            def log_message(self, *words):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


class Reader:
    """Acts as a reader who starts JupyterLab in the same clone repeatedly."""

    def __init__(self, clone, folder, repository):
        self.clone, self.repository = clone, repository
        # The parts of the second stage must not exist yet.
        address = f"http://127.0.0.1:{repository.server.server_port}"
        self.env = clone.environment(COURSIER_REPOSITORIES=address, COURSIER_CACHE=str(folder / "cache"), COURSE_KERNEL="ammonite")

    def lab(self, **more):
        return Lab(self.clone.folder, self.clone.folder, self.clone.python, {**self.env, **more})

    def listed(self, name):
        """Returns what set-up tells the kernels, or an empty dictionary."""
        path = self.clone.folder / ".build" / name
        return json.loads(path.read_text()) if path.exists() else {}

    @contextmanager
    def kernel(self) -> Iterator:
        specs = KernelSpecManager(kernel_dirs=[str(self.clone.python.parent.parent / "share" / "jupyter" / "kernels")])
        manager = KernelManager(kernel_name="scala-course", kernel_spec_manager=specs)
        client = start(manager, 60, env=self.env)
        try:
            yield client
        finally:
            client.stop_channels()
            manager.shutdown_kernel(now=True)


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    folder, repository = tmp_path_factory.mktemp("reader"), Repository()
    yield Reader(new_clone(folder), folder, repository)
    repository.release.set()
    repository.server.shutdown()


def answer(client, code, see=lambda content: None):
    """Returns the reply to a cell, and calls `see` with what the cell shows."""

    def hook(message):
        see(str(message["content"]))

    return client.execute_interactive(code, timeout=180, output_hook=hook, allow_stdin=False)["content"]


def test_it_ends_with_jupyterlab(reader):
    with reader.lab() as lab:
        lab.await_line(BROUGHT_LATER)
        background = psutil.Process(reader.listed("set-up.json")["process"])
        family = [background, *background.children(recursive=True)]
        assert background.ppid() == lab.process.pid
        assert background.nice() == NICE
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
    with reader.lab(HTTP_PROXY=NO_PROXY_ANSWERS, http_proxy=NO_PROXY_ANSWERS, NO_PROXY="", no_proxy="") as lab:
        lab.await_line("The parts for later pages could not be set up")
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
        waited = []

        def see(content):
            if "waits for the set-up's part `kotlin`" in content:
                waited.append(content)
                reader.repository.release.set()

        reply = answer(client, KOTLIN, see)
        assert reply["status"] == "ok", reply
        assert waited
        assert "kotlin" in reader.listed("installation.json")
