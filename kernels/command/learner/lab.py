"""`lab`: JupyterLab on this machine only, with its token on, opened on the first page."""

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

CONFIGURATION = JUPYTER / "jupyter_server_config.json"  # in the image Jupyter reads it itself
FIRST_SCREEN = JUPYTER / "default-37a8.jupyterlab-workspace"  # JupyterLab's own name for the workspace called default
LOOPBACK = "127.0.0.1"


def asked_port(words: Sequence[str]) -> int | None:
    """The port that the user named, if any."""
    for position, word in enumerate(words):
        match = re.fullmatch(r"--(?:ServerApp\.)?port(?:=(.*))?", word)
        if not match:
            continue
        value = match[1] if match[1] is not None else (words[position + 1] if position + 1 < len(words) else "")
        if not value.isdigit() or not 0 <= int(value) < 65536:
            raise Problem(f"The port is {value!r}; a port is a number from 0 to 65535.", "Give one, or none: then a free one is taken.")
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
                f"Stop that one, name another port (kernels/course lab -- --port={port + 1}), or name none: then a free one is taken.",
            ) from None


# What else JupyterLab calls the options that are set here.
ALSO_CALLED = {"--ServerApp.ip": "--ip", "--ServerApp.root_dir": "--notebook-dir", "--LabApp.default_url": "--ServerApp.default_url"}


def options(words: Sequence[str]) -> list[str]:
    """JupyterLab's command line: the course's options where the user gave none of the same name, then the user's.

    Options, and not a configuration file: they count before what the user's own JupyterLab is configured to.
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
    """What Jupyter's configuration file says, as options of its command line."""
    return {
        f"--{section}.{name}": value if isinstance(value, str) else repr(value)
        for section, traits in sections.items()
        for name, value in traits.items()
    }


def seed_workspace(folder: Path) -> None:
    """Lets the first start show the first page beside its table of contents. A workspace that is there is the reader's."""
    target = folder / FIRST_SCREEN.name
    if not target.exists():
        write_whole(target, FIRST_SCREEN.read_text())


def is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0


def arguments(parser: Parser) -> None:
    parser.passes_on = parser.passes_options = True
    parser.usage = "%(prog)s [-- OPTION …]"
    parser.epilog = "JupyterLab listens on this machine only. A free port is taken unless you name one: kernels/course lab -- --port=8890"
    parser.add_argument("words", metavar="OPTION", nargs="*", default=[], help="what JupyterLab takes, behind --")


def main(given: Namespace) -> int:
    return start([*given.words, *given.rest])


def start(words: list[str], **more: str) -> int:
    """Becomes JupyterLab with these options of its command line, and more variables in its environment."""
    port = asked_port(words)
    closed = solutions.stay_closed()
    course = set_up_first()
    former.migrate()
    if port:
        check_port(port)
    if is_root():
        say("You are root: whoever has JupyterLab's token is root too. An ordinary user is the safer choice.")
    say("JupyterLab starts; it prints its address, and opens the browser where there is one. Ctrl-C twice ends it.")
    command = module(course, "jupyterlab", *options(words))
    env = environment(course, **{**({"PYTHONPATH": str(KERNELS)} if closed else {}), **more})
    env.setdefault("JUPYTERLAB_WORKSPACES_DIR", str(WORKSPACES))  # which pages are open is a matter of this clone
    seed_workspace(Path(env["JUPYTERLAB_WORKSPACES_DIR"]))
    background.start()
    return hand_over(command, env)
