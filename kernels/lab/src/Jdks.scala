package lab

import java.nio.file.Path

/** The Java runtimes that a [[Fork]] can run on: this one and those that set-up put beside it, by their number (17, 25). */
object Jdks {

  /** Where the runtime lies.
    *
    * @throws java.lang.IllegalArgumentException if it isn't here, with those that are
    */
  def apply(feature: Int): Path = available.getOrElse(
    feature,
    throw new IllegalArgumentException(
      s"JDK $feature isn't here, there are ${available.keys.toSeq.sorted.mkString(", ")}; `kernels/course setup` fetches those of its lock"
    )
  )

  /** All that are there. */
  def available: Map[Int, Path] =
    jmh.Tools.find().jdks + (Runtime.version.feature -> Path.of(System.getProperty("java.home")))
}
