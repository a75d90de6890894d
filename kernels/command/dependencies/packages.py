"""Installs what a lock of Python packages holds, by pip, which checks every hash and resolves nothing."""

from __future__ import annotations

import functools
import importlib.util
import os
import re
import sys
from collections.abc import Collection
from importlib.metadata import version
from pathlib import Path

from ..base import children
from ..base.paths import PYTHON_LOCK, shown
from ..base.problem import AGAIN, BUNDLES, Problem, diagnose
from ..base.say import Counter, say
from . import certificates

PIP = ["--no-deps", "--require-hashes", "--no-input", "--disable-pip-version-check", "--progress-bar", "off", "--no-compile", "--no-user"]
# These would install other packages than the lock's, or elsewhere.
MISLEADING = ("PYTHONHOME", "PYTHONPATH", "PIP_USER", "PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_REQUIRE_VIRTUALENV")
# The Pythons that the lock has wheels for.
OLDEST, NEWEST = (3, 10), (3, 14)


def install(program: Path, site: Path, lock: Path, what: str, target: Path | None = None) -> None:
    """Installs every package of `lock` for the Python `program`: into its folder of packages `site`, or into the folder `target`.

    `what` names them in the progress. Raises a Problem where the network, a certificate, a proxy, the index, a hash or the disk stands in
    the way.
    """
    say(f"{what}: installing")
    counter = Counter(f"{what}: fetched", len(re.findall(r"^[^\s#].*==", lock.read_text(), re.M)))
    seen = 0

    def watch(line: str) -> None:
        nonlocal seen
        seen += line.startswith(("Collecting ", "Ignoring "))
        counter.at(seen)
        if line.startswith("WARNING: Retrying (Retry(total=4"):  # the first of five
            say("pip does not get through to its index and tries again, which can take minutes")

    pip, place = pip_at_hand(program, site)
    words = [*(["--target", target] if target else []), "-r", lock]
    code, output = children.run([*pip, "install", *PIP, *words], env=pip_environment(Path(pip[0]), place), each_line=watch)
    if code:
        raise pip_problem(output, code)


def few(names: Collection[str]) -> str:
    """Returns at most five names, and how many more there are."""
    first = ", ".join(sorted(names)[:5])
    return first + (f" and {len(names) - 5} more" if len(names) > 5 else "")


def ensure_pip(program: Path, site: Path) -> None:
    """Lets the environment of `program` have pip. Raises a Problem where this Python comes without it."""
    if any(site.glob("pip-*.dist-info/RECORD")):  # what pip writes last
        return
    if importlib.util.find_spec("ensurepip") is None:
        raise Problem(
            f"This Python ({sys.executable}) comes without ensurepip, so it can't make an environment.",
            f"On Debian or Ubuntu: apt-get install python{sys.version_info[0]}.{sys.version_info[1]}-venv, {AGAIN}",
        )
    code, output = children.run([program, "-m", "ensurepip", "--default-pip"], env=children.without(os.environ, *MISLEADING))
    if code:
        raise diagnose("Making .venv", output, f"Install the venv module of this Python, {AGAIN}", code)


def pip_at_hand(program: Path, site: Path) -> tuple[list[str | Path], Path]:
    """The command line of a pip that installs for `program`, and where its packages are: the running Python's, else that of `program`."""
    there = importlib.util.find_spec("pip")
    if there and there.origin and tuple(map(int, version("pip").split(".")[:2])) >= (22, 3):  # it knows --python since
        return [sys.executable, "-m", "pip", "--python", program], Path(there.origin).parent.parent
    ensure_pip(program, site)
    return [program, "-m", "pip"], site


def pip_environment(program: Path, site: Path) -> dict[str, str]:
    """The environment for pip: it trusts what the system trusts, unless the user told it whom to trust."""
    env = children.environment(PIP_DEFAULT_TIMEOUT=os.environ.get("PIP_DEFAULT_TIMEOUT", "60"))
    env = children.without(env, *MISLEADING)
    if any(env.get(name) for name in BUNDLES) or trusts_another(program):
        return env
    bundle = certificates.pem(site)
    return {**env, "PIP_CERT": str(bundle)} if bundle else env


@functools.cache
def trusts_another(program: Path) -> bool:
    """Tells whether the user told pip in its configuration whom to trust."""
    argv = [program, "-m", "pip", "config", "list", "--disable-pip-version-check"]
    code, listed = children.run(argv, env=children.without(os.environ, *MISLEADING))
    return code == 0 and bool(re.search(r"^(global|install|:env:)\.cert=", listed, re.M))


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))


def pip_problem(output: str, code: int = 1) -> Problem:
    """The problem behind a pip that failed, from what it printed."""
    match = re.search(r"THESE PACKAGES DO NOT MATCH THE HASHES.*?(?=\n\n|\Z)", output, re.S)
    if match or "DO NOT MATCH THE HASHES" in output:
        return Problem(
            f"A Python package differs from {shown(PYTHON_LOCK)} (its SHA-256).",
            "Your index or mirror serves an altered file, or the download broke: run `pip cache purge`, "
            f"check the index in pip's configuration, {AGAIN}",
            match[0] if match else output[-800:],
        )
    errors = "\n".join(line for line in output.splitlines() if "ERROR" in line)
    if "(from versions: none)" in output and "Retrying" not in output:
        return Problem(
            "pip's index holds nothing of a locked package, or could not be reached.",
            f"Check the network and the index in pip's configuration (`pip config list`), {AGAIN}",
            errors,
        )
    if "No matching distribution found" in output and "Retrying" not in output:
        return Problem(
            "pip's index has no wheel of a locked package for this Python and system.",
            f"Use Python {_dotted(OLDEST)} to {_dotted(NEWEST)} on Linux (x86_64, aarch64) or macOS, "
            f"and an index that mirrors the whole registry, {AGAIN}",
            errors,
        )
    return diagnose("Installing Python packages with pip", output, code=code)
