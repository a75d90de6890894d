"""Chooses the Scala kernel, and says how Jupyter starts it. Both kernels use the same kernelspec name."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ..base import children
from ..base.files import fingerprint, read_json, sha256, stamp, stamped, unstamp, write_whole
from ..base.paths import BUILD, KERNEL, KERNELS, ROOT, STORAGE, shown
from ..base.problem import Problem
from ..base.say import say
from ..dependencies import certificates, proxy
from ..dependencies.coursier import Coursier, settings
from ..dependencies.jars import Definition, Lock
from ..dependencies.java import Java, home_options
from ..dependencies.python_env import Python
from . import almond
from .compile import jar_of, module_path, sources

NAME = "scala-course"
DISPLAY_NAME = "Scala 2.13 (course)"
AOT = KERNEL / "kernel.aot"
# Puts the archive at the address that it was made for. Otherwise the JVM moves it, and each kernel has its own changed copy of all of it.
# So several kernels at a time need 25 MB less each.
UNMOVED = ["-XX:+UnlockDiagnosticVMOptions", "-XX:ArchiveRelocationMode=0"]
EMBEDDED = "ammonite"
ALMOND = "almond"
MAINS = {EMBEDDED: "ammonite.course.Main", ALMOND: almond.MAIN}


@dataclass(frozen=True)
class Choice:
    """Describes the chosen kernel, the reason for the choice and, for Almond, the JARs."""

    kernel: str
    version: str
    why: str
    jars: almond.Jars | None = None


def forced(env: Mapping[str, str] = os.environ) -> str:
    """Returns the kernel that COURSE_KERNEL names, or "". Raises a Problem if there is no such kernel."""
    value = env.get("COURSE_KERNEL", "").strip().lower()
    if value not in ("", ALMOND, EMBEDDED):
        raise Problem(
            f"COURSE_KERNEL is {env['COURSE_KERNEL']!r}; it can be {ALMOND!r} or {EMBEDDED!r}.",
            "Set it to one of the two, or unset it to use Almond if it is available, and otherwise the embedded Ammonite kernel.",
        )
    return value


def embedded(definition: Definition, why: str) -> Choice:
    roots = definition.modules[EMBEDDED]["dependencies"]
    return Choice(EMBEDDED, next(root.rsplit(":", 1)[1] for root in roots if "ammonite-repl" in root), why)


# ---- Almond or not


def remembered(definition: Definition) -> Choice | None:
    """Returns the choice if it needs no download, else None."""
    wish = forced()
    if wish == EMBEDDED:
        return embedded(definition, "COURSE_KERNEL asks for it")
    tried = almond.remembered(definition)
    if not tried:
        return None
    version = almond.version(definition)
    if not tried.jars:
        return None if wish else embedded(definition, tried.why)
    failure = trial_failure(definition, ALMOND)
    if failure and not wish:
        return embedded(definition, f"Almond {version} failed its trial: {failure}")
    return Choice(ALMOND, version, "COURSE_KERNEL asks for it" if wish else "it is in the configured repositories", tried.jars)


def choose(definition: Definition, coursier: Coursier) -> Choice:
    """Looks for Almond once per setting of the repositories, and remembers the answer."""
    known = remembered(definition)
    if known:
        return known
    found = almond.fetch(definition, coursier, insist=forced() == ALMOND)
    if found.jars:
        say(f"Almond {almond.version(definition)} is in the configured repositories: using it")
        return remembered(definition) or Choice(ALMOND, almond.version(definition), "", found.jars)
    say(f"{found.why}; using the embedded Ammonite kernel")
    return embedded(definition, found.why)


# ---- the result of the kernel's trial (see trial.py)


def trial_failure(definition: Definition, kernel: str) -> str | None:
    """Returns why the kernel failed its trial, "" if it passed, or None if it wasn't tried yet."""
    tried = stamped(f"trial-{kernel}", _trial_key(definition, kernel))
    return tried["data"] if tried else None


def keep_trial(definition: Definition, kernel: str, failure: str) -> None:
    stamp(f"trial-{kernel}", _trial_key(definition, kernel), (), " ".join(failure.split())[:300])


def forget_failed_trial(definition: Definition) -> None:
    """Forgets a failed trial of Almond, so that Almond is tried again."""
    if trial_failure(definition, ALMOND):
        unstamp(f"trial-{ALMOND}")


def _trial_key(definition: Definition, kernel: str) -> str:
    found = almond.own_sources() if kernel == ALMOND else sources(KERNELS / kernel / "src")
    contents = [(path.name, sha256(path)) for path in found]
    # Other repositories may have another Almond. The embedded kernel is completely locked.
    where = settings() if kernel == ALMOND else {}
    return fingerprint(kernel, definition.content, contents, os.environ.get("COURSE_JAVA_HOME", ""), where)


# ---- how it is started


def read_options(path: Path) -> list[str]:
    """Returns the JVM options in a file, one per line. Lines that begin with # are comments."""
    lines = [line.strip() for line in path.read_text().splitlines()]
    return [line for line in lines if line and not line.startswith("#")]


def options(choice: Choice, java: Java) -> list[str]:
    """Returns the JVM options of either kernel."""
    return [
        *read_options(KERNELS / "jvm.options"),
        *java.quiet_options,
        *java.trim_options,
        *home_options(),
        *certificates.java_options(java),
        *proxy.java_options(),
        f"-Dcourse.home={ROOT}",
        f"-Dcourse.storage={STORAGE}",
        f"-Dcourse.kernel={choice.kernel}",
        f"-Dcourse.kernel.version={choice.version}",
        f"-Dcourse.kernel.why={choice.why}",
    ]


def class_path(choice: Choice, definition: Definition, lock: Lock, files: Mapping[str, Path]) -> str:
    """Returns the class path of the kernel's JVM."""
    if choice.jars:
        jars = [jar_of(ALMOND), *almond.lab(lock, files), *choice.jars.all]
    else:
        jars = [jar_of(EMBEDDED), *module_path(definition, lock, EMBEDDED, files)]
    return os.pathsep.join(map(str, jars))


def arguments(choice: Choice, definition: Definition, lock: Lock, files: Mapping[str, Path]) -> list[str]:
    """Returns the arguments of the kernel's main program after the connection file: the class path against which cells are compiled."""
    others = choice.jars.visible if choice.jars else embedded_visible(definition, lock, files)
    return [os.pathsep.join(map(str, dict.fromkeys([*almond.lab(lock, files), *others])))]


def embedded_visible(definition: Definition, lock: Lock, files: Mapping[str, Path]) -> list[Path]:
    """Returns the embedded kernel's JARs without those of the groups that `build.json` hides from cells."""
    hidden = definition.modules[EMBEDDED]["hidden"]
    return [files[coordinate] for coordinate in lock.coordinates(EMBEDDED) if coordinate.partition(":")[0] not in hidden]


def specification(choice: Choice, java: Java, definition: Definition, lock: Lock, files: Mapping[str, Path]) -> str:
    """Returns the kernelspec as JSON."""
    path = class_path(choice, definition, lock, files)
    # JDK 25 takes classes from an archive without checking the JARs that they came from, so an older lab's classes would run. Another
    # runtime silently ignores the archive.
    fits = AOT.is_file() and java.has_aot and stamped("aot", _archive_key(path, options(choice, java), java))
    archive = [f"-XX:AOTCache={AOT}", "-XX:AOTMode=auto", *UNMOVED, "-Xlog:aot=off", "-Xlog:cds=off"] if fits else []
    words = [MAINS[choice.kernel], "{connection_file}", *arguments(choice, definition, lock, files)]
    return json.dumps(
        {
            "argv": [str(java.program), *archive, *options(choice, java), "-cp", path, *words],
            "display_name": DISPLAY_NAME,
            "language": "scala",
            "interrupt_mode": "message",
            "env": {},
            "metadata": {"course": {"kernel": choice.kernel, "version": choice.version, "why": choice.why}},
        },
        indent=1,
    )


def install(python: Python, text: str) -> Path:
    """Writes the kernelspec into the used Python's folder, or into .build if that isn't writable. Returns the kernelspec's folder."""
    places = [python.prefix / "share" / "jupyter" / "kernels" / NAME, BUILD / "jupyter" / "kernels" / NAME]
    for folder in places:
        try:
            if read_json(folder / "kernel.json") == json.loads(text):
                return folder
            write_whole(folder / "kernel.json", text)
        except OSError as error:
            if error.errno not in (errno.EACCES, errno.EPERM, errno.EROFS):
                raise
            continue
        say(f"Kernel: {NAME} written to {shown(folder)}")
        return folder
    raise PermissionError(13, "Permission denied", str(places[-1]))


# ---- the ahead-of-time archive


def archive(choice: Choice, java: Java, definition: Definition, lock: Lock, files: Mapping[str, Path], retry: bool) -> None:
    """Lets the kernel warm up once, and stores its loaded classes for later starts. Without the archive it only starts more slowly.

    An archive that couldn't be made is tried again only if `retry` is set.
    """
    if not java.has_aot:
        return
    path = class_path(choice, definition, lock, files)
    wanted = options(choice, java)
    key = _archive_key(path, wanted, java)
    known = stamped("aot", key)
    if known and not (retry and known["data"]):
        return
    say("Kernel: warming up once to make its start-up archive (AOT cache)")
    KERNEL.mkdir(parents=True, exist_ok=True)
    new = AOT.with_suffix(".new")
    new.unlink(missing_ok=True)
    words = ["-cp", path, MAINS[choice.kernel], "--warm-up", *arguments(choice, definition, lock, files)]
    code, output = children.run([java.program, f"-XX:AOTCacheOutput={new}", *wanted, *words], limit=300)
    if code or not new.is_file():
        tail = " / ".join(output.strip().splitlines()[-2:])
        for half in KERNEL.glob(new.name + "*"):
            half.unlink()
        say(f"Kernel: no start-up archive (exit code {code}; {tail}); the kernel works without it, but starts some seconds later")
        AOT.unlink(missing_ok=True)
        stamp("aot", key, (), {"failed": tail})
        return
    os.replace(new, AOT)
    stamp("aot", key, [AOT])
    say(f"Kernel: start-up archive made ({AOT.stat().st_size >> 20} MB)")


def _archive_key(path: str, wanted: list[str], java: Java) -> str:
    """Returns the key of an archive for this class path and these options."""
    looks = [(p, *_look(Path(p))) for p in path.split(os.pathsep)]
    flags = [option for option in wanted if not option.startswith("-D")]
    return fingerprint(flags, looks, str(java.home), java.version)


def _look(file: Path) -> tuple[int, int]:
    """Returns a file's size and the second of its last change, or zeros if it doesn't exist."""
    try:
        found = os.stat(file)
    except FileNotFoundError:
        return 0, 0
    return found.st_size, int(found.st_mtime)
