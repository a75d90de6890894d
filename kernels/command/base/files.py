"""Files that survive a kill at any moment: everything is written beside its place and moved there when whole.

A stamp says that a step is done. It holds the key of what went in, and the size and time of every file that came
out; it is written last. So a step is repeated when its input changed, its output is gone, or it was cut short.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from .paths import BUILD, STAMPS
from .say import say

# The locks held now, as file descriptors. The programs that set-up starts inherit them: when set-up is killed and
# one of them lives on for a moment, the next set-up waits for it instead of working under its hands.
HELD: list[int] = []
SECOND = 1_000_000_000  # in nanoseconds


def sha256(path: Path | str) -> str:
    """A file's checksum in hexadecimal digits. Raises an OSError where it can't be read."""
    digest = hashlib.sha256()
    with open(path, "rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def fingerprint(*parts: Any) -> str:
    """One short name for any JSON-like values."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()[:24]


def write_whole(path: Path, content: str | bytes) -> None:
    """Writes a file, and the folders above it, so that nobody ever sees half of it; keeps it (and its time) where nothing changed.

    Raises an OSError where there is no room, or no right to write there; then the old content stands.
    """
    data = content.encode() if isinstance(content, str) else content
    if path.is_file() and path.read_bytes() == data:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(prefix=path.name + ".", suffix=".part", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException as error:
        if isinstance(error, OSError):
            error.filename = str(path)  # of a full disk none is told, and nobody knows the temporary one
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def replace_folder(new: Path, place: Path) -> None:
    """Puts a finished folder where an older one may be. Raises an OSError where that can't be done."""
    place.parent.mkdir(parents=True, exist_ok=True)
    old = place.with_name(place.name + ".old")
    shutil.rmtree(old, ignore_errors=True)
    if place.exists():
        _step_aside(place, old)
    new.rename(place)
    shutil.rmtree(old, ignore_errors=True)


def _step_aside(folder: Path, old: Path) -> None:
    try:
        folder.rename(old)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        shutil.rmtree(folder)  # in a container, a folder of the image: it can be removed, but not renamed


def sweep() -> None:
    """Removes what a killed set-up left half-written. Only for who holds the lock."""
    for pattern in ("*.part", "*/*.part", "fetch-*.json", "*/*.args"):
        for path in BUILD.glob(pattern):
            with contextlib.suppress(OSError):
                path.unlink()
    for folder in BUILD.glob("*/scratch-*"):
        shutil.rmtree(folder, ignore_errors=True)


def read_json(path: Path, default: Any = None) -> Any:
    """What stands in a JSON file; `default` where there is none, or where it is no JSON.

    Only what set-up makes, and can make again, is read so: a torn or foreign file is as good as none. What is there and can't be read is
    none that could be made again: its OSError goes up.
    """
    try:
        return json.loads(path.read_text())
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return default


def _look(path: str) -> list[int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return [found.st_size, found.st_mtime_ns]


def _untouched(path: str, look: list[int] | None) -> bool:
    """Whether the file looks as it did. Layers of an image keep whole seconds: a time without a fraction agrees with any of that second."""
    now = _look(path)
    if now is None or look is None or now[0] != look[0]:
        return now == look
    return now[1] == look[1] or (now[1] % SECOND == 0 and now[1] == look[1] // SECOND * SECOND)


def stamp(name: str, key: str, files: Iterable[Path | str] = (), data: Any = None) -> None:
    """Says that the step `name` is done: `key` is the fingerprint of what went in, `files` came out, `data` is for whoever asks."""
    looks = {str(path): _look(str(path)) for path in files}
    write_whole(STAMPS / f"{name}.json", json.dumps({"key": key, "files": looks, "data": data}, indent=1))


def unstamp(name: str) -> None:
    """Takes the stamp away, so that the step is done again."""
    (STAMPS / f"{name}.json").unlink(missing_ok=True)


def stamped(name: str, key: str) -> dict[str, Any] | None:
    """The stamp (its `data` is what was handed over), if this very input was processed and every file that came out is untouched."""
    found = _read_stamp(STAMPS / f"{name}.json")
    return found if found and found["key"] == key and not _changed(found) else None


def _read_stamp(path: Path) -> dict[str, Any] | None:
    """What a stamp says; None if there is none, or garbage."""
    found = read_json(path)
    if not isinstance(found, dict) or not isinstance(found.get("files"), dict):
        return None
    return found if found.keys() == {"key", "files", "data"} else None


def _changed(stamp: dict[str, Any]) -> list[str]:
    """The files that a step left and that aren't as it left them."""
    return [path for path, look in stamp["files"].items() if not _untouched(path, look)]


def is_done(name: str) -> bool:
    """Whether the step was done, and what it left is untouched, whatever its input is by now."""
    found = _read_stamp(STAMPS / f"{name}.json")
    return found is not None and not _changed(found)


def damage() -> dict[Path, list[str]]:
    """Each stamp that doesn't hold any more, with the files that changed or are gone; none of them if the stamp itself is garbage."""
    found = {path: _read_stamp(path) for path in sorted(STAMPS.glob("*.json"))}
    changed = {path: _changed(stamp) if stamp else [] for path, stamp in found.items()}
    return {path: files for path, files in changed.items() if files or not found[path]}


def forget_damaged() -> None:
    """Removes the stamps that don't hold any more, so that their steps are done again where they are needed."""
    for path in damage():
        path.unlink()


@contextlib.contextmanager
def only_one(name: str, patient: bool = True) -> Iterator[bool]:
    """One process at a time: two set-ups of one clone wait for each other, and say so. The operating system frees the lock of a killed one.

    Yields whether this one has the lock: always, unless it is not `patient` and another has it.
    """
    BUILD.mkdir(parents=True, exist_ok=True)
    with open(BUILD / f"{name}.lock", "a+") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if not patient:
                yield False
                return
            stream.seek(0)
            say(f"Another set-up of this clone is at work (process {stream.read().strip() or 'unknown'}); waiting for it.")
            fcntl.flock(stream, fcntl.LOCK_EX)
        stream.seek(0)
        stream.truncate()
        stream.write(str(os.getpid()))
        stream.flush()
        HELD.append(stream.fileno())
        try:
            yield True
        finally:
            HELD.remove(stream.fileno())
