"""Runs a module of the installed Python as `python -m` does, and reports the remedy for an error of the machine or of a damaged clone.

The command line is `become.py MODULE WORDS…`.
"""

from __future__ import annotations

import sys


def main(words: list[str]) -> int:
    """Runs the module that the first word names, with the other words as its arguments."""
    import runpy

    sys.argv = words
    try:
        runpy.run_module(words[0], run_name="__main__", alter_sys=True)
    except Exception as error:
        return tell(error)
    finally:
        let_go()
    return 0


def let_go() -> None:
    """Ends the threads of requests that Jupyter's server left unfinished. Python waits for every thread, so it would never end.

    These threads are anyio's. Each waits for its request, which doesn't go on after the server's event loop has ended.
    """
    import threading

    for thread in threading.enumerate():
        if hasattr(thread, "root_task"):
            thread.stop()


def tell(error: Exception) -> int:
    """Reports the remedy for an error, and returns the exit code. Raises the error again if there is no known remedy."""
    from pathlib import Path

    sys.path.insert(0, str(Path(__file__).parent.parent.parent))
    from command.setup.failures import tell as tell_problem

    return tell_problem(error)


if __name__ == "__main__":
    sys.path.pop(0)  # this file's folder, in which some modules have the names of standard ones
    sys.exit(main(sys.argv[1:]))
