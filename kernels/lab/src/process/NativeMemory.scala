package lab.process

/** The JVM's own bookkeeping of memory outside the heap. */
object NativeMemory {

  /** What `jcmd PID VM.native_memory summary` would print; this JVM must run with `-XX:NativeMemoryTracking=summary`, else the text says
    * that it is off.
    */
  def summary: String = Beans.diagnose("vmNativeMemory", "summary").getOrElse("this JVM has no diagnostic command vmNativeMemory")

  /** KiB that this JVM has committed outside its heap for threads (stacks as far as they were touched, and its own structures for them) and
    * for direct buffers; nothing of its compiler or its collector, which come and go. None if tracking is off.
    */
  def threadsAndBuffersKib: Option[Long] = {
    val told = summary
    val found = Seq("Thread", "Other").flatMap(name => s"- +$name \\(reserved=\\d+KB, committed=(\\d+)KB".r.findFirstMatchIn(told))
    Option.when(found.nonEmpty)(found.map(_.group(1).toLong).sum)
  }
}
