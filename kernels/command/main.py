"""Runs the verbs of `kernels/course`, and explains an error if one fails."""

from __future__ import annotations

import importlib
import os
import signal
import sys
from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType, ModuleType

from .base import children
from .base.command_line import Misuse, Parser
from .base.paths import ROOT
from .setup.failures import tell


@dataclass(frozen=True)
class Verb:
    """Describes a verb by the module that implements it and by one line of help. The module is imported only when the verb is used."""

    module: str
    summary: str


VERBS = {
    "lab": Verb("learner.lab", "open JupyterLab on the first page"),
    "run": Verb("pages.run", "run pages without JupyterLab"),
    "verdicts": Verb("pages.verdicts", "run pages several times, and show which statements change their verdict"),
    "export": Verb("learner.export", "write what you measured and predicted to one file that you can hand in"),
    "class": Verb("class_page.verb", "make one page from the files that a class handed in"),
    "slides": Verb("publish.slides", "present a page as slides, or export its slides"),
    "test": Verb("testing.test", "run the tests"),
    "progress": Verb("learner.progress", "show which pages you opened, which claims and exercises you did, and the next step"),
    "reset": Verb("learner.reset", "restore pages as they were cloned; a copy of your version stays next to each"),
    "library": Verb("publish.library", "make the lab a library for your own notebooks"),
    "site": Verb("publish.site", "make a static site of the executed pages"),
    "setup": Verb("setup.stages", "set up everything that any page loads, so that nothing is downloaded later"),
    "doctor": Verb("setup.doctor", "show what is installed, what is missing and what to do about it"),
    "image": Verb("testing.image", "build the Dockerfile and try the container as Binder would run it (needs Docker or Podman)"),
}

USAGE = f"""\
Which thread runs this? A course in notebooks.

usage: kernels/course VERB …

{"".join(f"  {name:<9} {verb.summary}" + chr(10) for name, verb in VERBS.items())}
`kernels/course VERB --help` lists a verb's arguments. Each verb except doctor, export and reset first finishes the set-up. You can
interrupt the set-up: the next verb continues where it stopped.

environment:
  COURSE_PROFILE=quick|full      how long the experiments measure (default: quick; tests use smoke)
  COURSE_KERNEL=almond|ammonite  which Scala kernel (default: Almond, if it is available)
  COURSE_SOLUTIONS=open|after-an-attempt  whether `lab` shows a solution before you tried its exercise (default: open)
  COURSE_JAVA_HOME=FOLDER        another Java runtime, 21 or newer
  COURSE_PG_URL=jdbc:postgresql://…  your own server for the page on JDBC, instead of one that the page starts
  The variables of pip, coursier and Java (PIP_INDEX_URL, COURSIER_REPOSITORIES, JAVA_TOOL_OPTIONS, …) also apply.
"""


def use_utf8(env: MutableMapping[str, str] = os.environ) -> None:
    """Lets LC_ALL=C name files in UTF-8, as Python does for LANG=C. Otherwise a JVM couldn't find a file whose path has an umlaut."""
    if sys.platform != "darwin" and env.get("LC_ALL") in ("C", "POSIX"):
        env["LC_ALL"] = "C.UTF-8"


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def hand_over_to_the_hub(words: list[str], env: Mapping[str, str] = os.environ) -> None:
    """Replaces this process by the container's own command if it runs in a learner's folder on a hub.

    There is no set-up in that folder. `kernels/hub/start` names both folders.
    """
    home = env.get("COURSE_HOME")
    if home and Path(home).resolve() != ROOT:
        command = str(Path(home) / "kernels" / "course")
        os.execve(sys.executable, [sys.executable, command, *words], dict(env))


def load(name: str) -> tuple[ModuleType, Parser]:
    """Returns a verb's module and the parser of its command line. Raises Misuse if there is no such verb."""
    if name not in VERBS:
        raise Misuse(f"There is no verb {name!r}.", f"Use one of {', '.join(VERBS)}; `kernels/course --help` explains them.")
    module = importlib.import_module(f".{VERBS[name].module}", __package__)
    parser = Parser(name, VERBS[name].summary)
    if hasattr(module, "arguments"):
        module.arguments(parser)
    return module, parser


def perform(name: str, words: Sequence[str]) -> int:
    """Runs a verb and returns its exit code. Raises Misuse if an argument is invalid."""
    module, parser = load(name)
    return module.main(parser.read(words))


def main(words: list[str]) -> int:
    """Runs a verb and returns the exit code. Reports an error together with its remedy, and leaves no child process running."""
    use_utf8()
    hand_over_to_the_hub(words)
    if not words or words[0] in ("-h", "--help", "help"):
        (sys.stdout if words else sys.stderr).write(USAGE)
        return 0 if words else 2
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:  # nohup sets SIG_IGN
            signal.signal(number, _interrupt)
    try:
        return perform(words[0], words[1:])
    except (KeyboardInterrupt, children.Stopped):
        sys.stderr.write("\nInterrupted. Run the same command again: it continues where it stopped.\n")
        return 130
    except Exception as error:
        return tell(error)
    finally:
        children.stop_all()
