"""Writes two facts about this container to the file that is named, until the container ends, as JSON.

`peak_mib`: the most memory that the container held at any moment, in MiB. It is counted as Kubernetes counts it when it decides what to
evict: all that the control group uses, without the inactive part of the page cache.
`ports`: the TCP ports that programs have listened on for other machines, that is not on the loopback interface.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

# Versions 1 and 2 of control groups: what is used, and the inactive part of the page cache by its name in memory.stat.
PLACES = [
    (Path("/sys/fs/cgroup/memory.current"), "inactive_file"),
    (Path("/sys/fs/cgroup/memory/memory.usage_in_bytes"), "total_inactive_file"),
]
TABLES = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
LISTENS = "0A"
LOOPBACK = ("0100007F:", "0000000000000000FFFF00000100007F:", "00000000000000000000000001000000:")
EVERY = 0.2  # seconds


def held(usage: Path, idle: str) -> int:
    """Returns the bytes that the container holds now."""
    stat = dict(line.split() for line in (usage.parent / "memory.stat").read_text().splitlines())
    return int(usage.read_text()) - int(stat[idle])


def listening() -> set[int]:
    """Returns the ports on which a program listens now, unless it listens on the loopback interface."""
    lines = [line.split() for table in TABLES if table.exists() for line in table.read_text().splitlines()[1:]]
    return {int(line[1].rpartition(":")[2], 16) for line in lines if line[3] == LISTENS and not line[1].startswith(LOOPBACK)}


def main(target: Path) -> None:
    usage, idle = next((place for place in PLACES if place[0].exists()), (None, ""))
    if usage is None:
        sys.exit("There are no control groups of memory here.")
    peak, ports, before = 0, set(), None
    while True:
        peak, ports = max(peak, held(usage, idle) >> 20), ports | listening()
        if (peak, ports) != before:
            before = peak, set(ports)
            new = target.with_suffix(".new")
            new.write_text(json.dumps({"peak_mib": peak, "ports": sorted(ports)}))
            new.replace(target)
        time.sleep(EVERY)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
