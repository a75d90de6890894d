"""Provides what the tests share: the repository, and cheap clones of it without its products."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import venv
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
import pytest
from jupyter_client.blocking import BlockingKernelClient
from jupyter_client.manager import KernelManager
from nbformat.v4 import new_code_cell, new_notebook

ROOT = Path(__file__).resolve().parent.parent.parent
COURSE = Path("kernels") / "course"
SCREENSHOTS = ROOT / ".build" / "test"
sys.path.insert(0, str(ROOT / "kernels"))  # for the package `command`
sys.path.insert(0, str(ROOT / "kernels" / "tools"))  # for programs that some tests use
from command.publish.browser import NoChromium, chromium  # noqa: E402
from command.setup.starting import PORT_TAKEN, start  # noqa: E402

# `kernels/course test --full` also runs slow tests with few findings.
FULL = os.environ.get("COURSE_TESTS") == "full"
only_in_full = pytest.mark.skipif(not FULL, reason="takes long: kernels/course test --full")
# An address at which nothing answers: port 9 of this machine.
NOWHERE = "http://127.0.0.1:9/nowhere"


def pytest_configure() -> None:
    """Keeps results of pages in the tests away from the reader's, even if pytest runs without `kernels/course test`."""
    os.environ["COURSE_RESULTS"] = str(ROOT / ".build" / "test" / "results")


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@dataclass(frozen=True)
class Done:
    """Describes a program that has ended."""

    code: int
    out: str
    err: str

    @property
    def said(self) -> str:
        return self.out + self.err


@dataclass(frozen=True)
class Clone:
    """Describes a copy of the sources. `python` is an environment that uses the installed packages but can be changed freely."""

    folder: Path
    python: Path

    def environment(self, **more: str) -> dict[str, str]:
        dropped = ("COURSE_KERNEL", "COURSE_JAVA_HOME", "PYTHONPATH", "VIRTUAL_ENV")
        return {**{name: value for name, value in os.environ.items() if name not in dropped}, **more}

    def run(self, *words: str, python: str | Path | None = None, limit: float = 240, **env: str) -> Done:
        return self.program(str(python or self.python), str(COURSE), *words, limit=limit, **env)

    def program(self, *argv: str, limit: float = 240, **env: str) -> Done:
        done = subprocess.run(
            argv, cwd=self.folder, env=self.environment(**env), capture_output=True, text=True, timeout=limit, stdin=subprocess.DEVNULL
        )
        return Done(done.returncode, done.stdout, done.stderr)

    def start(self, *words: str, **env: str) -> subprocess.Popen[str]:
        argv = [str(self.python), str(COURSE), *words]
        return subprocess.Popen(
            argv,
            cwd=self.folder,
            env=self.environment(**env),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            # Children of a shell's background job ignore Ctrl-C. In a reader's terminal they don't.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )


def base_python() -> Path:
    """Returns the Python from which environments are made. It has none of the course's packages."""
    return Path(getattr(sys, "_base_executable", sys.executable))


def look_alike(folder: Path) -> Path:
    """Makes an environment that refers to the installed packages. They stay unchanged when set-up writes into it."""
    venv.create(folder, with_pip=False, symlinks=True)
    site = next(folder.glob("lib/python3.*/site-packages"))
    ours = next(path for path in map(Path, sys.path) if (path / "jupyter_client").is_dir())
    (site / "ours.pth").write_text(f"{ours}\n")
    return folder / "bin" / "python"


def copy_sources(folder: Path) -> None:
    """Copies the course as a clone has it."""
    ignored = shutil.ignore_patterns(".git", ".venv*", ".build", "__pycache__", ".ipynb_checkpoints")
    shutil.copytree(ROOT, folder, ignore=ignored)
    shutil.rmtree(folder / "data" / "results", ignore_errors=True)


def link_or_copy(source: str, target: str) -> None:
    """Links a file, or copies it if that is impossible. Tests must replace such files, not change them."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def new_clone(folder: Path) -> Clone:
    """Makes a clone with sources only, without any set-up."""
    copy_sources(folder / "clone")
    return Clone(folder / "clone", look_alike(folder / "python"))


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    return new_clone(tmp_path)


@pytest.fixture
def clone_with_coursier(clone: Clone) -> Clone:
    """Returns a clone with coursier's own JARs, which were checked when they were fetched."""
    shutil.copytree(ROOT / ".build" / "coursier", clone.folder / ".build" / "coursier")
    return clone


@pytest.fixture
def clone_with_products(clone_with_coursier: Clone) -> Clone:
    """Returns a clone with fetched JARs and compiled modules, for tests of later steps. That saves a minute of scalac."""
    build = clone_with_coursier.folder / ".build"
    for name in ("jars", "classes"):
        shutil.copytree(ROOT / ".build" / name, build / name)
    (build / "stamps").mkdir()
    for stamp in (*(ROOT / ".build" / "stamps").glob("module-*"), *(ROOT / ".build" / "stamps").glob("jars-*")):
        (build / "stamps" / stamp.name).write_text(stamp.read_text().replace(str(ROOT), str(clone_with_coursier.folder)))
    return clone_with_coursier


@pytest.fixture
def told() -> Callable[..., str]:
    """Returns a function that checks a failed command and returns its message.

    The message must contain a remedy and no traceback. The exit code is 2 for an invalid command line.
    """

    def check(done: Done, code: int = 1) -> str:
        assert done.code == code, done.said
        assert "What to do: " in done.err, done.said
        assert "Traceback" not in done.said
        return done.err

    return check


def new_kernel(limit: float = 60, **options: Any) -> tuple[KernelManager, BlockingKernelClient]:
    """Starts the course's kernel with Jupyter's `options`. Returns it and a client that it has answered within `limit` seconds."""
    manager = KernelManager(kernel_name="scala-course")
    return manager, start(manager, limit, **options)


def awaited(condition: Callable[[], object], within: float) -> bool:
    """Waits until the condition holds. Returns whether it did within so many seconds."""
    deadline = time.monotonic() + within
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.05)
    return bool(condition())


def on_a_small_disk(folder: Path, kilobytes: int) -> list[str]:
    """Returns words that run a program for which `folder` is a disk of this size. Skips the test if mounting isn't allowed."""
    folder.mkdir(parents=True, exist_ok=True)
    script = 'mount -t tmpfs -o "size=$1k" small "$2" && shift 2 && exec "$@"'
    for words in (["unshare", "--mount"], ["unshare", "--map-root-user", "--mount"]):
        argv = [*words, "sh", "-c", script, "sh", str(kilobytes), str(folder)]
        if shutil.which(words[0]) and subprocess.run([*argv, "true"], capture_output=True).returncode == 0:
            return argv
    pytest.skip("no disk may be mounted here: that takes root, or a system that lets users have namespaces")


# ---- pages on a kernel that isn't the course's

# Runs a stand-in, which ends like the course's kernels if another program took one of its ports. It logs nothing: ipykernel sometimes
# logs a traceback while it ends, in the output of the command whose own words a test reads.
LAUNCH = f"""
import errno, logging, zmq
logging.disable(logging.CRITICAL)
try:
    IPKernelApp.launch_instance(kernel_class=StandIn)
except zmq.ZMQError as failed:
    raise SystemExit({PORT_TAKEN} if failed.errno == errno.EADDRINUSE else 1) from failed
"""

# Each cell can ask it to write, to show, to send an `error` message or to end. It answers an empty cell with success.
STAND_IN = """
import json, os, signal, time
from ipykernel.kernelapp import IPKernelApp
from ipykernel.kernelbase import Kernel

class StandIn(Kernel):
    implementation, implementation_version, banner = "stand-in", "1", ""
    language_info = {"name": "scala", "mimetype": "text/x-scala", "file_extension": ".sc"}

    def do_execute(self, code, silent, *more, **options):
        told = json.loads(code)
        if "stderr" in told:
            self.send_response(self.iopub_socket, "stream", {"name": "stderr", "text": told["stderr"]})
        for data in told.get("shows", ()):
            self.send_response(self.iopub_socket, "display_data", {"data": data, "metadata": {}})
        if "exit" in told:
            os._exit(told["exit"]) if told["exit"] >= 0 else os.kill(os.getpid(), -told["exit"])
        if "wait" in told:
            open(told["wait"], "w").write(str(os.getpid()) + chr(10))
            time.sleep(1000)
        if "update" in told:
            shown = {"metadata": {}, "transient": {"display_id": "line"}}
            self.send_response(self.iopub_socket, "display_data", {"data": {"text/plain": "begun"}, **shown})
            self.session.send(self.iopub_socket, "update_display_data", {"data": told["update"], **shown})
        if "error" in told:
            self.send_response(self.iopub_socket, "error", told["error"])
            return {"status": "error", "execution_count": self.execution_count, **told.get("reply", told["error"])}
        return {"status": "ok", "execution_count": self.execution_count, "payload": [], "user_expressions": {}}
"""


@dataclass(frozen=True)
class StandIn:
    """Holds a clone whose kernel is the stand-in, and the program, which can be changed."""

    clone: Clone
    program: Path

    def start(
        self, *pages: list[dict], program: Sequence[str] = ("command.pages.execute", "stand-in 1"), before: Sequence[str] = ()
    ) -> subprocess.Popen[str]:
        """Starts a run of pages with these cells (90-stand-in and so on).

        `program` is a module and its first words. The words in `before` run it.
        """
        files = [self.clone.folder / "notebooks" / f"{number}-stand-in.ipynb" for number, _ in enumerate(pages, 90)]
        for file, cells in zip(files, pages, strict=True):
            nbformat.write(new_notebook(cells=[new_code_cell(json.dumps(cell)) for cell in cells]), file)
        env = self.clone.environment(PYTHONPATH=str(self.clone.folder / "kernels"), JUPYTER_PATH=str(self.program.parent))
        argv = [*before, sys.executable, "-m", *program, *map(str, files)]
        options = {"cwd": self.clone.folder, "env": env, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        # The process that started the tests may ignore a hang-up, and children inherit that.
        return subprocess.Popen(argv, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL), **options)

    def execute(self, *cells: dict) -> tuple[Done, dict, nbformat.NotebookNode]:
        """Runs one page with these cells. Returns the command's output, its report, and the executed page."""
        command = self.start(list(cells))
        out, err = command.communicate(timeout=120)
        (row,) = json.loads((self.clone.folder / ".build" / "run" / "report.json").read_text())
        page = nbformat.read(self.clone.folder / ".build" / "run" / "90-stand-in.ipynb", as_version=4)
        return Done(command.returncode, out, err), row, page


@pytest.fixture
def stand_in(clone: Clone, tmp_path: Path) -> StandIn:
    spec = tmp_path / "share" / "kernels" / "scala-course"
    spec.mkdir(parents=True)
    program = tmp_path / "share" / "stand_in.py"
    program.write_text(STAND_IN + LAUNCH)
    argv = [sys.executable, str(program), "-f", "{connection_file}"]
    (spec / "kernel.json").write_text(json.dumps({"argv": argv, "display_name": "stand-in", "language": "scala"}))
    return StandIn(clone, program)


# ---- JupyterLab in a browser


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Lab:
    """Runs `kernels/course lab` on a copy of the pages in `folder`, so that a browser can't save into the stored pages.

    Makes the copy if it doesn't exist. That folder also contains JupyterLab's workspace and the reader's settings. `root` is the clone of
    the course. `python` starts it in the environment `env` (default: this one). `verb` may open JupyterLab on another page. `more` are
    options for JupyterLab.
    """

    ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+/\S*token=\w+")

    def __init__(
        self,
        folder: Path,
        root: Path = ROOT,
        python: str | Path = sys.executable,
        env: Mapping[str, str] = os.environ,
        verb: Sequence[str] = ("lab",),
        more: Sequence[str] = (),
    ) -> None:
        if not (folder / "notebooks").exists():
            shutil.copytree(ROOT / "notebooks", folder / "notebooks")
        words = ["--no-browser", f"--port={free_port()}", f"--ServerApp.root_dir={folder}"]
        words.append(f"--FileContentsManager.preferred_dir={folder / 'notebooks'}")
        names = ("JUPYTERLAB_WORKSPACES_DIR", "JUPYTERLAB_SETTINGS_DIR", "JUPYTER_CONFIG_DIR")
        self.environment = {**env, **{name: str(folder / name.lower()) for name in names}}
        self.argv = [str(python), str(root / COURSE), *verb, "--", *words, *more]
        self.address, self.root = "", root
        self.lines: list[str] = []  # its output so far; the line with the address comes after the set-up's last line

    def __enter__(self) -> Lab:
        self.process = subprocess.Popen(self.argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=self.environment)
        assert self.process.stdout
        for line in self.process.stdout:
            self.lines.append(line)
            if found := self.ADDRESS.search(line):
                self.address = found[0]
                threading.Thread(target=self._read_on, daemon=True).start()
                return self
        raise AssertionError("JupyterLab printed no address:\n" + "".join(self.lines))

    def _read_on(self) -> None:
        assert self.process.stdout
        self.lines.extend(self.process.stdout)

    def said(self, words: str) -> bool:
        """Returns whether it has printed a line with these words."""
        return any(words in line for line in list(self.lines))

    def strange(self) -> list[str]:
        """Returns the warnings and errors that it has printed. They mean nothing to a reader."""
        return [line for line in list(self.lines) if re.match(r"\[[WE] |\S*Warning:|Traceback", line)]

    def await_line(self, words: str, patience: float = 180) -> None:
        """Waits until it has printed a line with these words."""
        until = time.monotonic() + patience
        while not self.said(words):
            assert time.monotonic() < until, f"no line with {words!r}:\n" + "".join(self.lines)
            time.sleep(0.1)

    def __exit__(self, *error: object) -> None:
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(30)
        finally:
            self.process.kill()


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    try:
        with chromium() as found:
            yield found
    except NoChromium:
        pytest.skip("no Chromium on this machine: install your system's, or `playwright install chromium`")
