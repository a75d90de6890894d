"""Takes out of the image what only set-up or a Python kernel needs. What isn't there needs no taking out.

Run by the Dockerfile in the step that did the set-up: what a later step removes still weighs in the layer below it.
"""

from __future__ import annotations

import shutil
import sys
from importlib.metadata import Distribution
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))  # the package `command`

from command.base import files
from command.base.paths import ROOT
from command.dependencies import python_env
from command.setup import stages

# The course's kernel is a JVM's. JupyterLab and its server do without a Python one and all that only that one needs.
PACKAGES = (
    "ipykernel",  # the Python kernel
    "ipython",  # what it runs cells with
    "jedi",  # its completion
    "parso",  # jedi's parser
    "debugpy",  # its debugger
    "prompt_toolkit",  # ipython's prompt in a terminal
    "wcwidth",  # and how wide that prints a character
    "narwhals",  # plotly's access to data frames
    "pip",  # installs packages: this program is the last step of the set-up
)

IN_THE_COURSE = (
    ".build/coursier",  # fetches JARs: all that any page loads are there
    ".build/uv",  # installs Python's packages
    ".build/classes",  # what .build/jars was packed from
    ".build/jdks",  # the JDKs besides the course's own: pages compare them, and on the 1 CPU of a session they show what was recorded
)

IN_THE_ENVIRONMENT = (
    "share/jupyter/kernels/python3",  # offers the Python kernel
    "share/jupyterhub/static",  # the hub's own pages: a session of the hub shows none of them
)

IN_SITE_PACKAGES = (
    "plotly",  # makes charts in Python; the renderer in JupyterLab is the same package's, but lies in share
    "jupyterlab/static",  # JupyterLab once more, for its own developers: what is served lies in share
    "jupyterlab/galata",  # what JupyterLab's browser tests are made of
)

# What no session needs: packages' own tests, and SQLAlchemy's parts in C, since the same ones in Python are there.
UNUSED = ("*/tests", "*/test", "*/testing", "sqlalchemy/**/*.so")

# What was unpacked beside it.
UNPACKED = ".build/jar-cache/**/embedded-postgres-binaries-*.jar"

# Names of languages and of months, which JupyterLab's server can tell in hundreds of languages: the course is in English.
LANGUAGES, KEPT = "babel/locale-data", ("root.dat", "en.dat", "en_US.dat")


# What tells a browser's debugger where a line of JavaScript came from; JupyterLab's slides bring 40 MB of it.
SOURCE_MAPS = "*.js.map"


def uninstall(name: str, site: Path) -> None:
    """Removes a package whole, with its programs and what it lays into share: neither pip nor its like needs to be there."""
    for package in Distribution.discover(name=name, path=[str(site)]):
        for file in package.files or ():
            place = site / file
            if len(file.parts) > 1 and file.parts[0] not in ("..", "__pycache__"):
                remove(site / file.parts[0])  # and in it what was compiled after the installation
            else:
                place.unlink(missing_ok=True)


def remove(folder: Path) -> None:
    if folder.exists():
        shutil.rmtree(folder)


def slim(course: Path, environment: Path, home: Path) -> None:
    site = next(environment.glob("lib/python3*/site-packages"))
    for name in PACKAGES:
        uninstall(name, site)
    places = [(course, IN_THE_COURSE), (environment, IN_THE_ENVIRONMENT), (site, IN_SITE_PACKAGES)]
    for folder in [place / name for place, names in places for name in names]:
        remove(folder)
    for place in [place for name in UNUSED for place in site.glob(name)]:
        remove(place) if place.is_dir() else place.unlink()
    for jar in course.glob(UNPACKED):
        jar.unlink()
    for language in (site / LANGUAGES).glob("*.dat"):
        if language.name not in KEPT:
            language.unlink()
    for source_map in environment.rglob(SOURCE_MAPS):
        source_map.unlink()
    remove(home / ".cache")  # what was downloaded for the set-up; the JARs' cache lies in the course


def settle() -> None:
    """Makes what is left the finished set-up: nothing that was taken out is damage, and no verb makes it again."""
    python_env.keep_as_it_is()
    files.forget_damaged()
    stages.set_up_first()


if __name__ == "__main__":
    slim(ROOT, Path(sys.prefix), Path.home())
    settle()
