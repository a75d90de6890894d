package lab.page

/** Results by what was tried. A cell that defines them prints only what was tried, because the chart below shows the rest.
  *
  * @param rows what was tried, each with its result
  */
final class Outcomes[A, B](val rows: Seq[(A, B)]) {

  /** Returns the result of what was tried.
    *
    * @throws java.util.NoSuchElementException if it wasn't tried
    */
  def apply(tried: A): B = rows.toMap.apply(tried)

  override def toString: String = rows.map(_._1).mkString("; ")
}
