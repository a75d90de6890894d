"""Installs a lock's Python packages with uv if it is available, else with pip. Both check every hash and resolve nothing.

uv ignores what the user told pip about indexes, certificates and proxies, so these settings are passed to it here.
"""

from __future__ import annotations

import ast
import functools
import importlib.util
import os
import re
import sys
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from ..base import children
from ..base.files import fingerprint, sha256, stamp, stamped
from ..base.paths import PYTHON_LOCK, UV, UV_LOCK, VENV, shown
from ..base.problem import (
    AGAIN,
    BUNDLES,
    KILLED,
    NO_BUNDLE,
    NO_MEMORY,
    NO_NETWORK,
    NO_SPACE,
    PROXY_ASKS,
    UNTRUSTED,
    Problem,
    diagnose,
    hidden,
)
from ..base.say import Counter, say
from . import certificates, installed

PIP = ["--no-deps", "--require-hashes", "--no-input", "--disable-pip-version-check", "--progress-bar", "off", "--no-compile", "--no-user"]
# In the root folder uv finds no project's settings, only the user's.
UV_PIP = ["--no-deps", "--require-hashes", "--no-python-downloads", "--color", "never", "--directory", VENV.anchor]
# With hard links, a change of an installed file would also change uv's cache and every other environment made from it.
UV_PIP += ["--link-mode", "copy"]
# Settings that would install other packages than the lock's, or elsewhere.
MISLEADING = ("PYTHONHOME", "PYTHONPATH", "PIP_USER", "PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_REQUIRE_VIRTUALENV")
MISLEADING += ("UV_CONSTRAINT", "UV_OVERRIDE", "UV_EXCLUDE", "UV_NO_VERIFY_HASHES", "UV_SYSTEM_PYTHON")
# The versions of Python for which the lock has wheels.
OLDEST, NEWEST = (3, 10), (3, 14)


def install(program: Path, site: Path, lock: Path, what: str, target: Path | None = None) -> None:
    """Installs every package of `lock` for the Python `program`, into its packages folder `site` or into the folder `target`.

    `what` names the packages in the progress. Raises a Problem if the network, a certificate, a proxy, the index, a hash or the disk
    prevents it, and if a package differs from its wheel.
    """
    say(f"{what}: installing")
    words = [*(["--target", target] if target else []), "-r", lock]
    uv = get_uv(program, site)
    if uv:
        code, output = _run_uv(uv, program, site, words, what)
        broken = installed.damaged(target or site) if code == 0 else {}
        if broken:
            code, output = _without_its_cache(uv, program, site, words, what, broken)
            broken = installed.damaged(target or site) if code == 0 else {}
        if broken:
            raise Problem(
                f"{few(broken)}: the installed files are not those that the wheels list.",
                f"Check the disk, and the index in pip's configuration, {AGAIN}",
                "\n".join(map(str, broken.values())),
            )
        if code == 0:
            return
        if code == KILLED or NO_MEMORY.search(output) or NO_SPACE.search(output):
            raise diagnose("Installing Python packages with uv", output, code=code)
        # pip may succeed in all other cases. If not, it fails with the messages that the documentation explains.
        say(f"{what}: uv failed ({_reason(output)}); using pip instead, which takes longer")
    ensure_pip(program, site)
    code, output = _run_pip(program, site, words)
    if code:
        raise pip_problem(output, code)


def _reason(output: str) -> str:
    """Returns the error itself in one line."""
    text = " ".join(hidden(output).split())
    return text[max(text.lower().rfind("error: "), 0) :].partition(" hint: ")[0][:250]


# ---- pip


def ensure_pip(program: Path, site: Path) -> None:
    """Installs pip into the environment of `program` if it is missing. Raises a Problem if this Python has no ensurepip."""
    if any(site.glob("pip-*.dist-info/RECORD")):  # pip's installation ends with this file
        return
    if importlib.util.find_spec("ensurepip") is None:
        raise Problem(
            f"This Python ({sys.executable}) has no ensurepip, so it can't make an environment.",
            f"Install it, on Debian or Ubuntu with apt-get install python{sys.version_info[0]}.{sys.version_info[1]}-venv, {AGAIN}",
        )
    code, output = children.run([program, "-m", "ensurepip", "--default-pip"], env=children.without(os.environ, *MISLEADING))
    if code:
        raise diagnose("Making .venv", output, f"Install the venv module of this Python, {AGAIN}", code)


def _pip_at_hand(program: Path, site: Path) -> tuple[Path, Path]:
    """Returns a Python with pip and its packages folder: the running one if possible, else that of `program`."""
    pip = importlib.util.find_spec("pip")
    if pip and pip.origin:
        return Path(sys.executable), Path(pip.origin).parent.parent
    ensure_pip(program, site)
    return program, site


def _run_pip(program: Path, site: Path, words: Sequence[str | Path]) -> tuple[int, str]:
    def watch(line: str) -> None:
        if line.startswith("WARNING: Retrying (Retry(total=4"):  # the first of five
            say("pip can't reach its index and is retrying, which can take minutes")

    return children.run([program, "-m", "pip", "install", *PIP, *words], env=pip_environment(program, site), each_line=watch)


def pip_environment(program: Path, site: Path) -> dict[str, str]:
    """Returns the environment in which pip trusts the system's certificates, unless the user's settings name others."""
    env = children.environment(PIP_DEFAULT_TIMEOUT=os.environ.get("PIP_DEFAULT_TIMEOUT", "60"))
    env = children.without(env, *MISLEADING)
    if any(env.get(name) for name in BUNDLES) or "cert" in configuration(program):
        return env
    bundle = certificates.pem(site)
    return {**env, "PIP_CERT": str(bundle)} if bundle else env


@functools.cache
def configuration(program: Path) -> dict[str, str]:
    """Returns the user's settings of pip, from files and environment, by pip's names such as `index-url`.

    Several values of one setting are in one string.
    """
    argv = [program, "-m", "pip", "config", "list", "--disable-pip-version-check"]
    code, listed = children.run(argv, env=children.without(os.environ, *MISLEADING))
    found = re.findall(r"^(global|install|:env:)\.([\w-]+)=('.*'|\".*\")$", listed, re.M) if code == 0 else []
    found.sort(key=lambda entry: ("global", "install", ":env:").index(entry[0]))  # a later entry wins
    return {name: str(ast.literal_eval(value)) for _, name, value in found}


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))


def pip_problem(output: str, code: int = 1) -> Problem:
    """Returns the Problem behind a failure of pip, from its output."""
    match = re.search(r"THESE PACKAGES DO NOT MATCH THE HASHES.*?(?=\n\n|\Z)", output, re.S)
    if match or "DO NOT MATCH THE HASHES" in output:
        return Problem(
            f"A Python package differs from {shown(PYTHON_LOCK)} (its SHA-256).",
            "Your index or mirror serves an altered file, or the download was damaged: run `pip cache purge`, "
            f"check the index in pip's configuration, {AGAIN}",
            match[0] if match else output[-800:],
        )
    errors = "\n".join(line for line in output.splitlines() if "ERROR" in line)
    if "(from versions: none)" in output and "Retrying" not in output:
        return Problem(
            "pip's index doesn't have a locked package, or could not be reached.",
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


# ---- uv


@functools.cache  # so that a missing uv is looked for only once
def get_uv(program: Path, site: Path) -> Path | None:
    """Returns uv, which pip installs if it is missing, or None if the index has none for this system.

    Raises a Problem if pip would fail for every other package, too.
    """
    uv = UV / "bin" / "uv"
    key = fingerprint(sha256(UV_LOCK), str(UV))
    if stamped("uv", key):
        return uv
    code, output = _run_pip(*_pip_at_hand(program, site), ["--upgrade", "--target", UV, "-r", UV_LOCK])
    if code == 0:
        stamp("uv", key, [uv])
        return uv
    everywhere = (NO_NETWORK, UNTRUSTED, PROXY_ASKS, NO_SPACE, NO_MEMORY, NO_BUNDLE)
    if code == KILLED or "DO NOT MATCH THE HASHES" in output or any(sign.search(output) for sign in everywhere):
        raise pip_problem(output, code)
    say(f"uv, the faster installer, is not available ({_reason(output)}); using pip, which takes longer")
    return None


def _run_uv(uv: Path, program: Path, site: Path, words: Sequence[str | Path], what: str) -> tuple[int, str]:
    counter = Counter(f"{what}: large ones downloaded", 0)
    seen = 0

    def watch(line: str) -> None:
        nonlocal seen
        counter.total += line.startswith("Downloading ")
        seen += line.startswith(" Downloaded ")
        counter.at(seen)

    pip = _pip_at_hand(program, site)
    told, env = configuration(pip[0]), pip_environment(*pip)
    options = ["--no-index"] if told.get("no-index", "").lower() in ("1", "true", "yes", "on") else []
    argv = [uv, "pip", "install", "--python", program, *UV_PIP, *options, *words]
    return children.run(argv, env=uv_environment(told, env), each_line=watch)


def few(names: Collection[str]) -> str:
    """Returns at most five names, and the number of the others."""
    first = ", ".join(sorted(names)[:5])
    return first + (f" and {len(names) - 5} more" if len(names) > 5 else "")


def _without_its_cache(
    uv: Path, program: Path, site: Path, words: Sequence[str | Path], what: str, broken: Collection[str]
) -> tuple[int, str]:
    """Installs these packages again after removing them from uv's cache, because uv doesn't check what it unpacked there."""
    say(f"{what}: uv's cache holds damaged files ({few(broken)}); removing them there and fetching the packages again")
    code, output = children.run([uv, "cache", "clean", *sorted(broken)], env=children.without(os.environ, *MISLEADING))
    if code:
        return code, output
    again = [word for name in sorted(broken) for word in ("--reinstall-package", name)]
    return _run_uv(uv, program, site, [*again, *words], what)


def uv_environment(told: Mapping[str, str], env: Mapping[str, str]) -> dict[str, str]:
    """Returns the environment for uv, from pip's configuration `told` and the environment `env` that pip would get.

    The user's own settings of uv win, except for certificates, where only those of `env` count, as for pip.
    """
    # In pip's order. The requests library reads the last two of BUNDLES before anything else.
    bundles = [*(env.get(name, "") for name in BUNDLES[1:]), told.get("cert", ""), env.get("PIP_CERT", "")]
    bundle = next(filter(os.path.exists, bundles), "")
    handed = {
        "UV_DEFAULT_INDEX": told.get("index-url", ""),
        "UV_INDEX": " ".join(told.get("extra-index-url", "").split()),
        "UV_INDEX_STRATEGY": "unsafe-best-match",  # pip searches all indexes, and the hashes decide
        "UV_FIND_LINKS": ",".join(_there(told.get("find-links", "").split())),
        "UV_INSECURE_HOST": " ".join(told.get("trusted-host", "").split()),
        "UV_HTTP_TIMEOUT": told.get("timeout") or told.get("default-timeout") or env.get("PIP_DEFAULT_TIMEOUT", ""),
        "UV_HTTP_RETRIES": told.get("retries", ""),
        "SSL_CLIENT_CERT": told.get("client-cert", ""),
        **dict.fromkeys(("HTTPS_PROXY", "HTTP_PROXY") if "proxy" in told else (), told.get("proxy", "")),
    }
    if "proxy" in told:  # pip's configuration overrides the environment
        env = children.without(env, "https_proxy", "http_proxy", "HTTPS_PROXY", "HTTP_PROXY")
    if told.get("no-cache-dir", "").lower() in ("1", "true", "yes", "on"):
        handed["UV_NO_CACHE"] = "1"
    found = {**{name: value for name, value in handed.items() if value}, **env}
    if bundle:
        found = children.without(found, "SSL_CERT_FILE", "SSL_CERT_DIR")
        found["SSL_CERT_DIR" if os.path.isdir(bundle) else "SSL_CERT_FILE"] = bundle
    return found


def _there(places: Sequence[str]) -> list[str]:
    """Returns addresses unchanged and existing folders as absolute paths, because uv fails at a folder that doesn't exist."""
    return [place if "://" in place else os.path.abspath(place) for place in places if "://" in place or os.path.exists(place)]
