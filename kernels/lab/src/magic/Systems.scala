package lab.magic

import java.nio.file.Path

import lab.installation.{Installation, Scalac}
import lab.process.CompiledProgram

/** The option `--with` of a magic: systems (`systems` in `kernels/build.json`) or programs of this session, whose libraries a cell uses. */
private[lab] object Systems {

  /** The option with an example. */
  val option: (String, String) = "--with" -> "play"

  /** Returns the names that the options give, separated by commas.
    *
    * @throws lab.magic.CellRefused if there is no such system and no such program
    */
  def named(options: MagicOptions, grammar: MagicGrammar): Vector[String] = {
    val names = options.all(option._1).flatMap(_.split(',').map(_.trim).filter(_.nonEmpty))
    lazy val known = Installation.here(s"${option._1} of ${grammar.magic}").systems
    names.filter(CompiledProgram.named(_).isEmpty).find(!known.contains(_)).foreach { unknown =>
      throw grammar.wrong(s"${option._1} $unknown: there is no such system here; there are ${known.mkString(", ")}")
    }
    names
  }

  /** Returns their class paths, without Scala's library. */
  def classPath(names: Vector[String]): Vector[Path] = names
    .flatMap(name => CompiledProgram.named(name).fold(Installation.here(option._1).system(name))(_.classPath))
    .filterNot(Scalac.isLibrary)
}
