package lab.load

import java.util.concurrent.Executors
import java.util.concurrent.atomic.AtomicInteger

import scala.util.Using

/** Simulates users who send a server on this machine one request after the other, each on a separate connection. */
object Users {

  /** Sends `requests` requests, `users` of them at a time, and returns how many seconds passed until the last answer.
    *
    * @param path returns the path of the request of this number; numbers begin at 1
    * @throws java.util.concurrent.ExecutionException if a request gets no answer, with the cause
    */
  def seconds(port: Int, requests: Int, users: Int = 50)(path: Int => String): Double = {
    val (tickets, began) = (new AtomicInteger, System.nanoTime)
    val turns: Runnable = () =>
      Using.resource(HttpConnection(port)) { user =>
        Iterator.continually(tickets.incrementAndGet()).takeWhile(_ <= requests).foreach(n => user.get(path(n)))
      }
    Using.resource(Executors.newVirtualThreadPerTaskExecutor()) { threads =>
      Vector.fill(users)(threads.submit(turns, ())).foreach(_.get)
    }
    (System.nanoTime - began) / 1e9
  }
}
