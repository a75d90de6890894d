package ammonite.course

import com.google.gson.{Gson, JsonElement, JsonObject}
import org.dflib.jjava.jupyter.messages.{Message, MessageContext, MessageType}

/** Message contents for which the library has no class, or a class that leaves something out. */
private[course] object Json {

  def status(value: String): JsonObject = {
    val content = new JsonObject
    content.addProperty("status", value)
    content
  }

  def ok: JsonObject = status("ok")

  def of(value: AnyRef): JsonElement = new Gson().toJsonTree(value)

  /** Builds a message from a tree. The library writes whatever Gson can, so a tree is enough where it declares a class. */
  def message(parent: MessageContext, kind: MessageType[_], content: JsonObject): Message[JsonObject] =
    new Message(parent, kind.asInstanceOf[MessageType[JsonObject]], content)
}
