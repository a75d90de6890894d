"""Describes this machine for what is recorded on it: the user's words, and the processor's name from the system."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from .problem import Problem

CPUINFO = Path("/proc/cpuinfo")


def processor() -> str:
    """Returns the processor's name as the system gives it, without trademark signs. If the system has none, returns its architecture."""
    if sys.platform == "win32":
        import winreg

        with winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, r"HARDWARE\DESCRIPTION\System\CentralProcessor\0") as key:
            name = winreg.QueryValueEx(key, "ProcessorNameString")[0]
    elif sys.platform == "darwin":
        name = subprocess.run(["sysctl", "-n", "machdep.cpu.brand_string"], capture_output=True, text=True).stdout
    else:
        lines = CPUINFO.read_text(encoding="latin-1").splitlines() if CPUINFO.exists() else []
        name = next((line.partition(":")[2] for line in lines if line.startswith("model name")), "")
    return " ".join(name.replace("(R)", "").replace("(TM)", "").split()) or platform.machine()


def in_words(env: Mapping[str, str] = os.environ) -> str:
    """Returns the description of this machine for a recording: `COURSE_RECORD`, and the processor in brackets.

    Raises a Problem if the variable isn't set.
    """
    words, ending = env.get("COURSE_RECORD", "").strip(), f" ({processor()})"
    if not words:
        raise Problem(
            "A recording needs a description of the machine.",
            'Give one: COURSE_RECORD="a laptop with 8 cores, nothing else running". The processor\'s name is added.',
        )
    return words if words.endswith(ending) else words + ending
