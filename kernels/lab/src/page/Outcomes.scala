package lab.page

import scala.language.implicitConversions

/** Results by what was tried. A cell that defines them prints only what was tried, because the chart below shows the rest. Elsewhere they are
  * used like the sequence of their rows.
  *
  * @param rows what was tried, each with its result or results
  */
final class Outcomes[T <: Product](val rows: Seq[T]) {

  /** Returns the result of what was tried.
    *
    * @throws java.util.NoSuchElementException if it wasn't tried
    */
  def apply[A, B](tried: A)(implicit pairs: T <:< (A, B)): B = rows.toMap(pairs).apply(tried)

  override def toString: String = rows.map(_.productElement(0)).mkString("; ")
}

object Outcomes {
  implicit def rowsOf[T <: Product](outcomes: Outcomes[T]): Seq[T] = outcomes.rows
}
