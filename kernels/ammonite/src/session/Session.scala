package ammonite.course

import java.io.{ByteArrayOutputStream, PrintStream}
import java.nio.charset.StandardCharsets.UTF_8
import java.util.concurrent.atomic.AtomicInteger

import ammonite.compiler.{CompilerBuilder, Parsers}
import ammonite.interp.Interpreter
import ammonite.main.Defaults
import ammonite.repl.{FullReplAPI, ReplApiImpl, SessionApiImpl}
import ammonite.repl.api.{FrontEnd, History, ReplLoad}
import ammonite.runtime.{Frame, Storage}
import ammonite.util.{Colors, Evaluated, Imports, Name, PredefInfo, Printer, Ref, Res}
import lab.magic.{CellMagic, ClassFile}
import lab.magic.jmh.Jmh
import lab.magic.kotlin.Kotlin
import lab.magic.program.ProgramMagic
import lab.show.Display

import scala.reflect.ClassTag

/** One Scala session: Ammonite's interpreter, set up to print in the right places.
  *
  * It is used from the cell thread only, except for [[complete]] and [[inspect]], which the interpreter's own lock separates from a running
  * cell.
  *
  * @param storage a folder for Ammonite's caches; in memory, it would export the JDK's class list again at every start, which takes seconds
  */
final class Session(storage: os.Path, out: PrintStream, err: PrintStream) {
  import Session._

  CellMagic.register(Jmh, Kotlin, ProgramMagic)
  JdkClasses.provide(storage)

  private val result = new ByteArrayOutputStream
  private val diagnostics = new StringBuilder
  private val resultStream = new PrintStream(result, true, UTF_8)
  private val colors: Ref[Colors] = Ref(Colors.BlackWhite)

  private val printer = Printer(
    outStream = out,
    errStream = err,
    resultStream = resultStream,
    warning = message => err.println(CellName.readable(message)),
    error = message => { val _ = diagnostics.append(message).append('\n') },
    info = _ => ()
  )

  private val frames: Ref[List[Frame]] = Ref(List(Frame.createInitial(Thread.currentThread.getContextClassLoader)))
  private val sessionApi = new SessionApiImpl(frames)
  private var lastThrown: Throwable = new NoSuchElementException("no cell has failed yet")
  private var inputs = Vector.empty[String]
  private val redefinitions = new Redefinitions

  private val interpreter: Interpreter = new Interpreter(
    CompilerBuilder(),
    () => Parsers,
    () => frames().head,
    () => { val child = sessionApi.childFrame(frames().head); frames() = child :: frames(); child },
    CellWrapper,
    CellWrapper,
    Interpreter.Parameters(
      printer = printer,
      storage = new Storage.Folder(storage),
      wd = os.pwd,
      colors = colors,
      verboseOutput = false,
      warnings = true,
      wrapperNamePrefix = CellName.prefix
    )
  )

  interpreter.initializePredef(
    Nil,
    Seq(PredefInfo(Name("CoursePredef"), Session.predef, hardcoded = false, None)),
    Seq(("ammonite.repl.ReplBridge", "repl", replApi)),
    Defaults.replImports ++ Interpreter.predefImports
  ) match {
    case Some((failure, _)) => throw new IllegalStateException(s"Ammonite did not start: $failure\n$diagnostics".stripLineEnd)
    case None               => ()
  }
  JarsOnly.fetch(interpreter)
  interpreter.resolutionHooks += { fetch => fetch.withCache(fetch.getCache.withLogger(new DownloadProgress)) }

  /** Compiles and runs one cell under the name `cell<number>`; the number must be new. */
  def run(code: String, number: Int): Outcome = {
    result.reset()
    diagnostics.clear()
    inputs :+= code
    Display.begin()
    val scala = CellMagic.translate(code).getOrElse(code)
    Parsers.split(scala, ignoreIncomplete = false, fileName = CellName.file(number)) match {
      case Some(Right(Nil))        => Outcome.Value("")
      case Some(Right(statements)) => evaluate(scala, statements, number)
      case Some(Left(message))     => Outcome.Failed(compileError, CellName.readable(message))
      case None => Outcome.Failed(compileError, s"${CellName.spoken(number)}: the code ends too early; is a bracket or a quote left open?")
    }
  }

  private def evaluate(code: String, statements: Seq[String], number: Int): Outcome =
    interpreter.processLine(code, statements, number, silent = false, () => ()) match {
      case Res.Success(evaluated) => keep(evaluated, number); Outcome.Value(Display.listing(result.toString(UTF_8)))
      case Res.Skip               => Outcome.Value("")
      case Res.Exit(_)            => Outcome.Exit
      case Res.Exception(thrown, _) => lastThrown = thrown; Outcome.Thrown(thrown)
      // scalac checks the thread's interrupt flag between two phases, and then gives up without a message.
      case Res.Failure("Compilation Failed") if diagnostics.isEmpty => Outcome.Thrown(new InterruptedException)
      // If the compiler printed nothing, an import failed: a file wasn't found, or a dependency couldn't be fetched.
      case Res.Failure(message) if diagnostics.isEmpty => Outcome.Failed("ImportError", message)
      case Res.Failure(_) =>
        val report = CellName.readable(diagnostics.toString.stripLineEnd)
        val missing = lab.page.Undefined.explain(report, sys.env.get("JPY_SESSION_NAME"))
        Outcome.Failed(compileError, (missing :+ redefinitions.explain(report, code)).mkString("\n"))
    }

  private def keep(evaluated: Evaluated, number: Int): Unit = {
    redefinitions.ran(number, evaluated.imports, interpreter.headFrame.usedEarlierDefinitions)
    interpreter.handleImports(evaluated.imports)
    if (interpreter.headFrame.frozen) { val _ = interpreter.createFrame() }
  }

  /** Brings classes that no Scala cell made into the session. */
  def define(classes: Seq[ClassFile], imports: Seq[String]): Unit =
    SessionFrame.define(sessionApi, interpreter.compilerManager)(classes, imports)

  /** Returns where the text to replace begins, and the names that fit at `offset`, with those that every value has last. */
  def complete(code: String, offset: Int): (Int, Seq[String]) =
    if (CellMagic.is(code)) (offset, Nil)
    else {
      val (from, names, _) = interpreter.compilerManager.complete(offset, importsText, code)
      (from.max(0).min(offset), CommonMembers.last(names.filter(_.nonEmpty)))
    }

  /** Returns the session's imports as source. The presentation compiler can't handle `package`, which a wildcard import of a package with a
    * package object includes.
    */
  private[course] def importsText: String =
    Imports((interpreter.predefImports ++ interpreter.frameImports).value.filterNot(_.toName.raw == "package")).toString

  private[course] def compilers: ammonite.compiler.CompilerLifecycleManager =
    interpreter.compilerManager.asInstanceOf[ammonite.compiler.CompilerLifecycleManager]

  // A lazy val of an anonymous class, because the interpreter above needs the bridge, and the bridge needs the interpreter.
  private lazy val replApi: ReplApiImpl = new ReplApiImpl {
    def printer: Printer = Session.this.printer
    def sess: SessionApiImpl = sessionApi
    val prompt: Ref[String] = Ref("")
    val frontEnd: Ref[FrontEnd] = Ref[FrontEnd](null)
    def lastException: Throwable = lastThrown
    def fullHistory: History = history
    def history: History = new History(inputs)
    def newCompiler(): Unit = interpreter.compilerManager.init(force = true)
    def fullImports: Imports = interpreter.predefImports ++ imports
    def imports: Imports = interpreter.frameImports
    def usedEarlierDefinitions: Seq[String] = frames().head.usedEarlierDefinitions
    def width: Int = resultWidth
    def height: Int = resultHeight
    protected[ammonite] val colors: Ref[Colors] = Session.this.colors
    // An import has no value, and Ammonite would print the line again.
    override protected[this] def internal0: FullReplAPI.Internal = {
      val api = this
      new FullReplAPI.Internal {
        private var height = resultHeight
        def pprinter: Ref[pprint.PPrinter] = Ref(api.pprinter().copy(defaultHeight = height))
        override def print[T](value: => T, name: String, custom: Option[String])(implicit
            tprint: pprint.TPrint[T],
            colors: pprint.TPrintColors,
            tag: ClassTag[T] = null
        ): Iterator[String] = {
          height = if (resultName.matches(name)) resultHeight else definedHeight
          super.print(value, name, custom)(tprint, colors, tag)
        }
        def colors: Ref[Colors] = api.colors
        def replArgs: IndexedSeq[ammonite.util.Bind[_]] = api.replArgs0
        override def printImport(imported: String): Iterator[String] = Iterator.empty
      }
    }
    protected[ammonite] def replArgs0: IndexedSeq[ammonite.util.Bind[_]] = Vector.empty
    def _compilerManager: ammonite.compiler.iface.CompilerLifecycleManager = interpreter.compilerManager
    def load: ReplLoad = new ReplLoad {
      def apply(line: String): Unit = exec(line)
      def exec(path: os.Path): Unit = exec(os.read(path))
      private def exec(code: String): Unit = run(code, loaded.incrementAndGet()) match {
        case Outcome.Thrown(thrown)    => throw thrown
        case Outcome.Failed(_, report) => throw new IllegalArgumentException(report)
        case _                         => ()
      }
    }
  }
}

object Session {

  sealed trait Outcome
  object Outcome {

    /** The values as Ammonite prints them, one after the other, each on a separate line. */
    final case class Value(text: String) extends Outcome

    /** A cell that the compiler or an import hook refused; `name` says which of the two. */
    final case class Failed(name: String, report: String) extends Outcome
    final case class Thrown(thrown: Throwable) extends Outcome
    case object Exit extends Outcome
  }

  def isComplete(code: String): Completeness =
    if (CellMagic.is(code)) Completeness.Complete
    else
      Parsers.split(code, ignoreIncomplete = true, fileName = "cell") match {
        case None           => Completeness.Incomplete
        case Some(Left(_))  => Completeness.Invalid
        case Some(Right(_)) => Completeness.Complete
      }

  sealed trait Completeness
  object Completeness {
    case object Complete extends Completeness
    case object Incomplete extends Completeness
    case object Invalid extends Completeness
  }

  /** The names that every cell finds imported. Ammonite keeps the compiled form and its names in its storage, as long as the class path is
    * the same. Without that, each start would take a second to look at all of the lab's names.
    */
  private val predef = "import lab.api._, lab.{exercises, forked}"

  private val compileError = "CompileError"
  private val resultWidth = 120
  private val resultHeight = 20
  private val resultName = "res\\d+".r

  /** A `val`'s lines at most. A cell usually defines what the next one draws, and nobody reads the records themselves. */
  private val definedHeight = 3

  /** Numbers for code that runs without a cell, far from any cell's own. */
  private val loaded = new AtomicInteger(1000000)
}
