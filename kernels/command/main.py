"""The verbs of `kernels/course`, and what is said when one fails."""

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
    """The module that does it, imported only if it is asked for; what it does, in a line."""

    module: str
    summary: str


VERBS = {
    "lab": Verb("learner.lab", "open JupyterLab on the first page"),
    "run": Verb("pages.run", "run pages without JupyterLab"),
    "verdicts": Verb("pages.verdicts", "run pages several times, and tell which statements change their verdict"),
    "export": Verb("learner.export", "write what you measured and predicted to one file that you can hand in"),
    "class": Verb("class_page.verb", "make one page of what the readers of a class handed in"),
    "slides": Verb("publish.slides", "present a page as slides, or export its slides"),
    "test": Verb("testing.test", "run the tests"),
    "progress": Verb("learner.progress", "show which pages you opened, which claims and exercises you did, and the next step"),
    "reset": Verb("learner.reset", "bring pages back to how they were cloned; what you had there stays beside each"),
    "library": Verb("publish.library", "make the lab a library for notebooks of your own"),
    "site": Verb("publish.site", "make a static site of the executed pages"),
    "setup": Verb("setup.stages", "set up everything that any page loads; afterwards nothing is downloaded"),
    "doctor": Verb("setup.doctor", "say what is there, what is missing and what to do about it"),
    "image": Verb("testing.image", "build the Dockerfile and try the container as Binder would run it (needs Docker or Podman)"),
}

USAGE = f"""\
Which thread runs this? A course in notebooks.

usage: kernels/course VERB …

{"".join(f"  {name:<9} {verb.summary}" + chr(10) for name, verb in VERBS.items())}
`kernels/course VERB --help` says what a verb takes. Each verb except doctor, export and reset first does what is left of the set-up. You
can interrupt the set-up: the next verb goes on where it stopped.

environment:
  COURSE_PROFILE=quick|full      how long the experiments measure (quick)
  COURSE_KERNEL=almond|ammonite  which Scala kernel (Almond where you can get it)
  COURSE_SOLUTIONS=open|after-an-attempt  whether `lab` shows a solution before you tried its exercise (open)
  COURSE_JAVA_HOME=FOLDER        another Java runtime, 21 or newer
  COURSE_PG_URL=jdbc:postgresql://…  your own server for the page on JDBC, in place of one that the page starts
  The variables of pip, coursier and Java (PIP_INDEX_URL, COURSIER_REPOSITORIES, JAVA_TOOL_OPTIONS, …) count as well.
"""


def use_utf8(env: MutableMapping[str, str] = os.environ) -> None:
    """Lets LC_ALL=C name files in UTF-8, as Python does it for LANG=C: a JVM would find no file whose path has an umlaut."""
    if sys.platform != "darwin" and env.get("LC_ALL") in ("C", "POSIX"):
        env["LC_ALL"] = "C.UTF-8"


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def hand_over_to_the_hub(words: list[str], env: Mapping[str, str] = os.environ) -> None:
    """In a learner's folder on a hub there is no set-up; what the container has does the same there (kernels/hub/start names both)."""
    home = env.get("COURSE_HOME")
    if home and Path(home).resolve() != ROOT:
        command = str(Path(home) / "kernels" / "course")
        os.execve(sys.executable, [sys.executable, command, *words], dict(env))


def load(name: str) -> tuple[ModuleType, Parser]:
    """Returns the module of a verb and the parser of its command line. Raises Misuse if there is no such verb."""
    if name not in VERBS:
        raise Misuse(f"There is no verb {name!r}.", f"Use one of {', '.join(VERBS)}; `kernels/course --help` says what they do.")
    module = importlib.import_module(f".{VERBS[name].module}", __package__)
    parser = Parser(name, VERBS[name].summary)
    if hasattr(module, "arguments"):
        module.arguments(parser)
    return module, parser


def perform(name: str, words: Sequence[str]) -> int:
    """Does what the verb's module does and returns its exit code. Raises Misuse if the words can't be understood."""
    module, parser = load(name)
    return module.main(parser.read(words))


def main(words: list[str]) -> int:
    """Performs a verb and returns the exit code; an error is told with what to do about it. Nothing is left running."""
    use_utf8()
    hand_over_to_the_hub(words)
    if not words or words[0] in ("-h", "--help", "help"):
        (sys.stdout if words else sys.stderr).write(USAGE)
        return 0 if words else 2
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:  # as nohup has it
            signal.signal(number, _interrupt)
    try:
        return perform(words[0], words[1:])
    except (KeyboardInterrupt, children.Stopped):
        sys.stderr.write("\nInterrupted. Run the same command again: it goes on where it stopped.\n")
        return 130
    except Exception as error:
        return tell(error)
    finally:
        children.stop_all()
