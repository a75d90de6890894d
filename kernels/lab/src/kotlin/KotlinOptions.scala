package lab

/** What stands behind `%%kotlin`.
  *
  * @param name     the name of the class with the cell's top-level functions
  * @param compiler options for the Kotlin compiler
  * @param jvm      options for the JVM that it runs in
  */
private[lab] final case class KotlinOptions(
    name: Option[String] = None,
    compiler: Vector[String] = Vector.empty,
    jvm: Vector[String] = Vector.empty
)

private[lab] object KotlinOptions {

  /** @throws lab.KotlinRefused that names the word, what was expected and what to do
    */
  def parse(words: Vector[String]): KotlinOptions = parse(words.toList, KotlinOptions())

  @annotation.tailrec
  private def parse(words: List[String], sofar: KotlinOptions): KotlinOptions = words match {
    case Nil                       => sofar
    case "--name" :: rest          => parse(rest.drop(1), sofar.copy(name = Some(className(rest.headOption))))
    case WithName(name) :: rest    => parse(rest, sofar.copy(name = Some(className(Some(name)))))
    case ForJvm(option) :: rest    => parse(rest, sofar.copy(jvm = sofar.jvm :+ option))
    case Ours(option, why) :: _    => throw new KotlinRefused(s"%%kotlin: $option can't be given here, $why")
    case ForCompiler(word) :: rest => parse(rest, sofar.copy(compiler = sofar.compiler :+ word))
    case word :: _ if word.startsWith("--") =>
      throw new KotlinRefused(s"%%kotlin has no option $word; it has --name, and the Kotlin compiler's own")
    case word :: _ =>
      throw new KotlinRefused(
        s"%%kotlin: $word is no option; an option begins with -, and its value stands behind =, as in -opt-in=kotlin.ExperimentalStdlibApi"
      )
  }

  private val WithName = "--name=(.*)".r
  private val ForJvm = "-J(.+)".r
  private val ForCompiler = "(-[^-].*)".r

  private object Ours {
    private val reasons = Map(
      "-d" -> "the classes go into the session",
      "-cp" -> "the cell sees what the session imported; add to it by import $ivy",
      "-script" -> "the cell is a source file; write functions, and call them from a Scala cell",
      "-help" -> "the options are described in the Kotlin compiler's own documentation",
      "-version" -> "the line below the cell tells the compiler's version"
    )
    private val same = Map("-classpath" -> "-cp", "-class-path" -> "-cp", "-h" -> "-help", "-expression" -> "-script", "-e" -> "-script")
    def unapply(word: String): Option[(String, String)] = {
      val option = word.takeWhile(_ != '=')
      reasons.get(same.getOrElse(option, option)).map(option -> _)
    }
  }

  private def className(word: Option[String]): String = word match {
    case Some(name) if name.matches("[A-Z][A-Za-z0-9_]*") => name
    case Some(name) =>
      throw new KotlinRefused(
        s"%%kotlin: --name $name can't name a class here; expected a capital letter, then letters and digits, as in --name Coroutines"
      )
    case None => throw new KotlinRefused("%%kotlin: --name needs a value, as in --name Coroutines")
  }
}
