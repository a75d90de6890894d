package lab.load

import java.util.concurrent.Executors
import java.util.concurrent.atomic.AtomicInteger

import scala.util.Using

/** Users who ask a server on this machine for one thing after the other, each on a connection of its own. */
object Users {

  /** Sends so many requests, `users` of them at a time, and returns how many seconds passed until the last answer.
    *
    * {{{
    * Users.seconds(server.port, requests = 300)(n => "/hello/" + n)
    * }}}
    *
    * @param path what the request of this number asks for; numbers begin at 1
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
