"""Writes JSON for a page's script element."""

from __future__ import annotations

import json


def embedded(value: object) -> str:
    """Returns JSON in which no tag begins and no line ends. Raises ValueError if a number isn't finite, because browsers can't read it."""
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
