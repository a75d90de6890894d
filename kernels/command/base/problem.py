"""Describes what can go wrong so that a person can act on it: what was found, what was expected, what to do."""

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
    """Reports an error and its remedy. `details` is a tool's own output, shown unchanged."""

    def __init__(self, what: str, remedy: str, details: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.remedy = remedy
        self.details = details.strip()

    def told(self) -> str:
        """Returns the whole message for a terminal."""
        details = "".join(f"  | {line}\n" for line in self.details.splitlines())
        return f"{self.what}\n{details}What to do: {self.remedy}\n"


AGAIN = "then run the same command again: it continues where it stopped."

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
KILLED = -9  # exit code after SIGKILL, which Linux sends when memory runs out
DENIED = re.compile(
    r"java\.nio\.file\.(?:AccessDenied|FileSystem)Exception(?:: | \()(?P<java>/[^:)\n]+)"
    r"|(?:PermissionError|NotADirectoryError|FileExistsError|OSError): \[Errno (?:13|17|20|30)\] [^:]+: '(?P<python>[^']+)'"
)
NO_BUNDLE = re.compile(r"Could not find a suitable TLS CA certificate bundle, invalid path: (.+)")

JAVAS = ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS")  # the variables with options for every JVM
BUNDLES = ("PIP_CERT", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")  # the variables that name trusted certificates for pip and requests


def variable(name: str, env: Mapping[str, str] = os.environ) -> str:
    """Returns the spelling in which the user set this variable, or "" if it isn't set.

    The lower-case spelling comes first, as in curl, pip and requests.
    """
    return next((each for each in (name.lower(), name) if env.get(each)), "")


def hidden(text: str) -> str:
    """Returns the text with user names and passwords removed from its addresses."""
    return re.sub(r"(?<=//)[^/\s]*@|^[^/\s]*@(?=[^/\s]+$)", "…@", text)


def no_memory(what: str, details: str = "") -> Problem:
    """Returns the Problem of running out of memory. `what` names the work that was killed."""
    return Problem(
        f"{what}: it was killed, or ran out of memory.",
        "Close other programs or raise the container's limit (2 GiB are enough for set-up and pages; `kernels/course doctor` shows yours), "
        + AGAIN,
        details,
    )


def no_space(path: Path | str, details: str = "") -> Problem:
    """Returns the Problem of a full disk, the one that holds `path`.

    Its details end with the free space in each place where set-up and its tools write.
    """
    places = {
        str(ROOT): "the clone",
        os.environ.get("COURSIER_CACHE") or str(Path.home()): "caches",
        tempfile.gettempdir(): "temporary files",
    }
    free = [f"free: {shutil.disk_usage(p).free >> 20} MB for {what} ({p})" for p, what in places.items() if os.path.exists(p)]
    return Problem(f"The disk that holds {path} is full.", f"Make room there, {AGAIN}", "\n".join(filter(None, [details, *free])))


# Lines that pip and coursier print when all is well.
ROUTINE = re.compile(
    r"^\s*(Collecting|Downloading|Downloaded|Using cached|Requirement already|Installing collected|Looking in|Picked up|\[notice\]) "
    r"|^\s*not found: .*/ivys/ivy\.xml$"  # coursier always looks in the home folder first
    r"|^\s+at [\w.$/]+\(|^\s+\.\.\. \d+ more$"  # a stack trace
)


# Lines that they repeat although one is enough, for each retry and for each file that failed for the same reason.
REPEATED = re.compile(r"^\s*(WARNING: Retrying|download error: Caught \S+)")


def essence(output: str) -> str:
    """Returns the last ten lines that aren't routine. Of lines that repeat each other, it keeps only the last."""
    lines = [line for line in output.strip().splitlines() if line.strip() and not ROUTINE.match(line)]
    kinds = [match[1] if (match := REPEATED.match(line)) else str(number) for number, line in enumerate(lines)]
    last = [line[:300] for number, line in enumerate(lines) if kinds[number] not in kinds[number + 1 :]]
    return hidden("\n".join(last[-10:]))


def diagnose(what: str, output: str, remedy: str = "", code: int = 1) -> Problem:
    """Returns the Problem behind a failed tool, found by its exit code and output, with the output's last lines."""
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
            f"{what}: {bundle[1]} should hold trusted certificates, but doesn't exist.", f"Correct or unset {' and '.join(names)}, {AGAIN}"
        )
    if UNTRUSTED.search(output):
        return Problem(f"{what}: the server's certificate is not trusted.", f"{_whom_to_trust(output)}, {AGAIN}", tail)
    if PROXY_ASKS.search(output):
        return Problem(
            f"{what}: the proxy asks for a name and a password, or rejected those that it got.", f"{_name_and_password()}, {AGAIN}", tail
        )
    if NO_NETWORK.search(output):
        return Problem(f"{what}: the package registry could not be reached.", f"{_way_out()}, {AGAIN}", tail)
    return Problem(f"{what} failed.", remedy or f"Read the lines above and remove the cause, {AGAIN}", tail)


def _whom_to_trust(output: str) -> str:
    """Returns the remedy for an untrusted certificate.

    It names the user's own settings first, because they override the operating system's.
    """
    java = re.search(r"PKIX path|SSLHandshakeException", output)
    said = {name: os.environ.get(name, "") for name in (JAVAS if java else BUNDLES)}
    named = [f"{name} ({value})" for name, value in said.items() if value and (not java or "javax.net.ssl.trustStore" in value)]
    if named:
        return (
            f"Only the certificates in {' and '.join(named)} are trusted: add your company's certificate there, "
            "or unset it to trust the operating system's"
        )
    own = "" if java else " (if `pip config list` shows a `cert`, it overrides both)"
    return (
        "Behind a company proxy, have its certificate added to the operating system's store, or name a PEM file that holds it in "
        f"SSL_CERT_FILE{own}"
    )


def _name_and_password() -> str:
    name = variable("HTTPS_PROXY") or variable("ALL_PROXY")
    now = f" (it is {hidden(os.environ[name])})" if name else ""
    return f"Write them into {name or 'HTTPS_PROXY'}{now}: http://name:password@host:port, with %40 for an @ and %3A for a : in them"


def _way_out() -> str:
    """Returns how to reach a registry: through the proxy that the user named, or through one that the user should name."""
    name = variable("HTTPS_PROXY") or variable("ALL_PROXY")
    mirror = "a mirror (in pip's configuration and COURSIER_REPOSITORIES)"
    if name:
        return f"Check the network, and that {name} ({hidden(os.environ[name])}) is your proxy. If you use {mirror}, check that as well"
    return f"Check the network. If you need a proxy, name it in HTTPS_PROXY (http://host:port), or name {mirror}"


def _refused(name: str) -> str:
    """Returns "written" if the file can be read but not written, else "read"."""
    readable = os.access(name, os.R_OK) if os.path.lexists(name) else os.access(os.path.dirname(name) or ".", os.X_OK)
    return "written" if readable else "read"


def chown(places: Iterable[Path | str]) -> str:
    """Returns the command that makes this user the owner of these places."""
    return f"`sudo chown -R {os.getuid()} {' '.join(shlex.quote(str(place)) for place in places)}`"


def refused_places(places: Sequence[Path]) -> Problem:
    """Returns the Problem of places in the clone that this user can't write, usually because root made them."""
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
    """Returns the command that restores a file of the repository after an edit or an interrupted `git pull`."""
    merges = {"MERGE_HEAD": "merge", "rebase-merge": "rebase", "rebase-apply": "rebase", "CHERRY_PICK_HEAD": "cherry-pick"}
    for sign, verb in merges.items():
        if (ROOT / ".git" / sign).exists():
            return f"`git {verb} --abort`"
    return f"`git checkout HEAD -- {shlex.quote(shown(path))}`"


def behind(error: BaseException) -> Problem | None:
    """Returns the Problem behind any error that ended a verb, or None for a bug in the program, which needs its traceback."""
    if isinstance(error, Problem):
        return error
    if isinstance(error, MemoryError):
        return no_memory("The command")
    return from_os_error(error) if isinstance(error, OSError) else None


def from_os_error(error: OSError) -> Problem:
    """Returns the Problem behind an operating system's error: a full disk, a missing permission, or whatever the error says."""
    name = os.fsdecode(error.filename or "a file")
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return no_space(name)
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return Problem(
            f"{name} can't be {_refused(name)} ({error.strerror}).",
            f"Give yourself permission to read and write there (if root made it: {chown([name])}), "
            "or clone the repository into your own folder.",
        )
    return Problem(f"{name}: {error.strerror or error}.", f"Remove the cause, {AGAIN}")
