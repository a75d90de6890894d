"""What the tests share: the repository, and cheap clones of it that hold none of its products."""

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
sys.path.insert(0, str(ROOT / "kernels"))  # the package `command`
sys.path.insert(0, str(ROOT / "kernels" / "tools"))  # programs that some tests use
from command.publish.browser import NoChromium, chromium  # noqa: E402
from command.setup.starting import PORT_TAKEN, start  # noqa: E402

# `kernels/course test --full` also runs what takes long and rarely finds anything.
FULL = os.environ.get("COURSE_TESTS") == "full"
only_in_full = pytest.mark.skipif(not FULL, reason="takes long: kernels/course test --full")
# Nothing in a test may be reached through these: port 9 of this machine answers nobody.
NOWHERE = "http://127.0.0.1:9/nowhere"


def pytest_configure() -> None:
    """What pages keep while they are tested is not what a reader measured: also where pytest is run without `kernels/course test`."""
    os.environ["COURSE_RESULTS"] = str(ROOT / ".build" / "test" / "results")


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@dataclass(frozen=True)
class Done:
    """A program that ended."""

    code: int
    out: str
    err: str

    @property
    def said(self) -> str:
        return self.out + self.err


@dataclass(frozen=True)
class Clone:
    """A copy of the sources. `python` is an environment that sees our installed packages but is not ours."""

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
            # A shell's background job hands down an ignored Ctrl-C; a reader's terminal doesn't.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )


def base_python() -> Path:
    """The Python that environments are made from: no packages of ours in it."""
    return Path(getattr(sys, "_base_executable", sys.executable))


def look_alike(folder: Path) -> Path:
    """An environment that holds our packages by reference: what set-up writes into it does not reach ours."""
    venv.create(folder, with_pip=False, symlinks=True)
    site = next(folder.glob("lib/python3.*/site-packages"))
    ours = next(path for path in map(Path, sys.path) if (path / "jupyter_client").is_dir())
    (site / "ours.pth").write_text(f"{ours}\n")
    return folder / "bin" / "python"


def copy_sources(folder: Path) -> None:
    """The course as a clone holds it."""
    ignored = shutil.ignore_patterns(".git", ".venv*", ".build", "__pycache__", ".ipynb_checkpoints")
    shutil.copytree(ROOT, folder, ignore=ignored)
    shutil.rmtree(folder / "data" / "results", ignore_errors=True)


def link_or_copy(source: str, target: str) -> None:
    """Lets a file have another name where that can be done, else copies it. Who changes it makes a new one."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def new_clone(folder: Path) -> Clone:
    """Sources only; nothing is set up."""
    copy_sources(folder / "clone")
    return Clone(folder / "clone", look_alike(folder / "python"))


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    return new_clone(tmp_path)


@pytest.fixture
def clone_with_coursier(clone: Clone) -> Clone:
    """The same with coursier's own JARs in place: they were checked when they came."""
    shutil.copytree(ROOT / ".build" / "coursier", clone.folder / ".build" / "coursier")
    return clone


@pytest.fixture
def clone_with_products(clone_with_coursier: Clone) -> Clone:
    """The same with fetched JARs and compiled modules: for who tries what comes after scalac's minute."""
    build = clone_with_coursier.folder / ".build"
    for name in ("jars", "classes"):
        shutil.copytree(ROOT / ".build" / name, build / name)
    (build / "stamps").mkdir()
    for stamp in (*(ROOT / ".build" / "stamps").glob("module-*"), *(ROOT / ".build" / "stamps").glob("jars-*")):
        (build / "stamps" / stamp.name).write_text(stamp.read_text().replace(str(ROOT), str(clone_with_coursier.folder)))
    return clone_with_coursier


@pytest.fixture
def told() -> Callable[..., str]:
    """What a failed command said, once it is sure that it said it as it should: a remedy, and no traceback. `code` is 2 for wrong words."""

    def check(done: Done, code: int = 1) -> str:
        assert done.code == code, done.said
        assert "What to do: " in done.err, done.said
        assert "Traceback" not in done.said
        return done.err

    return check


def new_kernel(limit: float = 60, **options: Any) -> tuple[KernelManager, BlockingKernelClient]:
    """The course's kernel, started with Jupyter's `options`, and a client that it has answered within `limit` seconds."""
    manager = KernelManager(kernel_name="scala-course")
    return manager, start(manager, limit, **options)


def awaited(condition: Callable[[], object], within: float) -> bool:
    """Whether the condition comes to hold within so many seconds."""
    deadline = time.monotonic() + within
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.05)
    return bool(condition())


def on_a_small_disk(folder: Path, kilobytes: int) -> list[str]:
    """Returns words that run a program for which `folder` is a disk of this size. Skips the test if nothing may be mounted here."""
    folder.mkdir(parents=True, exist_ok=True)
    script = 'mount -t tmpfs -o "size=$1k" small "$2" && shift 2 && exec "$@"'
    for words in (["unshare", "--mount"], ["unshare", "--map-root-user", "--mount"]):
        argv = [*words, "sh", "-c", script, "sh", str(kilobytes), str(folder)]
        if shutil.which(words[0]) and subprocess.run([*argv, "true"], capture_output=True).returncode == 0:
            return argv
    pytest.skip("no disk may be mounted here: that takes root, or a system that lets users have namespaces")


# ---- pages on a kernel that isn't the course's

# Runs a stand-in, which ends as the course's kernels do if another program took one of its ports.
LAUNCH = f"""
import errno, zmq
try:
    IPKernelApp.launch_instance(kernel_class=StandIn)
except zmq.ZMQError as failed:
    raise SystemExit({PORT_TAKEN} if failed.errno == errno.EADDRINUSE else 1) from failed
"""

# Does in each cell what stands in it: writes, shows, sends an `error` message, ends. A cell that says nothing is answered well.
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
    """A clone in which the course's kernel is the one above, whose program can be changed."""

    clone: Clone
    program: Path

    def start(
        self, *pages: list[dict], program: Sequence[str] = ("command.pages.execute", "stand-in 1"), before: Sequence[str] = ()
    ) -> subprocess.Popen[str]:
        """Begins a run of pages of these cells: 90-stand-in and so on. The program is a module and its first words; `before` runs it."""
        files = [self.clone.folder / "notebooks" / f"{number}-stand-in.ipynb" for number, _ in enumerate(pages, 90)]
        for file, cells in zip(files, pages, strict=True):
            nbformat.write(new_notebook(cells=[new_code_cell(json.dumps(cell)) for cell in cells]), file)
        env = self.clone.environment(PYTHONPATH=str(self.clone.folder / "kernels"), JUPYTER_PATH=str(self.program.parent))
        argv = [*before, sys.executable, "-m", *program, *map(str, files)]
        return subprocess.Popen(argv, cwd=self.clone.folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def execute(self, *cells: dict) -> tuple[Done, dict, nbformat.NotebookNode]:
        """Runs one page of these cells. Returns what the command said, its report, and the executed page."""
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
    """`kernels/course lab` on a copy of the pages in `folder`: what a browser saves must not reach the stored ones.

    The copy is made when it isn't there. Which pages are open, and the reader's own settings, lie in that folder too.
    `root` is the clone whose course it is, started by `python` in the environment `env` (this one); `verb` may open it on something else.
    """

    ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+/\S*token=\w+")

    def __init__(
        self,
        folder: Path,
        root: Path = ROOT,
        python: str | Path = sys.executable,
        env: Mapping[str, str] = os.environ,
        verb: Sequence[str] = ("lab",),
    ) -> None:
        if not (folder / "notebooks").exists():
            shutil.copytree(ROOT / "notebooks", folder / "notebooks")
        words = ["--no-browser", f"--port={free_port()}", f"--ServerApp.root_dir={folder}"]
        words.append(f"--FileContentsManager.preferred_dir={folder / 'notebooks'}")
        names = ("JUPYTERLAB_WORKSPACES_DIR", "JUPYTERLAB_SETTINGS_DIR", "JUPYTER_CONFIG_DIR")
        self.environment = {**env, **{name: str(folder / name.lower()) for name in names}}
        self.argv = [str(python), str(root / COURSE), *verb, "--", *words]
        self.address, self.root = "", root
        self.lines: list[str] = []  # what it printed so far; the address's line ends what set-up says before JupyterLab starts

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
        """Whether it has printed a line with these words."""
        return any(words in line for line in list(self.lines))

    def await_line(self, words: str, patience: float = 180) -> None:
        """Returns when a line with these words has been printed."""
        until = time.monotonic() + patience
        while not self.said(words):
            assert time.monotonic() < until, f"no line with {words!r}:\n" + "".join(self.lines)
            time.sleep(0.1)

    def __exit__(self, *error: object) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(30)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    try:
        with chromium() as found:
            yield found
    except NoChromium:
        pytest.skip("no Chromium on this machine: install your system's, or `playwright install chromium`")
