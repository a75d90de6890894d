"""What comes to the kernel's five ports from others than its front end, and what comes broken from the front end itself."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from jupyter_client.connect import write_connection_file
from jupyter_client.kernelspec import KernelSpecManager
from test_kernel import KERNEL, LIMIT, embedded_only

# ---- a kernel that can't start, or need not


def start(connection: Path | str, **env: str) -> subprocess.Popen[str]:
    spec = KernelSpecManager().get_kernel_spec(KERNEL)
    argv = [word.replace("{connection_file}", str(connection)) for word in spec.argv]
    bare = {name: value for name, value in os.environ.items() if name != "JPY_PARENT_PID"}
    return subprocess.Popen(argv, env={**bare, **env}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def said(kernel: subprocess.Popen[str]) -> list[str]:
    out, err = kernel.communicate(timeout=LIMIT)
    return [line for line in (out + err).splitlines() if not line.startswith(("Picked up ", "NOTE: Picked up "))]


@embedded_only
@pytest.mark.parametrize(
    ("field", "value", "rule"),
    [("key", "", "empty"), ("signature_scheme", "hmac-rot13", "Java"), ("shell_port", 70000, "65535"), ("hb_port", "one", "whole number")],
)
def test_a_bad_connection_file_is_refused_in_a_line(tmp_path: Path, field: str, value: Any, rule: str) -> None:
    file = tmp_path / "connection.json"
    write_connection_file(str(file), key=b"a-key")
    file.write_text(json.dumps({**json.loads(file.read_text()), field: value}))
    kernel = start(file)
    lines = said(kernel)
    assert kernel.returncode == 2
    assert len(lines) == 1 and str(file) in lines[0] and f'"{field}": {json.dumps(value)}' in lines[0] and rule in lines[0], lines


@embedded_only
def test_a_kernel_whose_jupyter_is_dead_at_start_ends(tmp_path: Path) -> None:
    file = tmp_path / "connection.json"
    write_connection_file(str(file), key=b"a-key")
    with subprocess.Popen([sys.executable, "-c", ""]) as jupyter:
        pass
    kernel = start(file, JPY_PARENT_PID=str(jupyter.pid))
    lines = said(kernel)
    assert kernel.returncode == 0
    assert len(lines) == 1 and str(jupyter.pid) in lines[0], lines
