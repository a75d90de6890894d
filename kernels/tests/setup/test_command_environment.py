"""Tests what conda and mamba do with environment.yml, as far as that is possible without a conda channel.

conda installs Python and pip. Then it writes the lines of the pip section into a file next to environment.yml, and passes that to `pip
install -U -r` (conda/env/installers/pip.py; mamba does the same in libmamba/src/core/pip_utils.cpp). The test does this second part.
"""

from __future__ import annotations

import re
import runpy
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml
from command.base.paths import LOCKS, PYTHON_LOCK
from command.dependencies import packages, python_env
from conftest import COURSE, ROOT, Clone, base_python, only_in_full

FILE = "environment.yml"
# The parts of a set-up that can be copied: checked and compiled JARs, and their stamps.
PRODUCTS = ("coursier", "jars", "classes", "stamps")


@pytest.fixture(scope="module")
def environment() -> dict:
    return yaml.safe_load((ROOT / FILE).read_text())


def conda_packages(environment: dict) -> dict[str, str]:
    """Returns each package that conda itself installs, with its version, or "" if any version will do."""
    words = [word for word in environment["dependencies"] if isinstance(word, str)]
    return {name: version for name, _, version in (word.partition("=") for word in words)}


def pip_lines(environment: dict) -> list[str]:
    (section,) = (entry for entry in environment["dependencies"] if not isinstance(entry, str))
    assert list(section) == ["pip"]
    return section["pip"]


def test_conda_finds_what_it_expects(environment):
    assert sorted(environment) == ["channels", "dependencies", "name"]
    assert re.fullmatch(r"[\w-]+", environment["name"])
    assert environment["channels"] == ["conda-forge", "nodefaults"]
    assert sorted(conda_packages(environment)) == ["pip", "python"]  # the lock has everything else


def test_its_python_is_one_that_the_course_and_the_lock_support(environment):
    python = conda_packages(environment)["python"]
    assert re.fullmatch(r"3\.\d+", python), "conda takes the newest patch of a Python that is named by two numbers"
    assert packages.OLDEST <= tuple(map(int, python.split("."))) <= packages.NEWEST


def test_the_oldest_python_is_the_same_everywhere():
    assert runpy.run_path(str(ROOT / COURSE))["NEEDED"] == packages.OLDEST
    assert runpy.run_path(str(LOCKS / "update.py"))["OLDEST_PYTHON"] == ".".join(map(str, packages.OLDEST))


def test_its_packages_are_the_lock_and_every_one_has_a_hash(environment):
    assert pip_lines(environment) == ["-r kernels/locks/python.txt"]
    blocks = re.split(r"\n(?=\S)", PYTHON_LOCK.read_text())
    assert [block for block in blocks if not re.match(r"[\w.-]+==\S+ .*\n +--hash=sha256:[0-9a-f]{64}", block)] == []


def install_as_conda_does(clone: Clone, lines: list[str], folder: Path) -> Path:
    """Makes an environment with pip, and fills it from a file next to environment.yml."""
    subprocess.run([base_python(), "-m", "venv", folder], check=True, timeout=60)
    python = folder / "bin" / "python"
    wishes = clone.folder / "condaenv.test.requirements.txt"
    wishes.write_text("\n".join(lines))
    env = {**clone.environment(), **packages.pip_environment(python, python_env.site_of(folder)), "PIP_NO_INPUT": "1"}
    argv = [python, "-m", "pip", "install", "-U", "-r", wishes, "--exists-action=b"]
    done = subprocess.run(argv, cwd=clone.folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=240)
    assert done.returncode == 0, done.stdout[-2000:]
    wishes.unlink()
    return python


def take_over_products(clone: Clone) -> None:
    """Copies what doesn't depend on the Python in use, to save a minute of scalac."""
    for name in PRODUCTS:
        shutil.copytree(ROOT / ".build" / name, clone.folder / ".build" / name, dirs_exist_ok=True)
    for stamp in (clone.folder / ".build" / "stamps").glob("*.json"):
        stamp.write_text(stamp.read_text().replace(str(ROOT), str(clone.folder)))


# Runs on the environment's own Python, like its JupyterLab, and prints the kernel's Java home.
ASK_THE_KERNEL = """
from jupyter_client.manager import KernelManager
from command.setup.starting import start
client = start(manager := KernelManager(kernel_name="scala-course"), 60)
client.execute_interactive('print(System.getProperty("java.home"))', timeout=60)
client.stop_channels()
manager.shutdown_kernel()
"""


@only_in_full
def test_the_course_uses_the_environment_that_conda_makes(environment, clone, tmp_path):
    python = install_as_conda_does(clone, pip_lines(environment), tmp_path / "which-thread")
    prefix = python.parent.parent
    found = clone.run("doctor", python=python).out
    assert f"{prefix}: it already holds every locked package" in found, found
    take_over_products(clone)
    done = clone.run("setup", python=python)
    assert done.code == 0, done.said
    env = clone.environment(JUPYTER_PREFER_ENV_PATH="1", PYTHONPATH=str(clone.folder / "kernels"))
    asked = subprocess.run([python, "-c", ASK_THE_KERNEL], cwd=clone.folder, env=env, capture_output=True, text=True, timeout=150)
    assert asked.stdout.strip().startswith(f"{prefix}/"), asked.stdout + asked.stderr
    assert not (clone.folder / ".venv").exists()
