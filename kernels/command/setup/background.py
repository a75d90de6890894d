"""Runs the second stage of the set-up in a separate process alongside JupyterLab. It ends with JupyterLab, and the next start continues it.

While it works, PROGRESS says what it is doing. If it failed, PROGRESS says why until the next one begins. If two JupyterLabs of one clone
run, the second set-up waits for the first, and PROGRESS belongs to the one that wrote it last.
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

NICE = 19  # the reader's own programs have priority


def start() -> None:
    """Starts the second stage. The process that calls this will soon become JupyterLab."""
    env = children.environment(PYTHONPATH=str(KERNELS), COURSE_BEGAN=str(say.BEGAN))
    argv = [sys.executable, "-m", "command.setup.background", str(os.getpid())]
    # In a separate session, because JupyterLab only asks for confirmation at the first Ctrl-C, which must not end this process.
    subprocess.Popen(argv, env=env, stdin=subprocess.DEVNULL, start_new_session=True)


def write_progress(doing: str, failed: str = "") -> None:
    """Tells pages (lab.installation.Installation) what is being done, or why it failed."""
    with contextlib.suppress(OSError):  # on a full disk, the terminal has the message
        write_whole(PROGRESS, json.dumps({"process": os.getpid(), "doing": doing, "failed": failed}))


def end_progress() -> None:
    """Removes PROGRESS if it belongs to this process."""
    if read_json(PROGRESS, {}).get("process") == os.getpid():
        PROGRESS.unlink(missing_ok=True)


def main(words: list[str]) -> int:
    """Runs the second stage, and ends it when the process in `words` ends."""
    os.nice(NICE)
    children.be_as_nice(os.getpid())
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)
    threading.Thread(target=children.end_with, args=[int(words[0]), signal.SIGINT], daemon=True).start()
    said: list[str] = []
    say.listen(said.append)
    say.listen(write_progress)
    write_progress("it begins")  # because the first real message may take long
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
    """Reports the problem in the terminal and to the pages."""
    with contextlib.suppress(OSError):  # the terminal may be closed
        say.say("The parts for later pages could not be set up")
        sys.stderr.write(problem.told())
    write_progress("", f"{problem.what} {problem.remedy}")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
