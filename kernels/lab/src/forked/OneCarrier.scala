package lab.forked

import java.io.FileInputStream
import java.net.{InetAddress, ServerSocket, Socket}
import java.nio.file.{Files, Path}
import java.util.concurrent.locks.ReentrantLock
import java.util.concurrent.{CountDownLatch, TimeUnit}

import lab.process.Program

import scala.util.Using

/** Shows which ways to wait stop other virtual threads. A virtual thread waits, in one way after the other. Meanwhile a second one starts,
  * which has nearly nothing to do, and the question is whether it runs. The program prints `way=true` or `way=false`. It also prints
  * `way.pinned=`, for how many milliseconds JFR recorded the first one as pinned, and `way.reason=`, the reason that JFR gives (JDK 24 and
  * later).
  *
  * The result means something only if the JVM has a single carrier. Set `-Djdk.virtualThreadScheduler.parallelism=1`, and also
  * `-Djdk.virtualThreadScheduler.maxPoolSize=1` to rule out a spare one. A platform thread releases each waiting thread, so every way ends.
  * `file` is a named pipe, which is left out if the system has no `mkfifo`. At the end the program prints `ended=true`. Its arguments name
  * the ways to try; without arguments it tries all. A spare carrier stays for half a minute. So if spare carriers are allowed, try each way
  * that starts one in a separate JVM.
  */
object OneCarrier extends Program {
  private val limit = 20.toLong // seconds; for what must happen
  private val patience = 1500.toLong // ms; for what may not happen

  def main(arguments: Array[String]): Unit = {
    val pins = PinnedEvents.record {
      val folder = Files.createTempDirectory("one-carrier")
      try
        for ((name, run) <- ways(folder) if arguments.isEmpty || arguments.contains(name); others <- run(name)) println(s"$name=$others")
      finally {
        Files.deleteIfExists(folder.resolve("pipe"))
        Files.deleteIfExists(folder)
        ()
      }
    }
    pins.foreach { case (name, millis, reason) =>
      println(s"$name.pinned=$millis")
      if (reason.nonEmpty) println(s"$name.reason=$reason")
    }
    println("ended=true")
  }

  /** The ways by name. Each returns whether the other thread ran, or `None` if this system doesn't have the way. */
  private def ways(folder: Path) = Seq[(String, String => Option[Boolean])](
    "lock" -> lock,
    "socket" -> socket,
    "synchronized" -> inside,
    "monitor" -> monitor,
    "initialiser" -> initialiser,
    "class" -> waitsForClass,
    "wait" -> objectWait,
    "file" -> (name => Option.when(pipe(folder.resolve("pipe")))(folder.resolve("pipe")).map(file(name, _)))
  )

  private def lock(name: String): Option[Boolean] = {
    val lock = new ReentrantLock
    lock.lock()
    Some(othersRun(name)(lock.lockInterruptibly())(lock.unlock()))
  }

  private def socket(name: String): Option[Boolean] =
    Using.resource(new ServerSocket(0, 1, InetAddress.getLoopbackAddress)) { server =>
      Using.resources(new Socket(server.getInetAddress, server.getLocalPort), server.accept()) { (client, peer) =>
        Some(othersRun(name)(client.getInputStream.read())(peer.getOutputStream.write(1)))
      }
    }

  /** Waits for a latch inside a `synchronized` block, as any other method might. */
  private def inside(name: String): Option[Boolean] = {
    val (monitor, open) = (new Object, new CountDownLatch(1))
    Some(othersRun(name)(monitor.synchronized(open.await()))(open.countDown()))
  }

  /** Waits for a monitor that a platform thread has. */
  private def monitor(name: String): Option[Boolean] = {
    val (monitor, held, let) = (new Object, new CountDownLatch(1), new CountDownLatch(1))
    val holder = Thread.ofPlatform.daemon.start { () =>
      monitor.synchronized { held.countDown(); reach(let) }
    }
    reach(held)
    val others = othersRun(name)(monitor.synchronized(()))(let.countDown())
    holder.join(limit * 1000)
    Some(others)
  }

  private def objectWait(name: String): Option[Boolean] = {
    val monitor = new Object
    @volatile var open = false
    Some(othersRun(name)(monitor.synchronized(while (!open) monitor.wait())) {
      open = true
      monitor.synchronized(monitor.notifyAll())
    })
  }

  private def initialiser(name: String): Option[Boolean] = {
    // Loaded beforehand, because loading a class from its JAR reads a file, for which JDK 21 starts a spare carrier.
    val (open, _) = (Initialising.open, Class.forName(s"${getClass.getName}Initialised$$", false, getClass.getClassLoader))
    Some(othersRun(name)(Initialised.touch())(open.countDown()))
  }

  /** Waits for a class whose initialiser a platform thread runs. */
  private def waitsForClass(name: String): Option[Boolean] = {
    Class.forName(s"${getClass.getName}InitialisedElsewhere$$", false, getClass.getClassLoader) // loaded beforehand, as above
    val holder = Thread.ofPlatform.daemon.start(() => InitialisedElsewhere.touch())
    reach(Elsewhere.begun)
    val others = othersRun(name)(InitialisedElsewhere.touch())(Elsewhere.open.countDown())
    holder.join(limit * 1000)
    Some(others)
  }

  private object Elsewhere {
    val begun, open = new CountDownLatch(1)
  }

  /** Counts down when its body runs, and is otherwise like [[Initialised]]. */
  private object InitialisedElsewhere {
    Elsewhere.begun.countDown()
    Elsewhere.open.await()
    def touch(): Unit = ()
  }

  private object Initialising {
    val open = new CountDownLatch(1)
  }

  /** Its body is the initialiser of its class. */
  private object Initialised {
    Initialising.open.await()
    def touch(): Unit = ()
  }

  /** Reads from a pipe into which nobody has written yet. The pipe is opened for reading and writing, so opening it doesn't wait for a
    * partner.
    */
  private def file(name: String, pipe: Path): Boolean =
    Using.resource(new java.io.RandomAccessFile(pipe.toFile, "rw")) { writer =>
      Using.resource(new FileInputStream(pipe.toFile))(reader => othersRun(name)(reader.read())(writer.write(1)))
    }

  private def pipe(at: Path): Boolean =
    try new ProcessBuilder("mkfifo", at.toString).start().waitFor() == 0
    catch { case _: java.io.IOException => false }

  /** Returns whether another virtual thread runs while one waits in `block`. With a single carrier it can't run before the waiting one
    * releases the carrier, so no further waiting is needed in between.
    */
  private def othersRun(name: String)(block: => Any)(release: => Unit): Boolean = {
    val (begun, ran) = (new CountDownLatch(1), new CountDownLatch(1))
    val waits = Thread.ofVirtual.name(name).start { () => begun.countDown(); val _ = block }
    reach(begun)
    val other = Thread.startVirtualThread(() => ran.countDown())
    val inTime = ran.await(patience, TimeUnit.MILLISECONDS)
    release
    Seq(waits, other).foreach(_.join(limit * 1000))
    inTime
  }

  private def reach(latch: CountDownLatch): Unit =
    if (!latch.await(limit, TimeUnit.SECONDS)) throw new IllegalStateException(s"not reached within $limit seconds")
}
