package lab.page

/** Checks what a page produces as it is stored: which thread, how many, in what order. The check comes after the picture, so that a reader
  * who changed a cell first sees what the change did.
  *
  * {{{
  * Expect(asleep == 2, s"\$asleep asleep")
  * }}}
  */
object Expect {

  /** Checks that `holds` is true.
    *
    * @param found what was found instead, in words
    * @throws lab.page.NotAsExpected if `holds` is false
    */
  def apply(holds: Boolean, found: => String): Unit = if (!holds) throw new NotAsExpected(found)
}

/** Signals that a page came out differently than its text says. */
final class NotAsExpected(found: String)
    extends AssertionError(
      "The stored page expects something else here. If you changed a cell, your change causes this, as the picture above shows; " +
        s"undo it to go on with the page. If you changed nothing, run the page from the top. Found: $found"
    )
