"""Compiles the Scala modules of `build.json` with scalac on the Java runtime, each into one JAR, when its input changed."""

from __future__ import annotations

import io
import os
import shutil
import time
import zipfile
from collections.abc import Mapping
from pathlib import Path

from . import children
from .files import fingerprint, replace_folder, sha256, stamp, stamped, write_whole
from .jars import Definition, Lock, class_path
from .java import Java
from .paths import CLASSES, JARS, KERNELS, shown
from .problem import AGAIN, KILLED, NO_MEMORY, Problem, essence, no_memory
from .say import say

SCALAC = "scala.tools.nsc.Main"
# A compiler that runs for seconds is quickest on the first JIT and the serial collector; deep types need a deep stack.
JVM = ["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xss8m", "-Xmx900m"]


def sources(definition: Definition, module: str) -> list[Path]:
    folder = KERNELS / definition.modules[module]["sources"]
    return sorted(path for path in folder.rglob("*") if path.is_file() and not path.name.startswith("."))


def jar_of(module: str) -> Path:
    return JARS / f"{module}.jar"


def module_path(definition: Definition, lock: Lock, module: str, files: Mapping[str, Path]) -> list[Path]:
    """What the module is compiled against: the modules it uses, then its JARs."""
    return [jar_of(m) for m in definition.used(module)] + class_path(lock, module, dict(files))


def compile_module(definition: Definition, lock: Lock, module: str, java: Java, files: Mapping[str, Path]) -> Path:
    """The module's JAR, made anew if a source, an option, the compiler or something it is compiled against changed."""
    jar = jar_of(module)
    found = sources(definition, module)
    contents = [(str(path.relative_to(KERNELS)), sha256(path)) for path in found]
    against = [lock.expected(c) for c in lock.coordinates(module)] + [sha256(jar_of(m)) for m in definition.used(module)]
    compiler = [lock.expected(c) for c in lock.coordinates("scalac")]
    key = fingerprint(contents, definition.content["options"], against, compiler, java.version)
    if stamped(f"module-{module}", key):
        return jar
    scala = [path for path in found if path.suffix in (".scala", ".java")]
    say(f"Compiling {module}: {len(scala)} source files")
    began = time.monotonic()
    CLASSES.mkdir(parents=True, exist_ok=True)
    output = CLASSES / f"{module}.new"
    shutil.rmtree(output, ignore_errors=True)
    output.mkdir()
    if scala:
        _scalac(
            definition, java, class_path(lock, "scalac", dict(files)), module_path(definition, lock, module, files), scala, output, module
        )
    _copy_resources(definition, module, found, output)
    write_whole(jar, pack(output))
    replace_folder(output, CLASSES / module)
    stamp(f"module-{module}", key, [jar])
    say(f"Compiled {module} in {time.monotonic() - began:.1f} s")
    return jar


def _scalac(
    definition: Definition, java: Java, compiler: list[Path], path: list[Path], files: list[Path], output: Path, module: str
) -> None:
    arguments = output.with_suffix(".args")
    joined = os.pathsep.join(map(str, path))
    words = [*definition.content["options"], "-classpath", joined, "-d", str(output), *map(str, files)]
    arguments.write_text("\n".join('"' + word.replace("\\", "\\\\").replace('"', '\\"') + '"' for word in words))
    try:
        code, text = children.run([java.program, *JVM, "-cp", os.pathsep.join(map(str, compiler)), SCALAC, f"@{arguments}"])
    finally:
        arguments.unlink(missing_ok=True)
    if code == KILLED or NO_MEMORY.search(text):
        raise no_memory(f"Compiling {module}", essence(text))
    if code:
        raise Problem(
            f"Compiling {module} failed ({shown(KERNELS / definition.modules[module]['sources'])}).",
            f"Correct what scalac names above; if you changed nothing, restore the sources with git, {AGAIN}",
            text,
        )


def _copy_resources(definition: Definition, module: str, files: list[Path], output: Path) -> None:
    folder = KERNELS / definition.modules[module]["sources"]
    for path in files:
        if path.suffix not in (".scala", ".java"):
            target = output / path.relative_to(folder)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)


def pack(folder: Path) -> bytes:
    """A JAR of the folder; the same classes give the same bytes, so that archives made from it stay valid."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as jar:
        for path in sorted(p for p in folder.rglob("*") if p.is_file()):
            entry = zipfile.ZipInfo(path.relative_to(folder).as_posix(), (2020, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            jar.writestr(entry, path.read_bytes())
    return buffer.getvalue()
