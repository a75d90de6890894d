package lab.capstone

import scala.concurrent.Future

/** What the capstone's service answers, each kind of request by a text; and what it does by itself. A program on the page implements it. */
trait Handlers {

  /** Says that the service is there. */
  def health(n: Int): Future[String]

  /** The page of this number, rendered. */
  def page(n: Int): Future[String]

  /** The order of this number, read from the database. */
  def order(n: Int): Future[String]

  /** The price of this number, asked of the other service. */
  def price(n: Int): Future[String]

  /** The background work; it begins anew every second, unless it is still under way. */
  def refresh(): Future[Any]

  private[capstone] def answer(kind: String, n: Int): Future[String] = kind match {
    case "health" => health(n)
    case "page"   => page(n)
    case "order"  => order(n)
    case "price"  => price(n)
    case other    => Future.failed(new NoSuchElementException(s"no request is called '$other'; there are ${Layout.kinds.mkString(", ")}"))
  }
}
