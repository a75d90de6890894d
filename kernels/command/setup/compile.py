"""Compiles the Scala modules of `build.json`, each into one JAR, if their input changed."""

from __future__ import annotations

import io
import json
import os
import shutil
import time
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..base import children
from ..base.files import fingerprint, replace_folder, sha256, stamp, stamped, write_whole
from ..base.paths import CLASSES, JARS, KERNELS, shown
from ..base.problem import AGAIN, KILLED, NO_MEMORY, NO_SPACE, Problem, diagnose
from ..base.say import say
from ..dependencies.jars import Definition, Lock, class_path
from ..dependencies.java import Java

SCALAC = "scala.tools.nsc.Main"
# In a run of seconds, the compiler is fastest with only C1, and with few collections. Deeply nested types need a deep stack.
JVM = ["-XX:+UseParallelGC", "-XX:TieredStopAtLevel=1", "-Xss8m", "-Xms500m", "-Xmn300m", "-Xmx900m"]


def sources(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() and not path.name.startswith("."))


def jar_of(module: str) -> Path:
    return JARS / f"{module}.jar"


def module_path(definition: Definition, lock: Lock, module: str, files: Mapping[str, Path]) -> list[Path]:
    """Returns the class path to compile a module: the modules that it uses, then its JARs."""
    return [jar_of(m) for m in definition.used(module)] + class_path(lock, module, dict(files))


def compile_module(definition: Definition, lock: Lock, module: str, java: Java, files: Mapping[str, Path]) -> Path:
    """Returns the module's JAR, compiled again if a source, an option, the compiler or a dependency changed."""
    folder = KERNELS / definition.modules[module]["sources"]
    looks = [lock.expected(c) for c in lock.coordinates(module)] + [sha256(jar_of(m)) for m in definition.used(module)]
    path = module_path(definition, lock, module, files)
    return _compile(lock, module, folder, sources(folder), definition.content["options"], path, looks, java, files)


def compile_with(
    lock: Lock, name: str, found: list[Path], options: list[str], path: list[Path], java: Java, files: Mapping[str, Path]
) -> Path:
    """Returns the JAR of the sources `found`, compiled against JARs that no lock lists. Raises a Problem if they don't compile."""
    looks = [(str(file), file.stat().st_size, file.stat().st_mtime_ns) for file in path]
    return _compile(lock, name, found[0].parent, found, options, path, looks, java, files)


def _compile(
    lock: Lock,
    name: str,
    folder: Path,
    found: list[Path],
    options: list[str],
    path: list[Path],
    looks: Any,
    java: Java,
    files: Mapping[str, Path],
) -> Path:
    jar = jar_of(name)
    contents = [(str(file.relative_to(KERNELS)), sha256(file)) for file in found]
    compiler = [lock.expected(c) for c in lock.coordinates("scalac")]
    key = fingerprint(contents, options, looks, compiler, java.version)
    if stamped(f"module-{name}", key):
        return jar
    scala = [file for file in found if file.suffix in (".scala", ".java")]
    say(f"Compiling {name}: {len(scala)} source files")
    began = time.monotonic()
    CLASSES.mkdir(parents=True, exist_ok=True)
    output = CLASSES / f"{name}.new"
    shutil.rmtree(output, ignore_errors=True)
    output.mkdir()
    if scala:
        _scalac(options, java, class_path(lock, "scalac", dict(files)), path, scala, output, folder)
    _copy_resources(folder, found, output)
    write_whole(jar, pack(output))
    replace_folder(output, CLASSES / name)
    stamp(f"module-{name}", key, [jar])
    say(f"Compiled {name} in {time.monotonic() - began:.1f} s")
    return jar


def _scalac(options: list[str], java: Java, compiler: list[Path], path: list[Path], files: list[Path], output: Path, folder: Path) -> None:
    name = output.stem
    arguments = output.with_suffix(".args")
    joined = os.pathsep.join(map(str, path))
    words = [*options, "-classpath", joined, "-d", str(output), *map(str, files)]
    arguments.write_text("\n".join(json.dumps(word, ensure_ascii=False) for word in words))
    try:
        code, text = children.run([java.program, *JVM, "-cp", os.pathsep.join(map(str, compiler)), SCALAC, f"@{arguments}"])
    finally:
        arguments.unlink(missing_ok=True)
    if code == KILLED or NO_MEMORY.search(text) or NO_SPACE.search(text):
        raise diagnose(f"Compiling {name}", text, code=code)
    if code:
        raise Problem(
            f"Compiling {name} failed ({shown(folder)}).",
            f"Correct what scalac reports above, or restore the sources with git if you changed nothing, {AGAIN}",
            text,
        )


def _copy_resources(folder: Path, files: list[Path], output: Path) -> None:
    for path in files:
        if path.suffix not in (".scala", ".java"):
            target = output / path.relative_to(folder)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)


def pack(folder: Path) -> bytes:
    """Returns a JAR of the folder. The same classes give the same bytes, so that archives made from the JAR stay valid."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as jar:
        for path in sorted(p for p in folder.rglob("*") if p.is_file()):
            entry = zipfile.ZipInfo(path.relative_to(folder).as_posix(), (2020, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            jar.writestr(entry, path.read_bytes())
    return buffer.getvalue()
