package lab.exercises

import lab.capstone.{Layout, Pool}

import scala.util.Random

/** Read a layout: which tasks can't begin while one task occupies all the threads of its place? */
object WhoShares extends Cases[(Layout, String) => Set[String]]("11-who-waits") {
  trial("if each task has its own pool, no task waits for another")(
    "Which tasks share a queue? Look at the place of each task.",
    "`layout.place(task)` is where a task runs. Compare it with `layout.place(held)`."
  )(each(() => apart()))
  trial("tasks of the same pool wait for each other")(
    "A pool has one queue for all its tasks.",
    "`Layout.tasks.filter(task => task != held && layout.place(task) == layout.place(held)).toSet`"
  )(each(() => shared()))
  trial("a task on the event loops waits if other tasks occupy them, and for no other reason")(
    "`loops` is a place just as a pool is: a number of threads, each of which serves many connections."
  )(each(() => shared().copy(app = "loops", render = "loops")))
  trial("tasks on virtual threads wait for no other task")(
    "An executor of virtual threads starts one for each task. What could it run out of?",
    "Two tasks on `virtual` share a place, but no thread. Leave them out."
  )(each { () =>
    val tasks = Random.shuffle(Seq("app", "render", "query")).take(2)
    tasks.foldLeft(shared())((layout, task) => placed(layout, task, "virtual"))
  })

  private def each(make: () => Layout)(answer: (Layout, String) => Set[String]): Seen = {
    val cases = Seq.fill(6)(make()).flatMap(layout => Random.shuffle(Layout.tasks).take(3).map(layout -> _))
    firstWrong(cases.map { case (layout, held) =>
      Seen(said(waiting(layout, held)), said(answer(layout, held))).of(s"${layout.words}; all threads of $held are occupied")
    })
  }

  private def waiting(layout: Layout, held: String): Set[String] =
    if (layout.place(held) == "virtual") Set.empty
    else Layout.tasks.filter(task => task != held && layout.place(task) == layout.place(held)).toSet

  private def said(tasks: Set[String]): String = if (tasks.isEmpty) "no task" else tasks.toSeq.sorted.mkString(", ")

  private def apart(): Layout = {
    val names = Random.shuffle(Seq("red", "blue", "green", "white", "black"))
    laid(names, names)
  }

  /** Two or three pools for the five tasks. */
  private def shared(): Layout = {
    val names = Random.shuffle(Seq("red", "blue", "green")).take(some(2, 3))
    laid(names, Random.shuffle(names ++ Seq.fill(5 - names.size)(names(some(0, names.size - 1)))))
  }

  private def laid(names: Seq[String], places: Seq[String]): Layout = {
    val at = Layout.tasks.zip(places).toMap
    Layout("a layout", names.map(Pool(_, some(1, 4))), at("app"), at("render"), at("query"), at("refresh"), at("timers"))
  }

  private def placed(layout: Layout, task: String, place: String): Layout = task match {
    case "app"    => layout.copy(app = place)
    case "render" => layout.copy(render = place)
    case _        => layout.copy(query = place)
  }
}
