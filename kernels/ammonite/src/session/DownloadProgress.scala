package ammonite.course

import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicInteger

import coursierapi.CacheLogger

/** What `import $ivy` shows while it downloads: one line, replaced as it goes. Coursier calls it from its own threads.
  *
  * @param show
  *   shows a line in the running cell and returns what replaces it
  */
final class DownloadProgress(show: String => String => Unit) extends CacheLogger {
  private val bytes = new ConcurrentHashMap[String, java.lang.Long]
  private val files = new AtomicInteger
  @volatile private var replace = Option.empty[String => Unit]

  override def init(sizeHint: Integer): Unit = {
    bytes.clear()
    files.set(0)
    replace = None
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

  override def stop(): Unit = if (replace.nonEmpty) say("Fetched")

  private def say(verb: String): Unit = synchronized {
    val megabytes = bytes.values.stream.mapToLong(_.longValue).sum / 1e6
    val count = if (files.get == 1) "1 file" else s"${files.get} files"
    val line = f"$verb $count, $megabytes%.1f MB"
    replace match {
      case Some(update) => update(line)
      case None         => replace = Some(show(line))
    }
  }
}
