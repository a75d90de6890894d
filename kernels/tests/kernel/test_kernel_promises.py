"""Tests what both kernels promise after set-up: they download nothing more, and leave nothing behind when they end."""

from __future__ import annotations

import contextlib
import json
import os
import zipfile
from pathlib import Path

import psutil
import pytest
from command.base.paths import BUILD_DEFINITION
from command.pages.execute import adopt_updates
from jupyter_client.manager import KernelManager
from sessions import KERNEL, LIMIT, Session

POM = """<project><modelVersion>4.0.0</modelVersion><groupId>org.example</groupId>
<artifactId>greeting</artifactId><version>1.0</version></project>"""


class Configured(Session):
    """Holds a kernel with additional JVM options and environment variables, and a client of it."""

    def __init__(self, *options: str, **variables: str) -> None:
        self.manager = KernelManager(kernel_name=KERNEL)
        argv = self.manager.kernel_spec.argv
        argv[argv.index("-cp") : argv.index("-cp")] = options  # if a property has two values, the JVM takes the last
        self.manager.start_kernel(env={**os.environ, **variables})
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=LIMIT)
        adopt_updates(self.client.iopub_channel)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Makes a Maven repository with one library: its JAR and its source JAR."""
    folder = tmp_path / "repository" / "org" / "example" / "greeting" / "1.0"
    folder.mkdir(parents=True)
    (folder / "greeting-1.0.pom").write_text(POM)
    for name in ("greeting-1.0.jar", "greeting-1.0-sources.jar"):
        with zipfile.ZipFile(folder / name, "w") as jar:
            jar.writestr("greeting.txt", "hello")
    return tmp_path / "repository"


def test_an_import_brings_a_librarys_jar_and_not_its_sources(repository: Path) -> None:
    with contextlib.closing(Configured(COURSIER_REPOSITORIES=repository.as_uri())) as session:
        ran = session.run("import $ivy.`org.example:greeting:1.0`")
        assert (ran.status, ran.text("stderr")) == ("ok", "")
        names = 'repl.sess.frames.flatMap(_.classpath).map(_.getPath.split("/").last).filter(_.startsWith("greeting"))'
        assert session.value(f"val brought = {names}") == 'brought: List[String] = List("greeting-1.0.jar")'


def test_what_pages_import_comes_without_a_network() -> None:
    libraries = json.loads(BUILD_DEFINITION.read_text())["notebooks"]
    nowhere = [f"-D{scheme}.proxy{part}" for scheme in ("http", "https") for part in ("Host=127.0.0.1", "Port=9")]
    with contextlib.closing(Configured(*nowhere)) as session:
        for library in libraries:
            ran = session.run(f"import $ivy.`{library}`")
            assert (ran.status, ran.text("stderr"), ran.text()) == ("ok", "", ""), library


@pytest.mark.parametrize("end", ["shutdown", "terminate", "kill"])
def test_a_kernel_leaves_nothing_in_the_temp_folder(end: str, tmp_path: Path) -> None:
    temp = tmp_path / "temp"
    temp.mkdir()
    options, variables = [f"-Djava.io.tmpdir={temp}"], {"TMPDIR": str(temp)}
    if end == "kill":  # with empty caches, so that the kernel first makes the JAR of the JDK's classes
        options.append(f"-Dcourse.storage={tmp_path / 'storage'}")
        variables["XDG_CACHE_HOME"] = str(tmp_path / "cache")
    with contextlib.closing(Configured(*options, **variables)) as session:
        assert session.value("val six = 6") == "six: Int = 6"
        kernel = psutil.Process(session.manager.provisioner.pid)
        session.manager.shutdown_kernel() if end == "shutdown" else getattr(kernel, end)()
        kernel.wait(timeout=20)
    assert list(temp.iterdir()) == []
