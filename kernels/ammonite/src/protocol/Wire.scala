package ammonite.course

import java.lang.reflect.Type
import java.nio.charset.StandardCharsets.{US_ASCII, UTF_8}
import java.security.MessageDigest
import java.util.Arrays

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import com.google.gson.{GsonBuilder, JsonParser}
import org.dflib.jjava.jupyter.kernel.ExpressionValue
import org.dflib.jjava.jupyter.kernel.history.HistoryEntry
import org.dflib.jjava.jupyter.messages.{HMACGenerator, Header, KernelTimestamp, Message, MessageContext, MessageType, ReplyType}
import org.dflib.jjava.jupyter.messages.adapters._
import org.dflib.jjava.jupyter.messages.reply.ErrorReply
import org.dflib.jjava.jupyter.messages.request.HistoryRequest

/** Converts messages to frames and back: Jupyter's wire protocol, with the library's classes for the contents. Thread-safe.
  *
  * The library looks for a delimiter in whatever frames come next, even beyond the end of a message. This class judges a message by its own
  * frames.
  */
private[course] final class Wire(signing: HMACGenerator) {
  import Wire._

  /** Reads `frames`, which must be all those of one message. It doesn't read their contents before the signature is verified. */
  def read(frames: Seq[Array[Byte]]): Incoming = {
    val (identities, rest) = frames.span(!Arrays.equals(delimiter, _))
    rest.toList match {
      case Nil                                                                  => Rejected("it has no delimiter")
      case _ :: signature :: header :: parent :: metadata :: content :: buffers =>
        // Takes a time that doesn't reveal how much of the signature was right.
        val ours = signing.calculateSignature(header, parent, metadata, content).getBytes(US_ASCII)
        if (!MessageDigest.isEqual(ours, signature)) Rejected("its signature is not ours")
        else parse(identities, header, parent, metadata, content, buffers)
      case _ => Rejected("it lacks frames")
    }
  }

  def write(message: Message[_]): Seq[Array[Byte]] = {
    val header = bytes(message.getHeader)
    val parent = if (message.hasParentHeader) bytes(message.getParentHeader) else emptyObject
    val metadata = if (message.hasMetadata) bytes(message.getMetadata) else emptyObject
    val content = bytes(message.getContent)
    val signature = signing.calculateSignature(header, parent, metadata, content).getBytes(US_ASCII)
    val buffers = Option(message.getBlobs).fold(Seq.empty[Array[Byte]])(_.asScala.toSeq)
    message.getIdentities.asScala.toSeq ++ Seq(delimiter, signature, header, parent, metadata, content) ++ buffers
  }
}

private[course] object Wire {

  /** The result of reading: a message, one that can be answered but not read, or one to ignore. */
  sealed trait Incoming
  final case class Received(message: Message[_]) extends Incoming
  final case class Unreadable(request: MessageContext, why: String) extends Incoming
  final case class Rejected(why: String) extends Incoming

  private val delimiter = "<IDS|MSG>".getBytes(US_ASCII)
  private val emptyObject = "{}".getBytes(US_ASCII)

  // These are the adapters that the library itself registers, but doesn't export.
  private val replyGson = new GsonBuilder()
    .registerTypeAdapter(classOf[HistoryEntry], HistoryEntryAdapter.INSTANCE)
    .registerTypeAdapter(classOf[ExpressionValue], ExpressionValueAdapter.INSTANCE)
    .create()
  private val gson = new GsonBuilder()
    .registerTypeAdapter(classOf[KernelTimestamp], KernelTimestampAdapter.INSTANCE)
    .registerTypeAdapter(classOf[Header[_]], HeaderAdapter.INSTANCE)
    .registerTypeAdapter(classOf[MessageType[_]], MessageTypeAdapter.INSTANCE)
    .registerTypeAdapter(classOf[HistoryRequest], HistoryRequestAdapter.INSTANCE)
    .registerTypeHierarchyAdapter(classOf[ReplyType[_]], new ReplyTypeAdapter(replyGson))
    .create()

  private def bytes(value: Any): Array[Byte] = gson.toJson(value).getBytes(UTF_8)

  private def parse(
      identities: Seq[Array[Byte]],
      header: Array[Byte],
      parent: Array[Byte],
      metadata: Array[Byte],
      content: Array[Byte],
      buffers: Seq[Array[Byte]]
  ): Incoming =
    attempt(headerOf(header)) match {
      case Left(_) | Right(null) => Rejected("its header can't be read")
      case Right(own) if own.getType == null || own.getType == MessageType.UNKNOWN =>
        Rejected(s"this kernel knows no message of type ${JsonParser.parseString(text(header)).getAsJsonObject.get("msg_type")}")
      case Right(own) =>
        val context = new Message[AnyRef](identities.asJava, own, null)
        val whole = attempt {
          val kind = gson.fromJson[AnyRef](text(content), own.getType.getContentType: Type)
          if (kind == null) throw new IllegalArgumentException("the content is null")
          // The library gives a reply that says "error" another class, and the message's type has to match.
          val typed = if (kind.isInstanceOf[ErrorReply]) errorHeader(own) else own
          new Message[AnyRef](identities.asJava, typed, headerOf(parent), gson.fromJson(text(metadata), mapType), kind, buffers.asJava)
        }
        whole.fold(why => Unreadable(context, s"${own.getType.getName} can't be read: $why"), Received(_))
    }

  /** Catches any failure, which is the message's fault: it is no JSON, lacks something, or is nested too deeply. */
  private def attempt[A](body: => A): Either[String, A] =
    try Right(body)
    catch { case thrown @ (NonFatal(_) | _: StackOverflowError) => Left(Option(thrown.getMessage).getOrElse(thrown.getClass.getName)) }

  /** Reads a header; `null` if there is none, as in the library's [[Message]]. */
  private def headerOf(json: Array[Byte]): Header[AnyRef] = {
    val tree = JsonParser.parseString(text(json))
    if (tree.isJsonObject && !tree.getAsJsonObject.isEmpty) gson.fromJson(tree, classOf[Header[AnyRef]]) else null
  }

  private def errorHeader(own: Header[AnyRef]): Header[AnyRef] = {
    val kind = own.getType.error().asInstanceOf[MessageType[AnyRef]]
    new Header(own.getId, own.getUsername, own.getSessionId, own.getTimestamp, kind, own.getVersion)
  }

  private val mapType = classOf[java.util.Map[String, AnyRef]]

  private def text(bytes: Array[Byte]): String = new String(bytes, UTF_8)
}
