package lab.exercises

import java.util.concurrent.CountDownLatch
import java.util.concurrent.atomic.AtomicInteger

import lab.page.Exercise
import lab.page.Exercise._

import scala.concurrent.{Await, ExecutionContext, Future}
import scala.concurrent.duration._
import scala.util.{Random, Try}

/** Query on one pool, parse on the other: the answer gets a blocking query, a parser and both pools. */
object ParseApart extends Exercise[(() => String, String => Int, ExecutionContext, ExecutionContext) => Future[Int]]("03-parse-apart") {

  def trials: Trials = tasks ++ busy ++ failures

  private def tasks: Trials = Seq(
    Trial(
      "the query is a task of `jdbc`; when it is done, the parse is a task of `cpu`",
      "Two tasks, one after the other, on two pools. What starts the first one, and what hands the second one over?",
      "`Future(query())(jdbc)` is the first. Which method of a Future takes a function and a context for it?",
      "`Future(query())(jdbc).map(parse)(cpu)`."
    ) { load =>
      val (jdbc, cpu, n) = (new Held, new Held, Random.nextInt(1000))
      val (queried, parsed) = (new AtomicInteger, new AtomicInteger)
      val answer =
        load(() => { queried.incrementAndGet(); s"$n" }, text => { parsed.incrementAndGet(); text.toInt }, jdbc, cpu)
      val asked = s"${queried.get} queried, tasks: ${jdbc.size} of `jdbc`, ${cpu.size} of `cpu`"
      jdbc.runAll()
      val fetched = s"${queried.get} queried, ${parsed.get} parsed, tasks: ${jdbc.size} of `jdbc`, ${cpu.size} of `cpu`"
      cpu.runAll()
      jdbc.runAll()
      Seen(
        s"0 queried, tasks: 1 of `jdbc`, 0 of `cpu`; 1 queried, 0 parsed, tasks: 0 of `jdbc`, 1 of `cpu`; Some(Success($n))",
        s"$asked; $fetched; ${answer.value}"
      )
    }
  )

  private def busy: Trials = Seq(
    Trial(
      "during a parse the thread of `jdbc` serves the next query",
      "Who runs the parse? If it is the thread that has the query's answer, the next query waits for it."
    ) { load =>
      withPool(1) { jdbc =>
        withPool(1) { cpu =>
          val (parsing, next, end) = (new CountDownLatch(1), new CountDownLatch(1), new CountDownLatch(1))
          load(() => "1", text => { parsing.countDown(); end.await(); text.toInt }, jdbc, cpu)
          reach(parsing, 1.second)
          load(() => { next.countDown(); "2" }, _.toInt, jdbc, cpu)
          val served = reach(next, 1.second)
          end.countDown()
          Seen("the next query begins", if (served) "the next query begins" else "it waits for the parse")
        }
      }
    },
    Trial(
      "while a query waits, no thread of `cpu` waits with it",
      "A thread of `cpu` that waits for the query's result is a second blocked thread. Nobody has to wait: a Future tells when it is there."
    ) { load =>
      withPool(1) { jdbc =>
        withPool(1) { cpu =>
          val (begun, probe, end) = (new CountDownLatch(1), new CountDownLatch(1), new CountDownLatch(1))
          // Such an answer may make its caller wait as well.
          threads.newThread(() => { load(() => { begun.countDown(); end.await(); "1" }, _.toInt, jdbc, cpu); () }).start()
          reach(begun, 1.second)
          cpu.execute(() => probe.countDown())
          val free = reach(probe, 1.second)
          end.countDown()
          Seen("`cpu` is free", if (free) "`cpu` is free" else "`cpu` is held by the query")
        }
      }
    }
  )

  private def failures: Trials = Seq(
    Trial(
      "a query that fails is the caller's to hear, and nothing is parsed",
      "`map` passes a failure on by itself. Nothing has to be caught, and nothing made up in its place."
    ) { load =>
      withPool(2) { pool =>
        val parsed = new AtomicInteger
        val answer = load(() => throw new ArithmeticException("on purpose"), _ => parsed.incrementAndGet(), pool, pool)
        val heard = Try(Await.result(answer, 1.second)).failed.map(_.getClass.getSimpleName)
        Seen("Success(ArithmeticException), 0 parsed", s"$heard, ${parsed.get} parsed")
      }
    }
  )
}
