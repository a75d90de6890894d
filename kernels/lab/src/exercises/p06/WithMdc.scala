package lab.exercises

import java.util.{Map => JavaMap}

import scala.concurrent.ExecutionContext
import scala.jdk.CollectionConverters._

/** A reader's context that carries the MDC, and the MDC that it carries: the page's, which is Logback's.
  *
  * @param copy returns the MDC of the calling thread. If the thread has none, it returns null, as Logback does, or an empty map
  * @param set  makes a map the MDC of the calling thread
  */
final class WithMdc private[exercises] (
    copy: () => JavaMap[String, String],
    set: JavaMap[String, String] => Unit,
    val carrying: ExecutionContext => ExecutionContext
) {

  /** Returns the request's id in the MDC of the calling thread. */
  private[exercises] def id: String = Option(copy()).flatMap(map => Option(map.get("request"))).getOrElse("none")

  /** Returns the whole MDC of the calling thread, such as "request=req-1, user=ann". */
  private[exercises] def entries: String =
    Option(copy()).fold("none")(_.asScala.toSeq.sorted.map { case (key, value) => s"$key=$value" }.mkString(", "))

  private[exercises] def put(id: String): Unit = set(Map("request" -> id).asJava)

  /** Runs `body` as this request, and leaves the thread's MDC as it was. */
  private[exercises] def as[T](id: String, more: (String, String)*)(body: => T): T = {
    val before = copy()
    set((Map("request" -> id) ++ more).asJava)
    try body
    finally set(before)
  }
}
