package lab.forked

import java.nio.file.{Files, Path}
import java.util.concurrent.{CountDownLatch, TimeUnit}

import lab.process.Program

import scala.jdk.CollectionConverters._

/** Starts threads of a kind (`platform` or `virtual`) that just wait, as many as its second argument says. It prints what they take, in KiB
  * for all of them: `reserved`, the additional address space by native memory tracking, and `resident`, the additional resident memory of
  * the process (Linux; 0 elsewhere). It also prints `osThreads`, the additional threads of the operating system (Linux; 0 elsewhere). It
  * needs `-XX:NativeMemoryTracking=summary`.
  */
object ThreadMemory extends Program {
  private val Total = "(?s).*Total: reserved=(\\d+)KB.*".r
  private val Resident = "VmRSS:\\s+(\\d+) kB".r

  def main(arguments: Array[String]): Unit = {
    val (kind, threads) = (arguments(0), arguments(1).toInt)
    val before = book()
    val (started, end) = (new CountDownLatch(threads), new CountDownLatch(1))
    val body: Runnable = () => { started.countDown(); end.await() }
    (1 to threads).foreach { _ =>
      kind match {
        case "virtual"  => Thread.ofVirtual.start(body)
        case "platform" => Thread.ofPlatform.daemon.start(body)
        case other      => throw new IllegalArgumentException(s"'$other' is no kind of thread; expected platform or virtual")
      }
    }
    if (!started.await(30, TimeUnit.SECONDS))
      throw new IllegalStateException(s"${started.getCount} of $threads threads did not begin within 30 seconds")
    book().foreach { case (name, after) => println(s"$name=${after - before(name)}") }
    end.countDown()
  }

  private def book(): Map[String, Long] = {
    System.gc()
    val reserved = lab.process.NativeMemory.summary match {
      case Total(kib) => kib.toLong
      case other      => throw new IllegalStateException(s"native memory tracking gives no total; is it switched on?\n$other")
    }
    Map("reserved" -> reserved, "resident" -> resident, "osThreads" -> osThreads)
  }

  private[forked] def resident: Long = {
    val status = Path.of("/proc/self/status")
    if (Files.isReadable(status)) Files.readAllLines(status).asScala.collectFirst { case Resident(kib) => kib.toLong }.getOrElse(0L) else 0L
  }

  private def osThreads: Long = Option(Path.of("/proc/self/task").toFile.list).fold(0L)(_.length.toLong)
}
