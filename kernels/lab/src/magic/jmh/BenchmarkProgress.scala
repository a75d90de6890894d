package lab.magic.jmh

import com.google.gson.Gson

import scala.util.Try

/** The progress of a JMH run, as [[BenchmarkHost]] reports it to the kernel.
  *
  * @param benchmark  the benchmark with its package and class
  * @param params     the values of its `@Param` fields, "n=10, kind=x"
  * @param fork       the current fork; 0 as long as none has begun
  * @param iteration  the last finished iteration, of the warm-up or of the measurement
  * @param share      the finished share of the whole run, from 0 to 1, by the planned time
  * @param leftMillis the time planned for the rest
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

  /** Returns the line that carries this progress. */
  def line: String = BenchmarkProgress.mark + BenchmarkProgress.json.toJson(this)
}

private[lab] object BenchmarkProgress {

  /** Reads a line of progress, and returns with it what a benchmark printed before it on the same line; `None` if the line holds no
    * progress.
    */
  def unapply(line: String): Option[(String, BenchmarkProgress)] = line match {
    case Told(words, text) => Try(json.fromJson(text, classOf[BenchmarkProgress])).toOption.map(words -> _)
    case _                 => None
  }

  private val mark = "%%jmh "
  private val Told = s"(.*?)$mark(\\{.*\\})".r
  private val json = new Gson
}
