package lab.load

import java.util.concurrent.atomic.AtomicReference

import lab.show.{Display, ProgressLine, Say}

/** Reports the progress of a cell's runs in one line. Only the cell's thread calls it. */
private[load] final class LoadLine private (cell: Long) {
  private var began = System.nanoTime
  private var shown = Option.empty[Display.Handle]
  private var over = Vector.empty[LoadResult]

  private def isOf(running: Long): Boolean = cell == running

  private def begin(): Unit = began = System.nanoTime

  /** Reports how far a run is, at most twice a second. */
  def tick(words: => String): Unit = if (System.nanoTime - began > ProgressLine.pause.toNanos) {
    began = System.nanoTime
    put((if (over.isEmpty) "" else s"${Say.count(over.size, "run")} done; ") + words)
  }

  /** Reports the result of a run, unless all runs so far were too short to report their progress. */
  def end(result: LoadResult): Unit = {
    over :+= result
    if (shown.nonEmpty) put(LoadLine.words(over))
  }

  private def put(text: String): Unit = {
    val bundle = Map("text/plain" -> text)
    shown match {
      case Some(line) => line.update(bundle)
      case None       => shown = Some(Display.updatable(bundle))
    }
  }
}

private[load] object LoadLine {
  private val current = new AtomicReference(new LoadLine(-1))

  def ofThisCell: LoadLine = {
    val line = current.updateAndGet(line => if (line.isOf(Display.cell)) line else new LoadLine(Display.cell))
    line.begin()
    line
  }

  def words(runs: Seq[LoadResult]): String = {
    val last = runs.last
    val found = if (runs.sizeIs == 1) last.counted else s"${Say.count(runs.size, "run")}, the last: ${last.counted}"
    (Seq(found) ++ LoadResult.late(runs)).mkString("; ")
  }
}
