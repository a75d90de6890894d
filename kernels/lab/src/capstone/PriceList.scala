package lab.capstone

import lab.load.SlowService

import scala.concurrent.duration._

/** The other service, which the capstone's service calls. It answers with prices, takes as long as it is set to, and has enough threads for
  * all its callers.
  *
  * @param salt the number from which its prices are computed
  */
private[capstone] final class PriceList(salt: Int) extends AutoCloseable {

  /** The time from a call to its answer. */
  @volatile var takes: FiniteDuration = Layout.usualPrice

  private val service = SlowService.telling(takes)(_.stripPrefix("/").toIntOption.map(id => s"${PriceList.price(id, salt)}"))

  def url: String = service.url

  /** Closes the service immediately, even if callers still wait for an answer. */
  def close(): Unit = service.close()
}

private[capstone] object PriceList {
  def price(id: Int, salt: Int): Int = (id * 104729 + salt) % 9973
}
