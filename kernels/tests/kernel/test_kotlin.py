"""Tests `%%kotlin` in the course's kernel, from a cell to classes that Scala cells use, and cells that fail."""

from __future__ import annotations

import contextlib
import threading
import time
import uuid
from collections.abc import Callable, Iterator

import psutil
import pytest
from conftest import awaited
from sessions import Ran, Session, below, embedded_only, kernel_in_use, shown, told

LIMIT = 150  # seconds; a cell takes four on a quiet machine
COROUTINES = "import $ivy.`org.jetbrains.kotlinx:kotlinx-coroutines-core-jvm:1.11.0`"


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with contextlib.closing(Session()) as kernel:
        yield kernel


def kotlin(session: Session, source: str, options: str = "") -> Ran:
    return session.run(f"%%kotlin {options}\n{source}", timeout=LIMIT)


def compiled(session: Session, source: str, options: str = "") -> Ran:
    ran = kotlin(session, source, options)
    assert ran.status == "ok", ran.reply
    return ran


def fresh(source: str) -> str:
    """Returns the source with a comment that nobody has compiled before."""
    return f"{source}\n// {uuid.uuid4()}"


def lines(ran: Ran) -> list[str]:
    """Returns the texts of the line under the cell, in order."""
    updates = [m["content"]["data"]["text/plain"] for m in ran.kind("update_display_data")]
    return [*shown(ran, "text/plain"), *updates]


def test_the_next_scala_cell_uses_functions_properties_and_classes(session: Session) -> None:
    source = fresh(
        """import java.util.concurrent.atomic.AtomicInteger
fun hello(name: String = "you", times: Int = 1): String = List(times) { "hello $name" }.joinToString()
fun twice(work: (Int) -> Int): Int = work(work(3))
val limit = 7
sealed interface Shape
data class Circle(val radius: Double) : Shape
object Shapes { @JvmStatic fun unit() = Circle(1.0) }
"""
    )
    ran = compiled(session, source, "--name First")
    assert any("compiles, " in line for line in lines(ran)), lines(ran)
    assert lines(ran)[-1].startswith("%%kotlin: Circle, First, Shape, Shapes compiled by Kotlin 2.")
    assert session.value('First.hello("x", 2)').endswith('= "hello x, hello x"')
    assert session.value("First.twice(n => n * n)").endswith("Int = 81")
    assert session.value("First.getLimit").endswith("Int = 7")
    assert session.value("Shapes.unit.copy(2.0).getRadius").endswith("Double = 2.0")
    assert session.value("(new Circle(1.0): Shape) == Shapes.unit()").endswith("Boolean = true")


def test_names_without_an_option_and_with_a_package(session: Session) -> None:
    compiled(session, "fun six() = 6")
    assert session.value("CellKt.six()").endswith("Int = 6")
    compiled(session, "// why\npackage a.b\nfun seven() = 7\nclass Inside", "--name Packaged")
    assert session.value("Packaged.seven() + a.b.Packaged.seven()").endswith("Int = 14")
    assert session.value("new Inside().getClass.getName").endswith('= "a.b.Inside"')


def test_an_error_has_the_cells_line_and_a_caret(session: Session) -> None:
    said = told(kotlin(session, "\nfun good() = 1\n\nfun bad(): Int = missing + 1", "--name Wrong"))
    assert said.startswith("lab.magic.kotlin.KotlinRefused: the Kotlin doesn't compile.\n")
    report = said.splitlines()
    at = next(n for n, line in enumerate(report) if line.startswith("line 5: unresolved reference 'missing'"))
    assert report[at + 1] == "fun bad(): Int = missing + 1"
    assert report[at + 2].index("^") == report[at + 1].index("missing")
    assert "WARNING" not in said and "Cell.kt" not in said


def test_what_is_no_file_of_declarations_is_told(session: Session) -> None:
    assert "call it from a Scala cell" in told(kotlin(session, "println(1)", "--name Statement"))
    assert "no class compiled" in lines(compiled(session, "// nothing", "--name Nothing"))[-1]


def test_lines_and_carets_hold_below_an_annotated_file(session: Session) -> None:
    said = told(kotlin(session, "@file:OptIn(ExperimentalStdlibApi::class)\nfun bad() = missing", "--name Wrong"))
    assert "line 3: unresolved reference 'missing'" in said
    assert "\nfun bad() = missing\n            ^^^^^^^" in said


def test_a_warning_is_shown_and_no_failure_each_time(session: Session) -> None:
    source = fresh("fun cast(n: Int): Int = n as Int")
    for _ in range(2):
        ran = compiled(session, source, "--name Warned")
        assert "line 2: warning: cast is redundant" in ran.text("stderr")
        assert "n as Int" in ran.text("stderr") and "^" in ran.text("stderr")
    assert "cast is redundant" in told(kotlin(session, source, "--name Warned -Werror"))


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ("--frobnicate", "--frobnicate"),
        ("-frobnicate", ": -frobnicate"),
        ("--name 1st", "--name 1st"),
        ("--name", "--name needs a value"),
        ("Name", "Name is no option"),
        ("-d out", "-d can't"),
        ("-cp x", "-cp can't"),
        ("-script", "-script can't"),
    ],
)
def test_an_option_that_cannot_be_is_named(session: Session, options: str, named: str) -> None:
    assert named in told(kotlin(session, "fun f() = 1", options))


def test_the_same_source_is_compiled_once_in_whichever_kernel() -> None:
    first, second = fresh("fun one() = 1"), fresh("fun two() = one() + 1")
    with contextlib.closing(Session()) as kernel, contextlib.closing(Session()) as other:
        for source, name in ((first, "One"), (second, "Two")):
            assert "compiled by" in lines(compiled(kernel, source, f"--name {name}"))[-1]
        forks: set[int] = set()
        with watching(kernel, forks), watching(other, forks):
            again = [compiled(k, source, f"--name {name}") for k in (kernel, other) for source, name in ((first, "One"), (second, "Two"))]
        assert forks == set(), "no compiler is started"
        assert all(len(lines(ran)) == 1 and "compiled before by Kotlin 2." in lines(ran)[0] for ran in again), [lines(ran) for ran in again]
        assert kernel.value("One.one() + Two.two()").endswith("Int = 3")
        assert other.value("One.one() + Two.two()").endswith("Int = 3")
        # The class against which it was compiled has changed.
        compiled(kernel, first.replace("= 1", "= 5"), "--name One")
        assert "compiled by" in lines(compiled(kernel, second, "--name Two"))[-1]
        assert kernel.value("Two.two()").endswith("Int = 6")


def test_a_changed_cell_gives_new_classes_also_where_one_extends_another(session: Session) -> None:
    source = (
        'abstract class Aa { abstract fun n(): Int }\nopen class Zz(val of: String) : Aa() { override fun n() = 1 }\nclass Mm : Zz("one")'
    )
    for number, word in [(1, "one"), (2, "two"), (1, "one")]:
        compiled(session, source.replace("n() = 1", f"n() = {number}").replace("one", word), "--name Again")
        assert session.value("val made: Zz = new Mm; made.n() -> made.getOf").endswith(f'({number}, "{word}")')


def test_an_object_of_a_replaced_class_keeps_it(session: Session) -> None:
    compiled(session, "class Kept { fun n() = 1 }", "--name Keeping")
    session.value("val kept = new Kept; def keptN = kept.n()")
    compiled(session, "class Kept { fun n() = 2 }", "--name Keeping")
    assert session.value("keptN -> new Kept().n()").endswith("(1, 2)")
    assert "loader constraint violation" in told(session.run("kept.n()"))


def test_a_run_again_cell_starts_afresh(session: Session) -> None:
    source = "val count = java.util.concurrent.atomic.AtomicInteger()"
    compiled(session, source, "--name Counting")
    assert session.value("Counting.getCount.incrementAndGet() + Counting.getCount.get").endswith("Int = 2")
    compiled(session, source, "--name Counting")
    assert session.value("Counting.getCount.get").endswith("Int = 0")


def test_scala_definitions_outlive_a_kotlin_cell(session: Session) -> None:
    session.value("val kept = 41; import scala.util.Random; def more(n: Int) = n + 1; case class Kept(n: Int); val it = Kept(kept)")
    compiled(session, fresh("fun nothing() = Unit"), "--name Between")
    assert session.value("it.copy(more(it.n)) == Kept(42) && new Random(1) != null").endswith("true")


def test_earlier_cells_are_seen_and_those_of_the_same_name_are_replaced(session: Session) -> None:
    compiled(session, "class Given(val n: Int)\nfun given() = Given(3)", "--name Lower")
    compiled(session, "fun upper() = given().n + Given(4).n", "--name Upper")
    assert session.value("Upper.upper()").endswith("Int = 7")
    said = told(kotlin(session, "fun other() = given()", "--name Lower"))
    assert "given: an earlier %%kotlin cell has it" in said and "cell.Lower" in said and "--name" in said


def test_the_source_uses_the_lab_and_coroutines_that_the_session_imported(session: Session) -> None:
    assert session.run(COROUTINES, timeout=LIMIT).status == "ok"
    source = """import kotlinx.coroutines.*
fun thread(): String = Thread.currentThread().name
fun threads(): List<String> = runBlocking {
  val here = thread()
  val inherited = async { thread() }.await()
  val default = withContext(Dispatchers.Default) { delay(1); thread() }
  listOf(here, inherited, default, lab.show.Say.count(3, "task", "tasks"))
}
"""
    compiled(session, source, "--name Threads -opt-in=kotlinx.coroutines.DelicateCoroutinesApi")
    value = session.value(
        'val seen = Threads.threads(); (seen.get(0) == seen.get(1), seen.get(2).startsWith("DefaultDispatcher"), seen.get(3))'
    )
    assert value.endswith('(true, true, "3 tasks")')
    versions = session.value("kotlin.KotlinVersion.CURRENT.toString")
    assert lines(compiled(session, "val x = 1", "--name Version"))[-1].split("Kotlin ")[1].split(",")[0].strip('"') in versions


def test_a_cell_with_a_main_runs_in_a_jvm_of_its_own(session: Session) -> None:
    source = 'fun main(arguments: Array<String>) = println("said=${arguments.joinToString()} in ${ProcessHandle.current().pid()}")'
    compiled(session, source, "--name Alone")
    said = session.value('lab.magic.kotlin.Kotlin.program("Alone").run(Seq("one", "two")).values("said")').split('"')[1]
    assert said.startswith("one, two in ")
    assert int(said.split()[-1]) != psutil.Process(session.manager.provisioner.pid).pid
    refused = told(session.run('lab.magic.kotlin.Kotlin.program("Nowhere")'))
    assert "--name Nowhere" in refused and "Alone" in refused


def test_a_stack_trace_names_the_cells_lines(session: Session) -> None:
    compiled(session, 'fun fail() {\n  error("on purpose")\n}', "--name Failing")
    ran = session.run("Failing.fail()")
    assert ran.status == "error" and any("Failing.kt:3" in line for line in ran.reply["traceback"]), ran.reply


def test_a_compiler_that_dies_is_reported_with_its_output(session: Session) -> None:
    said = told(kotlin(session, fresh("fun f() = listOf(1).map { it + 1 }"), "-J-Xmx16m"))
    assert "KotlinFailed" in said and "OutOfMemoryError" in said and "-Xmx16m" in said and "-J-Xmx400m" in said
    assert below(session) == []
    said = told(kotlin(session, fresh("fun f() = 1"), "-J-XX:Frobnicate"))
    assert "Frobnicate" in said and "exit code 1" in said


def test_an_interrupt_ends_the_compiler(session: Session) -> None:
    ran, forks, acted = Ran({}), set[int](), threading.Event()

    def hook(message: dict) -> None:
        ran.published.append(message)
        if "compiles, " in str(message["content"].get("data", {})) and not acted.is_set():
            acted.set()
            awaited(lambda: below(session), LIMIT)  # the line may come just before the compiler starts
            forks.update(process.pid for process in below(session))
            ran.seconds = -time.monotonic()
            session.manager.interrupt_kernel()

    source = fresh("%%kotlin --name Interrupted\nfun never() = 1")
    ran.reply = session.client.execute_interactive(source, timeout=LIMIT, output_hook=hook, allow_stdin=False)["content"]
    ran.seconds += time.monotonic()
    assert "Interrupted" in told(ran)
    assert forks, "the compiler ran when it was interrupted"
    assert ran.seconds < 5 and below(session) == []
    assert "interrupted" in lines(ran)[-1] or kernel_in_use() == "almond", "Almond's last update may come after the cell"
    assert session.value("1 + 1").endswith("Int = 2")


def test_two_kernels_compile_the_same_cell_at_once(session: Session) -> None:
    source = fresh("fun both() = 1")
    with contextlib.closing(Session()) as other:
        outcomes: list[Ran] = []
        run: Callable[[Session], None] = lambda kernel: outcomes.append(kotlin(kernel, source, "--name Both"))  # noqa: E731
        threads = [threading.Thread(target=run, args=(kernel,)) for kernel in (session, other)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(LIMIT)
        assert [ran.status for ran in outcomes] == ["ok", "ok"], [ran.reply for ran in outcomes]
        assert all(kernel.value("Both.both()").endswith("Int = 1") for kernel in (session, other))


@embedded_only
def test_the_front_end_may_ask_about_such_a_cell(session: Session) -> None:
    code = "%%kotlin\nfun f("
    assert session.answer(session.client.is_complete(code))["status"] == "complete"
    assert session.answer(session.client.complete(code, len(code)))["matches"] == []
    compiled(session, "fun completed() = 1", "--name Completing")
    assert "completed" in session.answer(session.client.complete("Completing.comp", 15))["matches"]


@contextlib.contextmanager
def watching(session: Session, forks: set[int]) -> Iterator[None]:
    """Collects the processes that the kernel starts during the block."""
    kernel, over = psutil.Process(session.manager.provisioner.pid), threading.Event()

    def look() -> None:
        while not over.wait(0.02):
            forks.update(child.pid for child in kernel.children(recursive=True))

    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()
