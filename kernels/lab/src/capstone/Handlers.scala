package lab.capstone

import scala.concurrent.Future

/** The handlers of the capstone's service, each of which answers one kind of request by a text, and its background work. A program on the
  * page implements them.
  */
trait Handlers {

  /** Confirms that the service is there. */
  def health(n: Int): Future[String]

  /** Renders the page of this number. */
  def page(n: Int): Future[String]

  /** Reads the order of this number from the database. */
  def order(n: Int): Future[String]

  /** Asks the other service for the price of this number. */
  def price(n: Int): Future[String]

  /** Does the background work. The service calls it every second, unless the previous call is still running. */
  def refresh(): Future[Any]

  private[capstone] def answer(kind: String, n: Int): Future[String] = kind match {
    case "health" => health(n)
    case "page"   => page(n)
    case "order"  => order(n)
    case "price"  => price(n)
    case other    => Future.failed(new NoSuchElementException(s"no request is called '$other'; there are ${Layout.kinds.mkString(", ")}"))
  }
}
