package lab.machine

import java.nio.file.Files
import java.time.Duration
import java.util.concurrent.atomic.AtomicReference

import jdk.jfr.Recording
import jdk.jfr.consumer.{RecordedEvent, RecordingFile}

import lab.installation.Disk

import scala.jdk.CollectionConverters._

/** An event of the JDK's flight recorder.
  *
  * @param name   the event's name, such as `ThreadSleep`; `ExecutionSample` is a sample of a thread that computed
  * @param thread the name of the thread
  * @param millis how long it took, in ms
  * @param method the innermost method of the class that was asked about
  */
final case class FlightEvent(name: String, thread: String, millis: Long, method: String)

/** Runs the JDK's flight recorder in this JVM. It records which threads waited for 20 ms or more, and what the others computed. It is for a
  * program that a page runs.
  */
object FlightRecorder {
  private val running = new AtomicReference(Option.empty[Recording])
  private val waits = Seq("ThreadSleep", "ThreadPark", "JavaMonitorEnter", "SocketRead")

  /** Starts a recording, and drops an earlier one. */
  def start(): Unit = {
    val recording = new Recording
    waits.foreach(name => recording.enable(s"jdk.$name").withThreshold(Duration.ofMillis(20)).withStackTrace())
    recording.enable("jdk.ExecutionSample").withPeriod(Duration.ofMillis(10))
    recording.start()
    running.getAndSet(Some(recording)).foreach(_.close())
  }

  /** Ends the recording, and returns what happened in methods of `in`, as lines for [[read]].
    *
    * @throws java.lang.IllegalStateException if none was started
    */
  def stop(in: Class[_]): String = {
    val recording = running.getAndSet(None).getOrElse(throw new IllegalStateException("nothing is recorded; call `start()` first"))
    val file = Files.createTempFile("course", ".jfr")
    try {
      recording.stop()
      Disk.explained(file.getParent)(recording.dump(file))
      RecordingFile.readAllEvents(file).asScala.flatMap(parse(_, in.getName)).mkString("\n")
    } finally {
      recording.close()
      Files.delete(file)
    }
  }

  /** Reads the lines of [[stop]] from another JVM. */
  def read(lines: String): Vector[FlightEvent] = lines.linesIterator
    .map(_.split(",", 4))
    .collect { case Array(name, millis, method, thread) => FlightEvent(name, thread, millis.toLong, method) }
    .toVector

  private def parse(event: RecordedEvent, in: String): Option[String] = for {
    thread <- Seq("eventThread", "sampledThread").find(event.hasField(_)).flatMap(field => Option(event.getThread(field)))
    stack <- Option(event.getStackTrace)
    method <- stack.getFrames.asScala.map(_.getMethod).find(_.getType.getName == in)
  } yield s"${event.getEventType.getName.stripPrefix("jdk.")},${event.getDuration.toMillis},${method.getName},${thread.getJavaName}"
}
