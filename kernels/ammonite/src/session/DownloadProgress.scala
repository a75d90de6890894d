package ammonite.course

import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicInteger

import coursierapi.CacheLogger
import lab.show.Display

/** Shows the progress of an `import $ivy`, in one line that is replaced again and again. Coursier calls it from its own threads. */
final class DownloadProgress extends CacheLogger {
  private val bytes = new ConcurrentHashMap[String, java.lang.Long]
  private val files = new AtomicInteger
  @volatile private var shown = Option.empty[Display.Handle]

  override def init(sizeHint: Integer): Unit = {
    bytes.clear()
    files.set(0)
    shown = None
  }

  override def downloadLength(url: String, total: Long, already: Long, watching: Boolean): Unit = { val _ = bytes.put(url, already) }

  override def downloadProgress(url: String, downloaded: Long): Unit = {
    val _ = bytes.put(url, downloaded)
    say("Fetching")
  }

  override def downloadedArtifact(url: String, success: Boolean): Unit = if (success) {
    files.incrementAndGet()
    say("Fetching")
  }

  override def stop(): Unit = if (shown.nonEmpty) say("Fetched")

  private def say(verb: String): Unit = synchronized {
    val megabytes = bytes.values.stream.mapToLong(_.longValue).sum / 1e6
    val count = if (files.get == 1) "1 file" else s"${files.get} files"
    val line = Map("text/plain" -> f"$verb $count, $megabytes%.1f MB")
    shown match {
      case Some(handle) => handle.update(line)
      case None         => shown = Some(Display.updatable(line))
    }
  }
}
