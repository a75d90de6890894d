"""Tests what a page leaves in its kernel and on the machine, and what a kernel keeps after it ran a page five times.

`kernels/course test --full` tries all pages, the usual tests only one.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest
from command.pages import notebooks
from conftest import FULL, awaited
from sessions import Session, below

PAGES = notebooks.pages()[: None if FULL else 1]
LIMIT = 900  # seconds for one cell
GONE = 20  # seconds until everything that a kernel started has ended
RUNS, WARM = 5, 2  # runs of a page in a kernel; after `WARM` of them, everything that is loaded once has been
GROWTH = 0.05  # of the heap in use

# Threads that belong to the JVM, to Scala or to the kernel, or that every program shares. They are daemons, or end when they are idle.
SHARED = re.compile(
    r"main|Reference Handler|Finalizer|Signal Dispatcher|Common-Cleaner|Notification Thread|process reaper.*|Attach Listener|Cleaner-\d+"
    r"|ForkJoinPool\.commonPool-worker-\d+|ForkJoinPool-1-worker-\d+|VirtualThread-unparker.*|scala-execution-context-global-\d+"
    r"|CompletableFutureDelayScheduler|JNA Cleaner|course-.*|iothread-\d+|reaper-\d+|Read-Poller|Write-Poller|MasterPoller.*|JFR .*"
)

# Prints the heap in use, loaded classes, class loaders and threads. The cells' own classes are counted too: a session keeps them, because
# a later cell may use their values.
LOOK = """
{
  import java.lang.management.ManagementFactory
  import javax.management.ObjectName
  import scala.jdk.CollectionConverters._
  def heap = { System.gc(); Thread.sleep(200); ManagementFactory.getMemoryMXBean.getHeapMemoryUsage.getUsed }
  val used = Seq.fill(4)(heap).min
  val loaders = ManagementFactory.getPlatformMBeanServer.invoke(
    new ObjectName("com.sun.management:type=DiagnosticCommand"), "vmClassloaders", Array[AnyRef](Array.empty[String]),
    Array("[Ljava.lang.String;")).toString.linesIterator.count(_.contains("+--"))
  val threads = Thread.getAllStackTraces.keySet.asScala.toSeq.map(_.getName).map(new com.google.gson.JsonPrimitive(_))
  print(s"{\\"heap\\": $used, \\"classes\\": ${ManagementFactory.getClassLoadingMXBean.getLoadedClassCount}, " +
    s"\\"loaders\\": $loaders, \\"threads\\": [${threads.mkString(",")}]}")
}
"""


@dataclass(frozen=True)
class Look:
    """Describes a kernel: its heap in use in bytes, its loaded classes, its class loaders, and its threads by name."""

    heap: int
    classes: int
    loaders: int
    threads: list[str]


def look(session: Session) -> Look:
    return Look(**json.loads(session.run(LOOK).text()))


@contextlib.contextmanager
def kernel(folder: Path) -> Iterator[Session]:
    """Yields a kernel that measures as little as possible. It and its JVMs have their temporary files in the folder."""
    folder.mkdir()
    options = f"{os.environ.get('JAVA_TOOL_OPTIONS', '')} -Djava.io.tmpdir={folder}".strip()
    env = {**os.environ, "COURSE_PROFILE": "smoke", "JAVA_TOOL_OPTIONS": options, "TMPDIR": str(folder)}
    with contextlib.closing(Session(env=env)) as session:
        yield session


def run(session: Session, page: Path) -> None:
    for cell in json.loads(page.read_text())["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "code" and "exercises." not in source:
            ran = session.run(source, timeout=LIMIT)
            assert ran.status == "ok", (cell["id"], ran.reply)


def listening(process: psutil.Process) -> set[int]:
    return {one.laddr.port for one in process.net_connections() if one.status == psutil.CONN_LISTEN}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_leaves_nothing(page: Path, tmp_path: Path):
    with kernel(tmp_path / "temporary") as session:
        process = psutil.Process(session.manager.provisioner.pid)
        look(session)
        ports = listening(process)
        run(session, page)
        # What a page shares with its later cells, such as a database, ends with the kernel.
        awaited(lambda: not [name for name in look(session).threads if not SHARED.fullmatch(name)], GONE)
        assert [name for name in look(session).threads if not SHARED.fullmatch(name)] == []
        assert listening(process) <= ports
        started = below(session)
        session.manager.shutdown_kernel()
        assert awaited(lambda: not [one for one in (process, *started) if one.is_running()], GONE), started
    assert [str(file.relative_to(tmp_path)) for file in (tmp_path / "temporary").rglob("*") if file.is_file()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_kernel_that_runs_a_page_again_grows_little(page: Path, tmp_path: Path):
    with kernel(tmp_path / "temporary") as session:
        looks = []
        for _ in range(RUNS):
            run(session, page)
            looks.append(look(session))
    first, last = looks[WARM - 1], looks[-1]
    told = [f"{one.heap >> 20} MiB, {one.classes} classes, {one.loaders} loaders" for one in looks]
    print(f"{page.stem}: {'; '.join(told)}")
    assert last.loaders <= first.loaders, told
    assert last.heap <= first.heap * (1 + GROWTH), told
