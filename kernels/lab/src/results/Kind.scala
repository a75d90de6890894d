package lab.results

import lab.show.Say

/** What a claim speaks of. That says where else it may be true: see page 12. */
sealed abstract class Kind(val name: String) {
  override def toString: String = name
}

object Kind {

  /** Which thread, how many simultaneously, in what order, what calls what. */
  case object Structure extends Kind("structure")

  /** How long or how much, usually beside something else. */
  case object Ratio extends Kind("ratio")

  /** A figure that follows from others. */
  case object Arithmetic extends Kind("arithmetic")

  /** All three. */
  val all: Vector[Kind] = Vector(Structure, Ratio, Arithmetic)

  /** @throws java.lang.IllegalArgumentException if no kind has this name, naming those that there are */
  def named(name: String): Kind = all
    .find(_.name == name)
    .getOrElse(throw new IllegalArgumentException(s"'$name' is no kind of claim; there are ${Say.list(all.map(_.name))}"))
}
