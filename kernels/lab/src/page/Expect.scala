package lab.page

/** Checks what comes out of a page as it is stored: which thread, how many, in what order. It stands behind the picture, so that a reader
  * who changed a cell sees first what the change did.
  *
  * {{{
  * Expect(asleep == 2, s"\$asleep asleep")
  * }}}
  */
object Expect {

  /** @param found what it is instead, in words
    * @throws lab.page.NotAsExpected if `holds` is false
    */
  def apply(holds: Boolean, found: => String): Unit = if (!holds) throw new NotAsExpected(found)
}

/** A page came out otherwise than its text says. */
final class NotAsExpected(found: String)
    extends AssertionError(
      "The stored page expects something else here. If you changed a cell, this is what your change does: what is drawn above shows it; " +
        s"take the change back to go on with the page. If you changed nothing, run the page from the top. Found: $found"
    )
