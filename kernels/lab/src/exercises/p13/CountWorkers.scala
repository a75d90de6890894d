package lab.exercises

/** Say how many threads of a runtime take tasks that say nothing, in a JVM that sees so many CPUs. For Ox these are the carriers. Nothing is
  * measured; the numbers are the runtimes' defaults.
  */
object CountWorkers extends Cases[(String, Int) => Int]("13-workers") {
  trial("one CPU")(
    "Page 13's first chart has this column. Which two have more than one?",
    "cats-effect has two, Pekko eight, and the others one."
  )(answer => all(answer, 1))
  trial("a few CPUs")(
    "Who has a minimum, and from how many CPUs on doesn't it matter any more?",
    "One for each CPU. `max(2, …)` is cats-effect's, `max(8, …)` is Pekko's."
  )(answer => all(answer, some(2, 7)))
  trial("more than eight CPUs")("Now every runtime has one for each CPU.")(answer => all(answer, some(9, 60)))
  trial("more than 64 CPUs")(
    "One of the five has a maximum, too. Look at `parallelism-max` in its `reference.conf`.",
    "Pekko's dispatcher stops at 64."
  )(answer => all(answer, some(70, 200)))

  private def all(answer: (String, Int) => Int, cpus: Int): Seen =
    firstWrong(Seq("Future", "cats-effect", "ZIO", "Pekko", "Ox").map { runtime =>
      val expected = runtime match {
        case "cats-effect" => cpus.max(2)
        case "Pekko"       => cpus.max(8).min(64)
        case _             => cpus
      }
      val said = answer(runtime, cpus)
      Seen(s"$expected", s"$said", said == expected).of(s"$runtime, CPUs: $cpus")
    })
}
