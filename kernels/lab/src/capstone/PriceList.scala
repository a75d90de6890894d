package lab.capstone

import lab.load.SlowService

import scala.concurrent.duration._

/** The other service that the capstone's calls: it tells prices, and takes as long as it is told to. It has threads enough for everybody.
  *
  * @param salt what its prices depend on
  */
private[capstone] final class PriceList(salt: Int) extends AutoCloseable {

  /** From when a call comes until its answer. */
  @volatile var takes: FiniteDuration = Layout.usualPrice

  private val service = SlowService.telling(takes)(_.stripPrefix("/").toIntOption.map(id => s"${PriceList.price(id, salt)}"))

  def url: String = service.url

  /** Ends it at once, whoever waits for an answer. */
  def close(): Unit = service.close()
}

private[capstone] object PriceList {
  def price(id: Int, salt: Int): Int = (id * 104729 + salt) % 9973
}
