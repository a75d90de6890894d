"""Ends with 0 where the Jupyter server of this container answers, however it was started: what the image's HEALTHCHECK runs."""

from __future__ import annotations

import json
import os
import sys
import urllib.request
from pathlib import Path

PATIENCE = 5  # seconds


def answers(record: Path) -> bool:
    """Whether the server that wrote this file when it started answers; its version is told without a token."""
    server = json.loads(record.read_text())
    host = "127.0.0.1" if server["hostname"] in ("", "0.0.0.0", "::", "*") else server["hostname"]
    address = f"http://{host}:{server['port']}{server['base_url']}api"
    with urllib.request.urlopen(address, timeout=PATIENCE) as answer:
        return "version" in json.load(answer)


def main() -> int:
    records = sorted(Path(os.environ["JUPYTER_RUNTIME_DIR"]).glob("jpserver-*.json"))
    if not records:
        sys.stderr.write("No Jupyter server has started yet.\n")
        return 1
    try:
        return 0 if any(answers(record) for record in records) else 1
    except OSError as error:
        sys.stderr.write(f"The Jupyter server does not answer: {error}\n")
        return 1


if __name__ == "__main__":
    sys.exit(main())
