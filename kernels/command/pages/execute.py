"""Executes pages headless, top to bottom. Started by `run` with the installed Python (nbclient, nbformat, psutil).

Each executed page is kept, failed or not, and the report is rewritten after every page, so that a run that is cut
short leaves what it knows.
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

# jsonschema looks for this checker of web addresses and does without it; importing it alone takes most of a second.
sys.modules["rfc3987_syntax"] = None  # type: ignore[assignment]

import nbformat
import psutil
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat.v4 import new_output

from ..base import records
from ..base.files import write_whole
from ..base.paths import NOTEBOOKS, RUNS
from ..base.problem import from_os_error
from ..base.records import Record, Refused
from ..base.say import say
from ..setup.starting import NotStarted, start_async
from . import executed

CHART = "application/vnd.plotly.v1+json"
# A benchmark over all versions takes minutes, in the full profile most of an hour.
CELL_LIMIT = 7200 if os.environ.get("COURSE_PROFILE") == "full" else 900  # seconds
STARTING_LIMIT = 120  # seconds
SAMPLE_EVERY = 0.5  # seconds between two looks at the kernel's memory
REPORT = RUNS / "report.json"
ANYBODYS = {"at": "2026-01-01T00:00:00Z", "reader": "", "machine": {"cpus": 1, "jdk": 25, "profile": "quick"}}


class Memory:
    """The most memory that a process held: the kernel's own high-water mark on Linux, the largest sample elsewhere."""

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
    """Without a terminal's colours."""
    return re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", text)


def charts(notebook: Any) -> int:
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    return sum(CHART in output.get("data", {}) for output in outputs)


def adopt_updates(channel: Any) -> None:
    """Lets an update of a display that names no cell belong to the one that runs: Almond sends such, and clients pass them over.

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
    """nbclient's run of one page, on whatever kernel: says how far it is, watches the kernel's memory, and knows how the kernel ended."""

    def __init__(self, page: Path) -> None:
        super().__init__(
            nbformat.read(page, as_version=4),
            timeout=CELL_LIMIT,
            kernel_name="scala-course",
            shutdown_kernel="graceful",
            on_cell_execute=self.begin,
        )
        self.name, self.cell, self.where = page.stem, None, ""
        self.memory, self.exit_code = Memory(0), None

    def begin(self, cell: Any, cell_index: int) -> None:
        code = [index for index, other in enumerate(self.nb.cells) if other.cell_type == "code"]
        self.cell, self.where = cell, f"cell {code.index(cell_index) + 1} of {len(code)} ({first_line(cell.source)}): "
        say(f"{self.name}: {self.where[:-2]}")

    @contextlib.asynccontextmanager
    async def async_setup_kernel(self, **options: Any) -> AsyncIterator[None]:
        """The kernel is gone afterwards. nbclient's own takes the signals, too, which here end the whole run."""
        manager = self.create_kernel_manager()
        watcher = asyncio.create_task(self.memory.watch())
        try:
            self.kc = await start_async(manager, STARTING_LIMIT, **options)
            self.kc.allow_stdin = False
            self.memory.pid = manager.provisioner.pid
            self.memory.look()
            adopt_updates(self.kc.iopub_channel)
            yield
        finally:
            watcher.cancel()
            self.memory.look()
            self.exit_code = await manager.provisioner.poll() if manager.provisioner else None
            if self.km is not None:  # where the kernel didn't start it has been cleared away
                await self._async_cleanup_kernel()

    def process_message(self, msg: dict[str, Any], cell: Any, cell_index: int) -> Any:
        """A kernel may leave a field of an error out, as Almond does with the traceback of a compile error."""
        if msg["msg_type"] == "error":
            content = {name: value for name, value in msg["content"].items() if value is not None}
            error = {"ename": "Error", "evalue": "", **content}
            msg = {**msg, "content": {"traceback": [f"{error['ename']}: {error['evalue']}"], **error}}
        return super().process_message(msg, cell, cell_index)

    async def stopped_by(self) -> str:
        """Runs every cell. Returns the error that stopped it, in short; empty if none did."""
        try:
            # By this name Jupyter's server tells a kernel the file that it runs.
            await self.async_execute(cwd=str(NOTEBOOKS), env={**os.environ, "JPY_SESSION_NAME": f"{self.name}.ipynb"})
        except CellExecutionError as error:
            return self.where + failure(error, self.cell)
        except CellTimeoutError:
            return self.where + f"no end after {CELL_LIMIT} s"
        except DeadKernelError:  # nbclient says so of a cancelled cell too
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
        """Lets the page itself show what stopped it. A kernel that died has shown nothing, and a page without an error passes for whole."""
        if error and self.cell and all(output.output_type != "error" for output in self.cell.outputs):
            self.cell.outputs.append(new_output("error", ename="Stopped", evalue=error, traceback=[error]))


def failure(error: CellExecutionError, cell: Any) -> str:
    """What a failed cell said: its error or, where that is no more than a name, what it wrote to standard error before."""
    said = plain(f"{error.ename}: {error.evalue}").strip(": \n")
    traced = any(output.output_type == "error" and len(output.traceback) > 1 for output in cell.outputs)
    written = "" if traced else plain("".join(o.text for o in cell.outputs if o.output_type == "stream" and o.name == "stderr")).strip()
    return "\n".join(filter(None, [said, written]))[:600]


def checked(verdicts: list[Record]) -> tuple[list[Record], str]:
    """Those that are as the schema has them, and what is wrong with one that isn't; empty if each is.

    When, by whom and on what they were reached stands in the reader's own records alone.
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
    """One page in a kernel of its own: its row of the report, and its verdicts. The kernel is gone when this returns or is cancelled."""
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
    }
    return row, verdicts


class Interruption:
    """Whether the user, or the system, asked this to stop."""

    came = False

    @classmethod
    def take(cls, task: asyncio.Task[Any]) -> None:
        cls.came = True
        task.cancel()


def end_by_signals() -> None:
    """From now on each signal that asks for the end cancels the task that calls this."""
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
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
    """A row of the report, in words."""
    text = f"{row['page']}: {row['status']}, {row['seconds']} s, kernel at most {row['peak_memory_mb']} MB, {row['charts']} charts"
    return text + (f"\n  {row['error']}" if "error" in row else "")


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
