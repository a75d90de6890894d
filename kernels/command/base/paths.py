"""Where everything lies. The repository's root is the only thing looked up; the rest follows from it."""

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
INSTALLATION = BUILD / "installation.json"  # where the parts are that pages ask for (lab.installation.Installation)
PROGRESS = BUILD / "set-up.json"  # what goes on in the background (lab.installation.Installation)
STORAGE = BUILD / "ammonite"
RUNS = BUILD / "run"
FRESH_PAGES = BUILD / "fresh-pages"  # in the image alone, which has no git
JDKS = BUILD / "jdks"
POSTGRES = BUILD / "postgres"
UV = BUILD / "uv"
RUNTIME = BUILD / "jupyter" / "runtime"
WORKSPACES = BUILD / "jupyter" / "workspaces"

BUILD_DEFINITION = KERNELS / "build.json"
PYTHON_LOCK = LOCKS / "python.txt"
PYTHON_TEST_LOCK = LOCKS / "python-test.txt"
PYTHON_HUB_LOCK = LOCKS / "python-hub.txt"  # the image alone needs it
JAR_LOCK = LOCKS / "jars.json"
UV_LOCK = LOCKS / "uv.txt"
JDK_LOCKS = LOCKS / "jdks"  # one for each runtime


def shown(path: Path | str) -> str:
    """The path as a reader knows it: relative to the repository where it lies inside."""
    try:
        return str(Path(path).relative_to(ROOT))
    except ValueError:
        return str(path)
