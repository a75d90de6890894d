package ammonite.course

/** The members that every value has, or every case class: what somebody looks for behind a dot is rarely one of them. */
object CommonMembers {

  /** The same names in the same order, but these last, and operators after words. */
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
