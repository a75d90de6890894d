package lab.exercises

import java.util.concurrent.CountDownLatch
import java.util.concurrent.atomic.AtomicReference

import scala.util.Random

/** Run a function as a request, with the request's id in a `ThreadLocal`, and leave the thread as it was. */
object Within extends Cases[(ThreadLocal[String], String, () => String) => String]("06-within") {
  trial("the body finds the id, on the calling thread, and its result is returned")(
    "Set the id, then call `body()`, and return its result. You need no other thread."
  ) { within =>
    val (local, id, result) = (new ThreadLocal[String], anId(), anId())
    var found = "the body didn't run"
    val caller = Thread.currentThread
    val back = within(
      local,
      id,
      () => {
        found = s"${here(local)} on ${if (Thread.currentThread eq caller) "the calling thread" else "another thread"}"
        result
      }
    )
    Seen(s"$id on the calling thread, then $result", s"$found, then $back")
  }
  trial("two simultaneous requests don't get each other's id")(
    "Each thread has its own id, and its own former id to put back. What do your two calls share? Keep the former id in a `val` inside `within`."
  ) { within =>
    val (local, first, second) = (new ThreadLocal[String], anId(), anId())
    val (inside, release, ended) = (new CountDownLatch(1), new CountDownLatch(1), new CountDownLatch(1))
    val left = new AtomicReference("it didn't end")
    val _ = within(new ThreadLocal[String], first, () => "") // an unwritten answer fails here
    onThread {
      local.set(first)
      try {
        val _ = within(local, anId(), () => { inside.countDown(); reach(release); "" })
        left.set(here(local))
      } finally ended.countDown()
    }
    reach(inside)
    local.set(second)
    val back = within(local, anId(), () => here(local))
    val own = if (back == here(local)) "the wrong id" else here(local)
    release.countDown()
    reach(ended)
    Seen(s"$first and $second are back", s"${left.get} and $own are back").hintIf(left.get == "none" && own == "none")(
      "Each thread had an id of its own before your call, and has none afterwards. Remove nothing that isn't yours."
    )
  }
  trial("afterwards the thread has the id that it had before")(
    "Another request may be running on this thread: a direct context runs your step in the middle of it. Remove nothing that isn't yours.",
    "Read the id that is there before you set yours. Set that one again afterwards."
  ) { within =>
    val (local, outer, inner) = (new ThreadLocal[String], anId(), anId())
    local.set(outer)
    val _ = within(local, inner, () => within(local, anId(), () => ""))
    Seen(outer, here(local))
  }
  trial("if there was no id, none is left")(
    "This thread goes back to a pool. What does its next task find? If there was no id before, call `remove()`."
  ) { within =>
    val local = new ThreadLocal[String]
    val _ = within(local, anId(), () => "")
    Seen("none", here(local))
  }
  trial("it is the same if the body sets another id")("Put back what was there before, whatever is there now.") { within =>
    val (local, outer) = (new ThreadLocal[String], anId())
    local.set(outer)
    val _ = within(local, anId(), () => { local.set(anId()); "" })
    Seen(outer, here(local))
  }
  trial("it is the same if the body throws, and the exception is passed on")(
    "Whatever happens in `body`, the thread has to be put in order. Use `try` … `finally`.",
    "Write `try body() finally …`. In the `finally`, put back what was there before. Catch nothing."
  ) { within =>
    val (local, outer, cause) = (new ThreadLocal[String], anId(), new Exception("on purpose"))
    local.set(outer)
    val thrown =
      try { val _ = within(local, anId(), () => throw cause); "nothing" }
      catch { case caught: Exception => caught.getMessage }
    Seen(s"on purpose; then $outer", s"$thrown; then ${here(local)}")
  }

  private def here(local: ThreadLocal[String]): String = Option(local.get).getOrElse("none")
  private def anId(): String = s"req-${100 + Random.nextInt(900)}-${Random.nextInt(1000)}"
}
