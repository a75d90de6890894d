package lab.magic.kotlin

import lab.magic.CellRefused

/** Signals that a `%%kotlin` cell can't be compiled as it is. */
final class KotlinRefused(message: String) extends CellRefused(message)
