"""Executes pages without JupyterLab, top to bottom. `run` starts it on the installed Python (nbclient, nbformat, psutil).

Every executed page is kept, even if it failed, and the report is rewritten after every page. So an interrupted run leaves its results.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import json
import os
import re
import signal
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

# jsonschema imports this checker of web addresses if it is there, which takes most of a second. Nothing here needs it.
sys.modules["rfc3987_syntax"] = None  # type: ignore[assignment]

import nbformat
import psutil
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat.v4 import new_output

from ..base import records
from ..base.files import write_whole
from ..base.paths import NOTEBOOKS, RUNS, shown
from ..base.problem import from_os_error
from ..base.records import Record, Refused
from ..base.say import say
from ..setup.starting import NotStarted, start_async
from . import executed, thread_dump

CHART = "application/vnd.plotly.v1+json"
# A benchmark over all versions takes minutes, or most of an hour in the full profile. The tests' smoke profile measures little.
CELL_LIMIT = {"full": 7200, "smoke": 300}.get(os.environ.get("COURSE_PROFILE", ""), 900)  # seconds
STARTING_LIMIT = 120  # seconds
SAMPLE_EVERY = 0.5  # seconds between two samples of the kernel's memory
REPORT = RUNS / "report.json"
ANYBODYS = {"at": "2026-01-01T00:00:00Z", "reader": "", "machine": {"cpus": 1, "jdk": 25, "profile": "quick"}}


def end(started: list[psutil.Process]) -> None:
    """Kills those of a kernel's programs that don't end within 5 s of it. A JVM that hangs doesn't notice that the kernel is gone."""
    for left in psutil.wait_procs(started, timeout=5)[1]:
        with contextlib.suppress(psutil.Error):
            left.kill()


class Memory:
    """Tracks a process's peak memory in bytes, from the kernel's high-water mark on Linux and from samples elsewhere."""

    def __init__(self, pid: int) -> None:
        self.pid, self.peak = pid, 0

    def look(self) -> None:
        with contextlib.suppress(OSError, psutil.Error):
            self.peak = max(self.peak, self._now())

    def _now(self) -> int:
        status = Path(f"/proc/{self.pid}/status")
        if status.exists():
            match = re.search(r"VmHWM:\s+(\d+) kB", status.read_text())
            return int(match[1]) * 1024 if match else 0
        return psutil.Process(self.pid).memory_info().rss

    async def watch(self) -> None:
        while True:
            self.look()
            await asyncio.sleep(SAMPLE_EVERY)


def first_line(source: str) -> str:
    lines = [line.strip() for line in source.splitlines() if line.strip()]
    return lines[0][:90] if lines else "(empty)"


def plain(text: str) -> str:
    """Returns the text without a terminal's colours."""
    return re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", text)


def charts(notebook: Any) -> int:
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    return sum(CHART in output.get("data", {}) for output in outputs)


def adopt_updates(channel: Any) -> None:
    """Assigns each display update without a parent cell to the running cell. Almond sends such updates, and clients ignore them.

    `channel` is a client's iopub channel, blocking or not.
    """
    receive, cell = channel.get_msg, {}

    def adopted(message: dict[str, Any]) -> dict[str, Any]:
        nonlocal cell
        if message["parent_header"].get("msg_id"):
            cell = message["parent_header"]
        elif message["msg_type"] == "update_display_data":
            message["parent_header"] = cell
        return message

    async def get_soon(*words: Any, **options: Any) -> dict[str, Any]:
        return adopted(await receive(*words, **options))

    def get_now(*words: Any, **options: Any) -> dict[str, Any]:
        return adopted(receive(*words, **options))

    channel.get_msg = get_soon if inspect.iscoroutinefunction(receive) else get_now


class Run(NotebookClient):
    """Runs one page with nbclient on any kernel. Reports progress, watches the kernel's memory, and records how the kernel ended."""

    def __init__(self, page: Path) -> None:
        super().__init__(
            nbformat.read(page, as_version=4),
            timeout=CELL_LIMIT,
            kernel_name="scala-course",
            shutdown_kernel="graceful",
            on_cell_execute=self.begin,
        )
        self.name, self.cell, self.where = page.stem, None, ""
        self.memory, self.exit_code, self.threads = Memory(0), None, ""

    def begin(self, cell: Any, cell_index: int) -> None:
        code = [index for index, other in enumerate(self.nb.cells) if other.cell_type == "code"]
        self.cell, self.where = cell, f"cell {code.index(cell_index) + 1} of {len(code)} ({first_line(cell.source)}): "
        say(f"{self.name}: {self.where[:-2]}")

    @contextlib.asynccontextmanager
    async def async_setup_kernel(self, **options: Any) -> AsyncIterator[None]:
        """Starts the kernel and ensures that it has ended afterwards.

        nbclient's own version would also handle the signals, which here end the whole run.
        """
        started: list[psutil.Process] = []
        manager = self.create_kernel_manager()
        watcher = asyncio.create_task(self.memory.watch())
        before = asyncio.all_tasks()
        try:
            self.kc = await start_async(manager, STARTING_LIMIT, **options)
            self.kc.allow_stdin = False
            self.memory.pid = manager.provisioner.pid
            self.memory.look()
            adopt_updates(self.kc.iopub_channel)
            yield
        except CellTimeoutError:
            self.threads = await asyncio.to_thread(thread_dump.of_all, self.memory.pid)
            with contextlib.suppress(psutil.Error):
                started = psutil.Process(self.memory.pid).children(recursive=True)
            raise
        finally:
            # After an interrupt, nbclient's tasks would go on and fail without the kernel.
            for task in {watcher} | asyncio.all_tasks() - before:
                task.cancel()
            self.memory.look()
            self.exit_code = await manager.provisioner.poll() if manager.provisioner else None
            if self.km is not None:  # None if the kernel didn't start
                await self._async_cleanup_kernel()
            await asyncio.to_thread(end, started)

    def process_message(self, msg: dict[str, Any], cell: Any, cell_index: int) -> Any:
        """Processes a message after adding missing fields to an error. Almond, for example, omits the traceback of a compile error."""
        if msg["msg_type"] == "error":
            content = {name: value for name, value in msg["content"].items() if value is not None}
            error = {"ename": "Error", "evalue": "", **content}
            msg = {**msg, "content": {"traceback": [f"{error['ename']}: {error['evalue']}"], **error}}
        return super().process_message(msg, cell, cell_index)

    async def stopped_by(self) -> str:
        """Runs every cell. Returns a short description of the error that stopped the page, or "" if none did."""
        try:
            # Jupyter's server uses this variable to tell a kernel which file it runs.
            await self.async_execute(cwd=str(NOTEBOOKS), env={**os.environ, "JPY_SESSION_NAME": f"{self.name}.ipynb"})
        except CellExecutionError as error:
            return self.where + failure(error, self.cell)
        except CellTimeoutError:
            return self.where + f"no end after {CELL_LIMIT} s"
        except DeadKernelError:  # nbclient raises it for a cancelled cell, too
            if Interruption.came:
                raise asyncio.CancelledError from None
            killed = self.exit_code == -signal.SIGKILL
            return self.where + (
                "the kernel was killed (for want of memory?)" if killed else f"the kernel died (exit code {self.exit_code})"
            )
        except NotStarted as error:
            return f"the kernel did not start: {error}"
        return ""

    def show(self, error: str) -> None:
        """Adds the error that stopped the page to its output.

        A kernel that died has shown no error, and a page without an error would pass as complete.
        """
        if error and self.cell and all(output.output_type != "error" for output in self.cell.outputs):
            self.cell.outputs.append(new_output("error", ename="Stopped", evalue=error, traceback=[error]))


def failure(error: CellExecutionError, cell: Any) -> str:
    """Returns a failed cell's error. If that is only a name, adds what the cell wrote to standard error before."""
    said = plain(f"{error.ename}: {error.evalue}").strip(": \n")
    traced = any(output.output_type == "error" and len(output.traceback) > 1 for output in cell.outputs)
    written = "" if traced else plain("".join(o.text for o in cell.outputs if o.output_type == "stream" and o.name == "stderr")).strip()
    return "\n".join(filter(None, [said, written]))[:600]


def checked(verdicts: list[Record]) -> tuple[list[Record], str]:
    """Returns the verdicts that match the schema, and a description of one that doesn't, or "".

    Time, reader and machine of a verdict are only in the reader's own records, so they are not checked here.
    """
    whole, wrong = [], ""
    for record in verdicts:
        try:
            records.check({**ANYBODYS, **record})
            whole.append(record)
        except Refused as refused:
            wrong = f"the verdict on {record.get('statement')}: {refused}; data/records.schema.json says what a record is"
    return whole, wrong


async def execute_page(page: Path, kernel: str) -> tuple[dict[str, Any], list[Record]]:
    """Runs one page in its own kernel, and returns its row of the report and its verdicts.

    The kernel has ended when this returns or is cancelled.
    """
    began = time.monotonic()
    run, lab = Run(page), executed.lab()
    error = await run.stopped_by()
    verdicts, wrong = checked(records.verdicts_of(run.nb))
    run.show(error)
    run.nb.metadata[executed.MADE_WITH] = lab
    seconds = time.monotonic() - began
    write_whole(RUNS / page.name, nbformat.writes(run.nb))
    error = error or wrong
    row = {
        "page": page.stem,
        "status": "failed" if error else "ok",
        "seconds": round(seconds, 1),
        "peak_memory_mb": round(run.memory.peak / 2**20),
        "charts": charts(run.nb),
        "kernel": kernel,
        "profile": os.environ.get("COURSE_PROFILE", "quick"),
        "statements": len(verdicts),
        **({"error": error} if error else {}),
        **({"threads": kept_threads(run)} if run.threads else {}),
    }
    return row, verdicts


def kept_threads(run: Run) -> str:
    """Writes what the kernel's threads did when the page was stopped, and returns the file's name. Later runs don't replace the file."""
    file = RUNS / f"{run.name}-threads-{time.strftime('%Y%m%d-%H%M%S')}.txt"
    write_whole(file, run.threads.encode("utf-8", "replace").decode())
    return shown(file)


class Interruption:
    """Records whether the user or the system asked this process to stop."""

    came = False

    @classmethod
    def take(cls, task: asyncio.Task[Any]) -> None:
        cls.came = True
        task.cancel()


def end_by_signals() -> None:
    """Makes each signal that asks this process to end cancel the current task. A signal that nohup ignores stays ignored."""
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        if number != signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:
            loop.add_signal_handler(number, Interruption.take, asyncio.current_task())


async def execute_all(pages: list[Path], kernel: str) -> list[dict[str, Any]]:
    end_by_signals()
    rows: list[dict[str, Any]] = []
    for number, page in enumerate(pages, 1):
        say(f"Page {number} of {len(pages)}: {page.stem}")
        row, _ = await execute_page(page, kernel)
        rows.append(row)
        write_whole(REPORT, json.dumps(rows, indent=1) + "\n")
        say(outcome(row))
    return rows


def outcome(row: dict[str, Any]) -> str:
    """Returns a row of the report in words."""
    text = f"{row['page']}: {row['status']}, {row['seconds']} s, kernel at most {row['peak_memory_mb']} MB, {row['charts']} charts"
    told = [row["error"]] if "error" in row else []
    return "\n  ".join([text, *told, *([f"thread dump: {row['threads']}"] if "threads" in row else [])])


def main(words: list[str]) -> int:
    kernel, *pages = words
    os.environ.pop("PYTHONPATH", None)
    try:
        rows = asyncio.run(execute_all([Path(page) for page in pages], kernel))
    except (KeyboardInterrupt, asyncio.CancelledError):
        sys.stderr.write("\nInterrupted. The kernel has been stopped.\n")
        return 130
    except OSError as error:
        sys.stderr.write("\n" + from_os_error(error).told())
        return 1
    for row in rows:
        sys.stdout.write(outcome(row) + "\n")
    return 1 if any(row["status"] != "ok" for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
