"""Which Scala kernel, and how Jupyter starts it: one kernelspec name, two kernels."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import certificates, children, proxy
from .compile import jar_of, module_path
from .coursier import Coursier, settings
from .files import fingerprint, read_json, stamp, stamped, write_whole
from .jars import Definition, Lock, class_path
from .java import Java, home_options
from .paths import BUILD, KERNEL, KERNELS, ROOT, STORAGE, shown
from .problem import NO_NETWORK, NO_SPACE, UNTRUSTED, Problem, diagnose, essence
from .python_env import Python
from .say import say

NAME = "scala-course"
DISPLAY_NAME = "Scala 2.13 (course)"
MAIN = "ammonite.course.Main"
AOT = KERNEL / "kernel.aot"
EMBEDDED = "ammonite"
ALMOND = "almond"
ALMOND_PATIENCE = 60.0  # seconds for the one try, should a mirror hang
ALMOND_FOLDER = KERNELS / "almond"


@dataclass(frozen=True)
class Choice:
    """The kernel in use, why, and (for Almond) its JARs."""

    kernel: str
    version: str
    why: str
    jars: tuple[Path, ...] = ()


def forced(env: Mapping[str, str] = os.environ) -> str:
    """What COURSE_KERNEL asks for; empty if nothing."""
    value = env.get("COURSE_KERNEL", "").strip().lower()
    if value not in ("", ALMOND, EMBEDDED):
        raise Problem(
            f"COURSE_KERNEL is {env['COURSE_KERNEL']!r}; it can be {ALMOND!r} or {EMBEDDED!r}.",
            "Set it to one of the two, or unset it: then Almond is used where it can be had, else the embedded Ammonite kernel.",
        )
    return value


def embedded_version(definition: Definition) -> str:
    roots = definition.modules[EMBEDDED]["dependencies"]
    return next(root.rsplit(":", 1)[1] for root in roots if "ammonite-repl" in root)


# ---- Almond or not


def remembered(definition: Definition) -> Choice | None:
    """The choice, if no download is needed to make it."""
    version = definition.content["almond"].rsplit(":", 1)[1]
    wish = forced()
    if wish == EMBEDDED:
        return Choice(EMBEDDED, embedded_version(definition), "COURSE_KERNEL asks for it")
    tried = stamped("almond", _almond_key(definition))
    if not tried:
        return None
    if tried["data"]["files"]:
        why = "COURSE_KERNEL asks for it" if wish else "it is in the configured repositories"
        return Choice(ALMOND, version, why, tuple(map(Path, tried["data"]["files"])))
    return None if wish == ALMOND else Choice(EMBEDDED, embedded_version(definition), tried["data"]["why"])


def choose(definition: Definition, coursier: Coursier) -> Choice:
    """Tries Almond once for each setting of the repositories, and remembers the answer."""
    known = remembered(definition)
    if known:
        return known
    root = definition.content["almond"]
    force = [f"org.scala-lang:scala-{part}:{definition.scala}" for part in ("library", "reflect", "compiler")]
    options = [word for coordinate in force for word in ("--force-version", coordinate)]
    code, output, files = coursier.fetch([root], options, what="Almond", limit=ALMOND_PATIENCE)
    if code == 0:
        say(f"Almond {root.rsplit(':', 1)[1]} is in the configured repositories: using it")
        data = {"files": [str(path) for path in files.values()], "why": ""}
        stamp("almond", _almond_key(definition), files.values(), data)
        return remembered(definition) or Choice(ALMOND, root.rsplit(":", 1)[1], "", tuple(files.values()))
    reason = essence(output)
    if forced() == ALMOND:
        raise _unobtainable(root, reason, code)
    passing = code == -1 or any(sign.search(output) for sign in (NO_NETWORK, UNTRUSTED, NO_SPACE))
    why = "Almond could not be reached just now" if passing else "Almond is not in the configured repositories"
    say(f"{why}; using the embedded Ammonite kernel")
    if not passing:
        stamp("almond", _almond_key(definition), (), {"files": [], "why": why})
    return Choice(EMBEDDED, embedded_version(definition), why)


def _almond_key(definition: Definition) -> str:
    return fingerprint(definition.content["almond"], definition.scala, settings())


def _unobtainable(root: str, reason: str, code: int) -> Problem:
    if code == -1:
        reason = f"no answer within {ALMOND_PATIENCE:.0f} s"
    if any(sign.search(reason) for sign in (NO_NETWORK, UNTRUSTED, NO_SPACE)):
        return diagnose(f"COURSE_KERNEL is almond; fetching {root} with coursier", reason)
    return Problem(
        f"COURSE_KERNEL is almond, but coursier could not get {root}.",
        "Name a repository that holds it in COURSIER_REPOSITORIES, or unset COURSE_KERNEL to use the embedded Ammonite kernel.",
        reason,
    )


# ---- the kernelspec


def read_options(path: Path) -> list[str]:
    """One JVM option a line; lines that start with # are comments."""
    if not path.is_file():
        return []
    lines = [line.strip() for line in path.read_text().splitlines()]
    return [line for line in lines if line and not line.startswith("#")]


def properties(choice: Choice, java: Java) -> list[str]:
    """The system properties that either kernel gets."""
    return [
        *home_options(),
        *certificates.java_options(java),
        *proxy.java_options(),
        f"-Dcourse.home={ROOT}",
        f"-Dcourse.storage={STORAGE}",
        f"-Dcourse.kernel={choice.kernel}",
        f"-Dcourse.kernel.version={choice.version}",
        f"-Dcourse.kernel.why={choice.why}",
    ]


def embedded_options(choice: Choice, java: Java) -> list[str]:
    return [*read_options(KERNELS / "ammonite" / "jvm.options"), *properties(choice, java)]


def embedded_class_path(definition: Definition, lock: Lock, files: Mapping[str, Path]) -> str:
    return os.pathsep.join(map(str, [jar_of(EMBEDDED), *module_path(definition, lock, EMBEDDED, files)]))


def embedded_argv(choice: Choice, java: Java, path: str) -> list[str]:
    # An archive that does not fit any more (a moved clone, another runtime) is passed over in silence.
    archive = [f"-XX:AOTCache={AOT}", "-XX:AOTMode=auto", "-Xlog:aot=off", "-Xlog:cds=off"] if AOT.is_file() and java.has_aot else []
    return [str(java.program), *archive, *embedded_options(choice, java), "-cp", path, MAIN, "{connection_file}"]


def almond_argv(
    choice: Choice, java: Java, definition: Definition, lock: Lock, files: Mapping[str, Path]
) -> tuple[list[str], dict[str, Any]]:
    """Almond's command line, as `kernels/almond/options.json` lays it out."""
    layout = json.loads((ALMOND_FOLDER / "options.json").read_text())
    lab = [jar_of("lab"), *class_path(lock, "lab", dict(files))]
    values = {
        "{java}": [str(java.program)],
        "{jvm_options}": [*read_options(ALMOND_FOLDER / "jvm.options"), *properties(choice, java)],
        "{classpath}": [os.pathsep.join(map(str, choice.jars))],
        "{lab_classpath}": [os.pathsep.join(map(str, lab))],
        "{predef}": [str(ALMOND_FOLDER / "predef.sc")],
        "{connection_file}": ["{connection_file}"],
    }
    argv: list[str] = []
    for word in layout["argv"]:
        if word in values:
            argv += values[word]
            continue
        for name, words in values.items():
            if name in word:
                word = word.replace(name, words[0] if len(words) == 1 else " ".join(words))
        argv.append(word)
    return argv, layout


def specification(argv: Sequence[str], interrupt: str, choice: Choice, env: Mapping[str, str]) -> str:
    return json.dumps(
        {
            "argv": list(argv),
            "display_name": DISPLAY_NAME,
            "language": "scala",
            "interrupt_mode": interrupt,
            "env": dict(env),
            "metadata": {"course": {"kernel": choice.kernel, "version": choice.version, "why": choice.why}},
        },
        indent=1,
    )


def install(python: Python, text: str) -> Path:
    """Writes the kernelspec where the used Python's Jupyter finds it; inside .build where that is not writable."""
    places = [python.prefix / "share" / "jupyter" / "kernels" / NAME, BUILD / "jupyter" / "kernels" / NAME]
    for folder in places:
        if read_json(folder / "kernel.json") == json.loads(text):
            return folder
        try:
            write_whole(folder / "kernel.json", text)
        except PermissionError:
            continue
        say(f"Kernel: {NAME} written to {shown(folder)}")
        return folder
    raise PermissionError(13, "Permission denied", str(places[-1]))


def write_spec(python: Python, choice: Choice, java: Java, definition: Definition, lock: Lock, files: Mapping[str, Path]) -> Path:
    if choice.kernel == ALMOND:
        argv, layout = almond_argv(choice, java, definition, lock, files)
        text = specification(argv, layout.get("interrupt_mode", "signal"), choice, layout.get("env", {}))
    else:
        text = specification(embedded_argv(choice, java, embedded_class_path(definition, lock, files)), "message", choice, {})
    return install(python, text)


# ---- the ahead-of-time archive


def archive(choice: Choice, java: Java, definition: Definition, lock: Lock, files: Mapping[str, Path], retry: bool) -> None:
    """Lets the embedded kernel warm up once and keeps its loaded classes; without the archive it only starts slower.

    One that could not be made is tried again only where `retry` says so.
    """
    if choice.kernel != EMBEDDED or not java.has_aot:
        return
    path = embedded_class_path(definition, lock, files)
    options = embedded_options(choice, java)
    looks = [(p, os.stat(p).st_size, int(os.stat(p).st_mtime)) for p in path.split(os.pathsep)]  # as the JVM checks them
    flags = [option for option in options if not option.startswith("-D")]
    key = fingerprint(flags, looks, str(java.home), java.version)
    known = stamped("aot", key)
    if known and not (retry and known["data"]):
        return
    say("Kernel: warming up once to make its start-up archive (AOT cache)")
    KERNEL.mkdir(parents=True, exist_ok=True)
    new = AOT.with_suffix(".new")
    new.unlink(missing_ok=True)
    code, output = children.run([java.program, f"-XX:AOTCacheOutput={new}", *options, "-cp", path, MAIN, "--warm-up"], limit=300)
    if code or not new.is_file():
        tail = " / ".join(output.strip().splitlines()[-2:])
        for half in KERNEL.glob(new.name + "*"):
            half.unlink()
        say(f"Kernel: no start-up archive (exit code {code}; {tail}); the kernel works without it, its start takes some seconds more")
        AOT.unlink(missing_ok=True)
        stamp("aot", key, (), {"failed": tail})
        return
    os.replace(new, AOT)
    stamp("aot", key, [AOT])
    say(f"Kernel: start-up archive made ({AOT.stat().st_size >> 20} MB)")
