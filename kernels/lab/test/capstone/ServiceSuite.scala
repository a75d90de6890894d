package lab.capstone

import java.lang.reflect.{InvocationHandler, Proxy}
import java.util.concurrent.{RejectedExecutionException, TimeUnit, TimeoutException}
import javax.sql.DataSource

import scala.concurrent.{Future, Promise}
import scala.concurrent.duration._

class ServiceSuite extends munit.FunSuite {
  private val layout = Layout("a layout", Seq(Pool("app", 1)), "app", "app", "app", "app", "app", atMost = Map("order" -> 1))
  private val none: InvocationHandler = (_, method, _) => throw new UnsupportedOperationException(method.getName)
  private val nobody = Proxy.newProxyInstance(getClass.getClassLoader, Array(classOf[DataSource]), none) match {
    case source: DataSource => source
    case other              => throw new IllegalStateException(s"$other")
  }
  private val (first, late) = (Promise[String](), new Contexts.TooLate(1.second))
  private object Answers extends Handlers {
    def health(n: Int): Future[String] = Future.successful(s"fine $n")
    def page(n: Int): Future[String] = throw new ArithmeticException("on purpose")
    def order(n: Int): Future[String] = first.future
    def price(n: Int): Future[String] =
      Future.failed(Seq(late, new RejectedExecutionException("full"), new TimeoutException("awaited"))(n))
    def refresh(): Future[Any] = Future.successful(())
  }
  private lazy val service = new Service(ServiceOptions(layout, "", "", 7), _.run(), nobody)(_ => Answers)
  private def status(path: String): Int = service.answer(path).get(20, TimeUnit.SECONDS).status

  test("an answer's status says what became of the request") {
    assertEquals(service.answer("health/3").get(20, TimeUnit.SECONDS), Reply(200, "fine 3"))
    assertEquals(Seq("page/1", "price/0", "price/1", "price/2", "mail/1", "order", "").map(status), Seq(500, 504, 503, 500, 404, 404, 404))
  }

  test("the service accepts as many requests as the layout says, and finished ones make room") {
    val one = service.answer("order/1")
    assertEquals(status("order/2"), 503)
    first.success("done")
    assertEquals(one.get(20, TimeUnit.SECONDS).status, 200)
    assertEquals(status("order/3"), 200)
  }

  test("the layout comes from the arguments, and the database's address, which contains a password, from the environment") {
    val (arguments, database) = (Service.arguments(layout, "http://127.0.0.1:1", 7).toArray, "jdbc:postgresql://host/db?password=s3cr3t")
    val options = Service.read(arguments, Map("COURSE_PG_URL" -> database))
    assertEquals((options.layout, options.database, options.prices, options.salt), (layout, database, "http://127.0.0.1:1", 7))
    assert(intercept[IllegalArgumentException](Service.read(Array("x"))).getMessage.contains("a layout"))
    assert(intercept[RuntimeException](Service.read(arguments, Map.empty[String, String])).getMessage.contains("COURSE_PG_URL"))
  }
}
