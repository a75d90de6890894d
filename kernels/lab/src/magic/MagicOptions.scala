package lab.magic

import scala.annotation.tailrec
import scala.util.control.NoStackTrace

/** Signals that the cell can't be run as it is: an option is invalid, or a compiler refused the source. Positions are the cell's own line
  * numbers.
  */
abstract class CellRefused(message: String) extends IllegalArgumentException(message) with NoStackTrace

/** The words after `%%name`, sorted.
  *
  * @param own    the values of the magic's own options, in the order in which they were given
  * @param others all other words, in their order
  */
private[lab] final case class MagicOptions(own: Vector[(String, String)] = Vector.empty, others: Vector[String] = Vector.empty) {
  def all(option: String): Vector[String] = own.collect { case (`option`, value) => value }

  /** Returns the option's value; the last one counts. */
  def get(option: String): Option[String] = all(option).lastOption
}

/** The grammar of the words after `%%name`: the magic's own options, `--option value` or `--option=value`, and those of the tool that it
  * runs.
  *
  * @param magic    the magic's name, with `%%`
  * @param examples the magic's own options, each with a possible value
  * @param tool     the owner of the other words ("JMH's"); empty if there may be none
  * @param reserved returns why an option of the tool can't be given here
  * @param refused  builds the error with this message
  */
private[lab] final case class MagicGrammar(
    magic: String,
    examples: Vector[(String, String)],
    tool: String,
    reserved: String => Option[String],
    refused: String => CellRefused
) {

  /** Sorts the words into options.
    *
    * @throws lab.magic.CellRefused if a word is invalid; the message names the word, what was expected and what to do
    */
  def parse(words: Vector[String]): MagicOptions = parse(MagicOptions.separated(words).toList, MagicOptions())

  @tailrec private def parse(words: List[String], sofar: MagicOptions): MagicOptions = words match {
    case Nil                                             => sofar
    case option :: value :: rest if takes(option, value) => parse(rest, sofar.copy(own = sofar.own :+ (option -> value)))
    case option :: _ if example(option).nonEmpty         => throw wrong(s"$option needs a value, as in ${exampleOf(option)}")
    case word :: _ if word.startsWith("--") =>
      val names = examples.map(_._1)
      val known = (names.dropRight(2) :+ names.takeRight(2).mkString(" and ")).mkString(", ")
      throw refused(s"$magic has no option $word; it has $known${if (tool.isEmpty) "" else s", and $tool own"}")
    case word :: _ if reserved(word).nonEmpty => throw wrong(s"$word can't be given here, ${reserved(word).mkString}")
    case word :: _ if tool.isEmpty =>
      throw wrong(s"$word isn't understood; expected for example $magic ${examples.map(_._1).map(exampleOf).mkString(" ")}")
    case word :: rest => parse(rest, sofar.copy(others = sofar.others :+ word))
  }

  /** Builds the error for an invalid value. */
  def wrong(what: String): CellRefused = refused(s"$magic: $what")

  /** Returns `--option` with its example. */
  def exampleOf(option: String): String = s"$option ${example(option).mkString}"

  private def example(option: String): Option[String] = examples.collectFirst { case (`option`, value) => value }

  /** Returns whether `value` belongs to `option`. A dash begins the next option, unless a value may begin with one. */
  private def takes(option: String, value: String): Boolean =
    example(option).exists(known => value.nonEmpty && !value.startsWith("--") && (known.startsWith("\"-") || !value.startsWith("-")))
}

private[lab] object MagicOptions {

  /** Splits a line into words; quotes keep words together. */
  def words(line: String): Vector[String] =
    Option(line).fold(Vector.empty[String])(
      Word.findAllMatchIn(_).map(found => (1 to 3).flatMap(n => Option(found.group(n))).head).toVector
    )
  private val Word = """"([^"]*)"|'([^']*)'|(\S+)""".r

  /** Rewrites `--jdk=17` as `--jdk 17`. */
  def separated(words: Vector[String]): Vector[String] = words.flatMap {
    case WithValue(option, value) => Vector(option, value)
    case word                     => Vector(word)
  }
  private val WithValue = "(--\\w+)=(.*)".r

  /** Returns `call` as Scala that binds its value to the name that `--name` gives, or else to `default`. The name is checked when the cell
    * runs, because only then an error is shown as one. Until then a value with an invalid name has none.
    */
  def bound(options: Vector[String], call: String, default: Option[String] = None): String = {
    val words = separated(options)
    val name = if (words.contains("--name")) words.lift(words.indexOf("--name") + 1).filter(isIdentifier) else default
    name.fold(call)(name => s"val $name = $call")
  }

  def isIdentifier(word: String): Boolean = word.matches("[a-z][A-Za-z0-9_]*") && !keywords(word)
  private val keywords =
    ("abstract case catch class def do else extends false final finally for forSome if implicit import lazy macro match new null object " +
      "override package private protected return sealed super this throw trait try true type val var while with yield").split(' ').toSet
}
