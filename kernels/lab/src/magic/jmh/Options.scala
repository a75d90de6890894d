package lab.magic.jmh

import lab.machine.Profile
import lab.magic.{MagicGrammar, MagicOptions}
import lab.results.Recorded

/** The options of a `%%jmh` line.
  *
  * @param scala the Scala versions asked for, as they were written; none: the session's
  * @param jdks  the JDKs asked for; none: the session's
  * @param name  what the results are called in the session
  * @param recorded under which name a full run of this cell lies in `data/recorded`
  * @param jmh   JMH's own options, handed on as they are
  * @param quick JMH's own options that take the place of the same ones in a short run
  */
private[jmh] final case class Options(
    scala: Vector[String] = Vector.empty,
    jdks: Vector[Int] = Vector.empty,
    name: String = Options.defaultName,
    recorded: Option[String] = None,
    jmh: Vector[String] = Vector.empty,
    quick: Vector[String] = Vector.empty
) {

  /** These options for a short run: of the versions only the session's if a full run is recorded, and JMH's options as [[quick]] says. */
  def shortened: Options = copy(
    scala = if (recorded.isDefined) Vector.empty else scala,
    jdks = if (recorded.isDefined) Vector.empty else jdks,
    jmh = Options.without(jmh, quick.filter(_.startsWith("-")).toSet) ++ quick
  )

  /** JMH's options, and before them the profile's for all that neither the options nor the source's own annotations decide.
    *
    * The profile sets forks, iterations and their length; everything else is JMH's default.
    */
  def complete(profile: Profile, source: String): Vector[String] = {
    val length = Options.settings(profile)
    val code = Options.withoutComments(source)
    // JMH takes -f 1 and -f1.
    def isSet(option: String): Boolean = jmh.exists(word => word == option || word.matches(s"$option\\d.*"))
    def unless(annotation: String)(defaults: (String, String)*): Vector[String] =
      if (code.contains(annotation)) Vector.empty
      else defaults.toVector.filterNot { case (option, _) => isSet(option) }.flatMap { case (option, value) => Vector(option, value) }
    unless("@Fork")("-f" -> length.forks) ++
      unless("@Warmup")("-wi" -> length.warmups, "-w" -> length.warmup) ++
      unless("@Measurement")("-i" -> length.iterations, "-r" -> length.iteration) ++
      // A benchmark that fails is an error of the cell, not a gap in its chart.
      (if (isSet("-foe")) Vector.empty else Vector("-foe", "true")) ++
      jmh
  }
}

private[jmh] object Options {
  val defaultName = "results"

  /** @throws lab.magic.jmh.BenchmarkRefused that names the word, what was expected and what to do
    */
  def parse(words: Vector[String]): Options = {
    val options = grammar.parse(words)
    def one(option: String)(fits: String => Boolean, otherwise: String): Option[String] = {
      val value = options.get(option)
      value.filterNot(fits).foreach(value => throw grammar.wrong(s"$option $value $otherwise"))
      value
    }
    def list(option: String): Vector[String] = {
      val values = options.get(option).map(_.split(',').toVector.filter(_.nonEmpty).distinct)
      if (values.exists(_.isEmpty)) throw grammar.wrong(s"$option needs a value, as in ${grammar.exampleOf(option)}")
      values.getOrElse(Vector.empty)
    }
    Options(
      list("--scala"),
      list("--jdk").map(word =>
        word.toIntOption.getOrElse(
          throw grammar.wrong(s"--jdk $word is no JDK's number; expected for example ${grammar.exampleOf("--jdk")}")
        )
      ),
      one("--name")(MagicOptions.isIdentifier, "can't name a value; expected a letter, then letters and digits").getOrElse(defaultName),
      one("--recorded")(Recorded.isName, s"is no name of a record; expected for example ${grammar.exampleOf("--recorded")}"),
      options.others,
      MagicOptions.words(
        one("--quick")(isQuick, s"holds no options of JMH's; they stand in quotes, as in ${grammar.exampleOf("--quick")}").orNull
      )
    )
  }

  private val grammar = MagicGrammar(
    "%%jmh",
    Vector(
      "--scala" -> "2.12,2.13",
      "--jdk" -> "17,25",
      "--name" -> "results",
      "--recorded" -> "05-future-map",
      "--quick" -> "\"-wi 2 -i 5\""
    ),
    "JMH's",
    reserved,
    new BenchmarkRefused(_)
  )

  private def reserved(word: String): Option[String] = word match {
    case "-rf" | "-rff"                   => Some("the cell reads the results itself")
    case "-o"                             => Some("the cell reads JMH's output itself")
    case "-jvm"                           => Some("use --jdk")
    case "-h"                             => Some("this cell runs benchmarks; JMH's options are described in its own documentation")
    case "-l" | "-lp" | "-lprof" | "-lrf" => Some("this cell runs benchmarks and lists nothing")
    case _                                => None
  }

  private def isQuick(value: String): Boolean = {
    val words = MagicOptions.words(value)
    words.headOption.exists(_.matches("-\\w.*")) && !words.exists(_.startsWith("--"))
  }

  /** `words` without these options and their values. */
  private def without(words: Vector[String], options: Set[String]): Vector[String] = words.indices.collect {
    case at if !options(words(at)) && !words.lift(at - 1).exists(options) => words(at)
  }.toVector

  private final case class Settings(forks: String, warmups: String, warmup: String, iterations: String, iteration: String)

  /** The iterations of a fork resemble each other more than the forks do, so many short forks say more than few long ones. */
  private def settings(profile: Profile): Settings = profile match {
    case Profile.Quick => Settings(forks = "5", warmups = "2", warmup = "150ms", iterations = "2", iteration = "100ms")
    case Profile.Full  => Settings(forks = "8", warmups = "5", warmup = "400ms", iterations = "5", iteration = "300ms")
  }

  private def withoutComments(source: String): String = source.replaceAll("(?s)/\\*.*?\\*/", "").replaceAll("//[^\n]*", "")
}
