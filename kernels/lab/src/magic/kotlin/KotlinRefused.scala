package lab.magic.kotlin

import lab.magic.CellRefused

/** A `%%kotlin` cell can't be compiled as it stands. */
final class KotlinRefused(message: String) extends CellRefused(message)
