"""Tests the locks: their age, which packages stay behind the newest release and why, and that none has a known vulnerability."""

from __future__ import annotations

import datetime
import json
import re
import sys

import pytest
from command.base.paths import JDK_LOCKS, LOCKS, PYTHON_LOCK, PYTHON_TEST_LOCK
from command.dependencies.jars import Definition, Lock
from command.testing import ages
from command.testing.reports import Count, summary
from test_command_jars import served

sys.path.append(str(LOCKS))
import releases

# The first version of each release line without these vulnerabilities.
REPAIRED = {
    "io.netty": {"4.1": "4.1.133.Final", "4.2": "4.2.13.Final"},  # CVE-2025-67735, CVE-2026-33871, -42578, -42587
    "ch.qos.logback": {"1": "1.5.25"},  # CVE-2025-11226, CVE-2026-1225
    "io.zonky.test.postgres": {"18": "18.2.0"},
}
ELSEWHERE = ("netty-tcnative",)  # artifacts of Netty with a different numbering


def repaired(coordinate: str) -> bool:
    """Returns whether a locked JAR is repaired. Its release line must have a repair, and it must not be older. Unlisted JARs pass."""
    group, artifact, *_, version = coordinate.split(":")
    if group not in REPAIRED or artifact.startswith(ELSEWHERE):
        return True
    lines = [first for line, first in REPAIRED[group].items() if version.startswith(f"{line}.")]
    return bool(lines) and releases.order(version) >= releases.order(lines[0])


def test_no_locked_jar_is_below_a_known_repair():
    coordinates = Lock.read().content["jars"]
    assert any(c.startswith("io.netty:netty-codec-http:4.1.") for c in coordinates)
    assert [c for c in coordinates if not repaired(c)] == []


def test_a_version_below_a_repair_is_found():
    below = ["io.netty:netty-codec-http:4.1.122.Final", "ch.qos.logback:logback-classic:1.5.18", "io.netty:netty-buffer:4.0.1.Final"]
    assert not any(map(repaired, below))


def test_every_lock_has_a_date_and_every_date_a_lock():
    assert sorted(json.loads(ages.LOOKED.read_text())) == ages.locks()


def test_the_last_lines_of_the_tests_name_old_locks(tmp_path):
    today, looked = datetime.date(2026, 11, 24), tmp_path / "looked.json"
    dates = {**dict.fromkeys(ages.locks(), "2026-11-23"), "python.txt": "2026-08-26", "jars.json": "2026-08-25"}
    del dates["uv.txt"]
    looked.write_text(json.dumps(dates))
    lines = summary({"lint": Count(2)}, [ages.report(today, looked)]).splitlines()
    assert "python.txt 90 days" in lines[2] and "python-test.txt 1 day," in lines[2] and "uv.txt no date" in lines[2]
    assert [line.split(" days;")[0].split(" date;")[0] for line in lines[3:-1]] == ["OLD LOCK: jars.json: 91", "OLD LOCK: uv.txt: no"]
    assert "update.py" in lines[3] and lines[-1] == str(Count(2))


def test_what_stays_is_pinned_and_has_its_reason():
    held = json.loads((LOCKS / "held.json").read_text())
    pinned = {c for wish in Definition.read().sets().values() for c in (*wish["roots"], *wish["boms"])}
    packages = "".join(lock.read_text() for lock in (PYTHON_LOCK, PYTHON_TEST_LOCK, *JDK_LOCKS.glob("*.txt")))
    gone = [pin for pin in held if pin not in pinned and not re.search(rf"^{re.escape(pin)}\s", packages, re.M)]
    assert gone == [] and all(held.values())


LISTS = {
    "g:a": ["1.0", "1.2", "1.10", "2.0-M1", "2.0-RC1", "2.0.0.Alpha1", "2.0-SNAPSHOT"],
    "g:b": ["1.0", "1.2", "1.10", "1.11"],
    "g:pre": ["1.0-M3"],
}


@pytest.mark.parametrize(
    ("pins", "held", "newest"),
    [
        (["g:a:1.0"], [], {"g:a:1.0": "1.10"}),
        (["g:a:1.0", "g:b:1.0"], [], {"g:a:1.0": "1.10", "g:b:1.0": "1.10"}),  # artifacts of one group are updated together
        (["g:a:1.0", "g:b:1.0"], ["g:b:1.0"], {"g:a:1.0": "1.10", "g:b:1.0": "1.11"}),
        (["g:pre:1.0-M2"], [], {"g:pre:1.0-M2": "1.0-M2"}),
    ],
)
def test_the_newest_release_is_found_in_the_configured_repository(tmp_path, pins, held, newest):
    for module, versions in LISTS.items():
        place = tmp_path / releases.folder(module)
        for version in versions:
            (place / version).mkdir(parents=True)
            (place / version / f"{place.name}-{version}.pom").touch()
        listed = "".join(f"<version>{version}</version>" for version in versions)
        (place / "maven-metadata.xml").write_text(f"<metadata>{listed}</metadata>")
    with served(tmp_path) as (address, _):
        assert releases.newest(releases.configured([address]), pins, held) == newest


def test_a_version_that_a_mirror_has_for_one_part_only_is_left(tmp_path):
    for module, versions in {"g:a": ["1.1", "1.2"], "g:b": ["1.1"]}.items():
        place = tmp_path / releases.folder(module)
        for version in versions:
            (place / version).mkdir(parents=True)
            (place / version / f"{place.name}-{version}.pom").touch()
        (place / "maven-metadata.xml").write_text("<metadata><version>1.1</version><version>1.2</version></metadata>")
    with served(tmp_path) as (address, _):
        assert releases.newest(releases.configured([address]), ["g:a:1.0", "g:b:1.0"], []) == {"g:a:1.0": "1.1", "g:b:1.0": "1.1"}


def test_a_repository_that_fails_is_no_answer(tmp_path):
    with served(tmp_path) as (address, _), pytest.raises(OSError, match="refused"):
        releases.newest(releases.configured([address.rpartition(":")[0] + ":1"]), ["g:a:1.0"], [])
