package lab
package program

/** What stands behind `%%program`.
  *
  * @param name    the value that it leaves in the session
  * @param systems whose libraries it uses
  */
private[lab] final case class Options(name: String, systems: Vector[String])

private[lab] object Options {

  /** @throws lab.ProgramRefused that names the word, what was expected and what to do
    */
  def parse(words: Vector[String]): Options = {
    val (names, systems) = collect(words.toList, Vector.empty, Vector.empty)
    val name = names.lastOption.getOrElse(throw new ProgramRefused(s"%%program: it has no name; give it one, as in $example"))
    lazy val known = Installation.here.systems
    systems
      .find(!known.contains(_))
      .foreach(unknown =>
        throw new ProgramRefused(s"%%program: --with $unknown: there is no such system here; there are ${known.mkString(", ")}")
      )
    Options(name, systems)
  }

  /** The name among `words`, if it is one that a value can have. */
  def nameIn(words: Vector[String]): Option[String] =
    words
      .sliding(2)
      .collectFirst { case Vector("--name", name) if isIdentifier(name) => name }
      .orElse(words.collectFirst {
        case WithName(name) if isIdentifier(name) => name
      })

  @annotation.tailrec
  private def collect(words: List[String], names: Vector[String], systems: Vector[String]): (Vector[String], Vector[String]) = words match {
    case Nil                        => (names, systems)
    case WithName(name) :: rest     => collect("--name" :: name :: rest, names, systems)
    case WithSystems(which) :: rest => collect("--with" :: which :: rest, names, systems)
    case "--name" :: name :: rest   => collect(rest, names :+ identifier(name), systems)
    case "--with" :: which :: rest  => collect(rest, names, systems ++ which.split(',').map(_.trim).filter(_.nonEmpty))
    case word :: _                  => throw new ProgramRefused(s"%%program: $word isn't understood; expected for example $example")
  }

  private def identifier(word: String): String =
    if (isIdentifier(word)) word
    else throw new ProgramRefused(s"%%program: --name $word can't name a value; expected a letter in lower case, then letters and digits")

  private def isIdentifier(word: String): Boolean = lab.jmh.Options.isIdentifier(word)

  private val example = "%%program --name shop --with play"
  private val WithName = "--name=(.*)".r
  private val WithSystems = "--with=(.*)".r
}
