package lab.exercises

import lab.page.Exercise

/** Lists every exercise of the course. Its id and its folder's name begin with the number of its page. */
object All {
  def apply(): Seq[Exercise[_]] = Seq[Exercise[_]](
    AdmissionControl,
    AtMost,
    BoundedBlocking,
    Carrying,
    ConnectionBudget,
    ConnectionGate,
    Corrected,
    CountTasks,
    CountWorkers,
    Culprit,
    Deadline,
    Diagnose,
    FirstFailure,
    GiveThreads,
    Hops,
    InSteps,
    JudgeRatio,
    KeepUp,
    LayOutPools,
    LayOutStage,
    MapAsync,
    NeverBlocks,
    OnApp,
    ParseApart,
    Placement,
    PoolGrowth,
    PoolLayout,
    SizePool,
    Slices,
    StarvedPool,
    TellThePool,
    ThreadName,
    TotalTime,
    Trampoline,
    VirtualAtMost,
    WhoShares,
    Within,
    WithoutWaiting
  ).sortBy(_.id)
}
