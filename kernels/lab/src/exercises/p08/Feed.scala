package lab.exercises

/** What flows through a stage, as an exercise describes it.
  *
  * @param perSecond  elements a second, evenly
  * @param workMillis of work for each
  * @param blocks     whether the work holds a thread all the time; else it comes back with a Future at once
  * @param burst      so many more come at once, now and then
  * @param canWait    whether the source can be asked to wait (a file, a queue); one that can't (a sensor) sends all the same, and only its
  *                   newest elements are of use
  * @param elementKiB what one weighs
  * @param roomMiB    what may lie in the stage, under way or in its buffer
  */
final case class Feed(
    perSecond: Int,
    workMillis: Int,
    blocks: Boolean,
    burst: Int,
    canWait: Boolean,
    elementKiB: Int,
    roomMiB: Int
) {
  override def toString: String =
    s"$perSecond a second, $workMillis ms each, ${if (blocks) "blocks" else "doesn't block"}, burst $burst, " +
      s"${if (canWait) "can" else "can't"} wait, $elementKiB KiB each, room for $roomMiB MiB"
}

/** A stage as a reader lays it out.
  *
  * @param parallelism of `mapAsync`
  * @param threads     of a pool of its own; 0: none, the work runs where the stream does
  * @param buffer      places in a buffer before it; 0: no buffer
  * @param whenFull    what the buffer does when it is full: `backpressure` or `dropHead`, which drops the oldest element
  */
final case class StageLayout(parallelism: Int, threads: Int, buffer: Int, whenFull: String)
