"""How `test` adds up what its parts print."""

from __future__ import annotations

import subprocess
import sys

import pytest
from command.test import Count, junit_count, pytest_count, pytest_files, pytest_groups, pytest_part, pytest_seconds

SUITE = """
import os, pytest

@pytest.fixture
def untidy():
    yield
    raise ValueError

def test_passes(): pass
def test_fails(): assert False
def test_is_skipped(): pytest.skip("why")
def test_passes_and_leaves_a_mess(untidy): pass
def test_fails_and_leaves_a_mess(untidy): assert False  # two failures, as pytest counts them
def test_kills(): os.kill(os.getpid(), 9)
"""


@pytest.mark.parametrize(
    ("choice", "suite", "count"),
    [
        ("not kills", SUITE, Count(1, 4, 1)),
        ("passes and not mess", SUITE, Count(passed=1)),
        ("skipped", SUITE, Count(skipped=1)),
        ("nothing", SUITE, Count()),
        ("passes", "no Python", Count(failed=1)),
        ("kills or passes", SUITE, Count(failed=1)),
    ],
)
def test_pytests_report(tmp_path, choice, suite, count):
    (tmp_path / "test_some.py").write_text(suite)
    report = tmp_path / "report.xml"
    argv = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "no:cacheprovider",
        f"--rootdir={tmp_path}",
        f"--junitxml={report}",
        "-k",
        choice,
        tmp_path,
    ]
    done = subprocess.run(argv, stdout=subprocess.PIPE, text=True, timeout=60)
    assert pytest_count(done.returncode, report) == count, done.stdout
    assert not report.exists() or set(pytest_seconds(report)) <= {"some"}


def test_what_failed_is_named_with_its_reason(tmp_path):
    (tmp_path / "test_some.py").write_text(SUITE.replace("assert False", "assert 1 == 2"))
    report = tmp_path / "report.xml"
    words = ["-p", "no:cacheprovider", f"--rootdir={tmp_path}", f"--junitxml={report}", "-k", "test_fails", tmp_path]
    done = subprocess.run([sys.executable, "-m", "pytest", *words], stdout=subprocess.PIPE, text=True, timeout=60)
    why = pytest_count(done.returncode, report).why
    assert sorted({line.partition("::")[2] for line in why}) == [
        "test_fails: assert 1 == 2",
        "test_fails_and_leaves_a_mess: assert 1 == 2",
        'test_fails_and_leaves_a_mess: failed on teardown with "ValueError"',
    ], why
    listed = "1) it adds(lab.SomeSuite)\nmunit.ComparisonFailException: 3 isn't 4\n\tat x\n"
    junit = f"1) printed by a test\nbefore\n..E.\nTime: 1\nThere was 1 failure:\n{listed}"
    assert junit_count(1, junit + "\nFAILURES!!!\nTests run: 3,  Failures: 1\n").why == (
        "it adds(lab.SomeSuite): munit.ComparisonFailException: 3 isn't 4",
    )


@pytest.mark.parametrize("torn", [None, "", "<testsuites><testsuite><testcase name='a'/>"])
@pytest.mark.parametrize("code", [0, 1, -9])
def test_a_report_that_is_missing_or_torn_is_a_failure(tmp_path, code, torn):
    report = tmp_path / "report.xml"
    if torn is not None:
        report.write_text(torn)
    count = pytest_count(code, report)
    assert (count.passed, count.failed) == (0, 1)
    assert count.why[0].startswith(f"pytest ended with exit code {code}, and its report is missing or torn")


def test_every_file_is_in_one_group_and_pages_are_executed_before_what_is_made_of_them():
    groups = [group for group, _ in pytest_groups(pytest_files())]
    assert sorted(path for group in groups for path in group) == sorted(pytest_files())
    order = list(dict.fromkeys(pytest_part(path) for group in groups for path in group))
    assert order.index("notebooks") < min(map(order.index, ("class", "instructor", "site", "slides")))
    assert order[-1] == "image"


@pytest.mark.parametrize(
    ("code", "output", "count"),
    [
        (0, "JUnit version 4.13.2\n.I..\nTime: 4.6\n\nOK (3 tests)\n", Count(3, 0, 1)),
        (1, "..E.\nTime: 1\nThere was 1 failure:\n\nFAILURES!!!\nTests run: 3,  Failures: 1\n", Count(2, 1, 0)),
        (1, "OK (3 tests)\n", Count(failed=1)),
        (134, "# A fatal error has been detected\n", Count(failed=1)),
    ],
)
def test_junits_closing_line(code, output, count):
    assert junit_count(code, output) == count


def test_the_sum_is_one_plain_line():
    assert str(Count(3, 1, 0) + Count(1, 0, 2)) == "4 passed, 1 failed, 2 skipped"
