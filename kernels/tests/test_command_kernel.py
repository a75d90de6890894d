"""Which kernel set-up takes, from where, and how Jupyter is told to start it."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
from command import coursier, java, kernel
from command.jars import Definition, Lock

ALMOND = "sh/almond/scala-kernel_2.13.18/0.14.5"
POM = """<project><modelVersion>4.0.0</modelVersion><groupId>sh.almond</groupId>
<artifactId>scala-kernel_2.13.18</artifactId><version>0.14.5</version></project>"""


@pytest.fixture
def almonds(tmp_path: Path) -> str:
    """A repository that holds something by the name of Almond, beside Maven's central one."""
    folder = tmp_path / "almonds" / ALMOND
    folder.mkdir(parents=True)
    (folder / "scala-kernel_2.13.18-0.14.5.pom").write_text(POM)
    with zipfile.ZipFile(folder / "scala-kernel_2.13.18-0.14.5.jar", "w") as jar:
        jar.writestr("almond.txt", "a stand-in")
    return f"central|{(tmp_path / 'almonds').as_uri()}"


def spec_of(clone) -> dict:
    folder = clone.python.parent.parent / "share" / "jupyter" / "kernels" / "scala-course"
    return json.loads((folder / "kernel.json").read_text())


def test_almond_is_taken_where_it_is_and_only_there(clone_with_coursier, almonds):
    clone = clone_with_coursier
    done = clone.run("setup", COURSIER_REPOSITORIES=almonds)
    assert done.code == 0, done.said
    argv = spec_of(clone)["argv"]
    assert argv[argv.index("-cp") + 1].endswith(f"almonds/{ALMOND}/scala-kernel_2.13.18-0.14.5.jar")
    assert argv[argv.index("--connection-file") + 1] == "{connection_file}"
    assert argv[argv.index("--extra-class-path") + 1].startswith(str(clone.folder / ".build" / "jars" / "lab.jar"))
    assert "-Dcourse.kernel=almond" in argv
    assert not any("{" in word and word != "{connection_file}" for word in argv)
    assert "almond 0.14.5" in clone.run("doctor", COURSIER_REPOSITORIES=almonds).out
    # The same clone under other settings: forced, and with repositories that lack it.
    assert clone.run("setup", COURSIER_REPOSITORIES=almonds, COURSE_KERNEL="ammonite").code == 0
    assert "-Dcourse.kernel=ammonite" in spec_of(clone)["argv"]
    first = clone.run("setup", COURSIER_REPOSITORIES="central")
    assert "Almond is not in the configured repositories" in first.err
    assert clone.run("setup", COURSIER_REPOSITORIES="central").err.count("Almond is not") == 1  # in the closing line: not tried again
    assert spec_of(clone)["interrupt_mode"] == "message"


@pytest.mark.parametrize(
    ("variable", "central", "remote", "local"),
    [
        ("", True, [], []),
        ("central|file:///a%20b", True, [], ["/a b"]),
        ("https://one.example/maven/|http://two.example", False, ["https://one.example/maven", "http://two.example"], []),
        ("ivy2Local|central", True, [], []),
        ("file:///only", False, [], ["/only"]),
    ],
)
def test_coursiers_repositories_are_jgos(variable, central, remote, local):
    found = coursier.repositories({"COURSIER_REPOSITORIES": variable})
    assert (found["central"], list(found["remote"].values()), found["local"]) == (central, remote, local)


def test_every_placeholder_of_almonds_command_line_is_filled(monkeypatch):
    monkeypatch.setattr(kernel.certificates, "java_options", lambda _: ["-Dstore=x"])
    definition, lock = Definition.read(), Lock.read()
    files = {c: Path("/jars") / c for c in lock.coordinates("lab")}
    choice = kernel.Choice(kernel.ALMOND, "0.14.5", "because", (Path("/almond/a.jar"), Path("/almond/b.jar")))
    argv, layout = kernel.almond_argv(choice, java.Java(Path("/java"), "25", "test"), definition, lock, files)
    assert argv[0] == "/java/bin/java"
    assert argv[argv.index("-cp") + 1] == "/almond/a.jar:/almond/b.jar"
    assert Path(argv[argv.index("--predef") + 1]).is_file()
    assert [word for word in argv if "{" in word] == ["{connection_file}"]
    assert layout["interrupt_mode"] in ("message", "signal")


def test_options_are_read_without_comments(tmp_path):
    file = tmp_path / "jvm.options"
    file.write_text("# why\n-Xmx1g\n\n  -Xss2m  \n")
    assert kernel.read_options(file) == ["-Xmx1g", "-Xss2m"]


@pytest.mark.parametrize(("text", "major"), [("25.0.2", 25), ("17", 17), ("1.8.0_402", 8), ("", 0)])
def test_java_versions_are_understood(text, major):
    assert java.Java(Path("/"), text, "").major == major
