package lab

/** The names that a cell can use without an import: those that several pages use, and those that the library's front page shows. A page
  * imports other names from their modules.
  */
object api {
  val Say = lab.show.Say
  type Table = lab.show.Table
  val Table = lab.show.Table

  type Chart = lab.chart.Chart
  val Chart = lab.chart.Chart
  type Latencies = lab.chart.Latencies
  val Latencies = lab.chart.Latencies
  val Live = lab.chart.Live

  type Interval = lab.trace.Interval
  val Interval = lab.trace.Interval
  type Scene = lab.trace.Scene
  val Scene = lab.trace.Scene
  type TaskSpan = lab.trace.TaskSpan
  val TaskSpan = lab.trace.TaskSpan
  val Timeline = lab.trace.Timeline
  type Trace = lab.trace.Trace
  val Trace = lab.trace.Trace
  type WaitForGraph = lab.trace.WaitForGraph
  val WaitForGraph = lab.trace.WaitForGraph
  type Worker = lab.trace.Worker
  val Worker = lab.trace.Worker

  type Arrivals = lab.load.Arrivals
  val Arrivals = lab.load.Arrivals
  type Load = lab.load.Load
  val Load = lab.load.Load

  val FlightRecorder = lab.machine.FlightRecorder
  type Machine = lab.machine.Machine
  val Machine = lab.machine.Machine
  val Pools = lab.machine.Pools
  type Profile = lab.machine.Profile
  val Profile = lab.machine.Profile
  val Settle = lab.machine.Settle

  val Fork = lab.process.Fork
  type Forked = lab.process.Forked
  val Forked = lab.process.Forked

  type Estimate = lab.measure.Estimate
  val Estimate = lab.measure.Estimate
  type Proof = lab.measure.Proof
  val Proof = lab.measure.Proof
  val Repeated = lab.measure.Repeated
  type Repeated[A] = lab.measure.Repeated[A]
  type Rounds = lab.measure.Rounds
  val Rounds = lab.measure.Rounds
  type Threshold = lab.measure.Threshold
  val Threshold = lab.measure.Threshold
  val together = lab.measure.Together

  type JmhResults = lab.results.JmhResults
  val JmhResults = lab.results.JmhResults
  type JmhScore = lab.results.JmhScore
  val JmhScore = lab.results.JmhScore
  type Measurement = lab.results.Measurement
  val Measurement = lab.results.Measurement
  val Published = lab.results.Published
  val Recorded = lab.results.Recorded
  type RecordedRows = lab.results.RecordedRows
  val RecordedRows = lab.results.RecordedRows

  type Claim = lab.page.Claim
  val Claim = lab.page.Claim
  val Expect = lab.page.Expect
  type PoolSpec = lab.page.PoolSpec
  val PoolSpec = lab.page.PoolSpec
  val Predict = lab.page.Predict
  val Sweep = lab.page.Sweep
  type Verdict = lab.page.Verdict
  val Verdict = lab.page.Verdict

  val Jmh = lab.magic.jmh.Jmh
}
