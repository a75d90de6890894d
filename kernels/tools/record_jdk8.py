"""Records on JDK 8, which set-up can't install, what the pages show next to the JDKs that they measure themselves.

    COURSE_RECORD="the machine in words" .venv/bin/python kernels/tools/record_jdk8.py --java-home FOLDER [--root FOLDER] [--part PART …]

The parts are `04-empty-blocking`, `05-future-map`, `04-workers` and `04-spares`. Without one, all are recorded. The first two are the
benchmarks of these `%%jmh` cells, on JDK 8 and on the course's newest JDK, in rounds of single forks. `04-workers` runs
`lab.forked.EmptyBlocking` on every JDK in turn. `04-spares` runs `lab.forked.SpareThreads` on every JDK, and on JDK 8 also with Scala 2.11,
whose global pool is a different class. The first two become `data/recorded/NAME-jdk8.json`, which `Recorded("NAME")` reads next to its own
file. There, `control` has what the newest JDK did in the same minutes. All takes about half an hour on a machine that does nothing else;
`--quick` tests the set-up in two. No lock lists scalac 2.11.

`--java-home` is a JDK or JRE 8. If this system's libraries are too old for it, `--root` names a root file system to run it in, and
`--java-home` is the folder's name there. That needs root's rights; `debootstrap trixie`, for example, makes such a file system.
data/README.md says where to get a JDK 8.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import os
import random
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import old_versions

ROOT = Path(__file__).resolve().parent.parent.parent
TOOLS = json.loads((ROOT / ".build" / "installation.json").read_text())
RECORDED = ROOT / "data" / "recorded"
SCALAS = ["2.12.20", "2.13.18"]
BENCHMARKS = {"04-empty-blocking": "-bm avgt -tu ms", "05-future-map": "-bm avgt -tu us"}
FULL = "-f 1 -wi 5 -w 400ms -i 5 -r 300ms -foe true"  # as lab.magic.jmh.Options, for one fork
QUICK = "-f 1 -wi 1 -w 200ms -i 2 -r 200ms -foe true"
HEAP = "-Xmx384m"  # as in lab.magic.jmh.Run
NEWEST = max(TOOLS["jdks"], key=int)
SCALAC_2_11 = "org.scala-lang:scala-compiler:2.11.12"
MEANWHILE = ["nothing", "runs", "ticks"]  # SpareThreads's names for what happens after the naps


@dataclass
class Runtime:
    """Describes a Java runtime by the words that start it, and by its name for the folder `shared`."""

    name: str
    java: list[str]
    shared: str

    def run(self, *words: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        done = subprocess.run([*self.java, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if check and done.returncode:
            raise SystemExit(f"{shlex.join(self.java)} ended with {done.returncode}:\n{done.stdout[-4000:]}")
        return done


def host(jdk: str, shared: Path) -> Runtime:
    return Runtime(jdk, [str(Path(TOOLS["jdks"][jdk]) / "bin" / "java")], str(shared))


def eight(home: str, root: Path | None, shared: Path) -> Runtime:
    java = f"{home}/bin/java"
    if root is None:
        return Runtime("8", [java], str(shared))
    return Runtime("8", ["chroot", str(root), java], "/" + str(shared.relative_to(root)))


@contextmanager
def shared_folder(root: Path | None) -> Iterator[Path]:
    """Yields a folder that both runtimes can read."""
    with tempfile.TemporaryDirectory(prefix="record-", dir=None if root is None else root / "tmp") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


def boot_classes(home: str, root: Path | None) -> Path:
    there = (root or Path("/")) / home.lstrip("/")
    for place in ("jre/lib/rt.jar", "lib/rt.jar"):
        if (there / place).is_file():
            return there / place
    raise SystemExit(f"{there} is not a Java 8: it has no rt.jar. Name another folder with --java-home")


def cell(name: str) -> tuple[str, str]:
    """Returns the first line and the source of the benchmark's cell on its page. Raises SystemExit if there is none."""
    for page in sorted((ROOT / "notebooks").glob(f"{name[:2]}-*.ipynb")):
        for one in json.loads(page.read_text())["cells"]:
            line, _, body = "".join(one["source"]).partition("\n")
            if one["cell_type"] == "code" and re.match(rf"%%jmh .*--recorded {name}\b", line):
                return line, body
    raise SystemExit(f"no page has a %%jmh cell with --recorded {name}")


def build(body: str, scala: str, shared: Path, boot: Path) -> list[str]:
    """Compiles for JDK 8 on the newest JDK, and returns the class path relative to `shared`."""
    folder = shared / f"scala-{scala}"
    classes, stubs, jars = folder / "classes", folder / "stubs", folder / "jars"
    for one in (classes, stubs, jars):
        one.mkdir(parents=True)
    library = next(jar for jar in TOOLS["scalac"][scala] if "scala-library" in jar)
    run_with = [shutil.copy(jar, jars) for jar in [library, *TOOLS["jmh"]] if "/ecj" not in jar]
    source = folder / "cell.scala"
    source.write_text(f"package cell\n{body}")
    newest, path = host(NEWEST, shared), os.pathsep.join(map(str, run_with))
    newest.run(
        "-Xss8m", "-cp", os.pathsep.join(TOOLS["scalac"][scala]), "scala.tools.nsc.Main", "-cp", path, "-d", str(classes), str(source)
    )
    generator = "org.openjdk.jmh.generators.bytecode.JmhBytecodeGenerator"
    newest.run("-cp", f"{path}{os.pathsep}{classes}", generator, str(classes), str(stubs), str(classes), "default")
    ecj = ["org.eclipse.jdt.internal.compiler.batch.Main", "-source", "1.8", "-target", "1.8", "-bootclasspath", str(boot)]
    stub_path = f"{path}{os.pathsep}{classes}"
    newest.run("-cp", os.pathsep.join(TOOLS["jmh"]), *ecj, "-nowarn", "-proc:none", "-cp", stub_path, "-d", str(classes), str(stubs))
    return [str(Path(one).relative_to(shared)) for one in [classes, *map(Path, run_with)]]


def jmh(runtime: Runtime, shared: Path, path: list[str], words: list[str]) -> list[dict]:
    class_path = os.pathsep.join(f"{runtime.shared}/{one}" for one in path)
    (shared / "scores.json").unlink(missing_ok=True)
    runtime.run(HEAP, "-Djmh.ignoreLock=true", "-cp", class_path, "org.openjdk.jmh.Main", *words,
                "-rf", "json", "-rff", f"{runtime.shared}/scores.json")  # fmt: skip
    return json.loads((shared / "scores.json").read_text())


def rounded(value: object) -> float:
    return float(f"{float(str(value)):.6g}")


def score(entries: list[dict], scala: str) -> dict:
    """Converts JMH's reports on the forks of one benchmark to the form of `Recorded`."""
    first = entries[0]
    forks = [[float(one) for one in fork] for entry in entries for fork in entry["primaryMetric"]["rawData"]]
    means = [sum(fork) / len(fork) for fork in forks]
    return {
        "benchmark": first["benchmark"],
        "mode": first["mode"],
        "scala": scala,
        "jdk": first["jdkVersion"],
        "unit": first["primaryMetric"]["scoreUnit"],
        "params": first.get("params", {}),
        "score": rounded(math.exp(sum(map(math.log, means)) / len(means))),
        "samples": [rounded(one) for fork in forks for one in fork],
        "forks": [rounded(mean) for mean in means],
    }


def record_benchmarks(name: str, scalas: list[str], old: Runtime, shared: Path, boot: Path, quick: bool, on: str) -> None:
    """Records the benchmarks of a cell in rounds. Each round runs one fork of every benchmark on both JDKs, in a new random order."""
    _, body = cell(name)
    options = f"{QUICK if quick else FULL} {BENCHMARKS[name]}"
    methods = re.findall(r"@Benchmark def (\w+)", body)
    new = host(NEWEST, shared)
    paths = {scala: [f"{name}/{one}" for one in build(body, scala, shared / name, boot)] for scala in scalas}
    variants = [(scala, method, runtime) for scala in scalas for method in methods for runtime in (old, new)]
    found: dict[tuple[str, str, str], list[dict]] = {}
    for at in range(3 if quick else 8):
        for scala, method, runtime in random.sample(variants, len(variants)):
            [entry] = jmh(runtime, shared, paths[scala], [*options.split(), rf"\.{method}$"])
            found.setdefault((scala, method, runtime.name), []).append(entry)
            metric = entry["primaryMetric"]
            print(
                f"round {at + 1}: {method}, Scala {scala}, JDK {entry['jdkVersion']}: {metric['score']} {metric['scoreUnit']}", flush=True
            )

    def scores(runtime: Runtime) -> list[dict]:
        return [score(found[scala, method, runtime.name], scala) for scala in scalas for method in methods]

    report = {
        "name": f"{name}-jdk8",
        "on": on,
        "at": now(),
        "command": f"%%jmh {options}",
        "machine": machine(old, scalas, quick),
        "scores": scores(old),
        "control": scores(new),
    }
    text = json.dumps(report, indent=2, ensure_ascii=False)
    # Put each list of numbers on one line, as Recorded does.
    text = re.sub(r"\[[-\d.eE,\s]+\]", lambda found: re.sub(r"\s+", " ", found[0]).replace("[ ", "[").replace(" ]", "]"), text)
    (RECORDED / f"{name}-jdk8.json").write_text(text + "\n")


def record_workers(old: Runtime, shared: Path, quick: bool, on: str) -> None:
    """Records `lab.forked.EmptyBlocking` on every JDK in turn, 16 times, with a row for each JDK, case and round."""
    path = [copied_lab(shared), library(shared)]
    runtimes, rows = [old, *hosts(shared)], []
    for at in range(3 if quick else 16):
        for runtime in runtimes if at % 2 == 0 else reversed(runtimes):
            said = printed(runtime, path, "lab.forked.EmptyBlocking", ["300" if quick else "1000"])
            rows += [row(runtime.name, case, at + 1, said) for case in ("without", "empty")]
            print(rows[-2], rows[-1], sep="\n", flush=True)
    keep("04-workers", sorted(rows, key=lambda one: (int(one["jdk"]), one["case"] == "empty", one["round"])), on)


def row(jdk: str, case: str, at: int, said: dict[str, float]) -> dict[str, Any]:
    figures = {"micros": 1, "runs": 0, "started": 0, "threads": 0, "asking": 1, "cpus": 2}
    kept = {"hundreds" if name == "runs" else name: f"{said[f'{case}.{name}']:.{digits}f}" for name, digits in figures.items()}
    return {"jdk": jdk, "case": case, "round": at, **kept}


def record_spares(old: Runtime, shared: Path, quick: bool, on: str) -> None:
    """Records how many threads the global pool keeps after twenty naps, with `lab.forked.SpareThreads`.

    Keeps the fewest and the most threads of three rounds. Within a round, all variants run simultaneously, because they only wait.
    """
    today = [copied_lab(shared), library(shared)]
    variants = [(old, "2.11.12", on_scala_2_11(old, shared)), *((runtime, "2.12.20", today) for runtime in [old, *hosts(shared)])]
    seconds, seen = 3 if quick else 65, {}

    def watch(runtime: Runtime, scala: str, path: list[str], meanwhile: str) -> None:
        two = [f"-Dscala.concurrent.context.{name}Threads=2" for name in ("num", "max")]
        said = printed(runtime, path, "lab.forked.SpareThreads", [str(seconds), meanwhile], *two)
        for millis, threads in said.items():
            seen.setdefault((runtime.name, scala, meanwhile, int(millis) / 1000), []).append(int(threads))

    for _ in range(1 if quick else 3):
        with ThreadPoolExecutor(len(variants) * len(MEANWHILE)) as pool:
            for done in [pool.submit(watch, *variant, meanwhile) for variant in variants for meanwhile in MEANWHILE]:
                done.result()
    keys = sorted(seen, key=lambda key: (int(key[0]), key[1], MEANWHILE.index(key[2]), key[3]))
    keep("04-spares", [
        {"jdk": key[0], "scala": key[1], "meanwhile": key[2], "seconds": f"{key[3]:g}", "fewest": min(seen[key]), "most": max(seen[key])}
        for key in keys
    ], on)  # fmt: skip


def on_scala_2_11(old: Runtime, shared: Path) -> list[str]:
    """Compiles the program with scalac 2.11, which runs only on JDK 8. Returns its class path."""
    folder = shared / "scala-2.11"
    (folder / "classes").mkdir(parents=True)
    jars = [Path(shutil.copy(jar, folder)) for jar in old_versions.fetch(SCALAC_2_11).split(os.pathsep)]
    lab = ROOT / "kernels" / "lab" / "src"
    sources = [shutil.copy(lab / name, folder) for name in ("process/Program.scala", "forked/SpareThreads.scala")]
    there = [f"{old.shared}/{Path(one).relative_to(shared)}" for one in [*jars, *sources]]
    scala = next(f"{old.shared}/{jar.relative_to(shared)}" for jar in jars if jar.name.startswith("scala-library"))
    old.run("-Xss8m", "-cp", os.pathsep.join(there[: len(jars)]), "scala.tools.nsc.Main", "-cp", scala,
            "-d", f"{old.shared}/scala-2.11/classes", *there[len(jars) :])  # fmt: skip
    return ["scala-2.11/classes", str(Path(scala).relative_to(old.shared))]


def copied_lab(shared: Path) -> str:
    if not (shared / "lab").exists():
        shutil.copytree(ROOT / ".build" / "classes" / "lab", shared / "lab")
    return "lab"


def library(shared: Path) -> str:
    return Path(shutil.copy(TOOLS["libraries"]["2.12.20"], shared / "library.jar")).name


def hosts(shared: Path) -> list[Runtime]:
    return [host(jdk, shared) for jdk in sorted(TOOLS["jdks"], key=int)]


def printed(runtime: Runtime, path: list[str], program: str, arguments: list[str], *options: str) -> dict[str, float]:
    """Returns what a program of the lab prints as `name=number`."""
    class_path = os.pathsep.join(f"{runtime.shared}/{one}" for one in path)
    said = runtime.run("-Xmx64m", *options, "-cp", class_path, program, *arguments).stdout
    return {name: float(value) for name, value in re.findall(r"^([\w.]+)=([-\d.E]+)$", said, re.M)}


def keep(name: str, rows: list[dict[str, Any]], on: str) -> None:
    """Writes `data/recorded/NAME.csv`."""
    with (RECORDED / f"{name}.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, [*rows[0], "on", "at"], lineterminator="\n")
        writer.writeheader()
        at = now()
        writer.writerows({**one, "on": on, "at": at} for one in rows)


OTHERS = {"04-workers": record_workers, "04-spares": record_spares}


def now() -> str:
    return datetime.now(timezone.utc).isoformat().replace("+00:00", "Z")


def machine(old: Runtime, scalas: list[str], quick: bool) -> dict[str, Any]:
    flags = old.run(HEAP, "-XX:+PrintFlagsFinal", "-version").stdout
    version = re.search(r"\(build ([^)]+)\)", old.run("-version").stdout)[1]
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "collector": ", ".join(re.findall(r"bool Use(\w+)GC\s+:?= true", flags)),
        "cpus": len(os.sched_getaffinity(0)),
        "heapBytes": 384 << 20,
        "jdk": int(version.split(".")[1]),
        "jdkVersion": version,
        "kernel": "none: recorded by kernels/tools/record_jdk8.py",
        "memoryBytes": memory,
        "place": "no container limit seen",
        "profile": "quick" if quick else "full",
        "scala": ", ".join(scalas),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--java-home", required=True)
    parser.add_argument("--root", type=Path)
    parser.add_argument("--scala", nargs="+", default=SCALAS)
    parser.add_argument("--quick", action="store_true")
    parts = [*BENCHMARKS, *OTHERS]
    parser.add_argument("--part", nargs="+", default=parts, choices=parts)
    asked = parser.parse_args()
    on = old_versions.machine()
    boot = boot_classes(asked.java_home, asked.root)
    with shared_folder(asked.root) as shared:
        old = eight(asked.java_home, asked.root, shared)
        for part in asked.part:
            if part in BENCHMARKS:
                record_benchmarks(part, asked.scala, old, shared, boot, asked.quick, on)
            else:
                OTHERS[part](old, shared, asked.quick, on)


if __name__ == "__main__":
    main()
