"""How `test` adds up what its parts print."""

from __future__ import annotations

import pytest
from command.test import Count, junit_count, pytest_count


@pytest.mark.parametrize(
    ("code", "output", "count"),
    [
        (0, "===== 127 passed, 1 skipped in 188.83s (0:03:08) =====\n", Count(127, 0, 1)),
        (1, "FAILED a::b - 3 passed in it\n==== 2 failed, 5 passed, 1 warning, 2 errors in 0.12s ====\n", Count(5, 4, 0)),
        (5, "===== no tests ran in 0.01s =====\n", Count()),
        (5, "===== 12 deselected in 0.01s =====\n", Count()),
        (3, "INTERNALERROR> Traceback\n", Count(failed=1)),
        (-9, "", Count(failed=1)),
    ],
)
def test_pytests_closing_line(code, output, count):
    assert pytest_count(code, output) == count


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
