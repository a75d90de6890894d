"""Installs what a lock of Python packages holds: by uv where it can be had, else by pip. Each checks every hash and resolves nothing.

uv reads nothing of what the user told pip of indexes, certificates and proxies: it is handed over here.
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
# From the root of all folders, as no settings of a project are found there; those of the user count.
UV_PIP = ["--no-deps", "--require-hashes", "--no-python-downloads", "--color", "never", "--directory", VENV.anchor]
# A hard link would let a file that is changed here change in uv's cache, and in every other environment made from it.
UV_PIP += ["--link-mode", "copy"]
# These would install other packages than the lock's, or elsewhere.
MISLEADING = ("PYTHONHOME", "PYTHONPATH", "PIP_USER", "PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_REQUIRE_VIRTUALENV")
MISLEADING += ("UV_CONSTRAINT", "UV_OVERRIDE", "UV_EXCLUDE", "UV_NO_VERIFY_HASHES", "UV_SYSTEM_PYTHON")
# The Pythons that the lock has wheels for.
OLDEST, NEWEST = (3, 10), (3, 14)


def install(program: Path, site: Path, lock: Path, what: str, target: Path | None = None) -> None:
    """Installs every package of `lock` for the Python `program`: into its folder of packages `site`, or into the folder `target`.

    `what` names them in the progress. Raises a Problem where the network, a certificate, a proxy, the index, a hash or the
    disk stands in the way, and if a package isn't what its wheel says.
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
                f"{few(broken)}: the installed files aren't those that the wheels list.",
                f"Check the disk, and the index in pip's configuration, {AGAIN}",
                "\n".join(map(str, broken.values())),
            )
        if code == 0:
            return
        if code == KILLED or NO_MEMORY.search(output) or NO_SPACE.search(output):
            raise diagnose("Installing Python packages with uv", output, code=code)
        # Whatever else it is, pip does without, or says it in the words that the README knows.
        say(f"{what}: uv failed ({_reason(output)}); pip takes over, which takes longer")
    ensure_pip(program, site)
    code, output = _run_pip(program, site, words)
    if code:
        raise pip_problem(output, code)


def _reason(output: str) -> str:
    """The error itself, in one line."""
    text = " ".join(hidden(output).split())
    return text[max(text.lower().rfind("error: "), 0) :].partition(" hint: ")[0][:250]


# ---- pip


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


def _pip_at_hand(program: Path, site: Path) -> tuple[Path, Path]:
    """A Python with pip, and where its packages are: the running one, else that of `program`."""
    pip = importlib.util.find_spec("pip")
    if pip and pip.origin:
        return Path(sys.executable), Path(pip.origin).parent.parent
    ensure_pip(program, site)
    return program, site


def _run_pip(program: Path, site: Path, words: Sequence[str | Path]) -> tuple[int, str]:
    def watch(line: str) -> None:
        if line.startswith("WARNING: Retrying (Retry(total=4"):  # the first of five
            say("pip does not get through to its index and tries again, which can take minutes")

    return children.run([program, "-m", "pip", "install", *PIP, *words], env=pip_environment(program, site), each_line=watch)


def pip_environment(program: Path, site: Path) -> dict[str, str]:
    """The environment for pip: it trusts what the system trusts, unless the user told it whom to trust."""
    env = children.environment(PIP_DEFAULT_TIMEOUT=os.environ.get("PIP_DEFAULT_TIMEOUT", "60"))
    env = children.without(env, *MISLEADING)
    if any(env.get(name) for name in BUNDLES) or "cert" in configuration(program):
        return env
    bundle = certificates.pem(site)
    return {**env, "PIP_CERT": str(bundle)} if bundle else env


@functools.cache
def configuration(program: Path) -> dict[str, str]:
    """What the user told pip, in files or in the environment, by pip's own names (`index-url`); several values stand in one string."""
    argv = [program, "-m", "pip", "config", "list", "--disable-pip-version-check"]
    code, listed = children.run(argv, env=children.without(os.environ, *MISLEADING))
    found = re.findall(r"^(global|install|:env:)\.([\w-]+)=('.*'|\".*\")$", listed, re.M) if code == 0 else []
    found.sort(key=lambda entry: ("global", "install", ":env:").index(entry[0]))  # the last one counts
    return {name: str(ast.literal_eval(value)) for _, name, value in found}


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


# ---- uv


@functools.cache  # one that can't be had is asked for once
def get_uv(program: Path, site: Path) -> Path | None:
    """uv, brought by pip if it is not there; None where the index holds none for this system.

    Raises a Problem where pip would fail with every other package, too.
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
    say(f"uv, the quicker installer, can't be had ({_reason(output)}); pip installs, which takes longer")
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
    """Returns at most five names, and how many more there are."""
    first = ", ".join(sorted(names)[:5])
    return first + (f" and {len(names) - 5} more" if len(names) > 5 else "")


def _without_its_cache(
    uv: Path, program: Path, site: Path, words: Sequence[str | Path], what: str, broken: Collection[str]
) -> tuple[int, str]:
    """Installs these packages again, after uv's cache has dropped them: uv doesn't check what it unpacked there before."""
    say(f"{what}: uv's cache holds damaged files ({few(broken)}); they are removed there, and the packages are fetched again")
    code, output = children.run([uv, "cache", "clean", *sorted(broken)], env=children.without(os.environ, *MISLEADING))
    if code:
        return code, output
    again = [word for name in sorted(broken) for word in ("--reinstall-package", name)]
    return _run_uv(uv, program, site, [*again, *words], what)


def uv_environment(told: Mapping[str, str], env: Mapping[str, str]) -> dict[str, str]:
    """The environment for uv, from what the user told pip in its configuration (`told`) and in the environment `env` that pip would get.

    What the user told uv itself goes first, but for certificates: those of `env` are all that pip would trust.
    """
    # In pip's order: it is the requests library that looks at the last two of BUNDLES, before all else.
    bundles = [*(env.get(name, "") for name in BUNDLES[1:]), told.get("cert", ""), env.get("PIP_CERT", "")]
    bundle = next(filter(os.path.exists, bundles), "")
    handed = {
        "UV_DEFAULT_INDEX": told.get("index-url", ""),
        "UV_INDEX": " ".join(told.get("extra-index-url", "").split()),
        "UV_INDEX_STRATEGY": "unsafe-best-match",  # pip looks into all; the hashes say what is right
        "UV_FIND_LINKS": ",".join(_there(told.get("find-links", "").split())),
        "UV_INSECURE_HOST": " ".join(told.get("trusted-host", "").split()),
        "UV_HTTP_TIMEOUT": told.get("timeout") or told.get("default-timeout") or env.get("PIP_DEFAULT_TIMEOUT", ""),
        "UV_HTTP_RETRIES": told.get("retries", ""),
        "SSL_CLIENT_CERT": told.get("client-cert", ""),
        **dict.fromkeys(("HTTPS_PROXY", "HTTP_PROXY") if "proxy" in told else (), told.get("proxy", "")),
    }
    if "proxy" in told:  # goes before what the environment names
        env = children.without(env, "https_proxy", "http_proxy", "HTTPS_PROXY", "HTTP_PROXY")
    if told.get("no-cache-dir", "").lower() in ("1", "true", "yes", "on"):
        handed["UV_NO_CACHE"] = "1"
    found = {**{name: value for name, value in handed.items() if value}, **env}
    if bundle:
        found = children.without(found, "SSL_CERT_FILE", "SSL_CERT_DIR")
        found["SSL_CERT_DIR" if os.path.isdir(bundle) else "SSL_CERT_FILE"] = bundle
    return found


def _there(places: Sequence[str]) -> list[str]:
    """Addresses as they are, folders in full; uv stops at one that is not there."""
    return [place if "://" in place else os.path.abspath(place) for place in places if "://" in place or os.path.exists(place)]
