package lab.exercises

/** The elements that flow through a stage, as an exercise describes them.
  *
  * @param perSecond  elements a second, evenly
  * @param workMillis the work for each, in ms
  * @param blocks     whether the work occupies a thread all the time. If not, it immediately returns a Future
  * @param burst      how many extra elements come together now and then
  * @param canWait    whether the source can be asked to wait, such as a file or a queue. One that can't, such as a sensor, sends all the
  *                   same, and only its newest elements are useful
  * @param elementKiB the size of one element, in KiB
  * @param roomMiB    the room for all elements in the stage, in flight or in its buffer, in MiB
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
  * @param threads     of a dedicated pool; 0 if there is none, so that the work runs where the stream runs
  * @param buffer      the capacity of a buffer before it; 0 if there is none
  * @param whenFull    what a full buffer does: `backpressure`, or `dropHead`, which drops the oldest element
  */
final case class StageLayout(parallelism: Int, threads: Int, buffer: Int, whenFull: String)
