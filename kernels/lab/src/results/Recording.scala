package lab.results

import java.time.{Instant, LocalDate, ZoneOffset}

/** The origin of a measurement that was made in advance.
  *
  * @param on      the machine in words, as the person who recorded it named it
  * @param at      the moment of the recording
  * @param machine the machine as `Machine` describes it; numbers are numbers
  * @param command the `%%jmh` line with every option that JMH got
  */
final case class Recording(on: String, at: Instant, machine: Map[String, Any], command: String) {

  /** Returns the day, in UTC. */
  def date: LocalDate = LocalDate.ofInstant(at, ZoneOffset.UTC)

  override def toString: String = s"recorded on $on, $date"
}
