"""Starts a JupyterHub's single-user servers in containers of the image on this machine, with limits. For measure.py, not for a class."""

from __future__ import annotations

import asyncio
import os
from typing import Any

from jupyterhub.spawner import Spawner
from jupyterhub.utils import random_port
from traitlets import Unicode

OF_THE_HUB = ("JUPYTERHUB_", "JPY_", "MEM_", "CPU_")


class PodmanSpawner(Spawner):
    """Runs a container for each user, on the host's network, limited by `mem_limit` and `cpu_limit`."""

    image = Unicode("which-thread", config=True)

    def container(self) -> str:
        return f"which-thread-hub-{self.user.name}"

    async def podman(self, *words: str, **env: str) -> tuple[int, str]:
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec("podman", *words, stdout=pipe, stderr=pipe, env={**os.environ, **env})
        out, err = await process.communicate()
        return process.returncode or 0, (out + err).decode(errors="replace").strip()

    async def start(self) -> tuple[str, int]:
        self.port = random_port()
        # Only the hub's variables, because the image has another PATH. By name, so that no token appears on a command line.
        env = {name: value for name, value in self.get_env().items() if name.startswith(OF_THE_HUB)}
        names = [f"--env={name}" for name in env]
        limits = [f"--memory={self.mem_limit}", f"--memory-swap={self.mem_limit}", f"--cpus={self.cpu_limit}"]
        words = ["run", "--detach", "--replace", f"--name={self.container()}", *limits, *names, self.image]
        code, said = await self.podman(*words, "/srv/course/kernels/hub/start", *self.get_args(), **env)
        if code:
            raise RuntimeError(f"podman run failed (exit code {code}): {said}")
        return "127.0.0.1", self.port

    async def poll(self) -> int | None:
        code, said = await self.podman("inspect", "--format={{.State.Running}} {{.State.ExitCode}}", self.container())
        if code:
            return 0
        running, exit_code = said.split()
        return None if running == "true" else int(exit_code)

    async def stop(self, now: bool = False) -> None:
        await self.podman("rm", "--force", "--time=5", self.container())

    def get_state(self) -> dict[str, Any]:
        return {**super().get_state(), "port": self.port}

    def load_state(self, state: dict[str, Any]) -> None:
        super().load_state(state)
        self.port = state.get("port", 0)
