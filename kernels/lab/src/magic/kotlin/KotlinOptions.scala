package lab.magic.kotlin

import lab.magic.MagicGrammar

/** The options of a `%%kotlin` line.
  *
  * @param name     the name of the class with the cell's top-level functions
  * @param compiler options for the Kotlin compiler
  * @param jvm      options for the JVM that it runs in
  */
private[kotlin] final case class KotlinOptions(
    name: Option[String] = None,
    compiler: Vector[String] = Vector.empty,
    jvm: Vector[String] = Vector.empty
)

private[kotlin] object KotlinOptions {

  /** Reads the words of a `%%kotlin` line.
    *
    * @throws lab.magic.kotlin.KotlinRefused if a word is invalid; the message names the word, what was expected and what to do
    */
  def parse(words: Vector[String]): KotlinOptions = {
    val options = grammar.parse(words)
    options.others.find(!_.startsWith("-")).foreach { word =>
      throw grammar.wrong(
        s"$word is no option; an option begins with -, and its value follows =, as in -opt-in=kotlin.ExperimentalStdlibApi"
      )
    }
    options.get("--name").filterNot(_.matches("[A-Z][A-Za-z0-9_]*")).foreach { name =>
      throw grammar.wrong(
        s"--name $name can't name a class here; expected a capital letter, then letters and digits, as in ${grammar.exampleOf("--name")}"
      )
    }
    val (jvm, compiler) = options.others.partition(_.matches("-J.+"))
    KotlinOptions(options.get("--name"), compiler, jvm.map(_.drop(2)))
  }

  private val grammar =
    MagicGrammar("%%kotlin", Vector("--name" -> "Coroutines"), "the Kotlin compiler's", reserved, new KotlinRefused(_))

  private def reserved(word: String): Option[String] = word.takeWhile(_ != '=') match {
    case "-d"                                 => Some("the classes go into the session")
    case "-cp" | "-classpath" | "-class-path" => Some("the cell sees what the session imported; add to it by import $ivy")
    case "-script" | "-expression" | "-e"     => Some("the cell is a source file; write functions, and call them from a Scala cell")
    case "-help" | "-h"                       => Some("the options are described in the Kotlin compiler's own documentation")
    case "-version"                           => Some("the line below the cell shows the compiler's version")
    case _                                    => None
  }
}
