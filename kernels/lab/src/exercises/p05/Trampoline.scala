package lab.exercises

import java.util.concurrent.CountDownLatch
import java.util.concurrent.atomic.AtomicReference

import scala.concurrent.ExecutionContext

/** Write a direct context that neither overflows the stack nor changes the order. */
object Trampoline extends Cases[(Throwable => Unit) => ExecutionContext]("05-trampoline") {
  trial("a task runs on the calling thread, before `execute` returns")(
    "You need no other thread. `execute` itself runs the task, unless a task of this context already runs on this thread."
  ) { make =>
    var ranOn = Option.empty[Thread]
    make(ignore).execute { () => ranOn = Some(Thread.currentThread) }
    either(ranOn.contains(Thread.currentThread), "the caller, before", ranOn.fold("not run before")(_ => "another thread"))
  }
  trial("tasks that a task submits run after it, first come, first served")(
    "A task that is submitted while another one runs on this thread has to wait somewhere. The first `execute` on the stack should run it later.",
    "Keep a queue for each thread: `new ThreadLocal[java.util.ArrayDeque[Runnable]]`. If there is one, add to its end and return. If not, create one, and run tasks from its head until it is empty."
  ) { make =>
    val (context, n) = (make(ignore), some(3, 32))
    var order = Vector.empty[String]
    context.execute { () =>
      (1 to n).foreach(number => context.execute { () => order :+= s"$number" })
      order :+= "end of the first"
    }
    Seen(("end of the first" +: (1 to n).map(_.toString)).mkString(" "), order.mkString(" "))
  }
  trial("a chain of 200,000 steps needs no deep stack")(
    "Each nested `execute` that runs its task makes the stack deeper. Let only the first one run tasks, in a loop."
  ) { make =>
    val context = make(ignore)
    var left = 200000
    def step(): Unit = { left -= 1; if (left > 0) context.execute(() => step()) }
    val end =
      try { context.execute(() => step()); s"$left left" }
      catch { case error: StackOverflowError => s"${error.getClass.getSimpleName} with $left left" }
    Seen("0 left", end)
  }
  trial("no thread holds up another")(
    "Two threads use the same context here. What do they share that only one of them can have? A queue for each thread needs no lock."
  ) { make =>
    val context = make(ignore)
    val (inside, release, other) = (new CountDownLatch(1), new CountDownLatch(1), new CountDownLatch(1))
    onThread(context.execute { () => inside.countDown(); release.await() })
    reach(inside)
    onThread(context.execute(() => other.countDown()))
    val ran = reach(other)
    release.countDown()
    either(ran, "the other thread's task ran", "it waited")
  }
  trial("a task that throws is reported; the others run, then and later")(
    "Catch what each task throws (`NonFatal`), pass it to `report`, and go on with the loop."
  ) { make =>
    val reported = new AtomicReference[Throwable]
    val (context, cause) = (make(thrown => reported.set(thrown)), new Exception("on purpose"))
    var ran = Vector.empty[String]
    context.execute { () =>
      context.execute(() => throw cause)
      context.execute { () => ran :+= "second" }
    }
    context.execute { () => ran :+= "later" }
    Seen(s"second later, reported: $cause", s"${ran.mkString(" ")}, reported: ${reported.get}")
  }
  trial("whatever a task throws, the thread can use the context afterwards")(
    "`NonFatal` doesn't match an `InterruptedException`, so it leaves your loop. What does the next `execute` on this thread find? Remove the thread's queue in a `finally`."
  ) { make =>
    val context = make(ignore)
    try context.execute(() => throw new InterruptedException("on purpose"))
    catch { case _: InterruptedException => () }
    var ran = false
    context.execute { () => ran = true }
    either(ran, "the next task ran", "the next task didn't run")
  }

  private val ignore: Throwable => Unit = _ => ()
}
