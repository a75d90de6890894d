package lab

import java.nio.file.{Files, Path}

import scala.concurrent.duration._
import scala.jdk.CollectionConverters._
import scala.util.control.NoStackTrace

/** The cell can't be compiled as it stands: an option that can't be, or what the compiler said of the source, with the cell's own line numbers. */
final class KotlinRefused(message: String) extends IllegalArgumentException(message) with NoStackTrace

/** The compiler's JVM died, or the compiler failed: what it printed. */
final class KotlinFailed(message: String) extends IllegalStateException(message) with NoStackTrace

/** What the compiler made of a cell, with the warnings it had for it.
  *
  * @param fresh whether it was made now
  */
private[lab] final case class KotlinClasses(folder: Path, fresh: Boolean) {
  def warnings: Vector[String] = Files.readAllLines(folder.resolve(KotlinClasses.warnings)).asScala.toVector
  def classes: Path = folder.resolve(KotlinClasses.classes)

  def files: Vector[ClassFile] = {
    val all = Files.walk(classes)
    try
      all.iterator.asScala
        .filter(_.toString.endsWith(".class"))
        .map { file =>
          val name = classes.relativize(file).iterator.asScala.mkString(".").stripSuffix(".class")
          ClassFile(name, Files.readAllBytes(file))
        }
        .toVector
    finally all.close()
  }
}

private[lab] object KotlinClasses {
  val warnings = "warnings.txt"
  val classes = "classes"
}

/** The Kotlin compiler in a JVM of its own.
  *
  * @param jars  the compiler with all it needs
  * @param cache where compiled cells are kept
  */
private[lab] final case class KotlinCompiler(jars: Vector[Path], cache: Path) {
  import KotlinCompiler._

  /** @throws java.lang.IllegalStateException if no JAR looks like a compiler */
  def version: String = jars
    .map(_.getFileName.toString)
    .collectFirst { case Embeddable(version) => version }
    .getOrElse(
      throw new IllegalStateException(s"there is no kotlin-compiler-embeddable among ${jars.mkString(", ")}. ${Installation.remedy}")
    )

  /** Compiles `source`, or finds what was made of the same source with the same options, compiler and class path before.
    *
    * @param tick is called about twice a second while the compiler works
    * @throws lab.KotlinRefused if it doesn't compile
    * @throws lab.KotlinFailed if the compiler can't say whether it does
    * @throws java.lang.InterruptedException if the cell is interrupted; the compiler is dead then
    */
  def apply(source: KotlinSource, options: KotlinOptions, classPath: Vector[Path])(tick: () => Unit): KotlinClasses = {
    val ingredients = Seq(source.text, source.file) ++ options.compiler ++ ClassCache.looks(jars ++ classPath)
    val (folder, made) = ClassCache(cache, ingredients) { (scratch, kept) =>
      Files.writeString(scratch.resolve(source.file), source.text)
      val classes = Files.createDirectory(kept.resolve(KotlinClasses.classes))
      val command = Seq(Jmh.launcher(Path.of(System.getProperty("java.home"))).toString) ++ jvm ++ options.jvm ++
        Seq("-cp", ClassCache.joined(jars ++ Jmh.ownClasses)) ++ Fork.guest(main) ++
        Seq("-no-stdlib", "-no-reflect", "-cp", ClassCache.joined(classPath), "-d", classes.toString) ++
        options.compiler :+ source.file
      val said = Vector.newBuilder[String]
      val code = Child.run(command, scratch, 500.millis)(said += _, tick)
      val told = report(said.result(), source.file)
      if (code == 1 && !told.exists(_.startsWith(noJvm))) throw new KotlinRefused(refusal(told))
      if (code != 0) throw new KotlinFailed(failure(code, told, options.jvm))
      Files.write(kept.resolve(KotlinClasses.warnings), told.asJava)
    }
    KotlinClasses(folder, made.nonEmpty)
  }
}

private[lab] object KotlinCompiler {

  def find(): KotlinCompiler = KotlinCompiler(Installation.here.jars("kotlin"), Installation.here.cache("kotlin"))

  /** What the compiler said, without what the JDK says of it, in lines of the cell. */
  private[lab] def report(lines: Vector[String], file: String): Vector[String] = {
    val position = s"^(?:.*[/\\\\])?${java.util.regex.Pattern.quote(file)}:(\\d+):\\d+: (?:error: )?".r
    lines.filterNot(line => line.isBlank || noise.matches(line)).map(position.replaceFirstIn(_, "line $1: "))
  }

  private[lab] def refusal(told: Vector[String]): String = {
    val statement = "A Kotlin file holds declarations, no statements: put them into a function, and call that from a Scala cell."
    val advice = Option.when(told.exists(_.contains("Expecting a top level declaration")))(statement)
    ("the Kotlin doesn't compile." +: (told ++ advice)).mkString("\n")
  }

  private[lab] def failure(code: Int, told: Vector[String], jvm: Vector[String]): String = {
    val shown = if (told.sizeIs <= most) told else told.take(most) :+ s"… ${told.size - most} more lines"
    val heap = (defaultHeap +: jvm).filter(_.startsWith("-Xmx")).last
    val remedy =
      if (told.exists(_.contains("OutOfMemoryError")))
        s"It ran with $heap, which is too little for this cell: give it more, as in %%kotlin -J-Xmx400m"
      else s"Run the cell again; if it fails again, leave out what the last lines name"
    s"the Kotlin compiler did not finish (exit code $code; 0 or 1 was expected). It said:\n${shown.mkString("\n")}\n$remedy."
  }
  private val most = 30
  // It ends with the code that the compiler has for errors in the source.
  private val noJvm = "Error: Could not create the Java Virtual Machine"

  private val main = "org.jetbrains.kotlin.cli.jvm.K2JVMCompiler"
  private val Embeddable = "kotlin-compiler-embeddable-(.+)\\.jar".r
  private val defaultHeap = "-Xmx160m"
  private val jvm = Seq("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Djava.awt.headless=true", defaultHeap) ++
    Seq("stdout", "stderr", "file").map(stream => s"-D$stream.encoding=UTF-8")
  private val noise = "Picked up .*|WARNING: .*".r
}
