package ammonite.course

import com.google.gson.JsonParser
import org.dflib.jjava.jupyter.kernel.display.DisplayData
import org.dflib.jjava.jupyter.messages.{Message, MessageContext}
import org.dflib.jjava.jupyter.messages.publish.PublishDisplayData

/** Shows the lab's displays in this kernel. Thread-safe; output from before the first cell is dropped. */
final class KernelDisplay(outbox: Outbox, current: () => Option[MessageContext]) extends lab.show.Display {
  def show(bundle: Map[String, String], id: Option[String]): Unit = current().foreach { cell =>
    val data = dataOf(bundle)
    id.foreach(data.setDisplayId)
    outbox.sendMessage(new Message(cell, PublishDisplayData.MESSAGE_TYPE, new PublishDisplayData(data)))
  }

  def update(bundle: Map[String, String], id: String): Unit = current().foreach(outbox.update(_, id, dataOf(bundle)))

  private def dataOf(bundle: Map[String, String]): DisplayData = {
    val data = new DisplayData
    bundle.foreach { case (mime, text) => data.putData(mime, if (mime.endsWith("json")) JsonParser.parseString(text) else text) }
    data
  }
}
