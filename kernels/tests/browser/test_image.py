"""Tests the image as `kernels/course image` builds and tries it: within Binder's limits, without a network, and in a browser."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from command.pages import notebooks
from command.testing import image
from conftest import ROOT


@pytest.fixture(scope="module")
def docker() -> image.Engine:
    found = image.engine()
    if not found:
        pytest.skip("neither Docker nor Podman works here")
    if os.environ.get("COURSE_IMAGE") == "no":  # .ci/run knows that the base image isn't available
        pytest.skip("COURSE_IMAGE is no")
    return found


@pytest.fixture(scope="module")
def found(docker):
    """Returns the verb's report, even if it found faults."""
    image.REPORT.unlink(missing_ok=True)
    done = subprocess.run([sys.executable, ROOT / "kernels" / "course", "image"], stdout=subprocess.PIPE, text=True, check=False)
    assert image.REPORT.exists(), done.stdout
    print(done.stdout)
    return json.loads(image.REPORT.read_text())


def test_it_has_at_most_a_gigabyte_unpacked(found):
    assert 200 < found["size_mb"] <= 950


def test_the_doctor_finds_nothing_missing_in_it(found):
    assert found["doctor"] == "nothing is missing"


def test_a_hub_can_start_it(found):
    assert found["jupyterhub"][0].isdigit()


def test_every_page_passes_without_a_network(found):
    assert {name: row["status"] for name, row in found["pages"].items()} == {page.stem: "ok" for page in notebooks.pages()}


def test_no_program_of_a_page_listens_for_other_machines(found):
    assert found["ports"] == [image.JUPYTERS_PORT]


def test_a_session_holds_little_enough_memory(found):
    """Checks the memory of JupyterLab, a kernel and its child processes. Less than 100 MiB would be a wrong measurement."""
    for peak in (found["peak_memory_mib"], found["peak_memory_mib_in_the_browser"]):
        assert 100 < peak <= 1638


def test_the_browser_tests_pass_against_it(found):
    assert found["browser_passed"], (image.FOLDER / "browser.log").read_text()[-3000:]
    assert 0 < found["seconds_to_jupyterlab"] < found["seconds_to_first_plot"]


def test_nothing_else_is_amiss(found):
    assert found["amiss"] == []


def test_no_container_is_left(docker, found):
    assert image.TAG not in docker.answer("ps", "--all", "--format", "{{.Names}}")
