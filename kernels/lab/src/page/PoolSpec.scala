package lab.page

/** A pool as a reader lays it out in an exercise.
  *
  * @param kinds which kinds of tasks it takes
  * @param extra how many spare threads it may start beside its own while tasks say `blocking`
  */
final case class PoolSpec(threads: Int, kinds: Set[String], extra: Int = 0)
