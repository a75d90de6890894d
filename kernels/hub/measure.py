"""Measures the time and memory of learners on a JupyterHub: 1, 5, 10 and 15 start their servers simultaneously, and run page 01 to its end.

    .venv/bin/python kernels/hub/measure.py [N…]

The hub and its proxy are real. The single-user servers run in containers of the image `which-thread` (`kernels/course image` builds it)
with the limits of values.yaml. The page runs over their HTTP and websockets, as in a browser. Needs Podman with control groups, and npm for
the proxy; hub and proxy go to `.build/hub`. Writes a line for each learner to data/recorded/hub.csv, and the table of the instructor's
guide to standard output. Keeps the lines of numbers of learners that this run doesn't measure.
"""

from __future__ import annotations

import asyncio
import contextlib
import csv
import json
import os
import re
import secrets
import socket
import statistics
import subprocess
import sys
import time
import uuid
from collections.abc import AsyncIterator, Iterator
from dataclasses import asdict, dataclass, field, fields
from datetime import date
from pathlib import Path
from typing import Any

from tornado.httpclient import AsyncHTTPClient, HTTPRequest
from tornado.websocket import WebSocketClientConnection, websocket_connect

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "kernels"))  # the package `command`
from command.base import records  # noqa: E402

FOLDER = ROOT / ".build" / "hub"
RECORDED = ROOT / "data" / "recorded" / "hub.csv"
LOCK = ROOT / "kernels" / "locks" / "python-hub.txt"
PROXY = "configurable-http-proxy@5.3.0"

LEARNERS = (1, 5, 10, 15)
PAGE = "notebooks/01-execution-context.ipynb"
IMAGE = "which-thread"
MEMORY, CPUS = "2G", 1  # the limits in values.yaml
PATIENCE = 3600  # seconds, for all of it
CHART = "application/vnd.plotly.v1+json"
CGROUP = Path("/sys/fs/cgroup")


@dataclass
class Learner:
    """The time and memory of one of several simultaneous learners. Seconds count from the moment in which all press Start."""

    learners: int
    learner: int
    server_s: float = 0.0  # until the server answers
    first_cell_s: float = 0.0
    first_chart_s: float = 0.0
    end_s: float = 0.0
    cpu_s: float = 0.0
    server_mib: int = 0  # before a kernel was started
    most_mib: int = 0
    cells: int = 0
    failed: int = 0
    holds: int = 0
    open: int = 0  # statements whose verdict is none of holds, depends and does not hold
    claims: int = 0
    machine: str = ""
    day: str = field(default_factory=lambda: f"{date.today()}")

    @property
    def name(self) -> str:
        return f"learner-{self.learner}"


# ---- the hub


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def install() -> tuple[Path, Path]:
    """Installs the hub from its lock and the proxy from npm, once. Returns their programs."""
    python, proxy = FOLDER / "python" / "bin", FOLDER / "proxy" / "node_modules" / ".bin" / "configurable-http-proxy"
    if not (python / "jupyterhub").exists():
        subprocess.run([sys.executable, "-m", "venv", FOLDER / "python"], check=True)
        subprocess.run([python / "python", "-m", "pip", "install", "--quiet", "--no-deps", "--require-hashes", "-r", LOCK], check=True)
    if not proxy.exists():
        (FOLDER / "proxy").mkdir(parents=True, exist_ok=True)
        subprocess.run(["npm", "install", "--silent", "--no-fund", "--no-audit", PROXY], cwd=FOLDER / "proxy", check=True)
    return python / "jupyterhub", proxy


def configuration(proxy: Path, port: int, api: int, hub: int, token: str) -> str:
    return f"""
c.JupyterHub.bind_url = "http://127.0.0.1:{port}"
c.JupyterHub.hub_bind_url = "http://127.0.0.1:{hub}"
c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:{api}"
c.ConfigurableHTTPProxy.command = [{str(proxy)!r}]
c.JupyterHub.spawner_class = "podman_spawner.PodmanSpawner"
c.PodmanSpawner.image = {IMAGE!r}
c.Spawner.mem_limit, c.Spawner.cpu_limit = {MEMORY!r}, {CPUS}
c.Spawner.start_timeout = c.Spawner.http_timeout = 300
c.JupyterHub.authenticator_class = "dummy"
c.Authenticator.allow_all = True
c.JupyterHub.services = [{{"name": "measure", "api_token": {token!r}}}]
scopes = ["admin:users", "admin:servers", "access:servers"]
c.JupyterHub.load_roles = [{{"name": "measure", "scopes": scopes, "services": ["measure"]}}]
c.JupyterHub.log_level = "WARN"
"""


@dataclass(frozen=True)
class Hub:
    address: str
    token: str

    async def ask(self, path: str, method: str = "GET", content: Any = None, fine: tuple[int, ...] = ()) -> Any:
        """Returns the answer of the hub or of a server. Raises tornado's HTTPClientError if it is a refusal that isn't `fine`."""
        body = None if method == "GET" else json.dumps(content) if content is not None else ""
        headers = {"Authorization": f"token {self.token}"}
        request = HTTPRequest(f"{self.address}/{path}", method, headers, body, request_timeout=300, allow_nonstandard_methods=True)
        answer = await AsyncHTTPClient().fetch(request, raise_error=False)
        if answer.code not in fine:
            answer.rethrow()
        with contextlib.suppress(ValueError):
            return json.loads(answer.body or b"null")

    async def until(self, path: str, holds: Any) -> Any:
        """Returns the first answer that `holds`. Asks until there is one, also while no server listens yet."""
        while True:
            with contextlib.suppress(OSError):
                if holds(found := await self.ask(path, fine=(404, 502, 503, 504, 599))):
                    return found
            await asyncio.sleep(0.2)


@contextlib.contextmanager
def running_hub() -> Iterator[Hub]:
    program, proxy = install()
    token, (port, api, hub) = secrets.token_hex(16), (free_port() for _ in range(3))
    config = FOLDER / "jupyterhub_config.py"
    config.write_text(configuration(proxy, port, api, hub, token))
    for old in ("jupyterhub.sqlite", "jupyterhub-proxy.pid"):
        (FOLDER / old).unlink(missing_ok=True)
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parent), "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}"}
    with open(FOLDER / "hub.log", "w") as log:
        process = subprocess.Popen([program, "-f", config], cwd=FOLDER, env=env, stdout=log, stderr=log)
        try:
            yield Hub(f"http://127.0.0.1:{port}", token)
        finally:
            process.terminate()  # it ends the proxy and the containers
            process.wait(120)


# ---- a learner's container, as the host counts it


class Container:
    """A container's control groups, of version 1 or 2. Counts memory as Kubernetes does, without the idle part of the page cache."""

    def __init__(self, name: str) -> None:
        self.path = podman("inspect", "--format={{.State.CgroupPath}}", name).strip("/")
        self.two = (CGROUP / "cgroup.controllers").exists()

    def _file(self, controller: str, name: str) -> Path:
        return CGROUP / ("" if self.two else controller) / self.path / name

    def mib(self) -> int:
        stat = dict(line.split() for line in self._file("memory", "memory.stat").read_text().splitlines())
        usage = int(self._file("memory", "memory.current" if self.two else "memory.usage_in_bytes").read_text())
        return (usage - int(stat["inactive_file" if self.two else "total_inactive_file"])) >> 20

    def cpu_seconds(self) -> float:
        if self.two:
            return int(re.findall(r"usage_usec (\d+)", self._file("cpu", "cpu.stat").read_text())[0]) / 1e6
        return int(self._file("cpuacct", "cpuacct.usage").read_text()) / 1e9


def podman(*words: str) -> str:
    return subprocess.run(["podman", *words], check=True, capture_output=True, text=True).stdout.strip()


@contextlib.asynccontextmanager
async def watched(learner: Learner, container: Container) -> AsyncIterator[None]:
    """Notes the most memory that the container uses meanwhile, and its CPU seconds."""
    before = container.cpu_seconds()

    async def look() -> None:
        while True:
            learner.most_mib = max(learner.most_mib, container.mib())
            await asyncio.sleep(0.5)

    looking = asyncio.create_task(look())
    try:
        yield
    finally:
        looking.cancel()
        learner.cpu_s = round(container.cpu_seconds() - before, 1)


# ---- a learner


def request(code: str) -> tuple[str, str]:
    """Returns a cell as JupyterLab sends it, and the message's id."""
    number = uuid.uuid4().hex
    header = {"msg_id": number, "msg_type": "execute_request", "username": "", "session": "measure", "version": "5.3", "date": ""}
    content = {"code": code, "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": False, "stop_on_error": True}
    message = {"header": header, "parent_header": {}, "metadata": {}, "content": content, "channel": "shell", "buffers": []}
    return json.dumps(message), number


async def run_cell(socket: WebSocketClientConnection, code: str, since: float, learner: Learner) -> bool:
    """Runs a cell and notes when the first chart came. Tells whether the cell ended well."""
    message, number = request(code)
    await socket.write_message(message)
    status, idle = "", False
    while not (status and idle):
        answer = await socket.read_message()
        if not isinstance(answer, str):
            raise ConnectionError(f"{learner.name}: the kernel's connection ended")
        found = json.loads(answer)
        if found["parent_header"].get("msg_id") != number:
            continue
        kind, content = found["header"]["msg_type"], found["content"]
        if CHART in content.get("data", {}) and not learner.first_chart_s:
            learner.first_chart_s = time.monotonic() - since
        if kind == "execute_reply":
            status = content["status"]
        idle = idle or (kind == "status" and content["execution_state"] == "idle")
    return status == "ok"


async def run_page(hub: Hub, learner: Learner, since: float) -> None:
    base = f"user/{learner.name}/api"
    page = (await hub.ask(f"{base}/contents/{PAGE}?content=1"))["content"]
    kernel = {"name": page["metadata"]["kernelspec"]["name"]}
    session = await hub.ask(f"{base}/sessions", "POST", {"path": PAGE, "name": Path(PAGE).name, "type": "notebook", "kernel": kernel})
    address = f"{hub.address.replace('http', 'ws', 1)}/{base}/kernels/{session['kernel']['id']}/channels?session_id=measure"
    upgrade = HTTPRequest(address, headers={"Authorization": f"token {hub.token}"}, request_timeout=PATIENCE)
    socket = await websocket_connect(upgrade, max_message_size=1 << 28)
    for cell in (cell for cell in page["cells"] if cell["cell_type"] == "code"):
        learner.failed += not await run_cell(socket, "".join(cell["source"]), since, learner)
        learner.cells += 1
        learner.first_cell_s = learner.first_cell_s or time.monotonic() - since
    learner.end_s = time.monotonic() - since
    socket.close()


def note_verdicts(learner: Learner) -> None:
    """Counts the verdicts that the learner's kernel has kept."""
    kept = podman("exec", f"which-thread-hub-{learner.name}", "cat", f"/home/jovyan/which-thread/data/results/{records.OWN}")
    rows = [record for _, record in records.lines_of(kept.encode()) if record["record"] == "verdict"]
    learner.claims = len(rows)
    learner.holds = sum(row["verdict"] == records.HOLDS for row in rows)
    learner.open = sum(row["verdict"] in (records.NOT_DECIDED, records.NOT_TRIED) for row in rows)
    if rows:
        machine = rows[0]["machine"]
        learner.machine = f"{machine['cpus']} CPUs, JDK {machine['jdk']}, Scala {machine['scala']}, profile {machine['profile']}"


async def learn(hub: Hub, learner: Learner, since: float) -> Learner:
    """Does what a learner does, from the button to the end of the page."""
    await hub.ask(f"hub/api/users/{learner.name}", "POST")
    await hub.ask(f"hub/api/users/{learner.name}/server", "POST")
    await hub.until(f"hub/api/users/{learner.name}", lambda user: user and user["servers"].get("", {}).get("ready"))
    await hub.until(f"user/{learner.name}/api/status", lambda status: status and "kernels" in status)
    learner.server_s = time.monotonic() - since
    container = Container(f"which-thread-hub-{learner.name}")
    learner.server_mib = container.mib()
    async with watched(learner, container):
        await run_page(hub, learner, since)
    note_verdicts(learner)
    took = f"{learner.end_s:.0f} s, {learner.cpu_s:.0f} CPU seconds, {learner.most_mib} MiB"
    say(f"{learner.learners} at once: {learner.name} has come to the end: {took}")
    return learner


def say(text: str) -> None:
    sys.stderr.write(text + "\n")


async def measure(count: int) -> list[Learner]:
    """Runs this many learners simultaneously, on a fresh hub."""
    AsyncHTTPClient.configure(None, max_clients=200)
    with running_hub() as hub:
        await asyncio.wait_for(hub.until("hub/api/", lambda found: found and "version" in found), 120)
        since = time.monotonic()
        all_of_them = [learn(hub, Learner(count, number), since) for number in range(1, count + 1)]
        try:
            return await asyncio.wait_for(asyncio.gather(*all_of_them), PATIENCE)
        finally:
            for number in range(1, count + 1):
                subprocess.run(["podman", "rm", "--force", "--time=2", f"which-thread-hub-learner-{number}"], capture_output=True)


# ---- what came out


def recorded() -> list[Learner]:
    if not RECORDED.exists():
        return []
    kinds = {"str": str, "int": int, "float": float}
    with open(RECORDED, newline="") as file:
        return [Learner(**{one.name: kinds[str(one.type)](row[one.name]) for one in fields(Learner)}) for row in csv.DictReader(file)]


def write(rows: list[Learner]) -> None:
    with open(RECORDED, "w", newline="") as file:
        lines = csv.DictWriter(file, list(asdict(rows[0])), lineterminator="\n")
        lines.writeheader()
        lines.writerows(
            {name: f"{value:.1f}" if isinstance(value, float) else value for name, value in asdict(row).items()} for row in rows
        )


def table(rows: list[Learner]) -> str:
    """Returns the table of medians over the learners, with the worst in brackets."""

    def cell(some: list[Learner], name: str, unit: str) -> str:
        values = [getattr(row, name) for row in some]
        return f"{statistics.median(values):.0f} ({max(values):.0f}) {unit}"

    head = (
        "learners",
        "to JupyterLab",
        "to the first chart",
        "to the end of page 01",
        "CPU seconds",
        "memory at most",
        "failed cells",
    )
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for count in sorted({row.learners for row in rows}):
        some = [row for row in rows if row.learners == count]
        times = [cell(some, name, "s") for name in ("server_s", "first_chart_s", "end_s", "cpu_s")]
        lines.append(f"| {count} | " + " | ".join(times) + f" | {cell(some, 'most_mib', 'MiB')} | {sum(row.failed for row in some)} |")
    return "\n".join(lines) + "\n"


def main(words: list[str]) -> int:
    counts = [int(word) for word in words] or LEARNERS
    rows = [row for row in recorded() if row.learners not in counts]
    for count in counts:
        say(f"{count} at once")
        rows = sorted([*rows, *asyncio.run(measure(count))], key=lambda row: (row.learners, row.learner))
        write(rows)
    sys.stdout.write(table(rows))
    return 1 if any(row.failed for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
