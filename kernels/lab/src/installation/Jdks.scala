package lab.installation

import java.nio.file.Path

/** The Java runtimes that a [[lab.process.Fork]] can run on: this one and those that set-up put beside it, by their number (17, 25). Asked
  * for others than this one while the set-up still goes on, it waits for them.
  */
object Jdks {

  /** Where the runtime lies.
    *
    * @throws java.lang.IllegalArgumentException if it isn't here, with those that are
    */
  def apply(feature: Int): Path =
    if (feature == own) home else available.getOrElse(feature, throw new IllegalArgumentException(missing(feature)))

  /** All that are there. */
  def available: Map[Int, Path] = Installation.find.fold(Map.empty[Int, Path])(_.jdks) + (own -> home)

  /** A word on one that isn't. */
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
