package ammonite.course

import java.io.{ByteArrayOutputStream, PrintStream}
import java.util.logging.LogManager

import almond.api.JupyterApi
import almond.interpreter.api.{DisplayData => Data, ExecuteResult, OutputHandler}
import ammonite.compiler.{CodeClassWrapper, CompilerBuilder, Parsers}
import ammonite.interp.Interpreter
import ammonite.main.Defaults
import ammonite.repl.api.{FrontEnd, History, ReplLoad}
import ammonite.repl.{ReplApiImpl, SessionApiImpl}
import ammonite.runtime.{Frame, Storage}
import ammonite.util.{Colors, Imports, Name, PredefInfo, Printer, Ref, Res}
import com.google.gson.JsonParser
import org.dflib.jjava.jupyter.kernel.display.DisplayData
import org.dflib.jjava.jupyter.kernel.{BaseKernel, LanguageInfo}

/** Runs a kernel without the course: an unmodified Ammonite interpreter, with `interp`, `repl` and `kernel` in each cell as in Almond. Its
  * class path contains neither the lab nor anything that only the lab needs.
  */
object PlainKernel {
  def main(arguments: Array[String]): Unit = {
    LogManager.getLogManager.reset()
    val connection = new Connection(ConnectionFile.read(arguments(0)))
    try connection.listen()
    catch { case taken: ConnectionFile.Problem => sys.exit(taken.exitCode) }
    val kernel = new PlainKernel(os.Path(arguments(1)))
    kernel.becomeHandlerForConnection(connection)
    connection.connect()
  }
}

final class PlainKernel(storage: os.Path) extends BaseKernel {
  private var executeHooks = Vector.empty[JupyterApi.ExecuteHook]
  private var postRunHooks = Vector.empty[JupyterApi.PostRunHook]
  private var line = 0
  private var said = Vector.empty[String]
  private val printed = new ByteArrayOutputStream
  private val printer = Printer(System.out, System.err, new PrintStream(printed, true, "UTF-8"), System.err.println(_), said :+= _, _ => ())
  private val colors = Ref(Colors.BlackWhite)
  private val frames = Ref(List(Frame.createInitial(Thread.currentThread.getContextClassLoader)))
  private val session = new SessionApiImpl(frames)

  private object jupyter extends JupyterApi {
    val publish: OutputHandler = new OutputHandler {
      def display(data: Data): Unit = getIO.display.display(dataOf(data))
      def updateDisplay(data: Data): Unit = getIO.display.updateDisplay(dataOf(data))
    }
    def addExecuteHook(hook: JupyterApi.ExecuteHook): Boolean = { executeHooks :+= hook; true }
    def addPostRunHook(hook: JupyterApi.PostRunHook): Boolean = { postRunHooks :+= hook; true }
  }

  private def dataOf(shown: Data): DisplayData = {
    val data = new DisplayData
    shown.detailedData.foreach {
      case (mime, Data.Value.String(text)) => data.putData(mime, text)
      case (mime, Data.Value.Json(text))   => data.putData(mime, JsonParser.parseString(text))
    }
    shown.id.foreach(data.setDisplayId)
    data
  }

  // Ammonite would take half a minute to list them.
  JdkClasses.provide(storage)
  private val interpreter: Interpreter = new Interpreter(
    CompilerBuilder(),
    () => Parsers,
    () => frames().head,
    () => { val child = session.childFrame(frames().head); frames() = child :: frames(); child },
    CodeClassWrapper,
    CodeClassWrapper,
    Interpreter.Parameters(printer = printer, storage = new Storage.Folder(storage), wd = os.pwd, colors = colors)
  )
  private val bridges = Seq(("ammonite.repl.ReplBridge", "repl", repl), ("almond.api.JupyterAPIHolder", "kernel", jupyter))
  interpreter
    .initializePredef(Nil, Seq.empty[PredefInfo], bridges, Defaults.replImports ++ Interpreter.predefImports)
    .foreach(failure => throw new IllegalStateException(s"Ammonite did not start: $failure"))

  def eval(cell: String): DisplayData = {
    printed.reset()
    said = Vector.empty
    val code =
      executeHooks.foldLeft(cell)((code, next) => next.hook(code).getOrElse(throw new IllegalStateException("a hook ended the cell")))
    val statements = Parsers.split(code, ignoreIncomplete = false, fileName = "cell") match {
      case Some(Right(statements)) => statements
      case other                   => throw new IllegalArgumentException(s"no Scala: $other")
    }
    line += 1
    interpreter.processLine(code, statements, line, silent = false, () => line += 1) match {
      case Res.Success(evaluated)   => interpreter.handleImports(evaluated.imports)
      case Res.Skip                 => ()
      case Res.Exception(thrown, _) => throw new IllegalStateException(thrown.toString, thrown)
      case failed                   => throw new IllegalArgumentException(s"$failed ${said.mkString("\n")}")
    }
    val result: ExecuteResult = ExecuteResult.Success(Data.text(printed.toString("UTF-8")))
    postRunHooks.foldLeft(result)((result, next) => next.process(result)) match {
      case ExecuteResult.Success(data) if data.detailedData.values.exists(_.asString.exists(_.nonEmpty)) => dataOf(data)
      case _                                                                                             => null
    }
  }

  def getLanguageInfo: LanguageInfo =
    new LanguageInfo.Builder("scala").version("2.13").mimetype("text/x-scala").fileExtension(".sc").build()

  private def repl: ReplApiImpl = new ReplApiImpl {
    val printer: Printer = PlainKernel.this.printer
    def sess: SessionApiImpl = session
    val prompt: Ref[String] = Ref("")
    val frontEnd: Ref[FrontEnd] = Ref[FrontEnd](null)
    def lastException: Throwable = null
    def fullHistory: History = history
    def history: History = new History(Vector.empty)
    def newCompiler(): Unit = interpreter.compilerManager.init(force = true)
    def fullImports: Imports = interpreter.predefImports ++ imports
    def imports: Imports = interpreter.frameImports
    def usedEarlierDefinitions: Seq[String] = frames().head.usedEarlierDefinitions
    def width: Int = 80
    def height: Int = 80
    protected[ammonite] val colors: Ref[Colors] = PlainKernel.this.colors
    protected[ammonite] def replArgs0: IndexedSeq[ammonite.util.Bind[_]] = Vector.empty
    def _compilerManager: ammonite.compiler.iface.CompilerLifecycleManager = interpreter.compilerManager
    // as in Almond
    def load: ReplLoad = new ReplLoad {
      def apply(code: String): Unit = interpreter.processExec(code, line + 1, () => line += 1) match {
        case Res.Failure(message)     => throw new IllegalArgumentException(s"$message ${said.mkString("\n")}")
        case Res.Exception(thrown, _) => throw thrown
        case _                        => ()
      }
      def exec(file: os.Path): Unit = apply(os.read(file))
    }
  }
}
