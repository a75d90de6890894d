package lab.magic.jmh

import lab.machine.Profile
import lab.magic.{MagicGrammar, MagicOptions, Systems}
import lab.results.Recorded

/** The options of a `%%jmh` line.
  *
  * @param scala    the requested Scala versions, as they were written; none means the session's
  * @param jdks     the requested JDKs; none means the session's
  * @param systems  the systems and programs whose libraries the source uses
  * @param name     the name of the results in the session
  * @param recorded the name of a full run of this cell in `data/recorded`
  * @param jmh      JMH's own options, passed on unchanged
  * @param quick    JMH's own options that replace the same ones in a short run
  */
private[jmh] final case class Options(
    scala: Vector[String] = Vector.empty,
    jdks: Vector[Int] = Vector.empty,
    systems: Vector[String] = Vector.empty,
    name: String = Options.defaultName,
    recorded: Option[String] = None,
    jmh: Vector[String] = Vector.empty,
    quick: Vector[String] = Vector.empty
) {

  /** Returns these options for a short run. If a full run is recorded, only the session's versions are left, and Scala 3, since the session's
    * compiler can't read its sources. JMH's options are changed as [[quick]] says.
    */
  def shortened: Options = copy(
    scala = if (recorded.isDefined) scala.filter(_.startsWith("3")) else scala,
    jdks = if (recorded.isDefined) Vector.empty else jdks,
    jmh = Options.without(jmh, quick.filter(_.startsWith("-")).toSet) ++ quick
  )

  /** Returns JMH's options, preceded by the profile's for all that neither the options nor the source's own annotations decide.
    *
    * The profile sets forks, iterations and their length. Everything else is JMH's default. [[lab.machine.Profile.Smoke]] also replaces `-f`.
    */
  def complete(profile: Profile, source: String): Vector[String] = {
    val length = Options.settings(profile)
    val jmh = if (profile == Profile.Smoke) Options.without(this.jmh, Set("-f")) else this.jmh
    val code = Options.withoutComments(source)
    // JMH takes -f 1 and -f1.
    def isSet(option: String): Boolean = jmh.exists(word => word == option || word.matches(s"$option\\d.*"))
    def unless(annotation: String)(defaults: (String, String)*): Vector[String] =
      if (code.contains(annotation)) Vector.empty
      else defaults.toVector.filterNot { case (option, _) => isSet(option) }.flatMap { case (option, value) => Vector(option, value) }
    unless("@Fork")("-f" -> length.forks) ++
      unless("@Warmup")("-wi" -> length.warmups, "-w" -> length.warmup) ++
      unless("@Measurement")("-i" -> length.iterations, "-r" -> length.iteration) ++
      // If a benchmark fails, the cell should fail; its chart shouldn't just have a gap.
      (if (isSet("-foe")) Vector.empty else Vector("-foe", "true")) ++
      jmh
  }
}

private[jmh] object Options {
  val defaultName = "results"

  /** Reads the words of a `%%jmh` line.
    *
    * @throws lab.magic.jmh.BenchmarkRefused if a word is invalid; the message names the word, what was expected and what to do
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
      Systems.named(options, grammar),
      one("--name")(MagicOptions.isIdentifier, "can't name a value; expected a letter, then letters and digits").getOrElse(defaultName),
      one("--recorded")(Recorded.isName, s"is no name of a record; expected for example ${grammar.exampleOf("--recorded")}"),
      options.others,
      MagicOptions.words(
        one("--quick")(isQuick, s"holds no JMH options; write them in quotes, as in ${grammar.exampleOf("--quick")}").orNull
      )
    )
  }

  private val grammar = MagicGrammar(
    "%%jmh",
    Vector(
      "--scala" -> "2.12,2.13",
      "--jdk" -> "17,25",
      Systems.option,
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

  /** Returns `words` without these options and their values. */
  private def without(words: Vector[String], options: Set[String]): Vector[String] = words.indices.collect {
    case at if !options(words(at)) && !words.lift(at - 1).exists(options) => words(at)
  }.toVector

  private final case class Settings(forks: String, warmups: String, warmup: String, iterations: String, iteration: String)

  /** Iterations of one fork resemble each other more than forks do, so many short forks say more than a few long ones. */
  private def settings(profile: Profile): Settings = profile match {
    case Profile.Quick => Settings(forks = "5", warmups = "2", warmup = "150ms", iterations = "2", iteration = "100ms")
    case Profile.Smoke => Settings(s"${Profile.Smoke.fewest}", warmups = "2", warmup = "150ms", iterations = "2", iteration = "100ms")
    case Profile.Full  => Settings(forks = "8", warmups = "5", warmup = "400ms", iterations = "5", iteration = "300ms")
  }

  private def withoutComments(source: String): String = source.replaceAll("(?s)/\\*.*?\\*/", "").replaceAll("//[^\n]*", "")
}
