package lab.exercises

/** A service that shares a database with others, for an exercise.
  *
  * @param instances   how many of it run, each with its own connection pool
  * @param perSecond   queries a second, of all its instances together
  * @param queryMillis how long a query occupies its connection
  * @param waitedFor   whether somebody waits for its results. If not, it works in the background
  */
final case class DatabaseClient(name: String, instances: Int, perSecond: Double, queryMillis: Double, waitedFor: Boolean)
