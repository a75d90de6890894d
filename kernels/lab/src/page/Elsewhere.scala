package lab.page

import lab.results.Setting
import lab.show.{Say, Table}

/** Compares the verdicts of different settings and machines. */
final class Elsewhere private[page] (rows: Vector[LedgerRow], settings: Vector[Setting], machines: Vector[Setting]) {

  /** Lists the statements that didn't get the same verdict everywhere, each with the properties of the settings that separate its
    * verdicts.
    */
  def show(): Unit = table.show()

  private[page] def table: Table = if (settings.size < 2 && machines.isEmpty) Elsewhere.nothing
  else {
    val tried = rows.filter(row => settings.exists(_.verdicts.contains(row.statement.id)))
    val differ = rows.filter(row => Seq(settings, machines).flatMap(reached(row, _)).map(_._2).distinct.size > 1)
    val same = tried.count(row => reached(row, settings).map(_._2).distinct.size == 1)
    val title = s"$same of ${Say.count(tried.size, "statement")} got the same verdict wherever they were tried in " +
      s"${Say.count(settings.size, "setting")}" +
      (if (machines.isEmpty) "" else s"; ${Say.count(machines.size, "machine")} handed in")
    Table(
      title,
      Seq("claim", "statement", "in how many settings", "what separates them") ++ Option.when(machines.nonEmpty)("on how many machines"),
      differ.map { row =>
        val there = reached(row, settings)
        Seq(row.claim.id, row.statement.shown, counts(there), Elsewhere.separation(there)) ++
          Option.when(machines.nonEmpty)(counts(reached(row, machines)))
      }
    )
  }

  private def reached(row: LedgerRow, where: Vector[Setting]): Vector[(Setting, String)] =
    for (setting <- where; verdict <- setting.verdicts.get(row.statement.id)) yield setting -> Elsewhere.decided(verdict)

  private def counts(there: Vector[(Setting, String)]): String = {
    val found = there.groupBy(_._2).view.mapValues(_.size).toMap
    Verdict.names.map(Elsewhere.decided).distinct.flatMap(name => found.get(name).map(times => s"$name $times")).mkString(", ")
  }
}

private[page] object Elsewhere {

  private val nothing =
    Table("Fewer than two settings were recorded so far, so there is nothing to compare", Seq("claim", "statement"), Nil)

  /** Returns the verdict's name, or "open" for one that says neither yes nor no. */
  def decided(verdict: String): String = if (Verdict.isOpen(verdict)) "open" else verdict

  /** Describes each property that separates these verdicts completely: up to a number of CPUs, or JDK, and from the next on; next to what
    * else; or on which machine. Settings in which the statement stayed open count only if it got one other verdict. It is empty if there is
    * no such property.
    */
  def separation(there: Vector[(Setting, String)]): String = {
    val closed = there.filter(_._2 != "open")
    val compared = if (closed.map(_._2).distinct.size > 1) closed else there
    val splits = cuts(compared)(_.cpus).map { case (low, high) =>
      (s"up to ${Say.count(low, "CPU")}", s"from $high on", (_: Setting).cpus <= low)
    } ++
      cuts(compared)(_.jdk).map { case (low, high) =>
        (s"JDK $low", s"JDK $high", (_: Setting).jdk <= low)
      } :+
      (("next to nothing", "next to a compiler", (_: Setting).nextTo == "nothing"))
    val machines = compared.map { case (setting, _) => setting.on }.distinct
    val byMachine = (if (machines.size == 2) machines.take(1) else machines).map { on =>
      (s"on $on", "elsewhere", (_: Setting).on == on)
    }
    (splits ++ byMachine)
      .flatMap { case (one, other, isFirst) =>
        val (first, second) = compared.partition { case (setting, _) => isFirst(setting) }
        (first.map(_._2).distinct, second.map(_._2).distinct) match {
          case (Vector(here), Vector(elsewhere)) if here != elsewhere => Some(s"$one: $here; $other: $elsewhere")
          case _                                                      => None
        }
      }
      .mkString(", or ")
  }

  private def cuts(there: Vector[(Setting, String)])(of: Setting => Int): Vector[(Int, Int)] = {
    val values = there.map { case (setting, _) => of(setting) }.distinct.sorted
    values.zip(values.drop(1))
  }
}
