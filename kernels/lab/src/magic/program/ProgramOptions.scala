package lab.magic.program

import lab.magic.{MagicGrammar, MagicOptions, Systems}

/** The options of a `%%program` line.
  *
  * @param name    the name of the value that it leaves in the session
  * @param systems the systems whose libraries it uses, or programs of this session, whose classes it uses
  * @param scala   the requested Scala version; none means the session's
  */
private[lab] final case class ProgramOptions(name: String, systems: Vector[String], scala: Option[String])

private[lab] object ProgramOptions {

  /** Reads the words of a `%%program` line.
    *
    * @throws lab.magic.program.ProgramRefused if a word is invalid; the message names the word, what was expected and what to do
    */
  def parse(words: Vector[String]): ProgramOptions = {
    val options = grammar.parse(words)
    options.all("--name").find(!MagicOptions.isIdentifier(_)).foreach { name =>
      throw grammar.wrong(s"--name $name can't name a value; expected a letter in lower case, then letters and digits")
    }
    val name = options.get("--name").getOrElse(throw grammar.wrong("it has no name; give it one, as in %%program --name shop --with play"))
    ProgramOptions(name, Systems.named(options, grammar), options.get("--scala"))
  }

  private val grammar =
    MagicGrammar("%%program", Vector("--name" -> "shop", Systems.option, "--scala" -> "3"), "", _ => None, new ProgramRefused(_))
}
