package lab.installation

import java.nio.file.Path

/** Finds the Java runtimes on which a [[lab.process.Fork]] can run: this one and those that set-up brought, by their number (17, 25). While
  * set-up is running, a question for another runtime waits for it.
  */
object Jdks {

  /** Returns the runtime's folder.
    *
    * @throws java.lang.IllegalArgumentException if it isn't here, naming those that are
    */
  def apply(feature: Int): Path =
    if (feature == own) home else available.getOrElse(feature, throw new IllegalArgumentException(missing(feature)))

  /** Returns all runtimes that are here, by number. */
  def available: Map[Int, Path] = Installation.find.fold(Map.empty[Int, Path])(_.jdks) + (own -> home)

  /** Says why a runtime isn't here, and what to do. */
  private[lab] def missing(feature: Int): String =
    Installation.find match {
      case None =>
        s"JDK $feature isn't here: this notebook has the one it runs on, $own, and no others. ${Tools.ofTheCourse("A choice of JDKs")}"
      case Some(course) =>
        (s"JDK $feature isn't here, there are ${available.keys.toSeq.sorted.mkString(", ")}; `kernels/course setup` fetches those of its lock" +:
          course.failure.toSeq).mkString(". ")
    }

  private[lab] def own: Int = Runtime.version.feature
  private def home: Path = Path.of(System.getProperty("java.home"))
}
