package lab.exercises

import lab.page.Exercise

/** Every exercise of the course. An exercise's id begins with the number of its page, and so does the name of its folder. */
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
    Culprit,
    Diagnose,
    FirstFailure,
    GiveThreads,
    Hops,
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
