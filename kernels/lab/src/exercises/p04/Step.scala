package lab.exercises

/** A step of a larger computation. It can run when the steps that it needs have run.
  *
  * @param needs its inputs, in the order in which [[run]] takes their results
  * @param waits whether it waits for another machine, without calling `blocking`. If not, it computes
  */
final class Step private[exercises] (val name: String, val needs: Seq[Step], val waits: Boolean)(body: Seq[Int] => Int) {

  /** Computes its result from those of the steps that it needs, on the calling thread. */
  def run(inputs: Seq[Int]): Int = body(inputs)

  override def toString: String = name
}
