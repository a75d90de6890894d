"""The second stage of the set-up, in a process of its own beside JupyterLab. It ends when JupyterLab does; the next start goes on.

What it is doing stands in PROGRESS while it works; why it failed stays there until the next one begins. Of two, as of two
JupyterLabs of one clone, the second waits for the first, and PROGRESS is the one's that wrote it last.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading

from ..base import children, say
from ..base.files import read_json, write_whole
from ..base.paths import KERNELS, PROGRESS
from ..base.problem import Problem, from_os_error
from .stages import set_up_rest

NICE = 10  # what the reader runs goes first


def start() -> None:
    """Starts it beside the program that this process is about to become."""
    env = children.environment(PYTHONPATH=str(KERNELS), COURSE_BEGAN=str(say.BEGAN))
    argv = [sys.executable, "-m", "command.setup.background", str(os.getpid())]
    # A session of its own: JupyterLab asks at the first Ctrl-C whether it is meant, and this must not die of the question.
    subprocess.Popen(argv, env=env, stdin=subprocess.DEVNULL, start_new_session=True)


def write_progress(doing: str, failed: str = "") -> None:
    """Tells pages (lab.installation.Installation) what is being done, or why it failed."""
    with contextlib.suppress(OSError):  # on a full disk there is nobody to tell but the terminal
        write_whole(PROGRESS, json.dumps({"process": os.getpid(), "doing": doing, "failed": failed}))


def end_progress() -> None:
    """Nothing is done any more, by this process."""
    if read_json(PROGRESS, {}).get("process") == os.getpid():
        PROGRESS.unlink(missing_ok=True)


def main(words: list[str]) -> int:
    """Does the second stage; `words` holds the process to end with."""
    os.nice(NICE)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)
    threading.Thread(target=children.end_with, args=[int(words[0]), signal.SIGINT], daemon=True).start()
    said: list[str] = []
    say.listen(said.append)
    say.listen(write_progress)
    write_progress("it begins")  # before anybody looks: what comes first may be long in coming
    try:
        set_up_rest()
    except Problem as problem:
        return failed(problem)
    except OSError as error:
        return failed(from_os_error(error))
    except (KeyboardInterrupt, children.Stopped):
        end_progress()
        return 130
    finally:
        children.stop_all()
    if said:
        say.say("The background part of the set-up is done")
    end_progress()
    return 0


def failed(problem: Problem) -> int:
    """Says the problem in the terminal and leaves it to the pages."""
    with contextlib.suppress(OSError):  # a terminal that is gone
        say.say("What later pages need could not be brought")
        sys.stderr.write(problem.told())
    write_progress("", f"{problem.what} {problem.remedy}")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
