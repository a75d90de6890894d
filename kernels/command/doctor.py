"""`doctor`: what is there, what is missing, what to do about it. Looks only; installs and changes nothing."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path

from . import almond, certificates, coursier, jars, java, jdks, kernel, postgres, proxy, python_env
from .files import read_json
from .paths import BUILD, PROGRESS, ROOT, TRUST_STORE, VENV, shown
from .problem import BUNDLES, JAVAS, Problem, hidden, variable
from .setup import later_sets, test_sets, too_little_space, wanted_sets

SET_UP = "kernels/course setup"


@dataclass
class Findings:
    """Lines to print, and what should be done."""

    lines: list[tuple[str, str]] = field(default_factory=list)
    todo: list[str] = field(default_factory=list)

    @property
    def beyond_set_up(self) -> bool:
        """Whether something is amiss that `kernels/course setup` does not mend by itself."""
        return any(SET_UP not in line for line in self.todo)

    def add(self, name: str, value: str, remedy: str = "") -> None:
        self.lines.append((name, value))
        if remedy:
            self.todo.append(f"{name}: {remedy}")

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
    words = read(cgroup("cpu") + "/cpu.max").split()
    if not words:
        folder = cgroup("cpu")
        words = [read(folder + "/cpu.cfs_quota_us"), read(folder + "/cpu.cfs_period_us")]
    if len(words) < 2 or not words[0].isdigit() or not words[1].isdigit():
        return None
    return int(words[0]) / int(words[1])


def memory_limit() -> int | None:
    """The bytes that a container's limit allows."""
    folder = cgroup("memory")
    value = read(folder + "/memory.max") or read(folder + "/memory.limit_in_bytes")
    return int(value) if value.isdigit() and int(value) < 1 << 60 else None


def memory() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):
        return None


def examine_machine(found: Findings) -> None:
    found.add("System", f"{platform.system()} {platform.release()}, {platform.machine()}")
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    quota = cpu_limit()
    found.add("CPUs", f"{usable}" + (f", limited to {quota:g} (cgroup)" if quota else ", no limit"))
    whole, limit = memory(), memory_limit()
    limited = limit is not None and (whole is None or limit < whole)
    least = min(amount for amount in (whole, limit) if amount) if whole or limit else 0
    text = (f"{whole / 2**30:.1f} GiB" if whole else "unknown") + (
        f", limited to {limit / 2**30:.1f} GiB (cgroup)" if limited and limit else ", no limit"
    )
    found.add("Memory", text, "the course needs 2 GiB; close other programs or raise the limit." if 0 < least < 1.9 * 2**30 else "")
    short = [] if VENV.exists() else too_little_space()
    free = shutil.disk_usage(ROOT).free >> 20
    found.add("Disk", f"{free:,} MB free for {ROOT}", f"make room: {'; '.join(short)}." if short else "")
    if not os.access(ROOT, os.W_OK):
        found.add("Folder", f"{ROOT} is not writable", "clone into a folder of your own.")


# ---- what set-up made


def examine_python(found: Findings) -> python_env.Python | None:
    found.add("Python", f"{sys.version.split()[0]} ({sys.executable})")
    python = python_env.ready(tests=False)
    if python:
        found.add("Packages", f"{python.prefix}: {python.why}")
        tests = python_env.ready(tests=True)
        found.add("Test tools", "installed" if tests else "not installed (kernels/course test does)")
        return python
    if VENV.exists():
        state = read_json(python_env.MARK, {})
        what = "made for another state of the locks" if state.get("done") else "half-made"
        found.add("Packages", f"{shown(VENV)} is {what}", f"run {SET_UP}; it completes it.")
    else:
        found.add("Packages", f"{shown(VENV)} is not made", f"run {SET_UP}.")
    return None


def examine_java(found: Findings, python: python_env.Python | None) -> None:
    try:
        runtime = java.find(python or python_env.own())
    except Problem as problem:
        found.add("Java", problem.what, problem.remedy)
        return
    if not runtime.program.is_file():
        found.add("Java", "the course's own runtime is not installed yet", f"run {SET_UP}.")
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


def examine_kernel(found: Findings, python: python_env.Python | None) -> None:
    definition = jars.Definition.read()
    choice = kernel.remembered(definition)
    if choice:
        found.add("Kernel", f"{choice.kernel} {choice.version}: {choice.why}")
    else:
        found.add("Kernel", "not chosen yet", f"run {SET_UP}; it tries Almond and else takes the embedded one.")
    looked = almond.remembered(definition)
    answer = "not looked for" if not looked else (looked.why or "found")
    failure = kernel.trial_failure(definition, kernel.ALMOND)
    found.add("Almond", f"{definition.content['almond']['kernel']}: {answer}{f', but it failed its trial: {failure}' if failure else ''}")
    if choice:
        outcome = kernel.trial_failure(definition, choice.kernel)
        words = {None: "not tried yet", "": "passed: it started and answered"}.get(outcome, f"failed: {outcome}")
        found.add("Kernel's trial", words, "" if outcome == "" else f"run {SET_UP}.")
    archive = "made" if kernel.AOT.is_file() else "none (the kernel's start takes some seconds more)"
    found.add("Start-up archive", archive)
    if python:
        spec = python.prefix / "share" / "jupyter" / "kernels" / kernel.NAME / "kernel.json"
        there = spec if spec.is_file() else BUILD / "jupyter" / "kernels" / kernel.NAME / "kernel.json"
        found.add("Kernelspec", str(there) if there.is_file() else "not written", "" if there.is_file() else f"run {SET_UP}.")


def examine_jars(found: Findings) -> None:
    definition, lock = jars.Definition.read(), jars.Lock.read()
    there = jars.fetched(lock, wanted_sets(definition))
    count = len({c for name in wanted_sets(definition) for c in lock.coordinates(name)})
    found.add("JARs", f"{count} fetched and checked" if there else f"{count} to fetch", "" if there else f"run {SET_UP}.")
    missing = [name for name in wanted_sets(definition) if name in definition.modules and not (BUILD / "jars" / f"{name}.jar").is_file()]
    found.add("Compiled", "not yet: " + ", ".join(missing) if missing else "all modules", f"run {SET_UP}." if missing else "")
    later = [name for name in later_sets(definition) if not postgres.has_unpacked(name, lock)]
    absent = [name for name in later if jars.fetched(lock, [name]) is None]
    text = f"not there yet: {', '.join(absent)}" if absent else "all there: nothing is downloaded any more"
    found.add("Parts for later pages", text, f"run {SET_UP}, or let `kernels/course lab` bring them in the background." if absent else "")
    progress = read_json(PROGRESS, {})
    if progress.get("failed"):
        found.add("In the background", progress["failed"], f"run {SET_UP}.")
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


def main() -> int:
    found = Findings()
    examine_machine(found)
    python = examine_python(found)
    examine_java(found, python)
    examine_jdks(found)
    for examine in (lambda: examine_postgres(found), lambda: examine_kernel(found, python), lambda: examine_jars(found)):
        try:
            examine()
        except Problem as problem:
            found.add("Problem", problem.what, problem.remedy)
    examine_settings(found)
    examine_proxy(found)
    sys.stdout.write(found.text())
    return 1 if found.beyond_set_up else 0
