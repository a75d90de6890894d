"""The second stage of the set-up, in a process of its own beside JupyterLab. It ends when JupyterLab does; the next start goes on.

What it is doing stands in PROGRESS while it works; why it failed stays there until the next one begins.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time

from . import children, say
from .files import write_whole
from .paths import KERNELS, PROGRESS
from .problem import Problem, from_os_error
from .setup import set_up_rest

NICE = 10  # what the reader runs goes first
LOOK = 0.5  # seconds between two looks at the parent


def start() -> None:
    """Starts it beside the program that this process is about to become."""
    env = children.environment(PYTHONPATH=str(KERNELS), COURSE_BEGAN=str(say.BEGAN))
    argv = [sys.executable, "-m", "command.background", str(os.getpid())]
    # A session of its own: JupyterLab asks at the first Ctrl-C whether it is meant, and this must not die of the question.
    subprocess.Popen(argv, env=env, stdin=subprocess.DEVNULL, start_new_session=True)


def write_progress(doing: str, failed: str = "") -> None:
    """Tells pages (lab.Installation) what is being done, or why it failed."""
    write_whole(PROGRESS, json.dumps({"process": os.getpid(), "doing": doing, "failed": failed}))


def end_with(parent: int) -> None:
    """Interrupts this process when its parent is gone. Does not return before."""
    while os.getppid() == parent:
        time.sleep(LOOK)
    os.kill(os.getpid(), signal.SIGINT)


def main(words: list[str]) -> int:
    """Does the second stage; `words` holds the process to end with."""
    os.nice(NICE)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Thread(target=end_with, args=[int(words[0])], daemon=True).start()
    say.listen(write_progress)
    PROGRESS.unlink(missing_ok=True)
    try:
        set_up_rest()
    except Problem as problem:
        return failed(problem)
    except OSError as error:
        return failed(from_os_error(error))
    except (KeyboardInterrupt, children.Stopped):
        PROGRESS.unlink(missing_ok=True)
        return 130
    finally:
        children.stop_all()
    if PROGRESS.exists():
        say.say("All that later pages need is there")
        PROGRESS.unlink()
    return 0


def failed(problem: Problem) -> int:
    """Says the problem in the terminal and leaves it to the pages."""
    say.say("What later pages need could not be brought")
    sys.stderr.write(problem.told())
    write_progress("", f"{problem.what} {problem.remedy}")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
