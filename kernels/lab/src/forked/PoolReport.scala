package lab.forked

import lab.machine.Machine
import lab.process.Program

/** Prints what the JVM sees and how its pools are sized, as `name=value`. Run it with different JVM options. */
object PoolReport extends Program {
  def main(arguments: Array[String]): Unit = {
    val machine = Machine.here()
    val report = Seq(
      "cpus" -> machine.cpus,
      "global" -> machine.globalParallelism,
      "common" -> machine.commonParallelism,
      "carriers" -> machine.carriers,
      "collector" -> machine.collector
    )
    report.foreach { case (name, value) => println(s"$name=$value") }
  }
}
