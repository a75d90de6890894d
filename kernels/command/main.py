"""The verbs of `kernels/course`, and what is said when one fails."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, MutableMapping
from types import FrameType

from . import children
from .problem import Problem, from_os_error

USAGE = """\
Which thread runs this? A course in notebooks.

usage: kernels/course VERB

  lab            open JupyterLab on the first page                 (-- passes what follows to JupyterLab)
  run [NN…]      run pages headless; executed copies and report.json in .build/run, verdicts in .build/ledger.json
  test [PART…]   run the tests
  setup          only the set-up, with everything that any page loads: afterwards nothing is downloaded
  doctor         say what is there, what is missing and what to do about it
  image          build the Dockerfile and try the container as Binder would run it (needs Docker or Podman)

Each verb first does what is left of the set-up. It can be interrupted and run again.

environment:
  COURSE_PROFILE=quick|full      how long the experiments measure (quick)
  COURSE_KERNEL=almond|ammonite  which Scala kernel (Almond where it can be had)
  COURSE_JAVA_HOME=FOLDER        another Java runtime, 21 or newer
  pip's, coursier's and Java's own variables (PIP_INDEX_URL, COURSIER_REPOSITORIES, JAVA_TOOL_OPTIONS, …) are honoured.
"""


def _setup(words: list[str]) -> int:
    from . import setup

    _refuse(words, "setup")
    return setup.main()


def _lab(words: list[str]) -> int:
    from . import lab

    return lab.main(words)


def _run(words: list[str]) -> int:
    from . import run

    return run.main(words)


def _test(words: list[str]) -> int:
    from . import test

    return test.main(words)


def _doctor(words: list[str]) -> int:
    from . import doctor

    _refuse(words, "doctor")
    return doctor.main()


def _image(words: list[str]) -> int:
    from . import image

    _refuse(words, "image")
    return image.main()


VERBS: dict[str, Callable[[list[str]], int]] = {
    "lab": _lab,
    "run": _run,
    "test": _test,
    "setup": _setup,
    "doctor": _doctor,
    "image": _image,
}


def _refuse(words: list[str], verb: str) -> None:
    if words:
        raise Problem(f"{verb} takes no arguments, but got {' '.join(words)!r}.", f"Run `kernels/course {verb}`.")


def use_utf8(env: MutableMapping[str, str] = os.environ) -> None:
    """Lets LC_ALL=C name files in UTF-8, as Python does it for LANG=C: a JVM would find no file whose path has an umlaut."""
    if os.name != "nt" and sys.platform != "darwin" and env.get("LC_ALL") in ("C", "POSIX"):
        env["LC_ALL"] = "C.UTF-8"


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def main(words: list[str]) -> int:
    use_utf8()
    if not words or words[0] in ("-h", "--help", "help"):
        (sys.stdout if words else sys.stderr).write(USAGE)
        return 0 if words else 2
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), _interrupt)
    try:
        verb = VERBS.get(words[0])
        if not verb:
            raise Problem(f"There is no verb {words[0]!r}.", f"Use one of {', '.join(VERBS)}; `kernels/course --help` says what they do.")
        if any(word in ("-h", "--help") for word in words[1:2]):
            sys.stdout.write(USAGE)
            return 0
        return verb(words[1:])
    except Problem as problem:
        sys.stderr.write("\n" + problem.told())
        return 1
    except OSError as error:
        sys.stderr.write("\n" + from_os_error(error).told())
        return 1
    except (KeyboardInterrupt, children.Stopped):
        sys.stderr.write("\nInterrupted. Run the same command again: it goes on where it stopped.\n")
        return 130
    finally:
        children.stop_all()
