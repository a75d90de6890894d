package lab.exercises

import java.util.{HashMap => JavaHashMap, Map => JavaMap}

import scala.concurrent.ExecutionContext

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

  private[exercises] def put(id: String): Unit = {
    val map = new JavaHashMap[String, String]
    map.put("request", id)
    set(map)
  }

  /** Does something as this request, and leaves the thread's MDC as it was. */
  private[exercises] def as[T](id: String)(body: => T): T = {
    val before = Option(copy())
    put(id)
    try body
    finally set(before.getOrElse(new JavaHashMap[String, String]))
  }
}
