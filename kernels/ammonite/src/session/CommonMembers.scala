package ammonite.course

/** The members that every value or every case class has. A reader who completes after a dot rarely looks for one of them. */
object CommonMembers {

  /** Returns the same names in the same order, but with operators after words, and these members last. */
  def last(names: Seq[String]): Seq[String] = {
    val (common, own) = names.partition(all)
    val (words, operators) = own.partition(_.head.isUnicodeIdentifierStart)
    words ++ operators ++ common
  }

  private val ofAny = Set("!=", "##", "==", "asInstanceOf", "equals", "getClass", "hashCode", "isInstanceOf", "toString")
  private val ofObject = Set("clone", "eq", "finalize", "ne", "notify", "notifyAll", "synchronized", "wait")
  private val ofPredef = Set("+", "->", "→", "ensuring", "formatted")
  private val ofCaseClasses = Set("canEqual", "productArity", "productElement", "productElementName", "productElementNames") ++
    Set("productIterator", "productPrefix")
  private val all = ofAny ++ ofObject ++ ofPredef ++ ofCaseClasses
}
