"""Implements `lab`, which opens JupyterLab on the first page. It listens only on this machine, and asks for its token."""

from __future__ import annotations

import os
import re
import socket
from argparse import Namespace
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..base.command_line import Parser
from ..base.files import write_whole
from ..base.paths import JUPYTER, KERNELS, NOTEBOOKS, ROOT, WORKSPACES
from ..base.problem import Problem
from ..base.say import say
from ..dependencies.jars import load
from ..pages import former
from ..setup import background
from ..setup.programs import environment, hand_over, module
from ..setup.stages import set_up_first
from . import solutions

CONFIGURATION = JUPYTER / "jupyter_server_config.json"  # in the image, Jupyter itself reads it
FIRST_SCREEN = JUPYTER / "default-37a8.jupyterlab-workspace"  # JupyterLab's file name for the workspace "default"
LOOPBACK = "127.0.0.1"


def asked_port(words: Sequence[str]) -> int | None:
    """Returns the port that the user named, or None. Raises a Problem if it isn't a port."""
    for position, word in enumerate(words):
        match = re.fullmatch(r"--(?:ServerApp\.)?port(?:=(.*))?", word)
        if not match:
            continue
        value = match[1] if match[1] is not None else (words[position + 1] if position + 1 < len(words) else "")
        if not value.isdigit() or not 0 <= int(value) < 65536:
            raise Problem(f"The port is {value!r}; a port is a number from 0 to 65535.", "Name such a port, or none to get a free one.")
        return int(value)
    return None


def check_port(port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError as error:
            raise Problem(
                f"Port {port} can't be used ({error.strerror}); another JupyterLab or another program has it.",
                f"Stop that one, name another port (kernels/course lab -- --port={port + 1}), or name none to get a free one.",
            ) from None


# Other names that JupyterLab has for the options set here.
ALSO_CALLED = {"--ServerApp.ip": "--ip", "--ServerApp.root_dir": "--notebook-dir", "--LabApp.default_url": "--ServerApp.default_url"}


def options(words: Sequence[str]) -> list[str]:
    """Returns JupyterLab's command line, first the course's options and then the user's. The user's replace the course's.

    They are options, not a configuration file, because options override the user's own configuration of JupyterLab.
    """
    ours = {
        "--ServerApp.ip": LOOPBACK,
        "--ServerApp.root_dir": str(ROOT),
        "--FileContentsManager.preferred_dir": str(NOTEBOOKS),
        "--LabApp.app_settings_dir": str(JUPYTER / "settings"),
        **configured(load(CONFIGURATION)),
        **solutions.options(),
    }
    given = {word.split("=")[0] for word in words}
    kept = [f"{name}={value}" for name, value in ours.items() if not given & {name, ALSO_CALLED.get(name, name)}]
    return [*kept, *(["--allow-root"] if is_root() and "--allow-root" not in given else []), *words]


def configured(sections: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """Converts Jupyter's configuration file into command-line options."""
    return {
        f"--{section}.{name}": value if isinstance(value, str) else repr(value)
        for section, traits in sections.items()
        for name, value in traits.items()
    }


def seed_workspace(folder: Path) -> None:
    """Makes the first start show the first page with its table of contents. Never replaces an existing workspace."""
    target = folder / FIRST_SCREEN.name
    if not target.exists():
        write_whole(target, FIRST_SCREEN.read_text())


def is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0


def arguments(parser: Parser) -> None:
    parser.passes_on = parser.passes_options = True
    parser.usage = "%(prog)s [-- OPTION …]"
    parser.epilog = "JupyterLab listens only on this machine. It uses a free port unless you name one: kernels/course lab -- --port=8890"
    parser.add_argument("words", metavar="OPTION", nargs="*", default=[], help="options for JupyterLab, after --")


def main(given: Namespace) -> int:
    return start([*given.words, *given.rest])


def start(words: list[str]) -> int:
    """Replaces this process by JupyterLab with these options."""
    port = asked_port(words)
    solutions.stay_closed()  # tells about an invalid setting before the set-up
    course = set_up_first()
    former.migrate()
    if port:
        check_port(port)
    if is_root():
        say("You are root, so everybody with JupyterLab's token is root too. It is safer to use an ordinary user.")
    say("JupyterLab starts. It prints its address, and opens a browser if there is one. Press Ctrl-C twice to end it.")
    command = module(course, "jupyterlab", *options(words))
    env = environment(course, PYTHONPATH=str(KERNELS))
    env.setdefault("JUPYTERLAB_WORKSPACES_DIR", str(WORKSPACES))  # each clone remembers its own open pages
    seed_workspace(Path(env["JUPYTERLAB_WORKSPACES_DIR"]))
    background.start()
    return hand_over(command, env)
