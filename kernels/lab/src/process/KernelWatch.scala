package lab.process

/** Ends this JVM, and all that it started, when the kernel that started it is gone, however the kernel ended.
  *
  * The kernel holds the other end of standard input, so the input ends when the kernel does.
  */
private[process] object KernelWatch {
  private val graceMillis = 5000L

  def start(): Unit = daemon("kernel-watch") { () =>
    while (System.in.read() >= 0) ()
    // Shutdown hooks may have something to clean up, but not for long.
    daemon("last-watch") { () =>
      Thread.sleep(graceMillis)
      endAll()
    }
    Runtime.getRuntime.addShutdownHook(new Thread(() => endChildren()))
    System.exit(1)
  }

  private def endAll(): Unit = {
    endChildren()
    Runtime.getRuntime.halt(1)
  }

  private def endChildren(): Unit = ProcessHandle.current.descendants.forEach(child => { child.destroyForcibly(); () })

  private def daemon(name: String)(body: Runnable): Unit = {
    val thread = new Thread(body, name)
    thread.setDaemon(true)
    thread.start()
  }
}
