"""What can go wrong, said so that a person can act on it: what was found, what the rule is, what to do."""

from __future__ import annotations

import errno
import os
import re
import shlex
import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from .paths import ROOT, shown


class Problem(Exception):
    """An error with a remedy. `details` is what a tool said itself, shown as it is."""

    def __init__(self, what: str, remedy: str, details: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.remedy = remedy
        self.details = details.strip()

    def told(self) -> str:
        """All of it, as it is shown on a terminal."""
        details = "".join(f"  | {line}\n" for line in self.details.splitlines())
        return f"{self.what}\n{details}What to do: {self.remedy}\n"


AGAIN = "then run the same command again: it goes on where it stopped."

NO_SPACE = re.compile(r"No space left on device|Errno 28|ENOSPC|Disk quota exceeded", re.I)
UNTRUSTED = re.compile(
    r"CERTIFICATE_VERIFY_FAILED|SSLHandshakeException|PKIX path|certificate verify failed|SSLCertVerificationError", re.I
)
NO_NETWORK = re.compile(
    r"NewConnectionError|NameResolutionError|Name or service not known|Temporary failure in name resolution"
    r"|nodename nor servname|Failed to resolve|Network is unreachable|Connection refused|ConnectException|UnknownHostException"
    r"|NoRouteToHost|ConnectTimeout|ReadTimeout|Read timed out|IncompleteRead|connect timed out|Connection timed out|ProxyError"
    r"|SocketException|SocketTimeoutException|Connection reset|Unable to tunnel through proxy",
    re.I,
)
PROXY_ASKS = re.compile(r"407 Proxy Authentication Required|Proxy returns \"HTTP/1\.[01] 407", re.I)
NO_MEMORY = re.compile(
    r"insufficient memory for the Java Runtime|java\.lang\.OutOfMemoryError|Could not reserve enough space"
    r"|^MemoryError|Cannot allocate memory",
    re.M,
)
KILLED = -9  # by SIGKILL, as Linux ends who takes the last memory
DENIED = re.compile(
    r"java\.nio\.file\.(?:AccessDenied|FileSystem)Exception(?:: | \()(?P<java>/[^:)\n]+)"
    r"|(?:PermissionError|NotADirectoryError|FileExistsError|OSError): \[Errno (?:13|17|20|30)\] [^:]+: '(?P<python>[^']+)'"
)
NO_BUNDLE = re.compile(r"Could not find a suitable TLS CA certificate bundle, invalid path: (.+)")

JAVAS = ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS")  # in which a user tells every JVM something
BUNDLES = ("PIP_CERT", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")  # in which a user tells pip and requests whom to trust


def variable(name: str, env: Mapping[str, str] = os.environ) -> str:
    """The spelling in which the user set this variable, the small one first as in curl, pip and requests; empty if in none."""
    return next((each for each in (name.lower(), name) if env.get(each)), "")


def hidden(text: str) -> str:
    """An address, or a text that holds some, without the name and the password before the @."""
    return re.sub(r"(?<=//)[^/\s]*@|^[^/\s]*@(?=[^/\s]+$)", "…@", text)


def no_memory(what: str, details: str = "") -> Problem:
    """`what` says what was under way when it was killed."""
    return Problem(
        f"{what}: it was killed, or found no memory.",
        "Close other programs or raise the container's limit (2 GiB do for set-up and pages; `kernels/course doctor` says what there is), "
        + AGAIN,
        details,
    )


def no_space(path: Path | str, details: str = "") -> Problem:
    """`path` is where no room is left. The details end with what is free where set-up and the tools that it starts write."""
    places = {
        str(ROOT): "the clone",
        os.environ.get("COURSIER_CACHE") or str(Path.home()): "caches",
        tempfile.gettempdir(): "temporary files",
    }
    free = [f"free: {shutil.disk_usage(p).free >> 20} MB for {what} ({p})" for p, what in places.items() if os.path.exists(p)]
    return Problem(f"The disk that holds {path} is full.", f"Make room there, {AGAIN}", "\n".join(filter(None, [details, *free])))


# What pip and coursier print of work that goes well.
ROUTINE = re.compile(
    r"^\s*(Collecting|Downloading|Downloaded|Using cached|Requirement already|Installing collected|Looking in|Picked up|\[notice\]) "
    r"|^\s*not found: .*/ivys/ivy\.xml$"  # looked for in the home folder first, as always
    r"|^\s+at [\w.$/]+\(|^\s+\.\.\. \d+ more$"  # where in a program it went wrong
)


# What they say many times over where one time tells all: each try again, each file that could not be had for the same reason.
REPEATED = re.compile(r"^\s*(WARNING: Retrying|download error: Caught \S+)")


def essence(output: str) -> str:
    """The last lines that are not routine; of those that repeat each other, the last."""
    lines = [line for line in output.strip().splitlines() if line.strip() and not ROUTINE.match(line)]
    kinds = [match[1] if (match := REPEATED.match(line)) else str(number) for number, line in enumerate(lines)]
    last = [line[:300] for number, line in enumerate(lines) if kinds[number] not in kinds[number + 1 :]]
    return hidden("\n".join(last[-10:]))


def diagnose(what: str, output: str, remedy: str = "", code: int = 1) -> Problem:
    """The problem behind a failed tool, from its exit code and what it printed; its last lines are kept."""
    tail = essence(output)
    if code == KILLED or NO_MEMORY.search(output):
        return no_memory(what, tail)
    if NO_SPACE.search(output):
        said = next(line.strip()[:300] for line in output.splitlines() if NO_SPACE.search(line))
        return no_space("the clone, the caches or temporary files", said)
    denied = DENIED.search(output)
    if denied:
        return Problem(
            f"{what}: {denied['java'] or denied['python']} can't be written.",
            f"Let HOME (it is {os.environ.get('HOME') or 'not set'}) name a folder where you can write, "
            f"or COURSIER_CACHE one for the JARs, {AGAIN}",
            tail,
        )
    bundle = NO_BUNDLE.search(output)
    if bundle:
        names = [name for name in BUNDLES if os.environ.get(name) == bundle[1]] or ["`cert` in pip's configuration (`pip config list`)"]
        return Problem(
            f"{what}: there is no {bundle[1]}, which should hold trusted certificates.", f"Correct or unset {' and '.join(names)}, {AGAIN}"
        )
    if UNTRUSTED.search(output):
        return Problem(f"{what}: the server's certificate is not trusted.", f"{_whom_to_trust(output)}, {AGAIN}", tail)
    if PROXY_ASKS.search(output):
        return Problem(
            f"{what}: the proxy asks for a name and a password, or refuses those it got.", f"{_name_and_password()}, {AGAIN}", tail
        )
    if NO_NETWORK.search(output):
        return Problem(f"{what}: the package registry could not be reached.", f"{_way_out()}, {AGAIN}", tail)
    return Problem(f"{what} failed.", remedy or f"Read the lines above; remove their cause, {AGAIN}", tail)


def _whom_to_trust(output: str) -> str:
    """What a user said of trust goes before what the operating system trusts, so it is named first."""
    java = re.search(r"PKIX path|SSLHandshakeException", output)
    said = {name: os.environ.get(name, "") for name in (JAVAS if java else BUNDLES)}
    named = [f"{name} ({value})" for name, value in said.items() if value and (not java or "javax.net.ssl.trustStore" in value)]
    if named:
        return (
            f"Nothing is trusted but what {' and '.join(named)} names: put your company's certificate there, "
            "or unset it to trust what the operating system does"
        )
    own = "" if java else " (pip's own `cert`, if `pip config list` shows one, goes before both)"
    return (
        "Behind a company proxy, have its certificate added to the operating system's store, or name a PEM file that holds it in "
        f"SSL_CERT_FILE{own}"
    )


def _name_and_password() -> str:
    name = variable("HTTPS_PROXY") or variable("ALL_PROXY")
    now = f" (it is {hidden(os.environ[name])})" if name else ""
    return f"Write them into {name or 'HTTPS_PROXY'}{now}: http://name:password@host:port, with %40 for an @ and %3A for a : in them"


def _way_out() -> str:
    """How this machine reaches a registry: through the proxy that the user named, or one that is still to be named."""
    name = variable("HTTPS_PROXY") or variable("ALL_PROXY")
    mirror = "a mirror, in pip's configuration and COURSIER_REPOSITORIES"
    if name:
        return f"Check the network, and that {name} ({hidden(os.environ[name])}) is your proxy; where you use {mirror}, check those"
    return f"Check the network. Where it is reached through a proxy only, name that in HTTPS_PROXY (http://host:port); through {mirror}"


def _refused(name: str) -> str:
    """What isn't allowed there: reading, or, where that is, writing."""
    readable = os.access(name, os.R_OK) if os.path.lexists(name) else os.access(os.path.dirname(name) or ".", os.X_OK)
    return "written" if readable else "read"


def chown(places: Iterable[Path | str]) -> str:
    """The command that gives these places to this user."""
    return f"`sudo chown -R {os.getuid()} {' '.join(shlex.quote(str(place)) for place in places)}`"


def refused_places(places: Sequence[Path]) -> Problem:
    """The problem of places in the clone that this user can't write in; root made them, most likely."""
    tops = sorted({ROOT / place.relative_to(ROOT).parts[0] for place in places})
    more = f" (and {len(places) - 1} more)" if len(places) > 1 else ""
    return Problem(
        f"{shown(places[0])}{more} can't be written by you; it belongs to {_owner(places[0])}.",
        f"Take it back with {chown(tops)}, {AGAIN}",
    )


def _owner(place: Path) -> str:
    try:
        return place.owner()
    except KeyError:
        return f"user {place.stat().st_uid}"


def restore(path: Path) -> str:
    """The command that brings a file of the repository back as it was before somebody, or half a `git pull`, changed it."""
    merges = {"MERGE_HEAD": "merge", "rebase-merge": "rebase", "rebase-apply": "rebase", "CHERRY_PICK_HEAD": "cherry-pick"}
    for sign, verb in merges.items():
        if (ROOT / ".git" / sign).exists():
            return f"`git {verb} --abort`"
    return f"`git checkout HEAD -- {shlex.quote(shown(path))}`"


def behind(error: BaseException) -> Problem | None:
    """The problem behind any error that ended a verb; None if it is a fault of the program, whose traceback is needed."""
    if isinstance(error, Problem):
        return error
    if isinstance(error, MemoryError):
        return no_memory("The command")
    return from_os_error(error) if isinstance(error, OSError) else None


def from_os_error(error: OSError) -> Problem:
    """The problem behind an error of the operating system: a full disk, a right that is missing, or whatever it says itself."""
    name = os.fsdecode(error.filename or "a file")
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return no_space(name)
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return Problem(
            f"{name} can't be {_refused(name)} ({error.strerror}).",
            f"Give yourself the right to read and write there (if root made it: {chown([name])}), "
            "or clone the repository into a folder of your own.",
        )
    return Problem(f"{name}: {error.strerror or error}.", f"Remove the cause, {AGAIN}")
