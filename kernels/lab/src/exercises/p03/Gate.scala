package lab.exercises

/** Lets so many queries through at a time, as a reader builds it in an exercise. */
trait Gate {

  /** What `query` gives or throws, on the calling thread. */
  def run[A](query: () => A): A
}
