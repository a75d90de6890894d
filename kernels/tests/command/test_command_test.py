"""Tests how `test` adds up the output of its parts."""

from __future__ import annotations

import subprocess
import sys

import pytest
from command.base.problem import Problem
from command.dependencies.jars import Definition
from command.main import load
from command.testing import reports
from command.testing.reports import Count
from command.testing.test import Asked, asked, pytest_files, pytest_groups, pytest_part

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
    assert reports.count("pytest", done.returncode, report) == count, done.stdout
    assert not count.passed or reports.seconds_by_class(report) == "test_some 0 s"


def test_what_failed_is_named_with_its_reason(tmp_path):
    (tmp_path / "test_some.py").write_text(SUITE.replace("assert False", "assert 1 == 2"))
    report = tmp_path / "report.xml"
    words = ["-p", "no:cacheprovider", f"--rootdir={tmp_path}", f"--junitxml={report}", "-k", "test_fails", tmp_path]
    done = subprocess.run([sys.executable, "-m", "pytest", *words], stdout=subprocess.PIPE, text=True, timeout=60)
    why = reports.count("pytest", done.returncode, report).why
    assert sorted({line.partition("::")[2] for line in why}) == [
        "test_fails: assert 1 == 2",
        "test_fails_and_leaves_a_mess: assert 1 == 2",
        'test_fails_and_leaves_a_mess: failed on teardown with "ValueError"',
    ], why


@pytest.mark.parametrize("torn", [None, "", "<testsuites><testsuite><testcase name='a'/>"])
@pytest.mark.parametrize("code", [0, 1, -9])
def test_a_report_that_is_missing_or_torn_is_a_failure(tmp_path, code, torn):
    report = tmp_path / "report.xml"
    if torn is not None:
        report.write_text(torn)
    count = reports.count("pytest", code, report)
    assert (count.passed, count.failed) == (0, 1)
    assert count.why[0].startswith(f"pytest ended with exit code {code}, and its report is missing or torn")


def test_every_file_is_in_one_group_and_pages_are_executed_before_what_is_made_of_them():
    groups = [group for _, group, _ in pytest_groups(pytest_files())]
    assert sorted(path for group in groups for path in group) == sorted(pytest_files())
    order = list(dict.fromkeys(pytest_part(path) for group in groups for path in group))
    assert order.index("notebooks") < min(map(order.index, ("class", "instructor", "site", "slides")))
    assert order.index("image") < order.index("notebooks")


VINTAGE = """<testsuite name="JUnit Vintage" tests="3">
  <testcase name="it adds" classname="lab.SomeSuite" time="4"><failure message="3 isn't 4&#10;at x">more</failure></testcase>
  <testcase name="it subtracts" classname="lab.SomeSuite" time="2"/>
  <testcase name="it divides" classname="lab.OtherSuite" time="1"><skipped/></testcase>
</testsuite>"""


def test_the_report_of_the_scala_suites(tmp_path):
    (tmp_path / "report.xml").write_text(VINTAGE)
    count = reports.count("JUnit", 1, tmp_path / "report.xml")
    assert (count, count.why) == (Count(1, 1, 1), ("lab.SomeSuite::it adds: 3 isn't 4",))
    assert reports.seconds_by_class(tmp_path / "report.xml") == "SomeSuite 6 s, OtherSuite 1 s"


def test_a_program_that_ends_badly_after_all_tests_passed_is_a_failure(tmp_path):
    (tmp_path / "report.xml").write_text('<testsuite><testcase name="a" classname="lab.SomeSuite"/></testsuite>')
    assert reports.count("JUnit", 134, tmp_path / "report.xml") == Count(1, 1, 0)


def test_the_sum_is_one_plain_line():
    assert str(Count(3, 1, 0) + Count(1, 0, 2)) == "4 passed, 1 failed, 2 skipped"


def test_the_table_shows_each_part_beside_the_recorded_seconds():
    lines = reports.table({"lint": 20.4, "new": 3}, {"lint": 30, "gone": 5}).splitlines()
    assert [line.split() for line in lines] == [
        ["part", "seconds", "recorded"],
        ["lint", "20", "30"],
        ["new", "3", "–"],
        ["gone", "–", "5"],
        ["all", "23", "35"],
    ]


def test_a_run_that_takes_too_long_is_told():
    assert reports.too_long(45 * 60) == ""
    assert "took 46 minutes. Expected: 35 on two CPUs, at most 45." in reports.too_long(46 * 60)


@pytest.mark.parametrize(("options", "word"), [([], ""), (["-k", "Published"], "Published"), (["-x"], None), (["-k", "a", "-x"], None)])
def test_a_word_chooses_scala_suites_too(options, word):
    assert Asked(["lab"], options, full=False, record=False).word == word


def test_what_is_asked_for():
    def what(*words: str) -> Asked:
        return asked(load("test")[1].read(words), Definition.read())

    assert what().whole
    assert not what("-x").whole
    assert not what("image").whole
    with pytest.raises(Problem, match="no part 'nowhere' of the tests"):
        what("nowhere")
