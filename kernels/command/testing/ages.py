"""Reports how long ago each lock was compared with the newest releases. `kernels/locks/update.py` writes the dates."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterable
from pathlib import Path

from ..base.files import read_json, write_whole
from ..base.paths import LOCKS

LOOKED = LOCKS / "looked.json"
OLD = 90  # days
LOOK = "Run .venv/bin/python kernels/locks/update.py and then the tests, and commit kernels."


def locks() -> list[str]:
    """Returns the name of each lock, which is its path in kernels/locks."""
    found = [*LOCKS.glob("*.txt"), *LOCKS.glob("jdks/*.txt"), LOCKS / "jars.json"]
    return sorted(str(path.relative_to(LOCKS)) for path in found)


def note(names: Iterable[str], today: datetime.date) -> None:
    """Records that these locks were compared with the newest releases today."""
    dates = {**read_json(LOOKED, {}), **dict.fromkeys(names, today.isoformat())}
    kept = {name: dates[name] for name in locks() if name in dates}
    write_whole(LOOKED, json.dumps(kept, indent=1) + "\n")


def report(today: datetime.date, looked: Path = LOOKED) -> str:
    """Returns a line with the age of each lock, and a line for each lock that is too old or has no date."""
    dates = read_json(looked, {})
    ages = {name: age(dates[name], today) if name in dates else "no date" for name in locks()}
    old = [name for name in ages if name not in dates or days(dates[name], today) > OLD]
    lines = ["Locks: " + ", ".join(f"{name} {said}" for name, said in ages.items())]
    expected = f"expected: compared with the newest releases within {OLD} days"
    return "\n".join([*lines, *(f"OLD LOCK: {name}: {ages[name]}; {expected}. {LOOK}" for name in old)])


def days(looked: str, today: datetime.date) -> int:
    return (today - datetime.date.fromisoformat(looked)).days


def age(looked: str, today: datetime.date) -> str:
    number = days(looked, today)
    return f"{number} day" if number == 1 else f"{number} days"
