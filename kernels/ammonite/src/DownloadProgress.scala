package ammonite.course

import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.{AtomicInteger, AtomicLong}

import coursierapi.CacheLogger

/**
 * What `import $ivy` shows while it downloads: one line, replaced as it goes. Coursier calls it from its own threads.
 *
 * @param show
 *   shows a line in the running cell and returns what replaces it
 */
final class DownloadProgress(show: String => String => Unit) extends CacheLogger {
  private val arrived = new AtomicLong
  private val files = new AtomicInteger
  private val perFile = new ConcurrentHashMap[String, java.lang.Long]
  @volatile private var replace = Option.empty[String => Unit]

  override def init(sizeHint: Integer): Unit = {
    arrived.set(0)
    files.set(0)
    perFile.clear()
    replace = None
  }

  override def downloadProgress(url: String, downloaded: Long): Unit = {
    val before = Option(perFile.put(url, downloaded)).fold(0L)(_.longValue)
    arrived.addAndGet(downloaded - before)
    say("Fetching")
  }

  override def downloadedArtifact(url: String, success: Boolean): Unit =
    if (success) {
      files.incrementAndGet()
      say("Fetching")
    }

  override def stop(): Unit = if (replace.nonEmpty) say("Fetched")

  private def say(verb: String): Unit = synchronized {
    val line = f"$verb ${files.get}%d files, ${arrived.get / 1e6}%.1f MB"
    replace match {
      case Some(update) => update(line)
      case None         => replace = Some(show(line))
    }
  }
}
