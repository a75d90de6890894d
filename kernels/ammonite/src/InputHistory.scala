package ammonite.course

import com.google.gson.JsonArray
import org.dflib.jjava.jupyter.messages.request.HistoryRequest

/** The inputs of this session, for front ends that ask for them (a console's arrow up). Nothing is kept beyond the session, and outputs are
  * not kept at all.
  */
final class InputHistory {
  private var inputs = Vector.empty[(Int, String)]

  def add(number: Int, code: String): Unit = synchronized(inputs :+= number -> code)

  /** Returns a list of `[session, number, input]`, or of `[session, number, [input, output]]` if outputs are requested. */
  def answer(request: HistoryRequest): JsonArray = {
    val rows = new JsonArray
    select(request).foreach { case (number, code) =>
      val row = new JsonArray
      row.add(1)
      row.add(number)
      if (request.includeOutput) {
        val both = new JsonArray
        both.add(code)
        both.add("")
        row.add(both)
      } else row.add(code)
      rows.add(row)
    }
    rows
  }

  private def select(request: HistoryRequest): Vector[(Int, String)] = {
    val all = synchronized(inputs)
    request match {
      case tail: HistoryRequest.Tail   => all.takeRight(tail.getMaxReturnLength)
      case range: HistoryRequest.Range => all.filter { case (number, _) => number >= range.getStart && number < range.getStop }
      case search: HistoryRequest.Search =>
        val matching = all.filter { case (_, code) => glob(search.getPattern).matches(code) }
        val wanted = if (search.filterUnique) matching.reverse.distinctBy(_._2).reverse else matching
        if (search.getMaxReturnLength > 0) wanted.takeRight(search.getMaxReturnLength) else wanted
      case _ => Vector.empty
    }
  }

  /** Compiles a pattern in which `*` stands for any text, and `?` for one character. */
  private def glob(pattern: String) =
    ("(?s)" + pattern.map {
      case '*'  => ".*"
      case '?'  => "."
      case char => java.util.regex.Pattern.quote(char.toString)
    }.mkString).r
}
