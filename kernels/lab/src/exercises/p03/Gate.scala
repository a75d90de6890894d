package lab.exercises

/** A gate that limits how many queries run simultaneously. The reader writes it in an exercise. */
trait Gate {

  /** Runs `query` on the calling thread, and returns or throws what it does. */
  def run[A](query: () => A): A
}
