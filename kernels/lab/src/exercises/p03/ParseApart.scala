package lab.exercises

import java.util.concurrent.CountDownLatch
import java.util.concurrent.atomic.AtomicInteger

import scala.concurrent.{ExecutionContext, Future}
import scala.concurrent.duration._
import scala.util.Random

/** The input of the exercise: a blocking query, a parser that computes, and a pool for each. */
final case class QueryAndParse(query: () => String, parse: String => Int, jdbc: ExecutionContext, cpu: ExecutionContext)

/** Query on one pool, and parse on the other. */
object ParseApart extends Cases[QueryAndParse => Future[Int]]("03-parse-apart") {
  trial("the query is a task of `jdbc`; when it is done, the parse is a task of `cpu`")(
    "Two tasks run one after the other, on two pools. What starts the first one, and what submits the second one?",
    "`Future(query())(jdbc)` is the first one. Which method of a Future takes a function and its context?",
    "`Future(query())(jdbc).map(parse)(cpu)`."
  ) { load =>
    val (jdbc, cpu, n) = (new Held, new Held, Random.nextInt(1000))
    val (queried, parsed) = (new AtomicInteger, new AtomicInteger)
    def tasks = s"${jdbc.size} of `jdbc`, ${cpu.size} of `cpu`"
    def query() = { queried.incrementAndGet(); s"$n" }
    val answer = load(QueryAndParse(() => query(), text => { parsed.incrementAndGet(); text.toInt }, jdbc, cpu))
    val asked = s"$tasks, ${queried.get} queried"
    jdbc.runAll()
    val fetched = s"$tasks, ${parsed.get} parsed"
    Seq(cpu, jdbc).foreach(_.runAll())
    Seen(
      s"at first: 1 of `jdbc`, 0 of `cpu`, 0 queried\nafter the query: 0 of `jdbc`, 1 of `cpu`, 0 parsed\nat last: Some(Success($n))",
      s"at first: $asked\nafter the query: $fetched\nat last: ${answer.value}"
    ).of("tasks in the queues")
  }
  trial("during a parse, the thread of `jdbc` runs the next query")(
    "Which thread runs the parse? If it is the one that has the query's answer, the next query waits for it."
  ) { load =>
    onTwoPools { (jdbc, cpu) =>
      val (parsing, next, end) = (new CountDownLatch(1), new CountDownLatch(1), new CountDownLatch(1))
      load(QueryAndParse(() => "1", text => { parsing.countDown(); end.await(); text.toInt }, jdbc, cpu))
      reach(parsing, 1.second)
      load(QueryAndParse(() => { next.countDown(); "2" }, _.toInt, jdbc, cpu))
      val served = reach(next, 1.second)
      end.countDown()
      either(served, "the next query begins", "it waits for the parse")
    }
  }
  trial("while a query waits, no thread of `cpu` waits for it")(
    "A thread of `cpu` that waits for the query's result is a second blocked thread. No thread has to wait: a Future calls back when its result is there."
  ) { load =>
    onTwoPools { (jdbc, cpu) =>
      val (begun, probe, end) = (new CountDownLatch(1), new CountDownLatch(1), new CountDownLatch(1))
      // An answer that waits on `cpu` may also make its caller wait.
      onThread { load(QueryAndParse(() => { begun.countDown(); end.await(); "1" }, _.toInt, jdbc, cpu)); () }
      reach(begun, 1.second)
      cpu.execute(() => probe.countDown())
      val free = reach(probe, 1.second)
      end.countDown()
      either(free, "`cpu` is free", "`cpu` is occupied by the query")
    }
  }
  trial("if a query fails, the caller gets the failure, and nothing is parsed")(
    "`map` passes a failure on by itself. Don't catch it, and don't replace it by a made-up value."
  ) { load =>
    withPool(2) { pool =>
      val parsed = new AtomicInteger
      val answer = load(QueryAndParse(() => throw new ArithmeticException("on purpose"), _ => parsed.incrementAndGet(), pool, pool))
      val heard = ended(answer).failed.map(_.getClass.getSimpleName)
      Seen("Success(ArithmeticException), 0 parsed", s"$heard, ${parsed.get} parsed")
    }
  }

  private def onTwoPools(use: (ExecutionContext, ExecutionContext) => Seen): Seen = withPool(1)(jdbc => withPool(1)(cpu => use(jdbc, cpu)))
}
