"""Tests the course's kernel as a front end uses it: with the Jupyter project's own suite, and what the course needs beyond it.

It tests the kernel that set-up chose. If that is Almond, it skips what only the embedded kernel promises, and says so.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import jupyter_kernel_test
import psutil
import pytest
from command.base.paths import TESTS
from command.setup.kernel import AOT
from command.setup.starting import start
from conftest import new_kernel
from jupyter_client.manager import KernelManager
from sessions import KERNEL, LIMIT, Ran, Session, embedded_only, kernel_in_use


class TestProtocol(jupyter_kernel_test.KernelTests):
    """Runs the suite that tests every Jupyter kernel."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.km, cls.kc = new_kernel()

    def flush_channels(self) -> None:
        """Reads what earlier requests still send. A reply comes before its "idle", and the suite's own method waits 0.1 s for that."""
        last = self.kc.kernel_info()
        message = None
        while message is None or message["parent_header"].get("msg_id") != last or message["content"].get("execution_state") != "idle":
            message = self.kc.get_iopub_msg(timeout=jupyter_kernel_test.TIMEOUT)
        super().flush_channels()

    kernel_name = KERNEL
    language_name = "scala"
    file_extension = ".sc"
    code_hello_world = 'println("hello, world")'
    code_stderr = 'System.err.println("test")'
    completion_samples = [{"text": "List(1).mapC", "matches": {"mapConserve"}}, {"text": "scala.concurrent.Fut", "matches": {"Future"}}]
    complete_code_samples = ["1 + 1", "val x = 1", "def f(n: Int) = {\n  n + 1\n}"]
    incomplete_code_samples = ["val x = {", "def f(", "List(1,"]
    invalid_code_samples = ["val x = )", "if else"]
    code_generate_error = 'throw new Exception("on purpose")'
    code_execute_result = [{"code": "val six = 6", "result": "six: Int = 6"}, {"code": 'val a = "b"', "result": 'a: String = "b"'}]
    code_display_data = [
        {"code": 'lab.show.Display.show(Map("text/plain" -> "x", "text/html" -> "<b>x</b>"))', "mime": "text/html"},
        {
            "code": 'lab.show.Display.show(Map("text/plain" -> "x", "application/vnd.plotly.v1+json" -> "{\\"data\\": []}"))',
            "mime": "application/vnd.plotly.v1+json",
        },
    ]
    if kernel_in_use() != "almond":
        code_inspect_sample = "List(1).map"  # Almond's answer lacks the metadata that this suite requires
        code_history_pattern = "val ?ix = *"
        supported_history_operations = ("tail", "range", "search")


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    session = Session()
    with contextlib.closing(session):
        yield session


# ---- results and output


def test_each_result_stands_on_a_line_of_its_own(session: Session) -> None:
    assert session.value('val one = 1\nval two = "2"') == 'one: Int = 1\ntwo: String = "2"'


def test_the_lab_is_imported(session: Session) -> None:
    if kernel_in_use() != "almond":  # in Almond, its own name shadows the lab's
        assert session.run("val own: lab.show.Display.type = lab.show.Display").status == "ok"
    assert session.run("val timeline = Timeline").status == "ok"


def test_output_comes_while_the_cell_runs(session: Session) -> None:
    arrived: dict[str, float] = {}

    def hook(message: dict[str, Any]) -> None:
        if message["msg_type"] == "stream":
            arrived.setdefault(message["content"]["text"].strip(), time.monotonic())

    session.run('print("before")\nThread.sleep(700)\nprint("after")', output_hook=hook)
    assert arrived["after"] - arrived["before"] > 0.4, arrived


def test_a_result_is_published_after_what_the_cell_printed(session: Session) -> None:
    ran = session.run('print("first"); System.err.print("second"); 3')
    kinds = [m["msg_type"] for m in ran.published if m["msg_type"] in ("stream", "execute_result")]
    assert kinds == ["stream", "stream", "execute_result"]
    assert (ran.text(), ran.text("stderr")) == ("first", "second")


def test_what_a_thread_of_the_cell_prints_is_not_lost(session: Session) -> None:
    ran = session.run('val printer = new Thread(() => println("from a thread"))\nprinter.start()\nprinter.join()')
    assert ran.text() == "from a thread\n"


def test_five_megabytes_of_text_arrive_whole(session: Session) -> None:
    ran = session.run('for (_ <- 1 to 100000) println("x" * 50)')
    assert ran.status == "ok"
    assert len(ran.text()) == 5_100_000


@embedded_only
def test_text_travels_in_few_messages(session: Session) -> None:
    ran = session.run("for (n <- 1 to 20000) print(n)")
    assert len(ran.kind("stream")) < 500


@embedded_only
def test_of_ten_thousand_updates_the_last_one_stands(session: Session) -> None:
    code = """val counter = lab.show.Display.updatable(Map("text/plain" -> "0"))
for (n <- 1 to 10000) counter.update(Map("text/plain" -> n.toString))"""
    ran = session.run(code)
    updates = ran.kind("update_display_data")
    assert updates[-1]["content"]["data"]["text/plain"] == "10000"
    assert len(updates) < 1000
    shown = ran.kind("display_data")[0]["content"]["transient"]["display_id"]
    assert {update["content"]["transient"]["display_id"] for update in updates} == {shown}


def test_ten_thousand_displays_arrive_in_order(session: Session) -> None:
    ran = session.run('for (n <- 1 to 10000) lab.show.Display.show(Map("text/plain" -> n.toString))')
    assert [int(m["content"]["data"]["text/plain"]) for m in ran.kind("display_data")] == list(range(1, 10001))


def test_json_reaches_the_front_end_as_an_object(session: Session) -> None:
    ran = session.run('lab.show.Display.show(Map("text/plain" -> "x", "application/json" -> "{\\"a\\": [1, null]}"))')
    assert ran.kind("display_data")[0]["content"]["data"]["application/json"] == {"a": [1, None]}


def test_a_cell_that_showed_something_lists_only_what_has_no_name(session: Session) -> None:
    defined = "val two = 2\ndef three = 3\nclass Four"
    panel = 'Table("caption", Seq("head"), Seq(Seq("cell"))).show()'
    assert session.value(defined).splitlines()[0] == "two: Int = 2"
    assert session.value(f"{defined}\n{panel}") == ""
    assert session.value(f"{defined}\n{panel}\ntwo + three").endswith("Int = 5")
    assert "two: Int" not in session.value(f"{panel}\n{defined}\ntwo + three")
    assert session.value(f'{defined}\nlab.show.Display.show(Map("text/plain" -> "half done"))').splitlines()[0] == "two: Int = 2"


# ---- errors


def test_a_compile_error_points_at_line_and_place(session: Session) -> None:
    ran = session.run("val fine = 1\n\nval broken: Int = fine + missing")
    assert ran.status == "error"
    assert isinstance(ran.reply.get("traceback"), list) or kernel_in_use() == "almond"
    told = "\n".join(ran.kind("error")[0]["content"]["traceback"]) if kernel_in_use() != "almond" else ran.text("stderr")
    assert "missing" in told
    if kernel_in_use() != "almond":
        assert f"cell {ran.count}, line 3" in told
        lines = told.splitlines()
        assert lines[2].index("^") == lines[1].index("missing")


@embedded_only
def test_the_count_moves_on_after_a_compile_error(session: Session) -> None:
    before = session.run("1").count
    assert session.run("nonsense").count == before + 1
    assert session.run("1").count == before + 2


@embedded_only
def test_a_trace_is_short_and_points_at_cell_and_line(session: Session) -> None:
    defined = session.run('def fails(n: Int): Int =\n  if (n == 0) sys.error("boom") else fails(n - 1)')
    ran = session.run("\n\nList(1).foreach(_ => fails(0))")
    trace = ran.kind("error")[0]["content"]["traceback"]
    assert (ran.reply["ename"], ran.reply["evalue"]) == ("java.lang.RuntimeException", "boom")
    assert any(f"fails (cell {defined.count}, line 2)" in line for line in trace), trace
    assert f"(cell {ran.count}, line 3)" in trace[-1]
    assert len(trace) < 10


def test_a_full_heap_and_a_deep_recursion_are_survived(session: Session) -> None:
    session.value('val kept = "still here"')
    assert "OutOfMemoryError" in session.run("val all = Iterator.continually(new Array[Long](10000000)).toList").reply["ename"]
    assert "StackOverflowError" in session.run("def down(n: Int): Int = 1 + down(n + 1)\ndown(0)").reply["ename"]
    assert session.value("kept").endswith('= "still here"')


def test_queued_cells_are_aborted_after_an_error(session: Session) -> None:
    requests = [session.client.execute(code) for code in ('throw new Exception("first")', "var ran = true", "1")]
    aborted = "abort" if kernel_in_use() == "almond" else "aborted"  # Almond 0.14 uses another word
    assert [session.answer(request)["status"] for request in requests] == ["error", aborted, aborted]
    assert session.value("val after = 1 + 1").endswith("= 2")
    assert session.run("ran").status == "error"


def test_without_stop_on_error_queued_cells_run(session: Session) -> None:
    requests = [session.client.execute(code, stop_on_error=False) for code in ('throw new Exception("first")', "val going = 3")]
    assert [session.answer(request)["status"] for request in requests] == ["error", "ok"]


@embedded_only
def test_silent_execution_prints_nothing_and_counts_nothing(session: Session) -> None:
    before = session.run("1").count
    ran = session.run('println("loud")\n7', silent=True, store_history=False)
    assert ran.status == "ok"
    assert {m["msg_type"] for m in ran.published} <= {"status"}
    assert session.run("1").count == before + 1


# ---- threads and interrupts


def test_a_cell_that_starts_with_object_can_await_futures_over_its_members(session: Session) -> None:
    code = """object Members { val one = 1 }
import scala.concurrent._, duration._
Await.result(Future(Members.one)(ExecutionContext.global), 20.seconds)"""
    assert session.value(code).endswith("Int = 1")


@pytest.mark.parametrize(
    "waiting",
    [
        "Thread.sleep(50000)",
        "new java.util.concurrent.CountDownLatch(1).await()",
        'scala.concurrent.Await.result(scala.concurrent.Promise[Int]().future, scala.concurrent.duration.Duration(50, "s"))',
    ],
)
def test_an_interrupt_stops_a_waiting_cell_at_once(session: Session, waiting: str) -> None:
    ran = session.run_interrupted(f'println("running"); {waiting}')
    assert ran.status == "error"
    assert ran.seconds < 5
    assert session.value("val alive = 1").endswith("= 1")


@embedded_only
def test_an_interrupt_while_a_cell_is_compiled_is_told_as_one(session: Session) -> None:
    # It compiles long enough that the interrupt reaches the compiler. If the compiler ignores it, the cell's first wait must react.
    code = "\n".join(f"def member{n}(list: List[Int]) = list.map(_ + {n}).groupBy(_ % 3).view.mapValues(_.sum).toMap" for n in range(300))
    request = session.client.execute(f"{code}\nThread.sleep(20000)")
    session.await_begin(request)
    session.client.control_channel.send(session.client.session.msg("interrupt_request", {}))
    assert session.answer(request).get("ename") == "Interrupted"
    session.client.get_control_msg(timeout=LIMIT)
    assert session.value("val compiling = 1").endswith("= 1")


@embedded_only
def test_an_interrupt_stops_a_cell_that_prints_for_ever(session: Session) -> None:
    ran = session.run_interrupted('while (true) println("again")')
    assert ran.reply["ename"] == "Interrupted"
    assert ran.seconds < 5


@embedded_only
def test_an_interrupted_busy_loop_is_told_what_to_do(session: Session) -> None:
    code = """println("running")
val until = System.nanoTime + 4000000000L
while (System.nanoTime < until) {}"""
    ran = session.run_interrupted(code)
    assert ran.status == "ok"
    assert f"cell {ran.count}, line 3" in ran.text("stderr")
    assert "Restart" in ran.text("stderr")
    assert session.value("val living = 1").endswith("= 1")


def test_an_interrupt_between_cells_harms_nobody(session: Session) -> None:
    # Not through the manager, which doesn't wait for the reply, so that the interrupt could reach the next cell.
    session.client.control_channel.send(session.client.session.msg("interrupt_request", {}))
    assert session.client.get_control_msg(timeout=LIMIT)["header"]["msg_type"] == "interrupt_reply"
    assert session.value("Thread.sleep(50)\nval unharmed = 1").endswith("= 1")


# ---- input, dependencies, life and death


def test_a_cell_can_ask_for_a_line(session: Session) -> None:
    code = "val typed = scala.io.StdIn.readLine()" if kernel_in_use() != "almond" else "val typed = kernel.stdin()"
    ran = Ran({})
    ran.reply = session.client.execute_interactive(
        code,
        allow_stdin=True,
        timeout=LIMIT,
        output_hook=ran.published.append,
        stdin_hook=lambda _: session.client.input("an answer"),
    )["content"]
    assert ran.result == 'typed: String = "an answer"'


@embedded_only
def test_where_nobody_can_answer_input_ends(session: Session) -> None:
    assert session.value("val nothing = System.in.read()").endswith("= -1")


@embedded_only
def test_a_cell_that_waits_for_input_can_be_interrupted(session: Session) -> None:
    ran = Ran({})
    ran.reply = session.client.execute_interactive(
        "scala.io.StdIn.readLine()",
        allow_stdin=True,
        timeout=LIMIT,
        output_hook=ran.published.append,
        stdin_hook=lambda _: session.manager.interrupt_kernel(),
    )["content"]
    assert ran.reply["ename"] == "Interrupted"
    assert session.value("val unasked = 1").endswith("= 1")


def test_a_dependency_is_fetched_from_a_cell(session: Session) -> None:
    code = "import $ivy.`org.typelevel::cats-kernel:2.13.0`\nval sum = cats.kernel.Monoid[Int].combine(40, 2)"
    assert session.value(code).endswith("Int = 42")


@embedded_only
def test_a_cell_can_not_name_what_is_hidden(session: Session) -> None:
    assert session.value('Class.forName("scala.meta.Tree").getName').endswith('"scala.meta.Tree"'), "it is there"
    ran = session.run("scala.meta.dialects.Scala213")
    assert ran.reply["ename"] == "CompileError"
    assert "object meta is not a member of package scala" in "\n".join(ran.reply["traceback"])


@embedded_only
def test_a_dependency_that_does_not_exist_is_an_error_with_its_name(session: Session) -> None:
    ran = session.run("import $ivy.`org.example::nothing-of-this-name:1.0`")
    assert ran.reply["ename"] == "ImportError"
    assert "nothing-of-this-name" in "\n".join(ran.reply["traceback"])


def test_signature_and_scaladoc_are_told(session: Session) -> None:
    reply = session.answer(session.client.inspect("lab.show.Display.updatable(Map.empty)", 20))
    assert reply["found"]
    if kernel_in_use() == "almond":
        assert "Handle" in reply["data"]["text/html"]
    else:
        assert "Handle" in reply["data"]["text/plain"] and "returns the handle" in reply["data"]["text/plain"]


@embedded_only
def test_positions_count_characters_not_code_units(session: Session) -> None:
    code = 'val fish = "\U0001f41f\U0001f41f"; fish.lengt'
    reply = session.answer(session.client.complete(code, len(code)))
    assert "length" in reply["matches"]
    assert reply["cursor_start"] == len(code) - len("lengt")


def test_nothing_is_logged_and_shutdown_is_quick(tmp_path) -> None:
    log = tmp_path / "log"
    manager = KernelManager(kernel_name=KERNEL)
    with log.open("wb") as sink:
        client = start(manager, LIMIT, stdout=sink, stderr=sink)
        client.execute_interactive('println("to the front end only")', timeout=LIMIT, output_hook=lambda _: None)
        process = psutil.Process(manager.provisioner.pid)
        client.shutdown()
        process.wait(timeout=10)
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    passed_over = ("Picked up ", "NOTE: Picked up ", "[scala-course] The kernel can't listen at ")  # then it was started again
    assert [line for line in log.read_text().splitlines() if not line.startswith(passed_over)] == []


def test_kernels_share_most_of_their_start_up_archive(session: Session) -> None:
    """The JVM copies what it changes. If it has moved the archive, that is three quarters of it, and otherwise at most 40 %."""
    if sys.platform != "linux":
        pytest.skip("only Linux says which memory is a copy")
    mapped = [one for one in psutil.Process(session.manager.provisioner.pid).memory_maps() if one.path == str(AOT)]
    if not mapped:
        pytest.skip("this JDK makes no archive")
    assert mapped[0].anonymous < 0.5 * mapped[0].rss, mapped


def test_a_kernel_does_not_outlive_the_front_end_that_was_killed() -> None:
    starter = """
import time
from conftest import new_kernel
manager, client = new_kernel()
print(manager.provisioner.pid, flush=True)
time.sleep(600)
"""
    front_end = subprocess.Popen([sys.executable, "-c", starter], cwd=TESTS, stdout=subprocess.PIPE, text=True)
    assert front_end.stdout
    kernel = psutil.Process(int(front_end.stdout.readline()))
    front_end.kill()
    front_end.wait()
    kernel.wait(timeout=20)


def test_a_restart_forgets_everything() -> None:
    with contextlib.closing(Session()) as session:
        session.run("val gone = 1")
        session.manager.restart_kernel()
        session.client.wait_for_ready(timeout=LIMIT)
        assert session.run("gone").status == "error"
        assert session.value("val fresh = 2") == "fresh: Int = 2"


@embedded_only
def test_a_message_nobody_signed_is_passed_over(session: Session) -> None:
    key = session.client.session.key
    session.client.session.key = b"not the key"
    try:
        unsigned = session.client.execute("val forged = 1")
    finally:
        session.client.session.key = key
    # Later requests on the same connection are answered later.
    signed = session.client.execute("forged")
    reply = session.client.get_shell_msg(timeout=LIMIT)
    assert reply["parent_header"]["msg_id"] == signed != unsigned
    assert reply["content"]["status"] == "error", "the forged cell was executed"
    assert session.value("val trusted = 1").endswith("= 1")
