package lab.forked

import java.nio.file.Files
import java.time.Duration

import jdk.jfr.Recording
import jdk.jfr.consumer.{RecordedEvent, RecordingFile}

import lab.installation.Disk

import scala.jdk.CollectionConverters._
import scala.util.Using

/** Records with JFR, the JVM's flight recorder, which virtual threads were pinned: they waited and couldn't leave their carriers. */
private[forked] object PinnedEvents {
  private val event = "jdk.VirtualThreadPinned"

  /** JFR's default threshold. It doesn't record shorter events. */
  private val threshold = Duration.ofMillis(20)

  /** Returns the name of each thread that was pinned during `body`, for how many milliseconds, and the reason if the JDK reports it. */
  def record(body: => Unit): Seq[(String, Long, String)] =
    Using.resource(new Recording) { recording =>
      recording.enable(event).withThreshold(threshold)
      recording.start()
      body
      recording.stop()
      val file = Files.createTempFile("pinned", ".jfr")
      try {
        Disk.explained(file.getParent)(recording.dump(file))
        RecordingFile.readAllEvents(file).asScala.toSeq.map(parse)
      } finally {
        Files.deleteIfExists(file)
        ()
      }
    }

  private def parse(event: RecordedEvent): (String, Long, String) = {
    val thread = Option(event.getThread).flatMap(thread => Option(thread.getJavaName)).filter(_.nonEmpty).getOrElse("unnamed")
    (thread, event.getDuration.toMillis, if (event.hasField("pinnedReason")) event.getString("pinnedReason") else "")
  }
}
