"""Records on JDK 8, which set-up can't bring, what the pages show beside the JDKs that they measure on themselves.

    COURSE_RECORD="the machine in words" .venv/bin/python kernels/tools/record_jdk8.py --java-home FOLDER [--root FOLDER] [--part PART …]

Parts: `04-empty-blocking`, `05-future-map` (the benchmarks of these `%%jmh` cells, each on JDK 8 and then on the newest JDK of the course,
25 seconds after one another) and `04-workers` (`lab.forked.EmptyBlocking` on every JDK in turn); without one, all of them. The first two
become `data/recorded/NAME-jdk8.json`, which `Recorded("NAME")` reads beside its own file; what the newest JDK did in the same minutes is
kept there as `control`. About forty minutes on a machine that does nothing else; `--quick` tries the way in two.

`--java-home` is a JDK or JRE 8 as the folder is called inside `--root`, a root file system to run it in (needs root's rights; made by
`debootstrap trixie`, for instance), where this system's own libraries are too old for it. data/README.md says where one is had.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import re
import shlex
import shutil
import statistics
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
TOOLS = json.loads((ROOT / ".build" / "installation.json").read_text())
RECORDED = ROOT / "data" / "recorded"
SCALAS = ["2.12.20", "2.13.18"]
BENCHMARKS = {"04-empty-blocking": "-bm thrpt,avgt,sample,ss -tu ms", "05-future-map": "-bm avgt -tu us"}
FULL = "-f 3 -wi 5 -w 500ms -i 10 -r 500ms -foe true"
QUICK = "-f 1 -wi 1 -w 200ms -i 2 -r 200ms -foe true"
HEAP = "-Xmx384m"  # as lab.magic.jmh.Run gives it
NEWEST = max(TOOLS["jdks"], key=int)


@dataclass
class Runtime:
    """A Java runtime: the words that start it, and the folder `shared` as it is called there."""

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
    """A folder that both runtimes see."""
    with tempfile.TemporaryDirectory(prefix="record-", dir=None if root is None else root / "tmp") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


def boot_classes(home: str, root: Path | None) -> Path:
    there = (root or Path("/")) / home.lstrip("/")
    for place in ("jre/lib/rt.jar", "lib/rt.jar"):
        if (there / place).is_file():
            return there / place
    raise SystemExit(f"{there} is no Java 8: it has no rt.jar")


def cell(name: str) -> tuple[str, str]:
    """The benchmark's source as it stands on its page, and the value that the page binds."""
    for page in sorted((ROOT / "notebooks").glob(f"{name[:2]}-*.ipynb")):
        for one in json.loads(page.read_text())["cells"]:
            line, _, body = "".join(one["source"]).partition("\n")
            if one["cell_type"] == "code" and re.match(rf"%%jmh .*--recorded {name}\b", line):
                return line, body
    raise SystemExit(f"no page has a %%jmh cell with --recorded {name}")


def build(body: str, scala: str, shared: Path, boot: Path) -> list[str]:
    """Compiles for JDK 8, with the newest JDK, and returns the class path below `shared`."""
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


def score(entry: dict, scala: str) -> dict:
    """A line of JMH's report as `Recorded` keeps it."""
    metric = entry["primaryMetric"]
    kept = {
        "benchmark": entry["benchmark"],
        "mode": entry["mode"],
        "scala": scala,
        "jdk": entry["jdkVersion"],
        "unit": metric["scoreUnit"],
        "params": entry.get("params", {}),
        "score": rounded(metric["score"]),
    }
    if str(metric["scoreError"]) != "NaN":
        kept["error"] = rounded(metric["scoreError"])
    kept["samples"] = [rounded(one) for fork in metric.get("rawData", []) for one in fork]
    if entry["mode"] == "sample":
        kept["percentiles"] = {percent: rounded(time) for percent, time in metric["scorePercentiles"].items()}
    return kept


def record_benchmarks(name: str, scalas: list[str], old: Runtime, shared: Path, boot: Path, quick: bool, on: str) -> None:
    _, body = cell(name)
    options = f"{QUICK if quick else FULL} {BENCHMARKS[name]}"
    modes = re.search(r"-bm (\S+)", options)[1].split(",")
    methods = re.findall(r"@Benchmark def (\w+)", body)
    new, scores, control = host(NEWEST, shared), [], []
    for scala in scalas:
        path = build(body, scala, shared / name, boot)
        path = [f"{name}/{one}" for one in path]
        for mode in modes:
            for method in methods:
                words = [*re.sub(r"-bm \S+", f"-bm {mode}", options).split(), rf"\.{method}$"]
                for runtime, into in ((old, scores), (new, control)):
                    into += [score(entry, scala) for entry in jmh(runtime, shared, path, words)]
                    last = into[-1]
                    error = f" ± {last['error']}" if "error" in last else ""
                    print(
                        f"{last['benchmark']} {mode}, Scala {scala}, JDK {last['jdk']}: {last['score']}{error} {last['unit']}", flush=True
                    )
    report = {
        "name": f"{name}-jdk8",
        "on": on,
        "at": now(),
        "command": f"%%jmh {options}",
        "machine": machine(old, scalas, quick),
        "scores": scores,
        "control": control,
    }
    text = json.dumps(report, indent=2, ensure_ascii=False)
    # One line for a list of numbers instead of a line for each, as Recorded writes it.
    text = re.sub(r"\[[-\d.eE,\s]+\]", lambda found: re.sub(r"\s+", " ", found[0]).replace("[ ", "[").replace(" ]", "]"), text)
    (RECORDED / f"{name}-jdk8.json").write_text(text + "\n")


def record_workers(old: Runtime, shared: Path, quick: bool, on: str) -> None:
    """`lab.forked.EmptyBlocking` on every JDK in turn, five times; medians, and of threads the sum of those that were started."""
    lab, library = shared / "lab", shutil.copy(TOOLS["libraries"]["2.12.20"], shared / "library.jar")
    shutil.copytree(ROOT / ".build" / "classes" / "lab", lab)
    runtimes = [old, *(host(jdk, shared) for jdk in sorted(TOOLS["jdks"], key=int))]
    seen: dict[str, list[dict[str, float]]] = {runtime.name: [] for runtime in runtimes}
    for at in range(1 if quick else 5):
        for runtime in runtimes if at % 2 == 0 else reversed(runtimes):
            path = os.pathsep.join(f"{runtime.shared}/{one}" for one in ("lab", Path(library).name))
            said = runtime.run("-Xmx64m", "-cp", path, "lab.forked.EmptyBlocking", "300" if quick else "2000").stdout
            seen[runtime.name].append({key: float(value) for key, value in re.findall(r"^([\w.]+)=([-\d.E]+)$", said, re.M)})
            print(runtime.name, seen[runtime.name][-1], flush=True)
    rows = [row(jdk, case, runs) for jdk, runs in seen.items() for case in ("without", "empty")]
    with (RECORDED / "04-workers.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, [*rows[0], "on", "at"], lineterminator="\n")
        writer.writeheader()
        at = now()
        writer.writerows({**one, "on": on, "at": at} for one in rows)


def row(jdk: str, case: str, runs: list[dict[str, float]]) -> dict[str, object]:
    def median(what: str) -> float:
        return statistics.median(run[f"{case}.{what}"] for run in runs)

    total = {what: sum(run[f"{case}.{what}"] for run in runs) for what in ("started", "runs")}
    return {
        "jdk": jdk,
        "case": case,
        "micros": round(median("micros"), 1),
        "hundreds": int(total["runs"]),
        "started": int(total["started"]),
        "threads": int(max(run[f"{case}.threads"] for run in runs)),
        "asking": round(median("asking"), 1),
        "cpus": round(median("cpus"), 2),
    }


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
    parser.add_argument("--part", nargs="+", default=[*BENCHMARKS, "04-workers"], choices=[*BENCHMARKS, "04-workers"])
    asked = parser.parse_args()
    on = os.environ.get("COURSE_RECORD", "").strip()
    if not on:
        raise SystemExit('COURSE_RECORD="the machine in words" is missing')
    boot = boot_classes(asked.java_home, asked.root)
    with shared_folder(asked.root) as shared:
        old = eight(asked.java_home, asked.root, shared)
        for part in asked.part:
            if part in BENCHMARKS:
                record_benchmarks(part, asked.scala, old, shared, boot, asked.quick, on)
            else:
                record_workers(old, shared, asked.quick, on)


if __name__ == "__main__":
    main()
