"""Which Scala kernel, and how Jupyter starts it: one kernelspec name, two kernels."""

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
EMBEDDED = "ammonite"
ALMOND = "almond"
MAINS = {EMBEDDED: "ammonite.course.Main", ALMOND: almond.MAIN}


@dataclass(frozen=True)
class Choice:
    """The kernel in use, why, and (for Almond) its JARs."""

    kernel: str
    version: str
    why: str
    jars: almond.Jars | None = None


def forced(env: Mapping[str, str] = os.environ) -> str:
    """What COURSE_KERNEL asks for; empty if nothing."""
    value = env.get("COURSE_KERNEL", "").strip().lower()
    if value not in ("", ALMOND, EMBEDDED):
        raise Problem(
            f"COURSE_KERNEL is {env['COURSE_KERNEL']!r}; it can be {ALMOND!r} or {EMBEDDED!r}.",
            "Set it to one of the two, or unset it: then Almond is used where it can be had, else the embedded Ammonite kernel.",
        )
    return value


def embedded(definition: Definition, why: str) -> Choice:
    roots = definition.modules[EMBEDDED]["dependencies"]
    return Choice(EMBEDDED, next(root.rsplit(":", 1)[1] for root in roots if "ammonite-repl" in root), why)


# ---- Almond or not


def remembered(definition: Definition) -> Choice | None:
    """The choice, if no download is needed to make it."""
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
    """Tries to get Almond once for each setting of the repositories, and remembers the answer."""
    known = remembered(definition)
    if known:
        return known
    found = almond.fetch(definition, coursier, insist=forced() == ALMOND)
    if found.jars:
        say(f"Almond {almond.version(definition)} is in the configured repositories: using it")
        return remembered(definition) or Choice(ALMOND, almond.version(definition), "", found.jars)
    say(f"{found.why}; using the embedded Ammonite kernel")
    return embedded(definition, found.why)


# ---- what came of the kernel's trial (see trial.py)


def trial_failure(definition: Definition, kernel: str) -> str | None:
    """Why the kernel failed its trial; empty where it passed, None where it wasn't tried yet."""
    tried = stamped(f"trial-{kernel}", _trial_key(definition, kernel))
    return tried["data"] if tried else None


def keep_trial(definition: Definition, kernel: str, failure: str) -> None:
    stamp(f"trial-{kernel}", _trial_key(definition, kernel), (), " ".join(failure.split())[:300])


def forget_failed_trial(definition: Definition) -> None:
    """So that Almond gets another one."""
    if trial_failure(definition, ALMOND):
        unstamp(f"trial-{ALMOND}")


def _trial_key(definition: Definition, kernel: str) -> str:
    found = almond.own_sources() if kernel == ALMOND else sources(KERNELS / kernel / "src")
    contents = [(path.name, sha256(path)) for path in found]
    # Other repositories may hold another Almond; of the embedded kernel the lock knows every byte.
    where = settings() if kernel == ALMOND else {}
    return fingerprint(kernel, definition.content, contents, os.environ.get("COURSE_JAVA_HOME", ""), where)


# ---- how it is started


def read_options(path: Path) -> list[str]:
    """One JVM option a line; lines that start with # are comments."""
    lines = [line.strip() for line in path.read_text().splitlines()]
    return [line for line in lines if line and not line.startswith("#")]


def options(choice: Choice, java: Java) -> list[str]:
    """What the JVM of either kernel gets."""
    return [
        *read_options(KERNELS / "jvm.options"),
        *java.quiet_options,
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
    """What the kernel's JVM loads classes from."""
    if choice.jars:
        jars = [jar_of(ALMOND), *almond.lab(lock, files), *choice.jars.all]
    else:
        jars = [jar_of(EMBEDDED), *module_path(definition, lock, EMBEDDED, files)]
    return os.pathsep.join(map(str, jars))


def arguments(choice: Choice, lock: Lock, files: Mapping[str, Path]) -> list[str]:
    """What the kernel's main program wants to know beside the connection file."""
    if not choice.jars:
        return []
    return [os.pathsep.join(map(str, dict.fromkeys([*almond.lab(lock, files), *choice.jars.visible])))]


def specification(choice: Choice, java: Java, definition: Definition, lock: Lock, files: Mapping[str, Path]) -> str:
    """The kernelspec as Jupyter wants it."""
    path = class_path(choice, definition, lock, files)
    # JDK 25 takes classes from an archive without a look at the JARs that they came from: an older lab's would run. Another runtime passes
    # over it in silence.
    fits = AOT.is_file() and java.has_aot and stamped("aot", _archive_key(path, options(choice, java), java))
    archive = [f"-XX:AOTCache={AOT}", "-XX:AOTMode=auto", "-Xlog:aot=off", "-Xlog:cds=off"] if fits else []
    words = [MAINS[choice.kernel], "{connection_file}", *arguments(choice, lock, files)]
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
    """Writes the kernelspec where the used Python's Jupyter finds it; inside .build where that is not writable."""
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
    """Lets the kernel warm up once and keeps its loaded classes; without the archive it only starts slower.

    One that could not be made is tried again only where `retry` says so.
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
    words = ["-cp", path, MAINS[choice.kernel], "--warm-up", *arguments(choice, lock, files)]
    code, output = children.run([java.program, f"-XX:AOTCacheOutput={new}", *wanted, *words], limit=300)
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


def _archive_key(path: str, wanted: list[str], java: Java) -> str:
    """What an archive of this class path and these options depends on."""
    looks = [(p, *_look(Path(p))) for p in path.split(os.pathsep)]
    flags = [option for option in wanted if not option.startswith("-D")]
    return fingerprint(flags, looks, str(java.home), java.version)


def _look(file: Path) -> tuple[int, int]:
    """Size and second of the last change; of a file that isn't there, none."""
    try:
        found = os.stat(file)
    except FileNotFoundError:
        return 0, 0
    return found.st_size, int(found.st_mtime)
