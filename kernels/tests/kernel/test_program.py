"""Tests `%%program`, `Server` and `Gatling`: programs in separate JVMs, from the cell to the last process, none of which may remain."""

from __future__ import annotations

import contextlib
import threading
import uuid
from collections.abc import Iterator

import psutil
import pytest
from conftest import awaited
from sessions import Ran, Session, below, embedded_only, shown, told

LIMIT = 120  # seconds; scalac takes ten on a busy machine

LISTENER = """
import java.net.{InetAddress, ServerSocket}
object Listener {
  def main(arguments: Array[String]): Unit = {
    val socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress)
    val child = new ProcessBuilder("sleep", "1000").start()
    println(s"ready with ${arguments.mkString(" ")}, process ${child.pid}, port ${socket.getLocalPort}")
    while (true) socket.accept().close()
  }
}
"""


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with contextlib.closing(Session()) as kernel:
        yield kernel


def program(session: Session, source: str, options: str) -> Ran:
    return session.run(f"%%program {options}\n{source}", timeout=LIMIT)


def compiled(session: Session, source: str, options: str) -> Ran:
    ran = program(session, source, options)
    assert ran.status == "ok", ran.reply
    return ran


def last_line(ran: Ran) -> str:
    updates = [m["content"]["data"]["text/plain"] for m in ran.kind("update_display_data")]
    return [*shown(ran, "text/plain"), *updates][-1]


def gone(processes: list[psutil.Process], within: float = 15) -> list[psutil.Process]:
    """Returns the processes that still run after so many seconds."""
    return psutil.wait_procs(processes, timeout=within)[1]


@pytest.fixture
def listening(session: Session) -> Iterator[Session]:
    compiled(session, LISTENER, "--name listener")
    assert session.run('val server = lab.process.Server.start(listener, Seq("two", "words"))', timeout=LIMIT).status == "ok"
    yield session
    session.run("server.close()")


def test_a_server_is_ready_listens_and_is_closed_with_all_that_it_started(listening: Session) -> None:
    assert "ready with two words" in listening.value("server.readyLine")
    assert listening.value("new java.net.Socket(java.net.InetAddress.getLoopbackAddress, server.port).isConnected").endswith("true")
    assert listening.value("server.output.size").endswith("= 1")
    processes = below(listening)
    assert {"java", "sleep"} <= {process.name() for process in processes}
    assert listening.run("server.close()").status == "ok"
    assert gone(processes, 0.5) == []
    assert listening.value("server.isRunning").endswith("false")
    assert "closed" in listening.value("server")
    assert listening.run("server.close()").status == "ok"


def test_starting_it_again_ends_the_one_before(listening: Session) -> None:
    before = below(listening)
    assert listening.run("val server = lab.process.Server.start(listener)", timeout=LIMIT).status == "ok"
    assert gone(before, 0.5) == []
    assert len([process for process in below(listening) if process.name() == "java"]) == 1


def test_a_restarted_kernel_leaves_no_process() -> None:
    with contextlib.closing(Session()) as kernel:
        compiled(kernel, LISTENER, "--name listener")
        assert kernel.run("val server = lab.process.Server.start(listener)", timeout=LIMIT).status == "ok"
        processes = below(kernel)
        assert {"java", "sleep"} <= {process.name() for process in processes}
        kernel.manager.restart_kernel(now=False)
        assert gone(processes) == []


def test_an_interrupt_while_it_starts_leaves_no_process(session: Session) -> None:
    compiled(session, "object Mute { def main(a: Array[String]): Unit = Thread.sleep(100000) }", "--name mute")
    before = set(below(session))
    timer = threading.Thread(target=interrupt_when_started, args=(session, before))
    timer.start()
    ran = session.run("lab.process.Server.start(mute)", timeout=LIMIT)
    timer.join()
    assert "Interrupted" in told(ran)
    assert gone([process for process in below(session) if process not in before], 0.5) == []


def interrupt_when_started(session: Session, before: set[psutil.Process]) -> None:
    """Interrupts the kernel as soon as there is a new process, because the kernel must know it from the start."""
    assert awaited(lambda: not set(below(session)) <= before, LIMIT)
    session.manager.interrupt_kernel()


def test_one_that_ends_too_early_is_told_with_what_it_said(session: Session) -> None:
    compiled(session, 'object Early { def main(a: Array[String]): Unit = throw new java.net.BindException("taken") }', "--name early")
    said = told(session.run("lab.process.Server.start(early)", timeout=LIMIT))
    assert "early ended with exit code 1 before it was ready" in said and "'ready.*'" in said
    assert "java.net.BindException: taken" in said and "(cell.scala:2)" in said
    assert "InvocationTargetException" not in said


def test_one_that_is_never_ready_is_killed_and_told(session: Session) -> None:
    compiled(session, 'object Slow { def main(a: Array[String]): Unit = { println("almost"); Thread.sleep(100000) } }', "--name slow")
    before = set(below(session))
    said = told(session.run("import scala.concurrent.duration._; lab.process.Server.start(slow, limit = 2.seconds)", timeout=LIMIT))
    assert "slow wasn't ready after 2 s" in said and "'ready.*'" in said and "almost" in said
    assert set(below(session)) <= before


def test_it_needs_exactly_one_main(session: Session) -> None:
    compiled(session, "object None { val x = 1 }", "--name nothing")
    assert "nothing has nothing to start" in told(session.run("lab.process.Server.start(nothing)"))
    two = "object A { def main(a: Array[String]): Unit = () }\nobject B { def main(a: Array[String]): Unit = () }"
    compiled(session, two, "--name both")
    assert "both has 2 mains (A, B)" in told(session.run("lab.process.Server.start(both)"))


def test_an_error_has_the_cells_line_and_a_warning_is_shown(session: Session) -> None:
    said = told(program(session, "\nobject Wrong {\n  val n: Int = missing\n}", "--name wrong"))
    assert said.startswith("lab.magic.program.ProgramRefused: the program doesn't compile.\nline 4: not found: value missing"), said
    source = f'object Warned {{ @deprecated("old", "1") def f = 1; val n = f }} // {uuid.uuid4()}\nobject Other {{ val n = Warned.f }}'
    for _ in range(2):
        assert "line 3: warning: method f in object Warned is deprecated" in compiled(session, source, "--name warned").text("stderr")


def test_a_program_for_scala_3(session: Session) -> None:
    main = "  def main(arguments: Array[String]): Unit =\n    println(supervised(fork(1 + 2).join()))"
    source = f"import ox.*\n// {uuid.uuid4()}\nobject Three:\n{main}"
    assert "compiled by scalac 3." in last_line(compiled(session, source, "--name three --scala 3 --with ox"))
    assert session.run("print(three.run().lines.last)", timeout=LIMIT).text() == "3"
    said = told(program(session, "\nobject Wrong:\n  val n: Int = missing", "--name wrong --scala 3"))
    assert "\nline 4: Not Found Error\n" in said and "Not found: missing" in said, said
    said = told(program(session, "object X", "--name x --scala 4"))
    assert "--scala 4: not here; there are " in said and "2.13." in said and " 3." in said, said


def test_the_same_source_is_compiled_once(session: Session) -> None:
    source = f"object Once // {uuid.uuid4()}"
    assert "compiled by scalac" in last_line(compiled(session, source, "--name once"))
    assert "compiled before by scalac" in last_line(compiled(session, source, "--name again"))
    assert "again (no main)" in session.value("again")


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ("", "it has no name"),
        ("--name Shop!", "--name Shop!"),
        ("--frobnicate", "--frobnicate"),
        ("--name x --with nowhere", "--with nowhere"),
    ],
)
def test_an_option_that_cannot_be_is_named(session: Session, options: str, named: str) -> None:
    said = told(program(session, "object X", options))
    assert "ProgramRefused" in said and named in said


def test_gatling_that_fails_is_told_and_leaves_nothing(session: Session) -> None:
    source = 'import io.gatling.core.Predef._\nclass Still extends Simulation { setUp(scenario("x").exec(s => s).inject(atOnceUsers(1))) }'
    compiled(session, source, "--name still --with gatling")
    said = told(session.run('lab.load.Gatling.run(still, "Other")', timeout=LIMIT))
    assert "exit code 1" in said and "ClassNotFoundException: Other" in said
    said = told(session.run('lab.load.Gatling.run(still, "Still")', timeout=LIMIT))
    assert "0 answers" in said and "Answers.tell" in said
    assert [process for process in below(session) if process.name() == "java"] == []


@embedded_only
def test_a_system_is_not_on_the_kernels_own_class_path(session: Session) -> None:
    assert told(session.run('Class.forName("play.api.Mode")')).startswith("java.lang.ClassNotFoundException")
