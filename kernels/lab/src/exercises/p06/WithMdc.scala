package lab.exercises

import java.util.{Map => JavaMap}

import scala.concurrent.ExecutionContext
import scala.jdk.CollectionConverters._

/** A reader's way to carry the MDC, and the MDC that it carries: the page's, which is Logback's.
  *
  * @param copy the MDC of the thread that asks; null, as Logback says it, or an empty map where there is none
  * @param set  makes a map the MDC of the thread that calls
  */
final class WithMdc private[exercises] (
    copy: () => JavaMap[String, String],
    set: JavaMap[String, String] => Unit,
    val carrying: ExecutionContext => ExecutionContext
) {

  /** The request's id in the MDC of the thread that asks. */
  private[exercises] def id: String = Option(copy()).flatMap(map => Option(map.get("request"))).getOrElse("none")

  /** All of that MDC, as "request=req-1, user=ann". */
  private[exercises] def entries: String =
    Option(copy()).fold("none")(_.asScala.toSeq.sorted.map { case (key, value) => s"$key=$value" }.mkString(", "))

  private[exercises] def put(id: String): Unit = set(Map("request" -> id).asJava)

  /** Does something as this request, and leaves the thread's MDC as it was. */
  private[exercises] def as[T](id: String, more: (String, String)*)(body: => T): T = {
    val before = copy()
    set((Map("request" -> id) ++ more).asJava)
    try body
    finally set(before)
  }
}
