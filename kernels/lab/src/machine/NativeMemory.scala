package lab.machine

/** The JVM's own bookkeeping of memory outside the heap. */
object NativeMemory {

  /** What `jcmd PID VM.native_memory summary` would print; this JVM must run with `-XX:NativeMemoryTracking=summary`, else the text says
    * that it is off.
    */
  def summary: String = Beans.diagnose("vmNativeMemory", "summary").getOrElse("this JVM has no diagnostic command vmNativeMemory")

  /** KiB that this JVM has committed outside its heap: stacks as far as they were touched, direct buffers, its own structures. None if
    * tracking is off.
    */
  def outsideHeapKib: Option[Long] = summary match {
    case Committed(total, heap) => Some(total.toLong - heap.toLong)
    case _                      => None
  }

  private val Committed = "(?s).*Total: reserved=\\d+KB, committed=(\\d+)KB.*?Java Heap \\(reserved=\\d+KB, committed=(\\d+)KB.*".r
}
