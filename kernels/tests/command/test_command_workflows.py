"""Tests the workflows on GitHub. They have only the permissions that they need, and pin everything that they use."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from command.main import VERBS
from conftest import ROOT

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
# The jobs that may write, and their permissions.
WRITING = {("site", "publish"): {"pages": "write", "id-token": "write"}}


def content(path: Path) -> dict[str, Any]:
    return yaml.safe_load(path.read_text())


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_actions_are_pinned_to_a_commit_with_its_version_beside_it(path: Path):
    used = re.findall(r"uses: (.*)", path.read_text())
    assert used
    assert [line for line in used if not re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", line)] == []


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_may_only_read_but_for_what_publishes(path: Path):
    workflow = content(path)
    assert workflow["permissions"] == {"contents": "read"}
    for name, job in workflow["jobs"].items():
        assert job.get("permissions", {}) == WRITING.get((path.stem, name), {}), name
        assert job["timeout-minutes"], name


def test_the_workflows_use_verbs_that_there_are():
    words = [word for path in WORKFLOWS for word in re.findall(r"run: kernels/course (\w+)", path.read_text())]
    assert {"test", "run", "site"} <= set(words) <= set(VERBS)


def test_the_tests_run_on_linux_and_macos_and_on_almond():
    jobs = content(ROOT / ".github" / "workflows" / "tests.yml")["jobs"]
    assert {system.split("-")[0] for system in jobs["test"]["strategy"]["matrix"]["system"]} == {"ubuntu", "macos"}
    assert jobs["almond"]["env"] == {"COURSE_KERNEL": "almond"}
