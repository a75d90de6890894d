package lab.page

/** A pool as a reader lays it out in an exercise.
  *
  * @param kinds the kinds of tasks that it takes
  * @param extra how many spare threads it may start in addition to its own while tasks call `blocking`
  */
final case class PoolSpec(threads: Int, kinds: Set[String], extra: Int = 0)
