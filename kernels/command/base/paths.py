"""Defines the places of all files. Only the repository's root is looked up, and all other paths follow from it."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent.parent
KERNELS = ROOT / "kernels"
LOCKS = KERNELS / "locks"
NOTEBOOKS = ROOT / "notebooks"
RESULTS = ROOT / "data" / "results"  # unless COURSE_RESULTS names another folder
TESTS = KERNELS / "tests"
JUPYTER = KERNELS / "jupyter"

VENV = ROOT / ".venv"
BUILD = ROOT / ".build"
STAMPS = BUILD / "stamps"
CLASSES = BUILD / "classes"
JARS = BUILD / "jars"
CERTIFICATES = BUILD / "certificates"
TRUST_STORE = BUILD / "ca.jks"
COURSIER = BUILD / "coursier"
KERNEL = BUILD / "kernel"
INSTALLATION = BUILD / "installation.json"  # where to find the parts that pages ask for (lab.installation.Installation)
PROGRESS = BUILD / "set-up.json"  # the state of the set-up in the background (lab.installation.Installation)
STORAGE = BUILD / "ammonite"
RUNS = BUILD / "run"
FRESH_PAGES = BUILD / "fresh-pages"  # only in the image, which has no git
JDKS = BUILD / "jdks"
POSTGRES = BUILD / "postgres"
UV = BUILD / "uv"
RUNTIME = BUILD / "jupyter" / "runtime"
WORKSPACES = BUILD / "jupyter" / "workspaces"

BUILD_DEFINITION = KERNELS / "build.json"
PYTHON_LOCK = LOCKS / "python.txt"
PYTHON_TEST_LOCK = LOCKS / "python-test.txt"
PYTHON_HUB_LOCK = LOCKS / "python-hub.txt"  # only for the image
JAR_LOCK = LOCKS / "jars.json"
UV_LOCK = LOCKS / "uv.txt"
JDK_LOCKS = LOCKS / "jdks"  # one for each runtime


def shown(path: Path | str) -> str:
    """Returns the path as a reader knows it, relative to the repository if it is inside."""
    try:
        return str(Path(path).relative_to(ROOT))
    except ValueError:
        return str(path)
