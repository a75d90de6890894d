"""Tests that locked JARs get into coursier's cache without a resolver."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import http.server
import json
import os
import signal
import socket
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from command.base.paths import KERNELS
from command.base.problem import Problem
from command.dependencies import coursier, fetch_jars, java, python_env

PLAIN, CLASSIFIED = "g.h:a:1", "g.h:a:jar:linux-x86_64:1"
PATHS = {PLAIN: "g/h/a/1/a-1.jar", CLASSIFIED: "g/h/a/1/a-1-linux-x86_64.jar"}
CONTENT = {coordinate: f"the JAR {coordinate}".encode() for coordinate in PATHS}
SUMS = {coordinate: hashlib.sha256(content).hexdigest() for coordinate, content in CONTENT.items()}


@contextlib.contextmanager
def served(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """Yields the address of a repository on this machine, and the list of requested paths."""
    asked: list[str] = []

    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *words: object) -> None:
            asked.append(self.path)

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", asked
    server.shutdown()


def repository(folder: Path, *coordinates: str) -> Path:
    for coordinate in coordinates:
        path = folder / "maven2" / PATHS[coordinate]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(CONTENT[coordinate])
    return folder


@pytest.fixture
def tool(monkeypatch, tmp_path) -> coursier.Coursier:
    python = python_env.ready(tests=True)
    assert python
    monkeypatch.setenv("COURSIER_CACHE", str(tmp_path / "cache"))
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    return coursier.Coursier(python, java.bundled(python.bundled_java), {})


@pytest.mark.parametrize("coordinate", PATHS)
def test_where_a_repository_has_a_jar(coordinate):
    assert fetch_jars.path_in_repository(coordinate) == PATHS[coordinate]


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("https://one.example/maven2/a.jar", "/cache/https/one.example/maven2/a.jar"),
        ("http://one.example:8080/a.jar", "/cache/http/one.example%3A8080/a.jar"),
        ("https://anna:secret@one.example/a.jar", "/cache/https/anna@one.example/a.jar"),
        ("file:///a%20folder/a.jar", "/a folder/a.jar"),
    ],
)
def test_where_coursier_keeps_it(url, place):
    assert fetch_jars.place(Path("/cache"), url) == Path(place)


def test_each_jar_comes_from_the_first_repository_that_has_it_and_only_once(monkeypatch, tmp_path, tool):
    files = repository(tmp_path / "files", CLASSIFIED)
    with served(repository(tmp_path / "served", PLAIN)) as (address, asked):
        monkeypatch.setenv("COURSIER_REPOSITORIES", f"{address}/maven2/|{(files / 'maven2').as_uri()}")
        found = tool.bring(SUMS)
        assert found == tool.bring(SUMS)
    assert found[PLAIN].read_bytes() == CONTENT[PLAIN]
    assert found[PLAIN].is_relative_to(tmp_path / "cache" / "http")
    assert found[CLASSIFIED] == files / "maven2" / PATHS[CLASSIFIED]  # in place, as coursier uses it
    assert sorted(asked) == [f"/maven2/{PATHS[PLAIN]}"]
    assert not list((tmp_path / "cache").rglob("*.part*"))


def test_what_another_copy_of_the_central_repository_brought_is_taken(monkeypatch, tmp_path, tool):
    there = repository(tmp_path / "cache" / "https" / "elsewhere.example", PLAIN)
    monkeypatch.setenv("COURSIER_REPOSITORIES", "file:///no/such/folder")
    assert tool.bring({PLAIN: SUMS[PLAIN]}) == {PLAIN: there / "maven2" / PATHS[PLAIN]}


def test_a_damaged_jar_in_the_cache_is_fetched_again(monkeypatch, tmp_path, tool):
    with served(repository(tmp_path / "served", PLAIN)) as (address, asked):
        monkeypatch.setenv("COURSIER_REPOSITORIES", f"{address}/maven2")
        found = tool.bring({PLAIN: SUMS[PLAIN]})[PLAIN]
        found.write_bytes(CONTENT[PLAIN][:5])
        assert tool.bring({PLAIN: SUMS[PLAIN]}) == {PLAIN: found}
    assert found.read_bytes() == CONTENT[PLAIN] and len(asked) == 2


def test_a_jar_that_no_repository_has(monkeypatch, tmp_path, tool):
    with served(repository(tmp_path / "served", PLAIN)) as (address, _):
        monkeypatch.setenv("COURSIER_REPOSITORIES", f"{address}/maven2")
        with pytest.raises(Problem) as caught:
            tool.bring(SUMS)
    assert f"not found: {address}/maven2/{PATHS[CLASSIFIED]}" in caught.value.details
    assert "Check that COURSIER_REPOSITORIES holds them all" in caught.value.remedy


def test_an_altered_jar(monkeypatch, tmp_path, tool):
    with served(repository(tmp_path / "served", PLAIN)) as (address, _):
        monkeypatch.setenv("COURSIER_REPOSITORIES", f"{address}/maven2")
        with pytest.raises(Problem, match=f"The checksum of {PLAIN} differs"):
            tool.bring({PLAIN: "0" * 64})
    assert not [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]  # an altered file never gets there


def test_what_a_killed_download_left_goes_and_one_under_way_is_let_alone(monkeypatch, tmp_path):
    gone, left, new = (tmp_path / f".part-{name}" for name in ("gone", "left", "new"))
    for folder in (left, new):
        folder.mkdir()
    os.utime(left, (0, 0))
    # A folder that existed when the list was made, and is gone at its turn.
    monkeypatch.setattr(Path, "glob", lambda folder, pattern: iter([gone, left, new]))
    fetch_jars.sweep(tmp_path)
    assert new.exists() and not left.exists()


def test_a_download_ends_immediately_if_the_set_up_that_started_it_has_ended(tmp_path, tool):
    ended = subprocess.Popen(["true"])
    ended.wait()
    with socket.create_server(("127.0.0.1", 0)) as silent:  # it accepts a connection, and never answers
        wish = {"cache": str(tmp_path), "repositories": [f"http://127.0.0.1:{silent.getsockname()[1]}"], "checksums": SUMS}
        code, said = tool.python.run_module("dependencies.fetch_jars", str(ended.pid), cwd=KERNELS, given=json.dumps(wish), limit=30)
    assert (code, said) == (-signal.SIGKILL, "")
