package lab

import scala.concurrent.Future

/** What the capstone's service answers, each kind of request by a text; and what it does by itself. A program on the page implements it. */
trait Handlers {
  def health(n: Int): Future[String]
  def page(n: Int): Future[String]
  def order(n: Int): Future[String]
  def price(n: Int): Future[String]

  /** The background work; it begins anew every second, unless it is still under way. */
  def refresh(): Future[Any]

  private[lab] def answer(kind: String, n: Int): Future[String] = kind match {
    case "health" => health(n)
    case "page"   => page(n)
    case "order"  => order(n)
    case "price"  => price(n)
    case other    => Future.failed(new NoSuchElementException(s"no request is called '$other'; there are ${Layout.kinds.mkString(", ")}"))
  }
}
