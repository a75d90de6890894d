package lab.exercises

/** A service that shares a database with others, for an exercise.
  *
  * @param instances   how many of it run; each has a connection pool of its own
  * @param perSecond   queries a second of all its instances together
  * @param queryMillis how long a query holds its connection
  * @param waitedFor   whether somebody waits for what it does; else it works in the background
  */
final case class DatabaseClient(name: String, instances: Int, perSecond: Double, queryMillis: Double, waitedFor: Boolean)
