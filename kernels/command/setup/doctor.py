"""`doctor`: what is there, what is missing, what to do about it. Looks only; installs and changes nothing."""

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
from .stages import installation, later_sets, test_sets, too_little_space, wanted_sets

SET_UP = "kernels/course setup"
RUN_IT = f"run `{SET_UP}`."
REPAIR = f"run `{SET_UP}`, which repairs it."


@dataclass
class Findings:
    """Lines to print, and what should be done."""

    lines: list[tuple[str, str]] = field(default_factory=list)
    todo: list[str] = field(default_factory=list)
    python: python_env.Python | None = None  # once it was looked for, and if it is made

    @property
    def beyond_set_up(self) -> bool:
        """Whether something is amiss that `kernels/course setup` does not mend by itself."""
        return any(SET_UP not in line for line in self.todo)

    def add(self, name: str, value: str, remedy: str = "") -> None:
        self.lines.append((name, value))
        if remedy:
            self.todo.append(f"{name}: {remedy}")

    def told(self, error: Problem | OSError) -> None:
        """Adds what kept an examination from its end."""
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
    """This process's folder of a controller, as it is inside a container or outside."""
    for line in read("/proc/self/cgroup").splitlines():
        _, names, path = line.split(":", 2)
        if controller in names.split(",") or not names:
            base = f"/sys/fs/cgroup/{controller}" if names else "/sys/fs/cgroup"
            for folder in (base + path, base):
                if Path(folder).is_dir():
                    return folder
    return ""


def cpu_limit() -> float | None:
    """The CPUs that a container's quota allows (cgroup v2, then v1)."""
    folder = cgroup("cpu")
    words = read(folder + "/cpu.max").split() or [read(folder + "/cpu.cfs_quota_us"), read(folder + "/cpu.cfs_period_us")]
    return int(words[0]) / int(words[1]) if all(map(str.isdigit, words)) else None


def memory_limit() -> int | None:
    """The bytes that a container's limit allows."""
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
    found.add("Memory", text, "the course needs 2 GiB; close other programs or raise the limit." if least < 1.9 * 2**30 else "")
    short = [] if VENV.exists() else too_little_space()
    free = shutil.disk_usage(ROOT).free >> 20
    found.add("Disk", f"{free:,} MB free for {ROOT}", f"make room: {'; '.join(short)}." if short else "")
    if not os.access(ROOT, os.W_OK):
        found.add("Folder", f"{ROOT} is not writable", "clone into a folder of your own.")


def examine_rights(found: Findings) -> None:
    """Looks for what this user can't write in the folders where set-up, JupyterLab, kernels and the user write."""
    tops = [BUILD, VENV, NOTEBOOKS, RESULTS]
    refused = [path for top in tops for path in (top, *below(top, deep=top != VENV)) if os.path.lexists(path) and not writable(path)]
    if refused and os.access(ROOT, os.W_OK):
        problem = refused_places(refused)
        found.add("Rights", problem.what, problem.remedy)


def below(top: Path, deep: bool) -> Iterator[Path]:
    """Yields what is in a folder, and in the folders below it if `deep` says so."""
    for folder, folders, names in os.walk(top):
        yield from (Path(folder, name) for name in (*folders, *names))
        if not deep:
            return


def writable(path: Path) -> bool:
    """Says whether this user can change a place. What is the user's own can be made so, and is often read-only on purpose."""
    return os.access(path, os.W_OK) or os.path.islink(path) or os.lstat(path).st_uid == os.geteuid()


def examine_sources(found: Findings) -> None:
    """Asks git for files of the course that are gone, or that half a `git pull` left with both versions in them."""
    if not (ROOT / ".git").exists() or not shutil.which("git"):
        return
    code, listed = children.run(["git", "--no-optional-locks", "status", "--porcelain", "--untracked-files=no"], cwd=ROOT)
    rows = [(row[:2], row[3:]) for row in listed.splitlines()] if code == 0 else []
    torn = [name for state, name in rows if "U" in state or state in ("AA", "DD")]
    gone = [name for state, name in rows if "D" in state and name.startswith(("kernels/", "data/"))]
    if torn:
        found.add("Sources", f"both versions are in {some(torn)}: a git pull wasn't finished", f"go back with {restore(ROOT / torn[0])}.")
    elif gone:
        found.add("Sources", f"{some(gone)} is gone", f"bring it back with `git checkout HEAD -- {shlex.join(gone)}`.")


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
        found.add("Test tools", "installed" if tests else "not installed (kernels/course test does)")
    elif VENV.exists():
        found.add("Packages", f"{shown(VENV)} is half-made, damaged, or made for another state of the locks", REPAIR)
    else:
        found.add("Packages", f"{shown(VENV)} is not made", RUN_IT)


def examine_jupyterlab(found: Findings, python: python_env.Python) -> None:
    """Imports JupyterLab as `lab` will, but for a module that takes a second and that jsonschema does without."""
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
        remedy = REPAIR if runtime == java.bundled(python.bundled_java) else "install that one again, or unset COURSE_JAVA_HOME."
        found.add("Java", f"{runtime.home} doesn't start: {essence(said)[:200]}", remedy)
        return
    found.add("Java", f"{runtime.version} ({runtime.why}, {runtime.home})")
    named = certificates.users_own_store(os.environ)
    files = ", ".join(map(str, certificates.system_files())) or "none found"
    store = f"yours, from {named}" if named else (shown(TRUST_STORE) if TRUST_STORE.exists() else "not made yet")
    found.add("Trust store", f"{store}; this system's certificates: {files}")


def examine_jdks(found: Findings) -> None:
    """The older runtimes that cells compare with; pages do without one that is missing."""
    there = jdks.installed()
    for name in jdks.wanted():
        absent = f"not there: only cells that compare JDKs use it, and go without ({SET_UP} fetches it)"
        found.add(f"JDK {name}", str(there.get(name, absent)))


def examine_postgres(found: Findings) -> None:
    """The database of the page on JDBC."""
    own = "cells that start a database need a server of yours, named by COURSE_PG_URL"
    if postgres.set_name() is None:
        found.add("PostgreSQL", f"there is none for {platform.system()} on {platform.machine()}: {own}")
    else:
        there = postgres.installed(jars.Lock.read())
        found.add("PostgreSQL", str(postgres.home()) if there else f"not there: {SET_UP} brings it; without it {own}")


def examine_kernel(found: Findings) -> None:
    definition = jars.Definition.read()
    choice = kernel.remembered(definition)
    if choice:
        found.add("Kernel", f"{choice.kernel} {choice.version}: {choice.why}")
    else:
        found.add("Kernel", "not chosen yet", f"run `{SET_UP}`; it tries Almond and else takes the embedded one.")
    looked = almond.remembered(definition)
    answer = "not looked for" if not looked else (looked.why or "found")
    failure = kernel.trial_failure(definition, kernel.ALMOND)
    found.add("Almond", f"{definition.content['almond']['kernel']}: {answer}{f', but it failed its trial: {failure}' if failure else ''}")
    if choice:
        outcome = kernel.trial_failure(definition, choice.kernel)
        words = {None: "not tried yet", "": "passed: it started and answered"}.get(outcome, f"failed: {outcome}")
        found.add("Kernel's trial", words, "" if outcome == "" else RUN_IT)
    archive = "made" if kernel.AOT.is_file() else "none (the kernel's start takes some seconds more)"
    found.add("Start-up archive", archive)
    if found.python:
        spec = found.python.prefix / "share" / "jupyter" / "kernels" / kernel.NAME / "kernel.json"
        there = spec if spec.is_file() else BUILD / "jupyter" / "kernels" / kernel.NAME / "kernel.json"
        amiss = kernelspec_damage(there)
        found.add("Kernelspec", f"{there}: {amiss}" if amiss else str(there), REPAIR if amiss else "")


def kernelspec_damage(spec: Path) -> str:
    """Says why Jupyter can't start the kernel that a kernelspec describes; empty if it can."""
    if not spec.is_file():
        return "not written"
    content = read_json(spec)
    words = content.get("argv") if isinstance(content, dict) else None
    if not isinstance(words, list) or not words:
        return "garbage"
    parts = [part.rpartition("=")[2] for word in words for part in str(word).split(os.pathsep)]
    missing = [part for part in parts if part.startswith("/") and not os.path.exists(part)]
    return f"it names {some(missing)}, which isn't there" if missing else ""


def examine_stamps(found: Findings) -> None:
    """Compares each file that set-up made or fetched with what it was then."""
    broken = stamps.damage()
    changed = [shown(path) for each in broken.values() for path in each] or [shown(path) for path in broken]
    if broken:
        found.add("Files", f"{some(list(dict.fromkeys(changed)))}: gone, or not as set-up left it", REPAIR)
    else:
        found.add("Files", "as set-up left them" if STAMPS.exists() else "none yet")


def examine_jars(found: Findings) -> None:
    definition, lock = jars.Definition.read(), jars.Lock.read()
    there = jars.fetched(lock, wanted_sets(definition))
    count = len({c for name in wanted_sets(definition) for c in lock.coordinates(name)})
    found.add("JARs", f"{count} fetched and checked" if there else f"{count} to fetch", "" if there else RUN_IT)
    missing = [name for name in wanted_sets(definition) if name in definition.modules and not stamps.is_done(f"module-{name}")]
    found.add("Compiled", "not yet: " + ", ".join(missing) if missing else "all modules", RUN_IT if missing else "")
    if there and found.python:
        right = read_json(INSTALLATION) == installation(definition, lock, found.python, there)
        found.add(
            "List of parts", shown(INSTALLATION) if right else f"{shown(INSTALLATION)} isn't what kernels need", "" if right else REPAIR
        )
    later = [name for name in later_sets(definition) if not postgres.has_unpacked(name, lock)]
    absent = [name for name in later if jars.fetched(lock, [name]) is None]
    text = f"not there yet: {', '.join(absent)}" if absent else "all there: nothing is downloaded any more"
    found.add("Parts for later pages", text, f"run `{SET_UP}`, or let `kernels/course lab` bring them in the background." if absent else "")
    progress = read_json(PROGRESS, {})
    if progress.get("failed"):
        found.add("In the background", progress["failed"], RUN_IT)
    tests = all(jars.fetched(lock, [name]) is not None for name in test_sets(definition))
    found.add("Test JARs", "fetched and checked" if tests else "not fetched (kernels/course test does)")


def examine_settings(found: Findings) -> None:
    found.add("JAR cache", str(coursier.cache_folder()) + ("" if os.environ.get("COURSIER_CACHE") else " (coursier's default)"))
    for name, value in coursier.settings().items():
        found.add(name, value)
    pips = ("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "PIP_CONFIG_FILE")
    for name in (*pips, *JAVAS, "COURSE_KERNEL", "COURSE_JAVA_HOME", "COURSE_PROFILE"):
        if os.environ.get(name):
            found.add(name, hidden(os.environ[name]))
    if os.environ.get("COURSE_PG_URL"):
        found.add("COURSE_PG_URL", hidden(os.environ["COURSE_PG_URL"]).partition("?")[0])  # behind it may stand a password
    for name in ("SSL_CERT_FILE", *BUNDLES):
        value = os.environ.get(name, "")
        if value:
            found.add(name, value, "" if os.path.exists(value) else "no such file; correct or unset it.")


def examine_proxy(found: Findings) -> None:
    """What the user said of a proxy, and what the JVMs are told of it."""
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
