package lab.results

import lab.show.Say

/** What a claim speaks of. That says where else it may be true: see page 12. */
sealed abstract class Kind(val name: String, val speaks: String) {
  override def toString: String = name
}

object Kind {
  case object Structure extends Kind("structure", "which thread, how many at once, in what order, what calls what")
  case object Ratio extends Kind("ratio", "how long or how much, mostly beside something else")
  case object Arithmetic extends Kind("arithmetic", "a figure that follows from others")

  /** All three. */
  val all: Vector[Kind] = Vector(Structure, Ratio, Arithmetic)

  /** @throws java.lang.IllegalArgumentException if no kind has this name, naming those that there are */
  def named(name: String): Kind = all
    .find(_.name == name)
    .getOrElse(throw new IllegalArgumentException(s"'$name' is no kind of claim; there are ${Say.list(all.map(_.name))}"))
}
