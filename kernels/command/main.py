"""The verbs of `kernels/course`, and what is said when one fails."""

from __future__ import annotations

import importlib
import os
import signal
import sys
from collections.abc import Mapping, MutableMapping
from pathlib import Path
from types import FrameType

from .base import children
from .base.paths import ROOT
from .base.problem import Problem
from .setup.failures import tell

USAGE = """\
Which thread runs this? A course in notebooks.

usage: kernels/course VERB

  lab            open JupyterLab on the first page                 (-- passes what follows to JupyterLab)
  run [NN…]      run pages headless; executed copies and report.json in .build/run, verdicts in .build/ledger.json
  verdicts N [NN…]  run pages N times in turn and tell which claims change their verdict; exit code 1 where one does, or a page fails
                 (--cpus K: JVMs see K CPUs; --record: keep the table in data/recorded/verdicts.csv, COURSE_RECORD names the machine)
  export [FILE]  what you measured and predicted, in one file to hand in (data/results/hand-in-….jsonl); it names nobody
  class FILES…   one page of what a room handed in, files or folders of such (--to FILE; .build/class/index.html)
  slides NN      present a page as slides, live in JupyterLab      (--export FOLDER: as files that need no network and no kernel)
  test [PART…]   run the tests
  progress       pages opened, claims tried, exercises solved, and the next step
  reset NN…      pages as they were cloned; what you had there stays beside each
  library [FOLDER]  the lab as an artifact for notebooks of your own, in a Maven repository (.build/library)
  site [FOLDER]  the executed pages as a static site (.build/site); --from FOLDER: of these executed pages, not of .build/run
  setup          only the set-up, with everything that any page loads: afterwards nothing is downloaded
  doctor         say what is there, what is missing and what to do about it
  image          build the Dockerfile and try the container as Binder would run it (needs Docker or Podman)

Each verb but doctor and reset first does what is left of the set-up. It can be interrupted and run again.

environment:
  COURSE_PROFILE=quick|full      how long the experiments measure (quick)
  COURSE_KERNEL=almond|ammonite  which Scala kernel (Almond where it can be had)
  COURSE_SOLUTIONS=open|after-an-attempt  whether `lab` shows solutions before their exercises were tried (open)
  COURSE_JAVA_HOME=FOLDER        another Java runtime, 21 or newer
  COURSE_PG_URL=jdbc:postgresql://…  a server of yours for the page on JDBC, in place of one that the page starts
  pip's, coursier's and Java's own variables (PIP_INDEX_URL, COURSIER_REPOSITORIES, JAVA_TOOL_OPTIONS, …) are honoured.
"""


# The module of each verb has a `main`, to which what follows the verb is given; those of WITHOUT_WORDS take nothing.
VERBS = {
    "lab": "learner.lab",
    "run": "pages.run",
    "verdicts": "pages.verdicts",
    "export": "learner.export",
    "class": "class_page.verb",
    "slides": "publish.slides",
    "test": "testing.test",
    "reset": "learner.reset",
    "library": "publish.library",
    "site": "publish.site",
    "progress": "learner.progress",
    "setup": "setup.stages",
    "doctor": "setup.doctor",
    "image": "testing.image",
}
WITHOUT_WORDS = ("progress", "setup", "doctor", "image")


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


def perform(verb: str, words: list[str]) -> int:
    """Does what the verb's module does and returns its exit code. Raises a Problem where there is no such verb, or it takes no words."""
    if verb not in VERBS:
        raise Problem(f"There is no verb {verb!r}.", f"Use one of {', '.join(VERBS)}; `kernels/course --help` says what they do.")
    if words[:1] in (["-h"], ["--help"]):
        sys.stdout.write(USAGE)
        return 0
    if words and verb in WITHOUT_WORDS:
        raise Problem(f"{verb} takes no arguments, but got {' '.join(words)!r}.", f"Run `kernels/course {verb}`.")
    module = importlib.import_module(f".{VERBS[verb]}", __package__)
    return module.main() if verb in WITHOUT_WORDS else module.main(words)


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
