"""Writes files that survive a kill at any moment. Each is written to a temporary file next to it, and renamed when it is complete.

A stamp records that a step is done. It holds the key of the step's input, and the size and time of every output file. It is written last.
So a step is repeated if its input changed, its output is gone, or it was interrupted.
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

# File descriptors of the locks that this process holds. The programs that set-up starts inherit them. If set-up is killed and one of
# these programs lives on for a moment, the next set-up waits until it has ended.
HELD: list[int] = []
SECOND = 1_000_000_000  # in nanoseconds


def sha256(path: Path | str) -> str:
    """Returns a file's SHA-256 in hexadecimal digits. Raises an OSError if the file can't be read."""
    digest = hashlib.sha256()
    with open(path, "rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def fingerprint(*parts: Any) -> str:
    """Returns a hash of any JSON-like values, 24 hexadecimal digits long."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()[:24]


def write_whole(path: Path, content: str | bytes) -> None:
    """Writes a file, and the folders above it, atomically. Leaves a file with the same content untouched, including its time.

    Raises an OSError if the disk is full or you may not write there. Then the old content remains.
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
            error.filename = str(path)  # ENOSPC comes without a name, and the temporary file's name means nothing to the user
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def replace_folder(new: Path, place: Path) -> None:
    """Moves the finished folder `new` to `place`, and deletes an older folder there. Raises an OSError if that is impossible."""
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
        shutil.rmtree(folder)  # overlayfs can remove a folder of the image, but not rename it


def sweep() -> None:
    """Removes the half-written files of a killed set-up. Call it only while you hold the lock."""
    for pattern in ("*.part", "*/*.part", "fetch-*.json", "*/*.args"):
        for path in BUILD.glob(pattern):
            with contextlib.suppress(OSError):
                path.unlink()
    for folder in BUILD.glob("*/scratch-*"):
        shutil.rmtree(folder, ignore_errors=True)


def read_json(path: Path, default: Any = None) -> Any:
    """Returns the content of a JSON file, or `default` if the file is missing or isn't JSON.

    Use it only for files that set-up can make again. Raises an OSError if the file exists but can't be read, because set-up can't replace
    such a file.
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
    """Returns whether a file still has the size and time of `look`.

    Layers of an image keep only whole seconds, so a time without a fraction matches any time within that second.
    """
    now = _look(path)
    if now is None or look is None or now[0] != look[0]:
        return now == look
    return now[1] == look[1] or (now[1] % SECOND == 0 and now[1] == look[1] // SECOND * SECOND)


def stamp(name: str, key: str, files: Iterable[Path | str] = (), data: Any = None) -> None:
    """Records that the step `name` is done. `key` is the fingerprint of its input, `files` are its output, `data` is for later readers."""
    looks = {str(path): _look(str(path)) for path in files}
    write_whole(STAMPS / f"{name}.json", json.dumps({"key": key, "files": looks, "data": data}, indent=1))


def unstamp(name: str) -> None:
    """Removes a step's stamp, so that the step is repeated."""
    (STAMPS / f"{name}.json").unlink(missing_ok=True)


def stamped(name: str, key: str) -> dict[str, Any] | None:
    """Returns a step's stamp if its key is `key` and all its output files are untouched, else None."""
    found = _read_stamp(STAMPS / f"{name}.json")
    return found if found and found["key"] == key and not _changed(found) else None


def _read_stamp(path: Path) -> dict[str, Any] | None:
    """Returns the content of a stamp, or None if it is missing or invalid."""
    found = read_json(path)
    if not isinstance(found, dict) or not isinstance(found.get("files"), dict):
        return None
    return found if found.keys() == {"key", "files", "data"} else None


def _changed(stamp: dict[str, Any]) -> list[str]:
    """Returns the output files of a step that have changed or are gone."""
    return [path for path, look in stamp["files"].items() if not _untouched(path, look)]


def is_done(name: str) -> bool:
    """Returns whether the step was done and its output is untouched, even if its input has changed since."""
    found = _read_stamp(STAMPS / f"{name}.json")
    return found is not None and not _changed(found)


def damage() -> dict[Path, list[str]]:
    """Returns each stamp that is no longer valid, with its changed or missing files. The list is empty if the stamp itself is invalid."""
    found = {path: _read_stamp(path) for path in sorted(STAMPS.glob("*.json"))}
    changed = {path: _changed(stamp) if stamp else [] for path, stamp in found.items()}
    return {path: files for path, files in changed.items() if files or not found[path]}


def forget_damaged() -> None:
    """Removes the stamps that are no longer valid, so that their steps are repeated when they are needed."""
    for path in damage():
        path.unlink()


@contextlib.contextmanager
def only_one(name: str, patient: bool = True) -> Iterator[bool]:
    """Lets one process at a time into the block. A second set-up of the same clone says that it waits, and waits.

    Yields whether this process has the lock. If it is `patient`, that is always true. The operating system releases the lock of a killed
    process.
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
