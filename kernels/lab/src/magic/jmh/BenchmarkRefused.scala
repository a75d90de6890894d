package lab.magic.jmh

import lab.magic.CellRefused

/** Signals that a `%%jmh` cell can't be run as it is: an option is invalid, or scalac or JMH's generator refused the source. */
final class BenchmarkRefused(message: String) extends CellRefused(message)
