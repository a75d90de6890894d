"""Tests that a kernel's child processes end with it. The kernel is killed during every kind of cell that starts processes."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest
from conftest import ROOT, awaited
from sessions import Session

LIMIT = 60  # seconds until a cell has started its processes
GONE = 20  # seconds until all of them have ended
SOON = 5  # seconds until a database and its kernel have ended, half of what the kernel would wait for a hanging database
ENDLESS = 'new ProcessBuilder("sleep", "1000").start(); Thread.sleep(1000000)'
LOOPBACK = "java.net.InetAddress.getLoopbackAddress"
LISTENING = f'val socket = new java.net.ServerSocket(0, 1, {LOOPBACK}); println("ready on " + socket.getLocalPort); '
SIMULATION = """import io.gatling.core.Predef._
class Waits extends Simulation { setUp(scenario("x").exec(s => { Thread.sleep(1000000); s }).inject(atOnceUsers(1))) }"""
BENCHMARK = "import org.openjdk.jmh.annotations._\nclass Endless { @Benchmark def nothing(): Unit = () }"
# Enough code that the kernel is killed before it is compiled.
MUCH_KOTLIN = "\n".join(f"fun f{n}(list: List<Int>) = list.map {{ it + {n} }}.groupBy {{ it % 3 }}" for n in range(800))
MUCH_SCALA = "\n".join(f"def f{n}(list: List[Int]) = list.map(_ + {n}).groupBy(_ % 3).view.mapValues(_.sum).toMap" for n in range(800))


@dataclass(frozen=True)
class Kind:
    """Describes a kind of cell: the cell, the cells before it, and a word of the command line of each process that it starts."""

    cell: str
    starts: tuple[str, ...]
    before: tuple[str, ...] = ()


def program(name: str, body: str) -> str:
    return f"%%program --name {name}\nobject Main {{ def main(a: Array[String]): Unit = {{ {body} }} }}"


def unseen(source: str) -> str:
    """Returns a source that is certainly not compiled yet."""
    return f"{source}\n// {uuid.uuid4()}"


QUOTA = "a program with a CPU quota"
DATABASE = "a database"
KINDS = {
    "a fork": Kind(
        'Fork(forked.HandOffs, Seq("idle", "5000", "waits", "direct"), limit = scala.concurrent.duration.Duration(300, "s"))',
        ("HandOffs",),
    ),
    "a program": Kind("endless.run()", ("Main", "sleep"), (program("endless", ENDLESS),)),
    QUOTA: Kind("endless.run(quota = Some(0.9))", ("Main", "sleep"), (program("endless", ENDLESS),)),
    "a server": Kind(
        "Thread.sleep(1000000)", ("Main", "sleep"), (program("server", LISTENING + ENDLESS), "lab.process.Server.start(server)")
    ),
    DATABASE: Kind("Thread.sleep(1000000)", ("bin/postgres",), ("val database = lab.process.Postgres.start()",)),
    "Gatling": Kind(
        'lab.load.Gatling.run(waits, "Waits")', ("io.gatling.app.Gatling",), (f"%%program --name waits --with gatling\n{SIMULATION}",)
    ),
    "a benchmark": Kind(f"%%jmh -f 1 -wi 0 -i 100 -r 1s\n{BENCHMARK}", ("BenchmarkHost", "ForkedMain")),
    "the compiler of a benchmark": Kind(unseen(f"%%jmh\n{BENCHMARK}\nclass Much {{ {MUCH_SCALA} }}"), ("BuildBenchmarks",)),
    "the compiler of a program": Kind(unseen(f"%%program --name much\nobject Much {{ {MUCH_SCALA} }}"), ("scala.tools.nsc.Main",)),
    "the compiler of Kotlin": Kind(unseen(f"%%kotlin\n{MUCH_KOTLIN}"), ("K2JVMCompiler",)),
}


def kill_kernel(kernel: psutil.Process) -> None:
    """Kills the kernel as the system does if memory runs out."""
    kernel.kill()


def kill_group(kernel: psutil.Process) -> None:
    """Kills the kernel and its children as Jupyter does if a kernel doesn't end when asked."""
    os.killpg(kernel.pid, signal.SIGKILL)


def terminate(kernel: psutil.Process) -> None:
    """Terminates the kernel as the system does when it shuts down."""
    kernel.terminate()


def databases(pid: int) -> list[Path]:
    """Returns the data folders that a kernel made."""
    return list((ROOT / ".build" / "postgres" / "data").glob(f"{pid}-*"))


def groups(pid: int) -> list[Path]:
    """Returns the control groups that a kernel made."""
    return [path for place in ("cpu", ".") for path in Path("/sys/fs/cgroup", place).glob(f"course-{pid}-*")]


@pytest.fixture
def session() -> Iterator[Session]:
    with contextlib.closing(Session()) as kernel:
        yield kernel


def begun(session: Session, kind: Kind) -> list[psutil.Process]:
    """Returns all processes below the kernel while the cell is working."""
    kernel = psutil.Process(session.manager.provisioner.pid)
    for cell in kind.before:
        ran = session.run(cell, timeout=LIMIT)
        assert ran.status == "ok", ran.reply
    session.client.execute(kind.cell)

    def words() -> list[str]:
        """Returns the words of the processes that run, without those of shells, which only start other programs."""
        found: list[str] = []
        for process in kernel.children(recursive=True):
            with contextlib.suppress(psutil.Error):
                line = process.cmdline()
                found += line if line and Path(line[0]).name not in ("sh", "dash", "bash") else []
        return found

    assert awaited(lambda: all(any(word.endswith(start) for word in words()) for start in kind.starts), LIMIT), words()
    return kernel.children(recursive=True)


@pytest.mark.parametrize(
    ("what", "end"),
    [
        *((what, kill_kernel) for what in KINDS),
        (QUOTA, kill_group),
        (QUOTA, terminate),
        (DATABASE, kill_group),
        (DATABASE, terminate),
        ("a benchmark", kill_group),
    ],
)
def test_nothing_is_left(session: Session, what: str, end: Callable[[psutil.Process], None]) -> None:
    kernel = psutil.Process(session.manager.provisioner.pid)
    if what == QUOTA and not session.value("lab.process.CpuQuota.available").endswith("true"):
        pytest.skip("no CPU quota can be set here")
    processes = begun(session, KINDS[what])
    ports = [c.laddr.port for process in processes for c in process.net_connections() if c.status == psutil.CONN_LISTEN]
    assert ports or what not in ("a server", DATABASE)
    assert len(databases(kernel.pid)) == (1 if what == DATABASE else 0)
    assert len(groups(kernel.pid)) == (1 if what == QUOTA else 0)
    end(kernel)
    assert psutil.wait_procs([kernel, *processes], timeout=SOON if what == DATABASE else GONE)[1] == []
    for port in ports:
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", port), 5).close()
    assert awaited(lambda: not groups(kernel.pid), GONE), groups(kernel.pid)
    assert awaited(lambda: not databases(kernel.pid), GONE), databases(kernel.pid)


JUPYTER = """
import sys
from jupyter_client.manager import start_new_kernel

manager, client = start_new_kernel(kernel_name="scala-course")
reply = client.execute_interactive("val database = lab.process.Postgres.start()", timeout=60, output_hook=lambda message: None)
print(manager.provisioner.pid, reply["content"]["status"], flush=True)
sys.stdin.read()
"""


def test_when_jupyter_is_killed_the_kernel_and_its_database_end_soon() -> None:
    """Checks one CPU, on which the JVM's common pool has one thread. The kernel's end must not depend on that thread."""
    environment = {**os.environ, "JAVA_TOOL_OPTIONS": "-XX:ActiveProcessorCount=1"}
    words = [sys.executable, "-c", JUPYTER]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment) as jupyter:
        assert jupyter.stdout
        pid, status = jupyter.stdout.readline().split()
        kernel = psutil.Process(int(pid))
        processes = [kernel, *kernel.children(recursive=True)]
        assert status == "ok" and len(processes) > 5
        jupyter.kill()
    assert psutil.wait_procs(processes, timeout=SOON)[1] == []
    assert databases(kernel.pid) == []


@pytest.mark.skipif(not Path("/sys/fs/cgroup").is_dir(), reason="this system has no control groups")
def test_a_quota_leaves_no_group_behind_when_its_program_ends(session: Session) -> None:
    if not session.value("lab.process.CpuQuota.available").endswith("true"):
        pytest.skip("no CPU quota can be set here")
    pid = session.manager.provisioner.pid
    session.run(program("short", 'println("done")'), timeout=LIMIT)
    assert "exit code 0" in session.value("short.run(quota = Some(0.9))")
    assert awaited(lambda: not groups(pid), GONE), groups(pid)
