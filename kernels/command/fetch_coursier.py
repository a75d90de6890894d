"""Fetches coursier's own JARs with the jgo package. Started with the installed Python: jgo is no part of the standard library.

Reads {"folder", "coordinates", "central", "remote", "local"} from standard input; prints `ok COORDINATE PATH` or
`failed COORDINATE REASON` for each. jgo knows where Maven's central repository is, so no address is written here.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from jgo.maven import MavenContext

AT_ONCE = 8


def fetch(context: MavenContext, folder: Path, coordinate: str) -> str:
    """Brings one JAR; it appears under its name only when it is whole."""
    group, artifact, version = coordinate.split(":")
    target = folder / f"{group}_{artifact}-{version}.jar"
    try:
        found = context.project(group, artifact).at_version(version).artifact().resolve()
        whole = target.with_suffix(f".{os.getpid()}.part")
        shutil.copyfile(found, whole)
        os.replace(whole, target)
    except Exception as error:  # whatever one download dies of is told to the parent, which knows the remedy
        return f"failed {coordinate} {type(error).__name__}: {error}".replace("\n", " ")
    return f"ok {coordinate} {target}"


def main() -> None:
    wish = json.load(sys.stdin)
    folder = Path(wish["folder"])
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder, prefix="scratch-") as scratch:
        context = MavenContext(
            repo_cache=Path(scratch),
            local_repos=[Path(path) for path in wish["local"]],
            remote_repos={**(MavenContext().remote_repos if wish["central"] else {}), **wish["remote"]},
            timeout=60,
        )
        with ThreadPoolExecutor(AT_ONCE) as pool:
            for line in pool.map(lambda coordinate: fetch(context, folder, coordinate), wish["coordinates"]):
                print(line, flush=True)


if __name__ == "__main__":
    main()
