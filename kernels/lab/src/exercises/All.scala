package lab.exercises

import lab.page.Exercise

/** Every exercise of the course. */
object All {
  def apply(): Seq[Exercise[_]] = pages.flatten

  private def pages = Seq[Seq[Exercise[_]]](
    Seq(ThreadName),
    Seq(CountTasks, AtMost, PoolLayout),
    Seq(Corrected, Slices, KeepUp),
    Seq(ParseApart, ConnectionGate, ConnectionBudget),
    Seq(TellThePool, BoundedBlocking, WithoutWaiting),
    Seq(Trampoline, OnApp, Placement),
    Seq(Within, Carrying, Hops),
    Seq(SizePool, StarvedPool, AdmissionControl),
    Seq(TotalTime, MapAsync, LayOutStage),
    Seq(PoolGrowth, NeverBlocks, Culprit),
    Seq(VirtualAtMost, FirstFailure, GiveThreads),
    Seq(WhoShares, LayOutPools, Diagnose),
    Seq(JudgeRatio)
  )
}
