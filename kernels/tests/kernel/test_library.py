"""Tests `kernels/course library`, and that a plain notebook outside the clone can use the result.

The notebook is the readers' (`kernels/lab/own-notebook.ipynb`). It runs on an unmodified Ammonite with the part of Almond's API that the
lab uses (`kernels/tests/kernel/plain`), and on Almond itself if set-up found it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import nbformat
import pytest
from command.base.paths import STORAGE
from command.dependencies import certificates, coursier, jars, java, proxy, python_env
from command.pages.execute import adopt_updates, plain
from command.publish import library
from command.setup import almond, compile, stages
from command.setup.starting import start
from conftest import COURSE, ROOT, Done
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager
from sessions import Ran, Session

PLOT = "application/vnd.plotly.v1+json"
NOTEBOOK = ROOT / "kernels" / "lab" / "own-notebook.ipynb"
PLAIN = ROOT / "kernels" / "tests" / "kernel" / "plain"
POM = "{http://maven.apache.org/POM/4.0.0}"
LIMIT = 150  # seconds; each of these cells takes a few on a quiet machine


@pytest.fixture(scope="module")
def workshop() -> stages.Workshop:
    """Returns what set-up works with, after a complete set-up."""
    python = python_env.ready(tests=True)
    assert python
    runtimes = java.find(python.bundled_java), java.bundled(python.bundled_java)
    return stages.Workshop(jars.Definition.read(), jars.Lock.read(), python, *runtimes, lambda: None)


@dataclass(frozen=True)
class Made:
    """Holds the verb's results."""

    repository: Path
    artifact: library.Artifact
    done: Done

    def file(self, kind: str) -> Path:
        return self.repository / self.artifact.folder / self.artifact.version / self.artifact.file(kind)

    def names(self, kind: str) -> list[str]:
        with zipfile.ZipFile(self.file(kind)) as jar:
            return jar.namelist()

    def read(self, kind: str, name: str) -> str:
        with zipfile.ZipFile(self.file(kind)) as jar:
            return jar.read(name).decode()


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    repository = tmp_path_factory.mktemp("a library") / "of mine"  # doesn't exist yet, and contains a space
    words = [sys.executable, str(ROOT / COURSE), "library", str(repository)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return Made(repository, library.Artifact(jars.Definition.read()), Done(done.returncode, done.stdout, done.stderr))


# ---- the files


def test_each_file_has_the_checksums_that_maven_repositories_have(made: Made) -> None:
    files = [path for path in made.repository.rglob("*") if path.is_file() and path.suffix[1:] not in library.CHECKSUMS]
    assert {path.name for path in files} == {
        *(made.artifact.file(kind) for kind in (".jar", ".pom", "-sources.jar", "-javadoc.jar")),
        "maven-metadata.xml",
    }
    for path in files:
        for name in library.CHECKSUMS:
            assert path.with_name(f"{path.name}.{name}").read_text() == hashlib.new(name, path.read_bytes()).hexdigest()


def test_the_pom_says_what_the_lab_needs_and_whose_it_is(made: Made) -> None:
    pom = ElementTree.parse(made.file(".pom")).getroot()
    assert [pom.findtext(POM + tag) for tag in ("groupId", "artifactId", "version")] == ["which-thread", "lab_2.13", made.artifact.version]
    assert "Timeline" in pom.findtext(POM + "description", "")
    assert pom.findtext(f"{POM}licenses/{POM}license/{POM}name") == "MIT License"
    assert "MIT License" in made.read(".jar", "META-INF/LICENSE")


def test_what_the_pom_brings_is_what_the_lab_was_built_and_tested_with(made: Made, workshop: stages.Workshop) -> None:
    root = f"{made.artifact.group}:{made.artifact.name}:{made.artifact.version}"
    code, output, files = workshop.coursier.resolve([root], ["--repository", made.repository.as_uri()])
    assert code == 0, output
    assert files.pop(root) == made.file(".jar")
    assert sorted(files) == workshop.lock.coordinates("lab")


def test_a_second_version_stays_beside_the_first(made: Made) -> None:
    text = library.metadata(made.artifact, ["0.0.9", made.artifact.version])
    assert [version.text for version in ElementTree.fromstring(text).iter("version")] == ["0.0.9", made.artifact.version]
    there = ElementTree.parse(made.repository / made.artifact.folder / "maven-metadata.xml")
    assert [version.text for version in there.iter("version")] == [made.artifact.version]


def test_the_sources_are_those_of_the_clone(made: Made) -> None:
    names = made.names("-sources.jar")
    assert {"trace/Trace.scala", "magic/jmh/Jmh.scala", "META-INF/LICENSE"} <= set(names)
    assert made.read("-sources.jar", "trace/Trace.scala") == (ROOT / "kernels" / "lab" / "src" / "trace" / "Trace.scala").read_text()


def test_at_its_end_stand_the_cells_of_a_notebook(made: Made) -> None:
    cells = made.artifact.cells(made.repository)
    assert "a%20library" in cells[0]
    assert [line.strip() for line in made.done.out.splitlines() if line.startswith("  ")] == cells
    stored = [cell.source for cell in nbformat.read(NOTEBOOK, as_version=4).cells if cell.cell_type == "code"]
    assert stored[1:3] == cells[1:], "the notebook and the texts name the artifact as build.json does"
    front, scala = library.FRONT_PAGE.read_text(), (ROOT / "kernels" / "lab" / "src" / "Library.scala").read_text()
    for text in (front, scala, (ROOT / "kernels" / "docs" / "library.md").read_text()):
        assert all(cell in text.replace("\\$", "$") for cell in cells[1:])


def test_a_file_is_no_folder(clone, told, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    err = told(clone.run("library", str(tmp_path / "file" / "below")))
    assert f"{tmp_path / 'file' / 'below'}: {tmp_path / 'file'} is a file, not a folder" in err
    assert "kernels/course library FOLDER" in err


# ---- the Scaladoc

# Names that a notebook uses. Each of their pages, and each member on it, must have a comment.
WORDS = (
    *("Trace", "TracedContext", "TracedService", "TaskSpan", "Worker", "Interval", "Timeline", "Scene", "WaitForGraph"),
    *("Jmh", "JmhResults", "JmhScore", "CellMagic", "MagicCell", "Estimate", "Rounds"),
    *("Chart", "BarValue", "LinePoints", "Latencies", "Live", "Table", "Display", "Display$$Handle", "Say"),
    *("Load", "LoadResult", "FlightRecorder", "FlightEvent", "Machine", "Profile", "Library", "Downloads"),
)


def test_the_scaladoc_begins_with_what_a_notebook_needs(made: Made) -> None:
    front = made.read("-javadoc.jar", "index.html")
    assert "<title>lab" in front and made.artifact.version in front and "\\$" not in front
    assert all(cell.split("`")[-1].strip() in front for cell in made.artifact.cells(made.repository)[1:])


def test_only_words_for_everybody_are_in_the_scaladoc(made: Made) -> None:
    pages = set(made.names("-javadoc.jar"))
    assert {"lab/trace/Trace.html", "lab/results/JmhResults.html", "lab/chart/Chart.html"} <= pages
    assert not {
        page
        for page in pages
        if re.match(r"lab/(exercises|forked|installation/Installation\.html|show/Markup|show/Panel|process/Jvm)", page)
    }


@pytest.mark.parametrize("word", WORDS)
def test_no_public_word_is_without_a_word_on_it(made: Made, word: str) -> None:
    pages = [page for page in made.names("-javadoc.jar") if re.fullmatch(rf"lab/(\w+/)*{re.escape(word)}\$?\.html", page)]
    assert pages
    assert [bare for page in pages for bare in undocumented(made.read("-javadoc.jar", page))] == []


# Types whose members Java or Scala documents.
FOREIGN = ("AutoCloseable", "ExecutorService", "Executor", "ExecutionContext", "AnyRef")


def is_foreign(entry: str) -> bool:
    defined = re.search(r"<dt>Definition Classes</dt><dd>(.*?)</dd>", entry)
    return bool(defined and any(name in defined[1] for name in FOREIGN))


def undocumented(page: str) -> list[str]:
    """Returns the members without a comment that the lab defines itself and that no `@param` of the page explains."""
    explained = re.findall(r'<dt class="param">([^<]+)</dt>', page)
    entries = re.findall(r'<li class="indented0 " name="lab\.[^"]*?([^".#]+)"(.*?)(?=<li class="indented0 "|$)', page, re.S)
    bare = [name for name, entry in entries if not re.search(r'class="(?:short)?comment cmt"', entry) and not is_foreign(entry)]
    return [name for name in bare if name not in (*explained, "toString", "&lt;init&gt;")]


# ---- in a plain notebook


def stand_in(workshop: stages.Workshop, folder: Path) -> list[str]:
    """Returns the words that start Ammonite with the part of Almond's API, without the lab on the class path."""
    ammonite = workshop.definition.modules["ammonite"]
    wish = workshop.definition.sets()["ammonite"]
    code, output, files = workshop.coursier.resolve(ammonite["dependencies"], jars.pinned(wish["force"], wish["exclude"]))
    assert code == 0, output
    path = [compile.jar_of("ammonite"), *files.values()]
    assert not any("plotly" in file.name for file in path)
    compiler = jars.fetched(workshop.lock, stages.wanted_sets(workshop.definition))
    assert compiler
    kernel = compile.compile_with(workshop.lock, "plain", sorted(PLAIN.glob("*.scala")), [], path, workshop.runtime, compiler)
    # The index that Ammonite would make itself, in many seconds.
    shutil.copytree(STORAGE, folder / "storage", ignore=lambda _, names: [name for name in names if not name.startswith("rt-")])
    return [os.pathsep.join(map(str, [kernel, *path])), "ammonite.course.PlainKernel", "{connection_file}", str(folder / "storage")]


def real_almond(workshop: stages.Workshop, folder: Path) -> list[str]:
    """Returns the words that start Almond with its own main program."""
    tried = almond.remembered(workshop.definition)
    if not tried or not tried.jars:
        pytest.skip(f"there is no Almond here: {tried.why if tried else 'COURSE_KERNEL asks for the embedded kernel'}")
    return [os.pathsep.join(map(str, tried.jars.all)), "almond.ScalaKernel", "--connection-file", "{connection_file}"]


def options(runtime: java.Java) -> list[str]:
    """Returns the JVM options of this machine's reader for certificates and proxy."""
    return [*runtime.quiet_options, *certificates.java_options(runtime), *proxy.java_options()]


class Plain(Session):
    """Holds a session of another kernel, in a separate folder and with a separate home."""

    def __init__(self, folder: Path, argv: list[str]) -> None:
        spec = folder / "kernels" / "plain" / "kernel.json"
        spec.parent.mkdir(parents=True)
        spec.write_text(json.dumps({"argv": argv, "display_name": "plain", "language": "scala"}))
        (folder / "home").mkdir()
        env = {name: value for name, value in os.environ.items() if not name.startswith(("COURSE_", "XDG_"))}
        env |= {"HOME": str(folder / "home"), "COURSIER_CACHE": str(coursier.cache_folder())}
        specs = KernelSpecManager(kernel_dirs=[str(folder / "kernels")], ensure_native_kernel=False)
        self.manager = KernelManager(kernel_name="plain", kernel_spec_manager=specs)
        self.client = start(self.manager, LIMIT, cwd=str(folder), env=env)
        adopt_updates(self.client.iopub_channel)

    def run(self, code: str, **options: Any) -> Ran:
        ran = super().run(code, **{"timeout": LIMIT, **options})
        for message in ran.kind("execute_result"):  # Almond's output has colours
            message["content"]["data"]["text/plain"] = plain(message["content"]["data"]["text/plain"])
        return ran


@dataclass(frozen=True)
class Notebook:
    """Holds the readers' notebook after it was executed, and its kernel for more cells."""

    kernel: Plain
    home: Path
    cells: dict[str, Ran]

    def cell(self, beginning: str) -> Ran:
        return next(ran for source, ran in self.cells.items() if source.startswith(beginning))

    def refused(self, code: str) -> str:
        """Returns the error of a cell that can't be run here."""
        ran = self.kernel.run(code)
        assert ran.status == "error", ran.published
        return " ".join(f"{ran.text('stderr')} {json.dumps(ran.reply)}".split())


@pytest.fixture(scope="module", params=[stand_in, real_almond], ids=["ammonite", "almond"])
def notebook(
    request: pytest.FixtureRequest, made: Made, workshop: stages.Workshop, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Notebook]:
    folder = tmp_path_factory.mktemp("elsewhere")
    home = f"-Duser.home={folder / 'home'}"
    argv = [str(workshop.java.program), "-Xmx512m", home, *options(workshop.java), "-cp", *request.param(workshop, folder)]
    sources = [cell.source for cell in nbformat.read(NOTEBOOK, as_version=4).cells if cell.cell_type == "code"]
    sources[0] = made.artifact.cells(made.repository)[0]
    with contextlib.closing(Plain(folder, argv)) as kernel:
        cells = {}
        for source in sources:
            ran = cells[source] = kernel.run(source)
            assert ran.status == "ok", f"{source}\n{ran.reply}\n{ran.text('stderr')}"
        yield Notebook(kernel, folder / "home", cells)


def shown(ran: Ran, mime: str) -> list[Any]:
    return [message["content"]["data"][mime] for message in ran.kind("display_data") if mime in message["content"]["data"]]


def test_the_lab_comes_from_the_repository_alone(notebook: Notebook, made: Made) -> None:
    where = notebook.kernel.value("classOf[lab.trace.Trace].getProtectionDomain.getCodeSource.getLocation.toURI")
    assert made.file(".jar").as_uri() in where.replace("file:///", "file:/").replace("file:/", "file:///")
    assert notebook.kernel.value('sys.props.get("course.home")').endswith("None")


def test_a_trace_becomes_a_timeline(notebook: Notebook) -> None:
    (figure,) = shown(notebook.cell("import java.util.concurrent"), PLOT)
    assert figure["data"] and figure["layout"]
    assert notebook.kernel.value("trace.spans.map(_.thread).distinct.size").endswith("Int = 2")


def test_a_cell_of_benchmarks_becomes_a_chart_and_a_value(notebook: Notebook) -> None:
    ran = notebook.cell("%%jmh")
    (figure,) = shown(ran, PLOT)
    assert len(figure["data"][0]["x"]) == 2
    updates = [message["content"]["data"]["text/plain"] for message in ran.kind("update_display_data")]
    assert updates[-1].startswith("%%jmh: 2 benchmarks measured in ")
    assert "Estimate = " in notebook.cell("results.ratio").result


def test_what_was_compiled_is_kept_in_the_users_cache(notebook: Notebook) -> None:
    (kept,) = [path for path in (notebook.home / ".cache" / "which-thread" / "lab" / "jmh").iterdir() if path.is_dir()]
    assert (kept / "classes").is_dir()


def test_another_scala_version_is_downloaded(notebook: Notebook) -> None:
    source = "import org.openjdk.jmh.annotations._\nclass Old { @Benchmark def size(): Int = util.Properties.versionNumberString.length }"
    ran = notebook.kernel.run(f"%%jmh --scala 2.12 --name old -f 1 -wi 1 -w 50ms -i 1 -r 50ms\n{source}")
    assert ran.status == "ok", ran.reply
    assert notebook.kernel.value("old.scores.map(_.scala)").endswith('Vector("2.12.20")')


@pytest.mark.parametrize(
    ("code", "what"),
    [
        ("%%kotlin\nfun one() = 1", "%%kotlin"),
        ("%%program --name shop --with play\nobject Shop", "%%program"),
        ("%%jmh --with play\nclass Nothing", "--with of %%jmh"),
        ("%%jmh --recorded 05-future-map\nclass Nothing", "what is recorded"),
        ("Published.claims", "what articles published"),
        ('lab.installation.ScalaLibraries("2.12.20")', "Scala library 2.12.20"),
        ("lab.installation.Jdks(17)", "A choice of JDKs"),
    ],
)
def test_what_only_the_course_has_says_why_and_what_to_do(notebook: Notebook, code: str, what: str) -> None:
    said = notebook.refused(code)
    assert f"{what} belongs to the course" in said or f"{what} (" in said, said
    assert "runs outside it" in said and "kernels/course lab" in said
