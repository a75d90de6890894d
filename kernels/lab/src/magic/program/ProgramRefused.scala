package lab.magic.program

import lab.magic.CellRefused

/** Signals that a `%%program` cell can't be compiled as it is. */
final class ProgramRefused(message: String) extends CellRefused(message)
