"""Compiles the lab again and again on one CPU, which gives pages and simulations a busy neighbour."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import threading
from pathlib import Path

from ..base import children
from ..base.paths import KERNELS
from ..dependencies import jars
from ..setup import compile
from ..setup.stages import Workshop, wanted_sets

READY = "compiling"  # what it prints when it begins


def compile_lab() -> None:
    """Compiles the lab repeatedly into temporary folders. Never returns, and ends with the process in its argument, which started it."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())  # so that the compiler ends too
    threading.Thread(target=children.end_with, args=[int(sys.argv[1]), signal.SIGTERM], daemon=True).start()
    shop = Workshop.open(tests=False)
    files = jars.fetched(shop.lock, wanted_sets(shop.definition)) or {}
    path = compile.module_path(shop.definition, shop.lock, "lab", files)
    compiler = jars.class_path(shop.lock, "scalac", files)
    sources = [file for file in compile.sources(KERNELS / "lab" / "src") if file.suffix in (".scala", ".java")]
    sys.stdout.write(f"{READY}\n")
    sys.stdout.flush()
    while True:
        with tempfile.TemporaryDirectory() as folder:
            words = ["-classpath", os.pathsep.join(map(str, path)), "-d", folder, *map(str, sources)]
            Path(folder, "arguments").write_text("\n".join(f'"{word}"' for word in words))
            program = [
                shop.runtime.program,
                *compile.JVM,
                "-XX:ParallelGCThreads=1",  # to load one CPU, not two
                "-cp",
                os.pathsep.join(map(str, compiler)),
                compile.SCALAC,
                f"@{folder}/arguments",
            ]
            code, text = children.run(program)
            if code:
                sys.exit(text)


if __name__ == "__main__":
    compile_lab()
