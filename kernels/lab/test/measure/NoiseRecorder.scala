package lab.measure

import java.nio.file.Path
import java.util.concurrent.Executors

import lab.load.{Arrivals, Load, Saturated}
import lab.machine.Neighbours
import lab.results.RecordedRows

import scala.concurrent.{ExecutionContext, Future}
import scala.concurrent.duration._
import scala.util.{Random, Using}

/** Records what the machine does to three measurements that the pages make, each between two variants that are the same. Any difference is
  * therefore noise, from which [[IntervalSimulationSuite]] draws. `kernels/tools/noise.py` starts it.
  *
  * Arguments: the file to write, how many rounds, the machine in words.
  */
object NoiseRecorder {

  def main(arguments: Array[String]): Unit = {
    val (file, rounds, on) = (arguments(0), arguments(1).toInt, arguments(2))
    val work = Work.calibrated()
    val cpus = Runtime.getRuntime.availableProcessors

    def throughput(): Map[String, Double] =
      Map("throughput" -> Saturated(8 * cpus, waits = 14.millis, time = 150.millis)(work(2.millis)).perSecond)

    def latencies(seed: Int): Map[String, Double] = Using.resource(Executors.newFixedThreadPool(cpus)) { pool =>
      val context = ExecutionContext.fromExecutor(pool)
      val load = Load.open(rate = 150.0 * cpus, time = 600.millis, warmUp = 100.millis, arrivals = Arrivals.Poisson(seed.toLong))
      val found = load.run("calls")(() => Future(work(2.millis))(context)).latency
      Map("median" -> found.percentileNanos(50) / 1e6, "p95" -> found.percentileNanos(95) / 1e6)
    }

    val rows = for {
      round <- 0 to rounds
      kind <- Seq[Int => Map[String, Double]](_ => throughput(), latencies)
      watch = Neighbours.watch()
      both = Random.shuffle(Seq("one", "other")).map(_ -> kind(round)).toMap
      (taken, disturbed) = (watch.taken.getOrElse(0.0), watch.disturbed)
      what <- both("one").keys.toSeq.sorted if round > 0 // the first warms up
    } yield {
      if (round % 50 == 0) println(s"$what $round")
      val values = Seq("one", "other").map(name => name -> f"${both(name)(what)}%.4f")
      Seq("what" -> what, "round" -> s"$round") ++ values ++ Seq("taken" -> f"$taken%.3f", "disturbed" -> s"$disturbed")
    }
    RecordedRows.write(Path.of(file), rows, on)
  }
}
