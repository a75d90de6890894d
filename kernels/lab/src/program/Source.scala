package lab
package program

import java.nio.file.{Files, Path}

import scala.concurrent.duration._
import scala.jdk.CollectionConverters._

/** What scalac made of a source, with the warnings it had for it.
  *
  * @param fresh whether it was made now
  */
private[lab] final case class Made(classes: Path, warnings: Vector[String], fresh: Boolean)

/** A Scala source file as it stands in a cell. */
private[lab] final case class Source(text: String) {
  import Source._

  /** The objects at the top that have a `main`, with their package. */
  def mains: Vector[String] = {
    val inPackage = Package.findFirstMatchIn(text).fold("")(found => s"${found.group(1)}.")
    val objects = TopObject.findAllMatchIn(text).toVector
    val ends = objects.drop(1).map(_.start) :+ text.length
    objects.zip(ends).collect {
      case (found, end) if Main.findFirstIn(text.substring(found.start, end)).nonEmpty => inPackage + found.group(1)
    }
  }

  /** Compiles it, or finds what was made of the same source with the same compiler and class path before.
    *
    * @param scalac the compiler with all it needs
    * @param cache  where compiled cells are kept
    * @param tick   is called about twice a second while the compiler works
    * @throws lab.ProgramRefused if it doesn't compile
    * @throws java.lang.InterruptedException if the cell is interrupted; the compiler is dead then
    */
  def compile(scalac: Vector[Path], classPath: Vector[Path], cache: Path)(tick: () => Unit): Made = {
    val (folder, made) = ClassCache(cache, text +: ClassCache.looks(scalac ++ classPath)) { (scratch, kept) =>
      val file = Files.writeString(scratch.resolve(fileName), text)
      val classes = Files.createDirectory(kept.resolve(classesIn))
      val java = Jmh.launcher(Path.of(System.getProperty("java.home"))).toString
      val options =
        Seq("-encoding", "UTF-8", "-deprecation", "-feature", "-classpath", ClassCache.joined(classPath), "-d", classes.toString)
      val command = (java +: jvm) ++ Seq("-cp", ClassCache.joined(scalac :+ Fork.jarOf(classOf[Program]))) ++ Fork.guest(
        main
      ) ++ options :+ file.toString
      val said = Vector.newBuilder[String]
      val code = Child.run(command, scratch, 500.millis)(said += _, tick)
      val told = report(said.result())
      if (code != 0) throw new ProgramRefused(s"the program doesn't compile.\n${told.mkString("\n")}")
      Files.write(kept.resolve(warningsIn), told.asJava)
    }
    Made(folder.resolve(classesIn), Files.readAllLines(folder.resolve(warningsIn)).asScala.toVector, made.nonEmpty)
  }
}

private[lab] object Source {

  /** What scalac said, in lines of the cell. */
  private[lab] def report(lines: Vector[String]): Vector[String] = lines
    .filterNot(line => line.startsWith("Picked up ") || line.startsWith("WARNING: "))
    .map(line => Position.replaceFirstIn(line, "line $1: ").replaceFirst("^(line \\d+: )error: ", "$1"))
    .filterNot(_.matches("(\\d+|one|two|three|four|five) (error|warning)s?( found)?"))

  private val fileName = "cell.scala"
  private val classesIn = "classes"
  private val warningsIn = "warnings.txt"
  private val main = "scala.tools.nsc.Main"
  private val jvm = Seq("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xss8m", "-Xmx512m")
  private val Position = s"^.*[/\\\\]?${fileName.replace(".", "\\.")}:(\\d+): ".r
  private val Package = "(?m)^package ([\\w.]+)".r
  private val TopObject = "(?m)^(?:case )?object (\\w+)".r
  private val Main = "def main\\(".r
}
