package lab.page

import lab.results.{Published, Setting}

class ElsewhereSuite extends munit.FunSuite {
  private val (asCpus, many) = ("B1.as-many-as-cpus", "B8.many-times")

  private def setting(cpus: Int, jdk: Int = 25, nextTo: String = "nothing", on: String = "a machine")(verdicts: (String, String)*) =
    Setting(on, cpus, jdk, nextTo, verdicts.toMap)

  private def separated(verdicts: ((Int, Int, String), String)*): String =
    Elsewhere.separation(verdicts.toVector.map { case ((cpus, jdk, nextTo), verdict) => setting(cpus, jdk, nextTo)() -> verdict })

  test("the number of CPUs, the JDK or the load separates verdicts, if it does so in every setting") {
    val (quiet, busy) = ("nothing", "compiler")
    assertEquals(
      separated((1, 25, quiet) -> "holds", (2, 25, quiet) -> "depends", (8, 21, busy) -> "depends"),
      "up to 1 CPU: holds; from 2 on: depends"
    )
    assertEquals(
      separated((1, 21, quiet) -> "depends", (1, 25, quiet) -> "holds", (2, 21, quiet) -> "depends", (2, 25, busy) -> "holds"),
      "JDK 21: depends; JDK 25: holds"
    )
    assertEquals(
      separated((1, 25, quiet) -> "holds", (1, 25, busy) -> "open", (2, 25, quiet) -> "holds", (2, 25, busy) -> "open"),
      "next to nothing: holds; next to a compiler: open"
    )
    assertEquals(separated((1, 25, quiet) -> "holds", (2, 25, quiet) -> "depends", (4, 25, quiet) -> "holds"), "")
    assertEquals(separated((1, 25, quiet) -> "holds", (2, 25, quiet) -> "holds"), "")
  }

  test("the machine can separate verdicts too, and no property hides another") {
    def of(verdicts: ((Int, String), String)*): String =
      Elsewhere.separation(verdicts.toVector.map { case ((cpus, on), verdict) => setting(cpus, on = on)() -> verdict })
    assertEquals(of((1, "A") -> "holds", (2, "A") -> "holds", (1, "B") -> "depends"), "on A: holds; elsewhere: depends")
    assertEquals(
      of((1, "A") -> "holds", (2, "B") -> "depends"),
      "up to 1 CPU: holds; from 2 on: depends, or on A: holds; elsewhere: depends"
    )
    assertEquals(of((1, "A") -> "holds", (1, "B") -> "depends", (2, "C") -> "holds"), "on B: depends; elsewhere: holds")
    assertEquals(of((1, "A") -> "holds", (2, "A") -> "depends", (1, "B") -> "depends"), "")
  }

  test("a setting in which a statement stayed open doesn't hide what separates its verdicts") {
    assertEquals(
      separated((1, 25, "nothing") -> "holds", (1, 25, "compiler") -> "open", (2, 25, "nothing") -> "depends"),
      "up to 1 CPU: holds; from 2 on: depends"
    )
  }

  test("the table has the statements that differ, and its title how many don't") {
    val rows = Ledger.of(Vector(asCpus, many).map(Published.statement), Vector.empty, Map.empty, Map.empty).rows
    val settings =
      Vector(setting(1)(asCpus -> "holds", many -> "holds"), setting(2)(asCpus -> "holds", many -> "not tried"))
    val machines = Vector(setting(8)(many -> "does not hold"))
    val alone = new Elsewhere(rows, settings, Vector.empty).table
    assertEquals(alone.caption, "1 of 2 statements got the same verdict wherever they were tried in 2 settings")
    assertEquals(alone.rows.map(row => row.head +: row.drop(2)), Seq(Seq("B8", "holds 1, open 1", "up to 1 CPU: holds; from 2 on: open")))
    val both = new Elsewhere(rows, settings, machines).table
    assertEquals(both.caption, "1 of 2 statements got the same verdict wherever they were tried in 2 settings; 1 machine handed in")
    assertEquals(both.rows.map(_.last), Seq("does not hold 1"))
    assert(new Elsewhere(rows, settings.take(1), Vector.empty).table.caption.startsWith("Fewer than two settings"))
  }
}
