package ammonite.course

import java.io.{ByteArrayOutputStream, PrintStream}

import ammonite.course.Session.Outcome

/** Tests the classes that `%%kotlin` adds to a session, with the code that both kernels use for it. */
class SessionClassesSuite extends munit.FunSuite {

  override val munitTimeout = scala.concurrent.duration.Duration(120, "s")

  private def start(): (String => Outcome) = {
    val stream = new PrintStream(new ByteArrayOutputStream, true, "UTF-8")
    val session = new Session(os.Path(sys.props("course.storage"), os.pwd), stream, stream)
    lab.magic.SessionClasses.install(session.define(_, _))
    val numbers = Iterator.from(1)
    session.run(_, numbers.next())
  }

  private def value(run: String => Outcome)(code: String): String = run(code) match {
    case Outcome.Value(text) => text
    case other               => fail(s"expected a value of $code, but got $other")
  }

  test("changed classes replace the old ones, and everything else stays") {
    val run = start()
    def cell(code: String): String = value(run)(code)
    cell("import scala.util.Random; val kept = 41; def more(n: Int) = n + 1; case class Kept(n: Int)")
    def kotlin(n: Int) = s"%%kotlin --name Door\nfun n() = $n\nabstract class Zz { open fun m() = $n }\nclass Aa : Zz()"
    Seq(1, 2, 1).foreach { n =>
      assertEquals(cell(kotlin(n)), "")
      assertEquals(cell("(Door.n(), (new Aa: Zz).m())").dropWhile(_ != '='), s"= ($n, $n)")
    }
    val loaders = "Iterator.iterate(Thread.currentThread.getContextClassLoader)(_.getParent).takeWhile(_ != null).size"
    val before = cell(loaders).dropWhile(_ != '=')
    assertEquals(cell(kotlin(1)), "")
    assertEquals(cell("Door.n()").dropWhile(_ != '='), "= 1")
    assertEquals(cell(loaders).dropWhile(_ != '='), before, "the same classes need no new loader")
    val counter = "%%kotlin --name Counter\nvar count = 0\nfun next() = ++count + Aa().m()"
    cell(counter)
    cell("Counter.next()")
    cell(counter)
    assertEquals(cell("Counter.next()").dropWhile(_ != '='), "= 2", "a cell that runs again starts afresh")
    cell("val old = new Aa")
    cell(kotlin(3))
    cell(counter)
    assertEquals(cell("Counter.next()").dropWhile(_ != '='), "= 4", "and uses the newest classes")
    assert(cell("Kept(more(kept)) == Kept(42) && new Random(1) != null").endsWith("true"))
    assert(cell("new Aa().m() -> new Aa().getClass.getName").endsWith("(3, \"cell.Aa\")"))
  }
}
