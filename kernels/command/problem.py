"""What can go wrong, said so that a person can act on it: what was found, what the rule is, what to do."""

from __future__ import annotations

import errno
import re
from pathlib import Path


class Problem(Exception):
    """An error with a remedy. `details` is what a tool said itself, shown as it is."""

    def __init__(self, what: str, remedy: str, details: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.remedy = remedy
        self.details = details.strip()

    def told(self) -> str:
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
    r"|NoRouteToHost|ConnectTimeout|ReadTimeout|connect timed out|Connection timed out|ProxyError"
    r"|SocketException|SocketTimeoutException|Connection reset",
    re.I,
)


def no_space(path: Path | str, details: str = "") -> Problem:
    return Problem(f"The disk that holds {path} is full.", f"Free about 1.5 GB there, {AGAIN}", details)


# What pip and coursier print of work that goes well.
ROUTINE = re.compile(
    r"^\s*(Collecting|Downloading|Downloaded|Using cached|Requirement already|Installing collected|Looking in|Picked up|\[notice\]) "
)


def essence(output: str) -> str:
    """The last lines that are not routine."""
    lines = [line for line in output.strip().splitlines() if line.strip() and not ROUTINE.match(line)]
    return "\n".join(line[:300] for line in lines[-10:])


def diagnose(what: str, output: str, remedy: str = "") -> Problem:
    """The problem behind a failed tool, from what it printed; its last lines are kept."""
    tail = essence(output)
    if NO_SPACE.search(output):
        return no_space("this repository or your home folder's caches", tail)
    if UNTRUSTED.search(output):
        return Problem(
            f"{what}: the server's certificate is not trusted.",
            "Behind a company proxy, have its certificate added to the operating system's store, or name a PEM file that holds it in "
            f"SSL_CERT_FILE, {AGAIN}",
            tail,
        )
    if NO_NETWORK.search(output):
        return Problem(
            f"{what}: the package registry could not be reached.",
            "Check the network (and HTTPS_PROXY, pip's configuration or COURSIER_REPOSITORIES where you use a proxy or a mirror), " + AGAIN,
            tail,
        )
    return Problem(f"{what} failed.", remedy or f"Read the lines above; remove their cause, {AGAIN}", tail)


def from_os_error(error: OSError) -> Problem:
    """The problem behind an error of the operating system."""
    name = error.filename or "a file"
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return no_space(name)
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return Problem(
            f"{name} can't be written ({error.strerror}).",
            "Give yourself the right to write there (files that root made: chown them), or clone the repository into a folder of your own.",
        )
    return Problem(f"{name}: {error.strerror or error}.", f"Remove the cause, {AGAIN}")
