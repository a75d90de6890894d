"""Adds a reader's machine to the course's ledger.

    .venv/bin/python kernels/tools/add_machine.py FILE…

reads files that `kernels/course export` wrote, within the limits of `kernels/course class`. For each reader it writes the last verdict on
each statement to data/recorded/machines/, without predictions, attempts or the reader's name. Page 12 counts these machines. A second file
of the same reader replaces the first. If a file can't be used, nothing of it is written, and the exit code is 1.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "kernels"))  # for the package `command`
from command.base import records  # noqa: E402
from command.base.files import write_whole  # noqa: E402
from command.class_page import handed_in  # noqa: E402
from command.class_page.handed_in import Machine, Measurement, Verdict  # noqa: E402

FOLDER = ROOT / "data" / "recorded" / "machines"
FEWEST = 20  # statements; a file of one page says little about a machine


def latest(verdicts: Iterable[Verdict]) -> list[Verdict]:
    """Returns the last verdict on each of the course's statements that was measured on the machine with the most verdicts.

    A reader who changed the JDK, the kernel or the computer has several machines. Raises Refused if there are too few verdicts.
    """
    known = records.statements()
    measured = [one for one in verdicts if one.here and one.statement in known]
    most = Counter(identity(one.machine) for one in measured).most_common(1)
    last = {one.statement: one for one in sorted(measured, key=lambda one: one.at) if identity(one.machine) == most[0][0]}
    if len(last) < FEWEST:
        what = f"has verdicts on {len(last)} of the course's {len(known)} statements from one machine; at least {FEWEST} are needed."
        raise handed_in.Refused(what, "Ask the reader to run all pages (kernels/course run), and to export again.")
    return list(last.values())


def identity(machine: Machine) -> tuple[int, str, int, str, str]:
    return machine.cpus, machine.processor, machine.jdk, machine.kernel, machine.profile


def record(one: Verdict, name: str) -> records.Record:
    """Returns a verdict as a line of a machine's file. Its `reader` is the file's name."""
    machine = one.machine
    facts = {"cpus": machine.cpus, "jdk": machine.jdk, "memoryBytes": int(machine.memory * 2**30), "kernel": machine.kernel}
    more = {"processor": machine.processor} if machine.processor else {}
    more |= {} if machine.load is None else {"load": machine.load}
    return {
        "record": "verdict",
        "version": records.VERSION,
        "at": f"{one.at}Z",
        "statement": one.statement,
        "verdict": one.verdict,
        "measured": [measured(each) for each in one.measured],
        "reader": name,
        "machine": {**facts, "profile": machine.profile, **more},
    }


def measured(one: Measurement) -> records.Record:
    bounds = {} if one.low is None else {"low": one.low, "high": one.high}
    return {"name": one.name, "value": one.value, **bounds, **({"unit": one.unit} if one.unit else {})}


def add(file: Path) -> str:
    """Writes the machine of this file, and describes it in a line. Raises Refused if the file can't be used."""
    found = handed_in.read(handed_in.data_of(file))
    verdicts = latest(one for one in found.records if isinstance(one, Verdict))
    machine = verdicts[-1].machine
    name = f"{machine.cpus}-cpus-jdk-{machine.jdk}-{found.reader[:8]}"
    lines = [record(one, name) for one in verdicts]
    for line in lines:
        records.check(line)
    for former in FOLDER.glob(f"*-{found.reader[:8]}.jsonl"):
        former.unlink()
    write_whole(FOLDER / f"{name}.jsonl", "".join(map(records.as_line, lines)))
    return f"{name}: verdicts on {len(lines)} statements"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", metavar="FILE", type=Path, nargs="+")
    code = 0
    for file in parser.parse_args().files:
        try:
            sys.stdout.write(add(file) + "\n")
        except handed_in.Refused as refused:
            code = 1
            sys.stderr.write(f"{handed_in.shown_name(file)}: {' '.join(refused.args)}\n")
    return code


if __name__ == "__main__":
    sys.exit(main())
