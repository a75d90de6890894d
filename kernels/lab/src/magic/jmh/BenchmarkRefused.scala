package lab.magic.jmh

import lab.magic.CellRefused

/** A `%%jmh` cell can't be run as it stands: an option that can't be, or what scalac or JMH's generator said of the source. */
final class BenchmarkRefused(message: String) extends CellRefused(message)
