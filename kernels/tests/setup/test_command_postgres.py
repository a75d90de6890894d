"""Tests PostgreSQL's programs: for which machines they exist, what is unpacked, and how a failure is handled."""

from __future__ import annotations

import io
import tarfile
import zipfile

import pytest
from command.base import files
from command.dependencies import jars
from command.setup import doctor, postgres

LOCK = jars.Lock.read()


@pytest.fixture
def jar(monkeypatch, tmp_path):
    """Makes a JAR like the real ones, but smaller, and lets set-up use the test's folders."""
    monkeypatch.setattr(files, "STAMPS", tmp_path / "stamps")
    monkeypatch.setattr(postgres, "POSTGRES", tmp_path / "postgres")
    monkeypatch.setattr(postgres, "set_name", lambda: "postgres-linux-amd64")
    made = tmp_path / "binaries.jar"
    monkeypatch.setattr(postgres, "fetched", lambda lock, names: {LOCK.coordinates(names[0])[0]: made})
    inner = io.BytesIO()
    with tarfile.open(fileobj=inner, mode="w:xz") as archive:
        for name in ("bin/postgres", "include/server/pg_config.h", "lib/libpq.a", "lib/libpq.so.5", "share/postgresql/postgres.bki"):
            entry = tarfile.TarInfo(f"./{name}")
            entry.mode, entry.size = (0o755 if name.startswith("bin/") else 0o644), len(name)
            archive.addfile(entry, io.BytesIO(name.encode()))
    with zipfile.ZipFile(made, "w") as outer:
        outer.writestr("META-INF/MANIFEST.MF", "")
        outer.writestr("postgres-linux-x86_64.txz", inner.getvalue())
    return made


@pytest.mark.parametrize(
    ("system", "processor", "name"),
    [
        ("Linux", "x86_64", "postgres-linux-amd64"),
        ("Linux", "aarch64", "postgres-linux-arm64v8"),
        ("Darwin", "arm64", "postgres-darwin-arm64v8"),
        ("Linux", "riscv64", None),
        ("Windows", "AMD64", None),
    ],
)
def test_the_set_is_this_platforms(monkeypatch, system, processor, name):
    monkeypatch.setattr(postgres.platform, "system", lambda: system)
    monkeypatch.setattr(postgres.platform, "machine", lambda: processor)
    assert postgres.set_name() == name
    assert name is None or len(LOCK.coordinates(name)) == 1


def test_what_runs_is_unpacked_and_what_only_a_compiler_reads_is_not(jar):
    assert not postgres.was_asked_for(LOCK)
    postgres.provide(LOCK)
    there = sorted(str(path.relative_to(postgres.home())) for path in postgres.home().rglob("*") if path.is_file())
    assert there == ["bin/postgres", "lib/libpq.so.5", "share/postgresql/postgres.bki"]
    assert (postgres.home() / "bin" / "postgres").stat().st_mode & 0o111
    assert postgres.installed(LOCK) and postgres.was_asked_for(LOCK)


def test_what_is_there_is_not_unpacked_again_and_what_was_deleted_is(jar, capsys):
    postgres.provide(LOCK)
    capsys.readouterr()
    postgres.provide(LOCK)
    assert "unpacking" not in capsys.readouterr().err
    (postgres.home() / "bin" / "postgres").unlink()
    assert not postgres.installed(LOCK)
    postgres.provide(LOCK)
    assert postgres.installed(LOCK)


def test_once_unpacked_its_jar_is_needed_no_more(jar):
    """Checks that set-up works without the JAR, which the image leaves out."""
    name = postgres.set_name()
    assert not postgres.has_unpacked(name, LOCK)
    postgres.provide(LOCK)
    jar.unlink()
    assert postgres.has_unpacked(name, LOCK) and not postgres.has_unpacked("postgres-darwin-arm64v8", LOCK)
    postgres.provide(LOCK)
    assert postgres.installed(LOCK)


def test_one_that_cannot_be_unpacked_is_said_and_tried_again(jar, monkeypatch, capsys):
    def refuse(*_, **__):
        raise tarfile.CompressionError("lzma module is not available")

    with monkeypatch.context() as patched:
        patched.setattr(postgres.tarfile, "open", refuse)
        postgres.provide(LOCK)
    assert "PostgreSQL could not be unpacked (lzma module is not available)" in capsys.readouterr().err
    assert postgres.was_asked_for(LOCK) and not postgres.installed(LOCK)  # pages don't wait for it
    postgres.provide(LOCK)
    assert postgres.installed(LOCK)


def test_the_doctor_names_it_and_the_other_way(jar, monkeypatch):
    def line() -> str:
        found = doctor.Findings()
        doctor.examine_postgres(found)
        assert not found.todo  # only one page uses it
        return dict(found.lines)["PostgreSQL"]

    assert doctor.SET_UP in line() and "COURSE_PG_URL" in line()
    postgres.provide(LOCK)
    assert line() == str(postgres.home())
    monkeypatch.setattr(postgres, "set_name", lambda: None)
    assert "there is none for" in line() and "COURSE_PG_URL" in line()


def test_every_platform_has_its_programs_in_the_lock():
    for name in jars.Definition.read().content["postgres"]:
        (coordinate,) = LOCK.coordinates(jars.postgres_set(name))
        assert f"-{name}:" in coordinate
