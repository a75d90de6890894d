package lab.results

import java.time.{Instant, LocalDate, ZoneOffset}

/** Where a measurement that was made beforehand comes from.
  *
  * @param on      the machine in words, as whoever recorded it named it
  * @param at      when
  * @param machine the machine as `Machine` describes it; numbers are numbers
  * @param command the `%%jmh` line with every option that JMH got
  */
final case class Recording(on: String, at: Instant, machine: Map[String, Any], command: String) {

  /** The day, in UTC. */
  def date: LocalDate = LocalDate.ofInstant(at, ZoneOffset.UTC)

  override def toString: String = s"recorded on $on, $date"
}
