package lab.exercises

/** A step of something bigger: it can run when what it needs has run.
  *
  * @param needs its inputs, in the order in which [[run]] takes their results
  * @param waits whether it waits for another machine, and tells nobody; else it computes
  */
final class Step private[exercises] (val name: String, val needs: Seq[Step], val waits: Boolean)(body: Seq[Int] => Int) {

  /** Its result, from those of what it needs. Runs on the calling thread. */
  def run(inputs: Seq[Int]): Int = body(inputs)

  override def toString: String = name
}
