package lab.magic.jmh

import com.google.gson.Gson

import scala.util.Try

/** How far a run of JMH is, as [[BenchmarkHost]] tells the kernel.
  *
  * @param benchmark  with its package and class
  * @param params     the values of its `@Param` fields, "n=10, kind=x"
  * @param fork       0 as long as none has begun
  * @param iteration  the last one that is done, of the warm-up or of the measurement
  * @param share      how much of the whole run is done, from 0 to 1, by the time that is planned
  * @param leftMillis what is planned for the rest
  * @param disturbed  what else used the CPUs so far, in words; empty if nothing did
  */
private[lab] final case class BenchmarkProgress(
    benchmark: String,
    params: String,
    fork: Int,
    forks: Int,
    warmUp: Boolean,
    iteration: Int,
    iterations: Int,
    share: Double,
    leftMillis: Long,
    disturbed: String
) {

  /** The line that says it. */
  def line: String = BenchmarkProgress.mark + BenchmarkProgress.json.toJson(this)
}

private[lab] object BenchmarkProgress {

  /** What a line says, and in front of it what a benchmark has printed without an end of the line; `None` if the line says nothing of it. */
  def unapply(line: String): Option[(String, BenchmarkProgress)] = line match {
    case Told(words, text) => Try(json.fromJson(text, classOf[BenchmarkProgress])).toOption.map(words -> _)
    case _                 => None
  }

  private val mark = "%%jmh "
  private val Told = s"(.*?)$mark(\\{.*\\})".r
  private val json = new Gson
}
