package lab.process

/** Reads the JVM's own accounts of memory outside the heap. */
object NativeMemory {

  /** Returns what `jcmd PID VM.native_memory summary` would print. If this JVM doesn't run with `-XX:NativeMemoryTracking=summary`, the
    * text says that tracking is off.
    */
  def summary: String = Beans.diagnose("vmNativeMemory", "summary").getOrElse("this JVM has no diagnostic command vmNativeMemory")

  /** Returns how many KiB this JVM has committed outside its heap for threads and for direct buffers. Threads take stacks, as far as they
    * were touched, and the JVM's own structures for them. The compiler and the collector, whose memory comes and goes, are left out. `None`
    * if tracking is off.
    */
  def threadsAndBuffersKib: Option[Long] = {
    val told = summary
    val found = Seq("Thread", "Other").flatMap(name => s"- +$name \\(reserved=\\d+KB, committed=(\\d+)KB".r.findFirstMatchIn(told))
    Option.when(found.nonEmpty)(found.map(_.group(1).toLong).sum)
  }
}
