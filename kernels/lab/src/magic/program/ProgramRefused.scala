package lab.magic.program

import lab.magic.CellRefused

/** A `%%program` cell can't be compiled as it stands. */
final class ProgramRefused(message: String) extends CellRefused(message)
