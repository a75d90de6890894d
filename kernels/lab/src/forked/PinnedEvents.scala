package lab.forked

import java.nio.file.Files
import java.time.Duration

import jdk.jfr.Recording
import jdk.jfr.consumer.{RecordedEvent, RecordingFile}

import lab.installation.Disk

import scala.jdk.CollectionConverters._
import scala.util.Using

/** What JFR, the JVM's flight recorder, has seen of virtual threads that waited and couldn't leave their carriers. */
private[forked] object PinnedEvents {
  private val event = "jdk.VirtualThreadPinned"

  /** As JFR's own settings have it: what is shorter isn't recorded. */
  private val threshold = Duration.ofMillis(20)

  /** The name of each thread that was pinned during `body`, for how many milliseconds, and the reason where the JDK tells it. */
  def record(body: => Unit): Seq[(String, Long, String)] =
    Using.resource(new Recording) { recording =>
      recording.enable(event).withThreshold(threshold)
      recording.start()
      body
      recording.stop()
      val file = Files.createTempFile("pinned", ".jfr")
      try {
        Disk.explained(file.getParent)(recording.dump(file))
        RecordingFile.readAllEvents(file).asScala.toSeq.map(told)
      } finally {
        Files.deleteIfExists(file)
        ()
      }
    }

  private def told(event: RecordedEvent): (String, Long, String) = {
    val thread = Option(event.getThread).flatMap(thread => Option(thread.getJavaName)).filter(_.nonEmpty).getOrElse("unnamed")
    (thread, event.getDuration.toMillis, if (event.hasField("pinnedReason")) event.getString("pinnedReason") else "")
  }
}
