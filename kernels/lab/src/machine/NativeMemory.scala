package lab.machine

/** The JVM's own bookkeeping of memory outside the heap. */
object NativeMemory {

  /** What `jcmd PID VM.native_memory summary` would print; this JVM must run with `-XX:NativeMemoryTracking=summary`, else the text says
    * that it is off.
    */
  def summary: String = Beans.diagnose("vmNativeMemory", "summary").getOrElse("this JVM has no diagnostic command vmNativeMemory")
}
