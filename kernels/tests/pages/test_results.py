"""Tests that a reader's results survive two simultaneous kernels, and one that is killed while it writes."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from conftest import ROOT, new_kernel

LIMIT = 120  # seconds


@contextmanager
def kernel(folder: Path) -> Iterator:
    manager, client = new_kernel(LIMIT, env={**os.environ, "COURSE_RESULTS": str(folder)})
    try:
        yield manager, client
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def run(client, code: str) -> None:
    reply = client.execute_interactive(code, timeout=LIMIT, output_hook=lambda _: None)
    assert reply["content"]["status"] == "ok", reply["content"]


def wait_for_lines(file: Path, count: int) -> None:
    until = time.monotonic() + LIMIT
    while not (file.exists() and file.read_bytes().count(b"\n") >= count):
        assert time.monotonic() < until, f"no {count} results in {file}"
        time.sleep(0.02)


def names(file: Path) -> list[str]:
    found = []
    for line in file.read_text(errors="replace").splitlines():
        try:
            found.append(json.loads(line)["name"])
        except ValueError:
            found.append("torn")
    return found


def test_killed_while_writing_beside_another_that_writes(tmp_path: Path):
    file = tmp_path / "records.jsonl"
    with kernel(tmp_path) as (doomed, victim), kernel(tmp_path) as (_, survivor):
        victim.execute('while (true) lab.results.Results.keep("doomed", 1, "µs")')
        wait_for_lines(file, 5)
        asked = survivor.execute('for (n <- 1 to 40) lab.results.Results.keep(s"kept $n", n, "µs")')
        wait_for_lines(file, 15)
        os.kill(doomed.provisioner.pid, signal.SIGKILL)
        while survivor.get_shell_msg(timeout=LIMIT)["parent_header"]["msg_id"] != asked:
            pass
        with file.open("ab") as stream:  # the killed kernel may have written half of a record
            stream.write(b'{"record":"figure","name":"doomed","val')
        run(survivor, 'lab.results.Results.keep("after", 2, "µs")')
        run(
            survivor,
            'import lab.results.Results; assert(Results.all.last.name == "after" && Results.all.count(_.name.startsWith("kept")) == 40)',
        )
        run(survivor, f'Results.exportTo("{tmp_path}/mine.jsonl")')
    there = names(file)
    assert [name for name in there if name.startswith("kept")] == [f"kept {n}" for n in range(1, 41)]
    assert there[-2:] == ["torn", "after"]
    assert there.count("torn") <= 2
    head, *kept = (tmp_path / "mine.jsonl").read_text().splitlines()
    assert json.loads(head)["record"] == "export"
    assert [json.loads(line)["name"] for line in kept] == [name for name in there if name != "torn"]


def test_a_verdict_of_one_kernel_stands_in_the_ledger_of_another(tmp_path: Path):
    """Checks a reader who runs a page in JupyterLab and then opens page 12."""
    with kernel(tmp_path) as (_, page), kernel(tmp_path) as (_, ledger):
        run(ledger, "assert(lab.page.Ledger().here.rows.isEmpty)")
        run(page, 'Claim("B3.fixed-pool").measured("asleep simultaneously" -> 2).must(true)')
        run(
            ledger,
            'val row = lab.page.Ledger().row("B3.fixed-pool"); assert(row.here && row.value("asleep simultaneously").exists(_.value == 2))',
        )
        run(ledger, 'assert(row.where.contains(Machine.here().toString) && lab.page.Ledger().from.startsWith("1 measured here, "))')


def test_what_tests_keep_is_not_what_a_reader_measured():
    assert (ROOT / "data") not in Path(os.environ["COURSE_RESULTS"]).parents
