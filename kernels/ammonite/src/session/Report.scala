package ammonite.course

import java.util.concurrent.ExecutionException

import ammonite.course.Session.Outcome

/** A failed cell in Jupyter's form: a name, a value, and the lines to show. */
final case class Report(name: String, value: String, lines: List[String])

object Report {

  private val red = "\u001b[31m"
  private val plain = "\u001b[0m"

  /** The number of frames shown above the first one of a cell, and between two of them. */
  private val foreignFrames = 3

  /** The number of frames shown for one throwable. */
  private val maxFrames = 16
  private val maxCauses = 3

  def of(failed: Outcome.Failed): Report =
    Report(failed.name, failed.report.linesIterator.nextOption().getOrElse(""), failed.report.linesIterator.toList)

  def of(thrown: Throwable): Report = thrown match {
    case _: InterruptedException | _: java.nio.channels.ClosedByInterruptException =>
      val where = ownFrames(thrown).filter(isCell).map(line)
      Report("Interrupted", "the cell was interrupted", s"${red}Interrupted$plain: the cell was interrupted" :: shorten(where))
    case _ =>
      val name = thrown.getClass.getName
      val value = Option(thrown.getMessage).getOrElse("")
      Report(name, value, describe(thrown) ++ advice(thrown))
  }

  private def describe(thrown: Throwable): List[String] =
    causes(thrown).zipWithIndex.flatMap { case (cause, index) =>
      val head = if (index == 0) "" else "Caused by: "
      s"$head$red${cause.getClass.getName}$plain${Option(cause.getMessage).fold("")(": " + _)}" :: frames(cause)
    }

  /** Returns the chain of causes, which may be circular. An ExecutionException only says that there is a cause. */
  private def causes(thrown: Throwable): List[Throwable] = {
    val start = thrown match {
      case wrapper: ExecutionException if wrapper.getCause != null => wrapper.getCause
      case other                                                   => other
    }
    Iterator.iterate(start)(_.getCause).takeWhile(_ != null).take(maxCauses).toList.distinct
  }

  private def advice(thrown: Throwable): List[String] = thrown match {
    case _: OutOfMemoryError =>
      val heap = Runtime.getRuntime.maxMemory / 1024 / 1024
      List(
        s"The kernel's heap holds $heap MB. What earlier cells defined is still there; if more cells fail like this, restart the kernel."
      )
    case _ => Nil
  }

  /** Returns the frames of the cell, and as few others as are needed to see how the code got there. */
  def frames(thrown: Throwable): List[String] = {
    val own = ownFrames(thrown)
    val cells = own.map(isCell)
    val kept = if (cells.contains(true)) own.take(cells.lastIndexOf(true) + 1) else own.take(foreignFrames)
    shorten(spans(kept).flatMap {
      case run if isCell(run.head) => run.map(line)
      case run                     => abridge(run)
    })
  }

  private def ownFrames(thrown: Throwable): List[StackTraceElement] =
    thrown.getStackTrace.toList.takeWhile(!isMachinery(_)).filterNot(isGenerated)

  /** Returns whether the interpreter called the cell here. From here on, the trace is the kernel's. */
  private def isMachinery(frame: StackTraceElement): Boolean =
    machineryMethods(frame.getMethodName) || frame.getClassName.startsWith("ammonite.runtime.")

  private val machineryMethods = Set("$main", "evaluatorRunPrinter")

  /** Returns whether a frame has nobody's line: the classes in which the cell is wrapped, and the JVM's own classes for lambdas. */
  private def isGenerated(frame: StackTraceElement): Boolean =
    frame.getClassName.contains("$$Lambda") || (isInSession(frame) && !frame.getClassName.contains("$Helper"))

  private def isInSession(frame: StackTraceElement): Boolean = frame.getClassName.startsWith("ammonite.$sess.")

  private def isCell(frame: StackTraceElement): Boolean = CellName.numberOf(frame.getFileName).nonEmpty

  private def spans(frames: List[StackTraceElement]): List[List[StackTraceElement]] = frames match {
    case Nil => Nil
    case head :: _ =>
      val (same, rest) = frames.span(isCell(_) == isCell(head))
      same :: spans(rest)
  }

  private def abridge(run: List[StackTraceElement]): List[String] =
    if (run.sizeIs <= foreignFrames + 1) run.map(line)
    else run.take(foreignFrames).map(line) :+ s"  … ${run.size - foreignFrames} more"

  private def shorten(lines: List[String]): List[String] = {
    val counted = countRepeats(lines)
    if (counted.sizeIs <= maxFrames) counted
    else counted.take(maxFrames / 2) ++ List(s"  … ${counted.size - maxFrames} more") ++ counted.takeRight(maxFrames / 2)
  }

  /** Shows a recursion as one line. */
  private def countRepeats(lines: List[String]): List[String] = lines match {
    case Nil => Nil
    case head :: _ =>
      val (same, rest) = lines.span(_ == head)
      (if (same.sizeIs == 1) head else s"$head × ${same.size}") :: countRepeats(rest)
  }

  private def line(frame: StackTraceElement): String = CellName.numberOf(frame.getFileName) match {
    case Some(number) =>
      val where = s"(${CellName.spoken(number)}, line ${frame.getLineNumber})"
      readableMethod(frame.getMethodName).fold(s"  at $where")(method => s"  at $method $where")
    case None =>
      val source = Option(frame.getFileName).fold("")(file => s" ($file:${frame.getLineNumber})")
      s"  at ${frame.getClassName}.${frame.getMethodName}$source"
  }

  private val lambda = """\$anonfun\$(.+?)\$\d+""".r
  private val unnamedResult = """res\d+(_\d+)?""".r

  /** Returns `f` for `$anonfun$f$2`, and none for the body of the cell itself. */
  private def readableMethod(method: String): Option[String] = method match {
    case lambda(unnamedResult(_))   => Some("a lambda")
    case lambda(inside)             => Some(readableMethod(inside).fold("a lambda")("a lambda in " + _))
    case "<init>" | "new" | "$init" => None
    case name                       => Some(name.takeWhile(_ != '$')).filter(_.nonEmpty).orElse(Some(name))
  }
}
