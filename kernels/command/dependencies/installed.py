"""Compares installed packages with each wheel's `RECORD`, which lists the checksum and the size of its files."""

from __future__ import annotations

import base64
import csv
import io
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ..base.files import sha256, write_whole

LARGE = 1 << 20  # bytes


@dataclass(frozen=True)
class Entry:
    """Describes a file of an installed package, as the package's RECORD lists it. Some files, such as RECORD, have no checksum."""

    package: str
    path: Path
    checksum: str
    size: str

    def is_whole(self, since: float) -> bool:
        """Returns whether the file is the wheel's. Reads the content only if it was changed after the time `since`."""
        try:
            found = os.stat(self.path)
        except OSError:
            return False
        kind, _, digest = self.checksum.partition("=")
        if kind != "sha256":
            return True
        if self.size and found.st_size != int(self.size):
            return False
        return found.st_mtime <= since or base64.urlsafe_b64decode(digest + "=").hex() == sha256(self.path)


def entries(site: Path) -> Iterator[Entry]:
    """Yields the files of all packages in the folder `site`. Of a package without RECORD, yields the missing RECORD."""
    for folder in sorted(site.glob("*.dist-info")):
        package, record = folder.name.partition("-")[0], folder / "RECORD"
        yield Entry(package, record, "", "")
        for path, checksum, size in read(record):
            yield Entry(package, site / path, checksum, size)


def read(record: Path) -> list[list[str]]:
    """Returns the rows of a RECORD, or none if the file is missing or invalid."""
    try:
        with open(record, newline="", encoding="utf-8") as stream:
            rows = list(csv.reader(stream))
    except (FileNotFoundError, UnicodeDecodeError, csv.Error):
        return []
    return [row for row in rows if len(row) == 3]


def damaged(site: Path, since: float = 0) -> dict[str, Path]:
    """Returns each package that lacks a file or has an altered one, with the first such file.

    Files that weren't changed after the time `since` are compared by their size alone.
    """
    found: dict[str, Path] = {}
    for entry in entries(site):
        if entry.package not in found and not entry.is_whole(since):
            found[entry.package] = entry.path
    return found


def large_files(site: Path) -> list[Path]:
    """Returns the files of a mebibyte or more. They are few, and contain most of what is installed."""
    return [entry.path for entry in entries(site) if entry.size and int(entry.size) >= LARGE]


def forget_missing(site: Path) -> None:
    """Removes the missing files from each RECORD, so that files removed on purpose aren't reported as damage."""
    for record in site.glob("*.dist-info/RECORD"):
        kept = io.StringIO()
        csv.writer(kept, lineterminator="\n").writerows(row for row in read(record) if (site / row[0]).exists())
        write_whole(record, kept.getvalue())
