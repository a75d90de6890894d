"""Tests `%%jmh` in the course's kernel, from a cell to a chart and a value, and cells that fail."""

from __future__ import annotations

import contextlib
import json
import re
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from command.dependencies.java import sees_cpus
from sessions import Ran, Session, below, embedded_only, shown, told

PLOT = "application/vnd.plotly.v1+json"
LIMIT = 150  # seconds; each of these cells takes a few on a quiet machine

SHORT = "-f 1 -wi 1 -w 50ms -i 3 -r 50ms -bm avgt -tu ns"
SUMS = """import org.openjdk.jmh.annotations._

@State(Scope.Benchmark)
class Sums {
  @Param(Array("10", "1000")) var n: Int = _

  @Benchmark def loop(): Int = { var i = 0; var sum = 0; while (i < n) { sum += i; i += 1 }; sum }
  @Benchmark def range(): Int = (0 until n).sum
}
"""
ENDLESS = """import org.openjdk.jmh.annotations._
class Endless { @Benchmark def nothing(): Unit = () }
"""


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with contextlib.closing(Session()) as kernel:
        yield kernel


def measure(session: Session, source: str, options: str = SHORT) -> Ran:
    return session.run(f"%%jmh {options}\n{source}", timeout=LIMIT)


def test_a_cell_becomes_a_chart_a_table_and_a_value(session: Session) -> None:
    ran = measure(session, SUMS)
    assert ran.status == "ok", ran.reply
    (figure,) = shown(ran, PLOT)
    assert len(figure["data"][0]["x"]) == 4 and figure["data"][0]["error_y"]["visible"]
    assert any(text.startswith("JMH scores") and "Sums.loop" in text and " to " in text for text in shown(ran, "text/plain"))
    updates = [m["content"]["data"]["text/plain"] for m in ran.kind("update_display_data")]
    assert any("fork 1 of 1" in text and " left" in text for text in updates), updates
    assert updates[-1].startswith("%%jmh: 4 benchmarks measured in ")
    assert session.value("results.scores.size") == "res2: Int = 4"
    assert session.value(
        'results.scores.forall(s => s.unit == "ns/op" && s.mode == "avgt" && s.score > 0 && s.samples.size == 3)'
    ).endswith("true")
    assert session.value('results.filter(_.params("n") == "1000").ratio("loop", "loop").value').endswith("Double = 1.0")


def test_forks_are_rounds_in_which_each_benchmark_has_one(session: Session) -> None:
    ran = measure(session, SUMS.replace("Sums", "Turns"), f"{SHORT.replace('-f 1', '-f 3')} --name turns")
    assert ran.status == "ok", ran.reply
    updates = [m["content"]["data"]["text/plain"] for m in ran.kind("update_display_data")]
    forks = [found[1] for text in updates if (found := re.search(r"fork (\d) of 3", text))]
    assert forks == sorted(forks) and set(forks) == {"1", "2", "3"}, updates
    assert session.value("turns.scores.map(s => (s.params, s.forks.size, s.samples.size)).distinct.map(_._1)").endswith(
        'Vector(Map("n" -> "10"), Map("n" -> "1000"))'
    )
    assert session.value("turns.scores.forall(s => s.forks.size == 3 && s.samples.size == 9)").endswith("true")
    assert session.value("turns.scores.map(_.run).distinct.size").endswith("Int = 1")


def test_a_pattern_for_several_benchmarks_measures_each_as_itself(session: Session) -> None:
    source = """import org.openjdk.jmh.annotations._
class Pair {
  @Benchmark def firstOne: Int = 1
  @Benchmark def otherOne: Int = { Thread.sleep(2); 2 }
  @Benchmark def neither: Int = 3
}"""
    assert measure(session, source, f"{SHORT} --name pair .*One").status == "ok"
    assert session.value("pair.scores.map(_.name).toSet").endswith('Set("Pair.firstOne", "Pair.otherOne")')
    assert session.value('pair("otherOne").score > 1e6 && pair("firstOne").score < 1e6').endswith("true")


def test_the_same_source_is_compiled_once(session: Session) -> None:
    source = SUMS.replace("Sums", "Again")
    measure(session, source)
    again = measure(session, source, f"{SHORT} --name again Again.loop")
    assert again.status == "ok", again.reply
    assert not any("compiling" in m["content"]["data"]["text/plain"] for m in again.kind("update_display_data"))
    assert session.value("(results ++ again).scores.size").endswith("Int = 6")


def test_a_compile_error_has_the_cells_own_lines(session: Session) -> None:
    said = told(measure(session, "import org.openjdk.jmh.annotations._\n\nclass Wrong {\n  @Benchmark def one(): Int = missing\n}"))
    assert "line 5: not found: value missing" in said
    assert "\n  @Benchmark def one(): Int = missing\n" in said
    source = "import org.openjdk.jmh.annotations.*\n\nclass Wrong:\n  @Benchmark def one(): Int = missing"
    said = told(measure(session, source, f"{SHORT} --scala 3"))
    assert "\nline 5: Not Found Error\n" in said and "Not found: missing" in said, said


def test_what_the_generator_refuses_is_told(session: Session) -> None:
    said = told(measure(session, "import org.openjdk.jmh.annotations._\nfinal class Sealed { @Benchmark def one(): Int = 1 }"))
    assert "should not be final" in said


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ("--jdk 8", "JDK 8 "),
        ("--scala 2.9", "--scala 2.9"),
        ("--frobnicate", "--frobnicate"),
        ("-rf csv", "-rf can't"),
        ("--name 1st", "--name 1st"),
        ("-i many", "'many'"),
    ],
)
def test_an_option_that_cannot_be_is_named(session: Session, options: str, named: str) -> None:
    assert named in told(measure(session, ENDLESS, options))


def test_a_dead_fork_is_reported_with_its_output(session: Session) -> None:
    dying = 'class Dying { @Benchmark def dies(): Unit = { println("last words"); Runtime.getRuntime.halt(7) } }'
    said = told(measure(session, f"import org.openjdk.jmh.annotations._\n{dying}"))
    assert "Dying.dies failed" in said and "last words" in said and "exit code 7" in said
    assert below(session) == []


def test_a_benchmark_that_throws_is_reported_with_its_line(session: Session) -> None:
    said = told(
        measure(session, 'import org.openjdk.jmh.annotations._\nclass Bad {\n  @Benchmark def one(): Int = sys.error("on purpose")\n}')
    )
    assert "on purpose" in said and "(line 4)" in said and "BenchmarkHandler" not in said


def test_an_interrupt_leaves_no_process(session: Session) -> None:
    ran = run_until(session, "iteration 1 ", session.manager.interrupt_kernel, ENDLESS)
    assert "Interrupted" in told(ran)
    assert ran.seconds < 5
    assert below(session) == []
    assert session.value("1 + 1").endswith("Int = 2")


def test_a_call_that_never_returns_is_told_while_it_runs(session: Session) -> None:
    waiting = "class Waiting { @Benchmark def forever(): Unit = new java.util.concurrent.CountDownLatch(1).await() }"
    source = f"import org.openjdk.jmh.annotations._\n{waiting}"
    ran = run_until(session, "longer than planned", session.manager.interrupt_kernel, source, SHORT)
    assert "Interrupted" in told(ran)
    assert below(session) == []


def test_two_kernels_measure_at_once(session: Session) -> None:
    with contextlib.closing(Session()) as other:
        outcomes: list[Ran] = []
        threads = [
            threading.Thread(target=lambda kernel=kernel: outcomes.append(measure(kernel, SUMS.replace("Sums", "Both"))))
            for kernel in (session, other)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(LIMIT)
        assert [ran.status for ran in outcomes] == ["ok", "ok"], [ran.reply for ran in outcomes]


def test_versions_stand_side_by_side_and_an_absent_one_is_said(session: Session) -> None:
    ran = measure(session, SUMS, f"{SHORT} --scala 2.12,2.13 --jdk 8,11,17,25 -p n=10 --name versions")
    assert ran.status == "ok", ran.reply
    assert session.value("versions.scores.map(s => (s.scala.take(4), s.jdk.take(2))).distinct.size").endswith("Int = 6")
    assert "JDK 8 isn't here" in ran.text("stderr") and "JDK 8 isn't here" in session.value("versions")
    (figure,) = shown(ran, PLOT)
    assert [trace["name"] for trace in figure["data"] if trace["type"] == "bar"][:3] == [
        f"Scala 2.12.20, JDK {jdk}" for jdk in (11, 17, 25)
    ]


def test_a_recorded_cell_leaves_the_versions_to_the_full_profile(session: Session) -> None:
    options = f"{SHORT} --scala 2.12,2.13 --jdk 11,25 -p n=10 --recorded 99-nothing --name narrow"
    ran = measure(session, SUMS, options)
    assert ran.status == "ok", ran.reply
    assert session.value("narrow.scores.map(s => (s.scala.take(4), s.jdk.take(2))).distinct").endswith('Vector(("2.13", "25"))')
    assert "Nothing is recorded as 99-nothing yet" in ran.text("stderr")


@pytest.fixture
def one_cpu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Session]:
    """Yields a kernel that sees one CPU and keeps its records in the test's folder."""
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", sees_cpus(1))
    monkeypatch.setenv("COURSE_RESULTS", str(tmp_path))
    for name in ("COURSE_PROFILE", "COURSE_RECORD"):
        monkeypatch.delenv(name, raising=False)
    with contextlib.closing(Session()) as kernel:
        yield kernel


WARM = """import org.openjdk.jmh.annotations._
class Warm { @Benchmark def here(): Int = 1; @Benchmark def elsewhere(): Int = 2; @Benchmark def elsewhereItsOwn(): Int = 3 }
"""
AS_RECORDED = f"{SHORT} --name futureMap --recorded 05-future-map"
PRESS = 'val futureMap = Jmh.live("05-future-map")'
IS_RECORDED = "futureMap.recordings.size"


def words(ran: Ran) -> str:
    assert ran.status == "ok", ran.reply
    return "\n".join(shown(ran, "text/plain"))


def test_on_one_cpu_the_recorded_run_is_shown_and_the_second_press_measures(one_cpu: Session, tmp_path: Path) -> None:
    early = one_cpu.run(PRESS)
    assert "comes first" in told(early) and "--recorded 05-future-map" in told(early)
    assert "no %%jmh cell" in told(one_cpu.run('Jmh.live("05-future-mob")'))

    # The source doesn't compile. If that causes no error, nothing was compiled and no JVM was started.
    instead = measure(one_cpu, "no benchmark at all", AS_RECORDED)
    assert re.search(r"Not measured here: this JVM has 1 CPU\. You see the full run recorded on .+, \d{4}-\d\d-\d\d\.", words(instead))
    assert "recorded on" in words(instead)
    assert below(one_cpu) == []
    assert one_cpu.value(IS_RECORDED).endswith("Int = 1")

    measured = '"direct / smart" -> futureMap.ratio("direct", "smart")'
    claim = f'Claim("A13.smart-direct").measured({measured}).from(futureMap).must(true)'
    assert re.search(r"where +recorded on .+: \d+ CPUs, JDK \d+, Scala 2\.13\.\d+, profile full", words(one_cpu.run(claim)))
    (row,) = (tmp_path / "records.jsonl").read_text().splitlines()
    assert json.loads(row)["recorded"].startswith("recorded on ") and not json.loads(row)["here"]

    assert "Run this cell once more" in words(one_cpu.run(PRESS))
    assert one_cpu.value(IS_RECORDED).endswith("Int = 1")
    assert "don't compile" in told(one_cpu.run(PRESS, timeout=LIMIT))

    # The same cell with a source that compiles starts again.
    assert "Not measured here" in words(measure(one_cpu, WARM, AS_RECORDED))
    assert "Run this cell once more" in words(one_cpu.run(PRESS))
    live = one_cpu.run(PRESS, timeout=LIMIT)
    assert "JMH scores" in words(live) and "Warm.elsewhere " in words(live)
    (figure,) = shown(live, PLOT)
    assert "recorded" not in figure["layout"]["title"]["text"]
    assert one_cpu.value(IS_RECORDED).endswith("Int = 0")
    assert one_cpu.value("futureMap.scores.size").endswith("Int = 3")
    assert "Measured here" in words(one_cpu.run(PRESS))
    assert one_cpu.value(IS_RECORDED).endswith("Int = 0")


def test_with_more_cpus_the_cell_measures_and_the_button_returns_that(session: Session) -> None:
    if (psutil.cpu_count() or 1) == 1:
        pytest.skip("this machine has one CPU")
    ran = measure(session, WARM.replace("Warm", "Hot"), AS_RECORDED)
    assert "Hot.elsewhere " in words(ran) and "recorded on" in words(ran), "measured, and the recorded run beneath"
    assert "Measured here" in words(session.run(PRESS))
    assert session.value(IS_RECORDED).endswith("Int = 0")


def test_benchmarks_use_the_lab_and_what_the_session_imported(session: Session) -> None:
    assert session.run("import $ivy.`org.hdrhistogram:HdrHistogram:2.2.2`", timeout=LIMIT).status == "ok"
    source = """import org.openjdk.jmh.annotations._
@State(Scope.Thread)
class Recording {
  val histogram = new org.HdrHistogram.Histogram(3)
  @Benchmark def record(): Unit = histogram.recordValue(17)
  @Benchmark def say(): String = lab.show.Say.count(3, "task")
}"""
    ran = measure(session, source)
    assert ran.status == "ok", ran.reply


@embedded_only
def test_the_front_end_may_ask_about_such_a_cell(session: Session) -> None:
    code = f"%%jmh\n{SUMS}"
    assert session.answer(session.client.is_complete(code))["status"] == "complete"
    assert session.answer(session.client.complete(code, len(code)))["matches"] == []
    assert session.answer(session.client.inspect(code, 60))["status"] == "ok"


def run_until(session: Session, mark: str, act: Any, source: str, options: str = "-f 1 -wi 0 -i 100 -r 1s") -> Ran:
    """Runs a benchmark, and acts as soon as `mark` is shown. Returns the result, with the seconds since then."""
    ran, acted = Ran({}), threading.Event()

    def hook(message: dict[str, Any]) -> None:
        ran.published.append(message)
        text = message["content"].get("data", {}).get("text/plain", "")
        if mark in text and not acted.is_set():
            acted.set()
            ran.seconds = -time.monotonic()
            act()

    code = f"%%jmh {options}\n{source}"
    ran.reply = session.client.execute_interactive(code, timeout=LIMIT, output_hook=hook, allow_stdin=False)["content"]
    ran.seconds += time.monotonic()
    assert acted.is_set(), ran.published
    return ran
