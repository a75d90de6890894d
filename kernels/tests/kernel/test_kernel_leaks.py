"""Tests what a page leaves in its kernel and on the machine.

`kernels/course test --full` tries all pages, the usual tests only one.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from command.pages import notebooks
from conftest import FULL, awaited
from sessions import Session, below

PAGES = notebooks.pages()[: None if FULL else 1]
LIMIT = 900  # seconds for one cell
GONE = 20  # seconds until everything that a kernel started has ended
RUNS = 5 if FULL else 2
GROWTH = 0.05  # of the largest heap, from the first run of a page to the last

# The JVM numbers pools in the order in which they are made. The one that carries virtual threads is made with the first of them. If that
# happens before anything else, it has number 1. Its idle threads stay for 30 seconds.
CARRIERS = "Thread.startVirtualThread(() => ()).join()"

# Threads that the JVM, Scala, Kotlin, cats-effect, ZIO and coursier share among all their users. They end after some idle time, or with the
# kernel. `lines-of-…` reads what a process says that later cells use as well, such as the database.
SHARED = re.compile(
    r"ForkJoinPool\.commonPool-(worker-|delayScheduler)|ForkJoinPool-1-worker-|VirtualThread-un|(Read|Write|Master)-?Poller"
    r"|scala-execution-context-global-|CompletableFutureDelayScheduler|DefaultDispatcher-worker-|kotlinx\.coroutines\.DefaultExecutor"
    r"|coursier-pool-|ForkJoinPool-\d+-delayScheduler|io-compute-|ZScheduler-Worker-|zio-(default-blocking|timer)-"
    r"|zio\.internal\.WeakConcurrentBag\.GcThread-|lines-of-|process reaper|Attach Listener|Cleaner-|JFR "
)
THREADS = """
print(scala.jdk.CollectionConverters.SetHasAsScala(Thread.getAllStackTraces.keySet).asScala.toSeq.map(_.getName).mkString(";"))
"""

# The session's class loaders are the ancestors of the newest one.
LOADERS = "print(Iterator.iterate(Thread.currentThread.getContextClassLoader)(_.getParent).takeWhile(_ != null).size)"


# Bytes in use after a collection, and the most that there may be. Only each fourth collection of the serial GC moves everything; the others
# leave dead objects in place, which count as used.
HEAP = """
(1 to 4).foreach(_ => System.gc())
print({
  val heap = java.lang.management.ManagementFactory.getMemoryMXBean.getHeapMemoryUsage
  s"${heap.getUsed} ${heap.getMax}"
})
"""


def threads(session: Session) -> Counter[str]:
    """Returns the names of the kernel's threads, without the shared ones."""
    return Counter(name for name in session.run(THREADS).text().split(";") if not SHARED.match(name))


@contextlib.contextmanager
def kernel(folder: Path) -> Iterator[Session]:
    """Yields a kernel that measures as little as possible. It and its JVMs have their temporary files in the folder."""
    folder.mkdir()
    options = f"{os.environ.get('JAVA_TOOL_OPTIONS', '')} -Djava.io.tmpdir={folder}".strip()
    env = {**os.environ, "COURSE_PROFILE": "smoke", "JAVA_TOOL_OPTIONS": options, "TMPDIR": str(folder)}
    with contextlib.closing(Session(env=env)) as session:
        session.run(CARRIERS)
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
def test_a_page_that_runs_again_keeps_no_class_loader_and_hardly_any_memory(page: Path, tmp_path: Path):
    with kernel(tmp_path / "temporary") as session:
        loaders, heaps = [], []
        for _ in range(RUNS):
            run(session, page)
            loaders.append(int(session.run(LOADERS).text()))
            heaps.append([int(number) for number in session.run(HEAP).text().split()])
    print(f"{page.stem}: class loaders {loaders}, MB in use {[round(used / 1e6, 1) for used, _ in heaps]}")
    assert set(loaders) == {loaders[0]}
    assert heaps[-1][0] - heaps[0][0] < GROWTH * heaps[0][1]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_leaves_nothing(page: Path, tmp_path: Path):
    with kernel(tmp_path / "temporary") as session:
        process = psutil.Process(session.manager.provisioner.pid)
        before, ports = threads(session), listening(process)
        run(session, page)
        awaited(lambda: not threads(session) - before, GONE)
        assert threads(session) - before == Counter()
        assert listening(process) <= ports
        started = below(session)
        session.manager.shutdown_kernel()
        assert awaited(lambda: not [one for one in (process, *started) if one.is_running()], GONE), started
    assert [str(file.relative_to(tmp_path)) for file in (tmp_path / "temporary").rglob("*") if file.is_file()] == []
