package lab.results

import lab.show.Say

/** The subject of a claim. It decides where else the claim may be true: see page 12. */
sealed abstract class Kind(val name: String) {
  override def toString: String = name
}

object Kind {

  /** A claim about which thread, how many simultaneously, in what order, or what calls what. */
  case object Structure extends Kind("structure")

  /** A claim about how long or how much, usually compared with something else. */
  case object Ratio extends Kind("ratio")

  /** A claim about a figure that follows from others. */
  case object Arithmetic extends Kind("arithmetic")

  /** All three kinds. */
  val all: Vector[Kind] = Vector(Structure, Ratio, Arithmetic)

  /** Finds the kind with this name.
    *
    * @throws java.lang.IllegalArgumentException if there is none; the message names those that there are
    */
  def named(name: String): Kind = all
    .find(_.name == name)
    .getOrElse(throw new IllegalArgumentException(s"'$name' is no kind of claim; there are ${Say.list(all.map(_.name))}"))
}
