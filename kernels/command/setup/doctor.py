"""Implements `doctor`, which reports what is installed, what is missing and what to do about it. It changes nothing."""

from __future__ import annotations

import os
import platform
import shlex
import shutil
import sys
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..base import children
from ..base import files as stamps
from ..base.files import read_json
from ..base.paths import BUILD, INSTALLATION, NOTEBOOKS, PROGRESS, RESULTS, ROOT, STAMPS, TRUST_STORE, VENV, shown
from ..base.problem import BUNDLES, JAVAS, Problem, essence, from_os_error, hidden, refused_places, restore, variable
from ..dependencies import certificates, coursier, jars, java, jdks, proxy, python_env
from . import almond, kernel, postgres
from .stages import LAB, installation, later_sets, test_sets, too_little_space, wanted_sets

SET_UP = "kernels/course setup"
RUN_IT = f"run `{SET_UP}`."
REPAIR = f"run `{SET_UP}`, which repairs it."


@dataclass
class Findings:
    """Collects the lines to print, and what the user should do."""

    lines: list[tuple[str, str]] = field(default_factory=list)
    todo: list[str] = field(default_factory=list)
    python: python_env.Python | None = None  # None until it was found

    @property
    def beyond_set_up(self) -> bool:
        """Returns whether there is a fault that `kernels/course setup` doesn't repair."""
        return any(SET_UP not in line for line in self.todo)

    def add(self, name: str, value: str, remedy: str = "") -> None:
        self.lines.append((name, value))
        if remedy:
            self.todo.append(f"{name}: {remedy}")

    def told(self, error: Problem | OSError) -> None:
        """Adds the error that stopped an examination."""
        problem = error if isinstance(error, Problem) else from_os_error(error)
        if ("Problem", problem.what) not in self.lines:
            self.add("Problem", problem.what, problem.remedy)

    def text(self) -> str:
        wide = max(len(name) for name, _ in self.lines)
        body = "".join(f"{name:<{wide}}  {value}\n" for name, value in self.lines)
        todo = "".join(f"  - {line}\n" for line in self.todo)
        return body + ("\nWhat to do:\n" + todo if todo else "\nNothing is missing.\n")


# ---- the machine


def read(path: str) -> str:
    try:
        return Path(path).read_text().strip()
    except OSError:
        return ""


def cgroup(controller: str) -> str:
    """Returns this process's folder of a cgroup controller, inside or outside a container, or ""."""
    for line in read("/proc/self/cgroup").splitlines():
        _, names, path = line.split(":", 2)
        if controller in names.split(",") or not names:
            base = f"/sys/fs/cgroup/{controller}" if names else "/sys/fs/cgroup"
            for folder in (base + path, base):
                if Path(folder).is_dir():
                    return folder
    return ""


def cpu_limit() -> float | None:
    """Returns the number of CPUs that a container's quota allows (cgroup v2, then v1), or None."""
    folder = cgroup("cpu")
    words = read(folder + "/cpu.max").split() or [read(folder + "/cpu.cfs_quota_us"), read(folder + "/cpu.cfs_period_us")]
    return int(words[0]) / int(words[1]) if all(map(str.isdigit, words)) else None


def memory_limit() -> int | None:
    """Returns the limit of a container's memory in bytes, or None."""
    folder = cgroup("memory")
    value = read(folder + "/memory.max") or read(folder + "/memory.limit_in_bytes")
    return int(value) if value.isdigit() and int(value) < 1 << 60 else None


def examine_machine(found: Findings) -> None:
    found.add("System", f"{platform.system()} {platform.release()}, {platform.machine()}")
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    quota = cpu_limit()
    found.add("CPUs", f"{usable}" + (f", limited to {quota:g} (cgroup)" if quota else ", no limit"))
    whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    least = min(whole, memory_limit() or whole)
    text = f"{whole / 2**30:.1f} GiB" + (f", limited to {least / 2**30:.1f} GiB (cgroup)" if least < whole else ", no limit")
    found.add("Memory", text, "the course needs 2 GiB. Close other programs or raise the limit." if least < 1.9 * 2**30 else "")
    short = [] if VENV.exists() else too_little_space()
    free = shutil.disk_usage(ROOT).free >> 20
    found.add("Disk", f"{free:,} MB free for {ROOT}", f"free some space: {'; '.join(short)}." if short else "")
    if not os.access(ROOT, os.W_OK):
        found.add("Folder", f"{ROOT} is not writable", "clone into your own folder.")


def examine_rights(found: Findings) -> None:
    """Looks for files that this user can't write in the folders where set-up, JupyterLab, kernels and the user write."""
    tops = [BUILD, VENV, NOTEBOOKS, RESULTS]
    refused = [path for top in tops for path in (top, *below(top, deep=top != VENV)) if os.path.lexists(path) and not writable(path)]
    if refused and os.access(ROOT, os.W_OK):
        problem = refused_places(refused)
        found.add("Rights", problem.what, problem.remedy)


def below(top: Path, deep: bool) -> Iterator[Path]:
    """Yields the content of a folder, including that of all folders below it if `deep` is set."""
    for folder, folders, names in os.walk(top):
        yield from (Path(folder, name) for name in (*folders, *names))
        if not deep:
            return


def writable(path: Path) -> bool:
    """Returns whether this user can write a place. The user's own read-only files count, because they may be intentional."""
    return os.access(path, os.W_OK) or os.path.islink(path) or os.lstat(path).st_uid == os.geteuid()


def examine_sources(found: Findings) -> None:
    """Asks git for files of the course that are missing, or that an interrupted `git pull` left with both versions."""
    if not (ROOT / ".git").exists() or not shutil.which("git"):
        return
    code, listed = children.run(["git", "--no-optional-locks", "status", "--porcelain", "--untracked-files=no"], cwd=ROOT)
    rows = [(row[:2], row[3:]) for row in listed.splitlines()] if code == 0 else []
    torn = [name for state, name in rows if "U" in state or state in ("AA", "DD")]
    gone = [name for state, name in rows if "D" in state and name.startswith(("kernels/", "data/"))]
    if torn:
        found.add("Sources", f"{some(torn)} contains both versions of an unfinished git pull", f"undo it with {restore(ROOT / torn[0])}.")
    elif gone:
        found.add("Sources", f"{some(gone)} is missing", f"restore it with `git checkout HEAD -- {shlex.join(gone)}`.")


def some(names: Sequence[object]) -> str:
    """Returns the first name, and how many more there are."""
    return f"{names[0]}" + (f" and {len(names) - 1} more" if len(names) > 1 else "")


# ---- what set-up made


def examine_python(found: Findings) -> None:
    found.add("Python", f"{sys.version.split()[0]} ({sys.executable})")
    python = found.python = python_env.ready(tests=False)
    if python:
        damage = python_env.damage(python)
        found.add("Packages", f"{python.prefix}: {damage or python.why}", REPAIR if damage else "")
        if not damage:
            examine_jupyterlab(found, python)
        tests = python_env.ready(tests=True)
        found.add("Test tools", "installed" if tests else "not installed (kernels/course test installs them)")
    elif VENV.exists():
        found.add("Packages", f"{shown(VENV)} is incomplete, damaged, or made for other locks", REPAIR)
    else:
        found.add("Packages", f"{shown(VENV)} doesn't exist yet", RUN_IT)


def examine_jupyterlab(found: Findings, python: python_env.Python) -> None:
    """Imports JupyterLab as `lab` will, without an optional module of jsonschema that takes a second."""
    imports = "import sys; sys.modules['rfc3987_syntax'] = None; import jupyterlab; print(jupyterlab.__version__)"
    code, said = children.run([python.program, "-I", "-c", imports], limit=60)
    remedy = f"remove {python.prefix} and run `{SET_UP}`." if python.prefix == VENV else "install that environment again."
    found.add("JupyterLab", essence(said)[-200:], remedy if code else "")


def examine_java(found: Findings) -> None:
    python = found.python or python_env.own()
    try:
        runtime = java.find(python.bundled_java)
    except Problem as problem:
        found.add("Java", problem.what, problem.remedy)
        return
    if not runtime.program.is_file():
        found.add("Java", "the course's own runtime is not installed yet", RUN_IT)
        return
    code, said = children.run([runtime.program, "-version"], limit=20)
    if code:
        remedy = REPAIR if runtime == java.bundled(python.bundled_java) else "install it again, or unset COURSE_JAVA_HOME."
        found.add("Java", f"{runtime.home} doesn't start: {essence(said)[:200]}", remedy)
        return
    found.add("Java", f"{runtime.version} ({runtime.why}, {runtime.home})")
    named = certificates.users_own_store(os.environ)
    files = ", ".join(map(str, certificates.system_files())) or "none found"
    store = f"yours, from {named}" if named else (shown(TRUST_STORE) if TRUST_STORE.exists() else "not made yet")
    found.add("Trust store", f"{store}; this system's certificates: {files}")


def examine_jdks(found: Findings) -> None:
    """Reports the older runtimes with which cells compare. Pages also work without them."""
    there = jdks.installed()
    for name in jdks.wanted():
        absent = f"not installed; cells that compare JDKs leave it out ({SET_UP} fetches it)"
        found.add(f"JDK {name}", str(there.get(name, absent)))


def examine_postgres(found: Findings) -> None:
    """Reports the database of the page on JDBC."""
    own = "cells that start a database need your own server, named by COURSE_PG_URL"
    if postgres.set_name() is None:
        found.add("PostgreSQL", f"there is none for {platform.system()} on {platform.machine()}: {own}")
    else:
        there = postgres.installed(jars.Lock.read())
        found.add("PostgreSQL", str(postgres.home()) if there else f"not installed; {SET_UP} installs it, and without it {own}")


def examine_kernel(found: Findings) -> None:
    definition = jars.Definition.read()
    choice = kernel.remembered(definition)
    if choice:
        found.add("Kernel", f"{choice.kernel} {choice.version}: {choice.why}")
    else:
        found.add("Kernel", "not chosen yet", f"run `{SET_UP}`, which tries Almond and otherwise uses the embedded kernel.")
    looked = almond.remembered(definition)
    answer = "not looked for" if not looked else (looked.why or "found")
    failure = kernel.trial_failure(definition, kernel.ALMOND)
    found.add("Almond", f"{definition.content['almond']['kernel']}: {answer}{f', but it failed its trial: {failure}' if failure else ''}")
    if choice:
        outcome = kernel.trial_failure(definition, choice.kernel)
        words = {None: "not tried yet", "": "passed: it started and answered"}.get(outcome, f"failed: {outcome}")
        found.add("Kernel's trial", words, "" if outcome == "" else RUN_IT)
    archive = "made" if kernel.AOT.is_file() else "none (the kernel starts some seconds later)"
    found.add("Start-up archive", archive)
    if found.python:
        spec = found.python.prefix / "share" / "jupyter" / "kernels" / kernel.NAME / "kernel.json"
        there = spec if spec.is_file() else BUILD / "jupyter" / "kernels" / kernel.NAME / "kernel.json"
        amiss = kernelspec_damage(there)
        found.add("Kernelspec", f"{there}: {amiss}" if amiss else str(there), REPAIR if amiss else "")


def kernelspec_damage(spec: Path) -> str:
    """Returns why Jupyter can't start the kernel of a kernelspec, or "" if it can."""
    if not spec.is_file():
        return "not written"
    content = read_json(spec)
    words = content.get("argv") if isinstance(content, dict) else None
    if not isinstance(words, list) or not words:
        return "invalid"
    parts = [part.rpartition("=")[2] for word in words for part in str(word).split(os.pathsep)]
    missing = [part for part in parts if part.startswith("/") and not os.path.exists(part)]
    return f"it names {some(missing)}, which doesn't exist" if missing else ""


def examine_stamps(found: Findings) -> None:
    """Compares each file that set-up made or fetched with its recorded state."""
    broken = stamps.damage()
    changed = [shown(path) for each in broken.values() for path in each] or [shown(path) for path in broken]
    if broken:
        found.add("Files", f"{some(list(dict.fromkeys(changed)))}: missing, or not as set-up left it", REPAIR)
    else:
        found.add("Files", "as set-up left them" if STAMPS.exists() else "none yet")


def examine_jars(found: Findings) -> None:
    definition, lock = jars.Definition.read(), jars.Lock.read()
    there = jars.fetched(lock, wanted_sets(definition))
    count = len({c for name in wanted_sets(definition) for c in lock.coordinates(name)})
    found.add("JARs", f"{count} fetched and checked" if there else f"{count} to fetch", "" if there else RUN_IT)
    choice = kernel.remembered(definition)
    missing = [name for name in (LAB, choice.kernel if choice else kernel.EMBEDDED) if not stamps.is_done(f"module-{name}")]
    found.add("Compiled", "not yet: " + ", ".join(missing) if missing else "all modules", RUN_IT if missing else "")
    if there and found.python:
        right = read_json(INSTALLATION) == installation(definition, lock, found.python, there)
        found.add("List of parts", shown(INSTALLATION) if right else f"{shown(INSTALLATION)} is outdated", "" if right else REPAIR)
    later = [name for name in later_sets(definition) if not postgres.has_unpacked(name, lock)]
    absent = [name for name in later if jars.fetched(lock, [name]) is None]
    text = f"not installed yet: {', '.join(absent)}" if absent else "all installed, so nothing more is downloaded"
    found.add(
        "Parts for later pages", text, f"run `{SET_UP}`, or let `kernels/course lab` install them in the background." if absent else ""
    )
    progress = read_json(PROGRESS, {})
    if progress.get("failed"):
        found.add("In the background", progress["failed"], RUN_IT)
    tests = all(jars.fetched(lock, [name]) is not None for name in test_sets(definition))
    found.add("Test JARs", "fetched and checked" if tests else "not fetched (kernels/course test fetches them)")


def examine_settings(found: Findings) -> None:
    found.add("JAR cache", str(coursier.cache_folder()) + ("" if os.environ.get("COURSIER_CACHE") else " (coursier's default)"))
    for name, value in coursier.settings().items():
        found.add(name, value)
    pips = ("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "PIP_CONFIG_FILE")
    for name in (*pips, *JAVAS, "COURSE_KERNEL", "COURSE_JAVA_HOME", "COURSE_PROFILE"):
        if os.environ.get(name):
            found.add(name, hidden(os.environ[name]))
    if os.environ.get("COURSE_PG_URL"):
        found.add("COURSE_PG_URL", hidden(os.environ["COURSE_PG_URL"]).partition("?")[0])  # the query may contain a password
    for name in ("SSL_CERT_FILE", *BUNDLES):
        value = os.environ.get(name, "")
        if value:
            found.add(name, value, "" if os.path.exists(value) else "there is no such file. Correct or unset it.")


def examine_proxy(found: Findings) -> None:
    """Reports the user's settings of a proxy, and what the JVMs get from them."""
    for name in filter(None, map(variable, proxy.NAMES)):
        found.add(name, hidden(os.environ[name]))
    own = proxy.users_own()
    try:
        told = [option for option in proxy.java_options() if "proxy" in option]
    except Problem as problem:
        found.add("Proxy", problem.what, problem.remedy)
        return
    if own or told:
        found.add("Proxy for Java", f"yours, from {own}" if own else " ".join(told))


EXAMINATIONS: Sequence[Callable[[Findings], None]] = (
    *(examine_machine, examine_rights, examine_sources, examine_python, examine_java, examine_jdks, examine_stamps),
    *(examine_postgres, examine_kernel, examine_jars, examine_settings, examine_proxy),
)


def main(given: Namespace) -> int:
    found = Findings()
    for examine in EXAMINATIONS:
        try:
            examine(found)
        except (Problem, OSError) as error:
            found.told(error)
    sys.stdout.write(found.text())
    return 1 if found.beyond_set_up else 0
