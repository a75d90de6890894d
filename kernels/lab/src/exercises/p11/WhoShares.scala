package lab.exercises

import lab.capstone.{Layout, Pool}

import scala.util.Random

/** Read a layout: which tasks can't begin while one task holds all the threads of its place? */
object WhoShares extends Cases[(Layout, String) => Set[String]]("11-who-waits") {
  trial("each task has a pool of its own: nobody waits for another")(
    "Whom does a task stand in line with? Look at the place of each.",
    "`layout.place(task)` is where a task runs. Compare it with `layout.place(held)`."
  )(each(() => apart()))
  trial("tasks of one pool wait for each other")(
    "A pool has one queue, whoever stands in it.",
    "`Layout.tasks.filter(task => task != held && layout.place(task) == layout.place(held)).toSet`"
  )(each(() => shared()))
  trial("a task on the event loops waits if they are held, and for nothing else")(
    "`loops` is a place as a pool is: so many threads, one for many connections each."
  )(each(() => shared().copy(app = "loops", render = "loops")))
  trial("virtual threads wait for nobody")(
    "An executor of virtual threads starts one for each task. What would it have to run out of?",
    "Two tasks on `virtual` share a place, and yet no threads: leave those out."
  )(each { () =>
    val tasks = Random.shuffle(Seq("app", "render", "query")).take(2)
    tasks.foldLeft(shared())((layout, task) => placed(layout, task, "virtual"))
  })

  private def each(make: () => Layout)(answer: (Layout, String) => Set[String]): Seen = {
    val cases = Seq.fill(6)(make()).flatMap(layout => Random.shuffle(Layout.tasks).take(3).map(layout -> _))
    firstWrong(cases.map { case (layout, held) =>
      Seen(said(waiting(layout, held)), said(answer(layout, held))).of(s"${layout.words}; held: $held")
    })
  }

  private def waiting(layout: Layout, held: String): Set[String] =
    if (layout.place(held) == "virtual") Set.empty
    else Layout.tasks.filter(task => task != held && layout.place(task) == layout.place(held)).toSet

  private def said(tasks: Set[String]): String = if (tasks.isEmpty) "nobody" else tasks.toSeq.sorted.mkString(", ")

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
