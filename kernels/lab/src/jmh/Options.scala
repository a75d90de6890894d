package lab
package jmh

/** The options of a `%%jmh` line.
  *
  * @param scala the Scala versions asked for, as they were written; none: the session's
  * @param jdks  the JDKs asked for; none: the session's
  * @param name  what the results are called in the session
  * @param recorded under which name a full run of this cell lies in `data/recorded`
  * @param jmh   JMH's own options, handed on as they are
  * @param quick JMH's own options that take the place of the same ones in a short run
  */
private[lab] final case class Options(
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

private[lab] object Options {
  val defaultName = "results"

  /** @throws lab.jmh.BenchmarkRefused that names the word, what was expected and what to do
    */
  def parse(words: Vector[String]): Options = parse(separated(words).toList, Options())

  @annotation.tailrec
  private def parse(words: List[String], sofar: Options): Options = words match {
    case Nil                  => sofar
    case "--scala" :: rest    => parse(rest.drop(1), sofar.copy(scala = list("--scala", rest)))
    case "--jdk" :: rest      => parse(rest.drop(1), sofar.copy(jdks = list("--jdk", rest).map(number)))
    case "--name" :: rest     => parse(rest.drop(1), sofar.copy(name = identifier(list("--name", rest).mkString(","))))
    case "--recorded" :: rest => parse(rest.drop(1), sofar.copy(recorded = Some(recordName(list("--recorded", rest).mkString(",")))))
    case "--quick" :: rest    => parse(rest.drop(1), sofar.copy(quick = quick(rest)))
    case Word(option) :: _ =>
      throw new BenchmarkRefused(s"%%jmh has no option $option; it has --scala, --jdk, --name, --recorded and --quick, and JMH's own")
    case Ours(option, why) :: _ => throw new BenchmarkRefused(s"%%jmh: $option can't be given here, $why")
    case word :: rest           => parse(rest, sofar.copy(jmh = sofar.jmh :+ word))
  }

  /** `--jdk=17` as `--jdk 17`. */
  private def separated(words: Vector[String]): Vector[String] = words.flatMap {
    case WithValue(option, value) => Vector(option, value)
    case word                     => Vector(word)
  }
  private val WithValue = "(--\\w+)=(.*)".r

  /** The name to bind before anything is checked: the checks run in the cell, where an error is shown as one. */
  def nameIn(words: Vector[String]): Option[String] = {
    val all = separated(words)
    all.indexOf("--name") match {
      case -1 => Some(defaultName)
      case at => all.lift(at + 1).filter(isIdentifier)
    }
  }

  private object Word {
    def unapply(word: String): Option[String] = Option.when(word.startsWith("--"))(word)
  }

  private object Ours {
    private val reasons = Map(
      "-rf" -> "the cell reads the results itself",
      "-rff" -> "the cell reads the results itself",
      "-o" -> "the cell reads JMH's output itself",
      "-jvm" -> "use --jdk",
      "-h" -> "this cell runs benchmarks; JMH's options are described in its own documentation"
    )
    def unapply(word: String): Option[(String, String)] =
      reasons
        .get(word)
        .map(word -> _)
        .orElse(Option.when(word.matches("-l|-lp|-lprof|-lrf"))(word -> "this cell runs benchmarks and lists nothing"))
  }

  private def quick(rest: List[String]): Vector[String] = rest.headOption.fold(Vector.empty[String])(CellMagic.words) match {
    case words if words.headOption.exists(_.matches("-\\w.*")) && !words.exists(_.startsWith("--")) => words
    case _ => throw new BenchmarkRefused(s"%%jmh: --quick needs options of JMH's in quotes, as in ${examples("--quick")}")
  }

  /** `words` without these options and their values. */
  private def without(words: Vector[String], options: Set[String]): Vector[String] = words.indices.collect {
    case at if !options(words(at)) && !words.lift(at - 1).exists(options) => words(at)
  }.toVector

  private def list(option: String, rest: List[String]): Vector[String] =
    rest.headOption.map(_.split(',').toVector.filter(_.nonEmpty).distinct).filter(_.nonEmpty).filterNot(_.head.startsWith("-")).getOrElse {
      throw new BenchmarkRefused(s"%%jmh: $option needs a value, as in ${examples(option)}")
    }
  private val examples = Map(
    "--scala" -> "--scala 2.12,2.13",
    "--jdk" -> "--jdk 17,25",
    "--name" -> "--name results",
    "--recorded" -> "--recorded 05-future-map",
    "--quick" -> "--quick \"-wi 2 -i 5\""
  )

  private def number(word: String): Int =
    word.toIntOption.getOrElse(
      throw new BenchmarkRefused(s"%%jmh: --jdk $word is no JDK's number; expected for example ${examples("--jdk")}")
    )

  private def identifier(word: String): String =
    if (isIdentifier(word)) word
    else throw new BenchmarkRefused(s"%%jmh: --name $word can't name a value; expected a letter, then letters and digits")

  private def recordName(word: String): String =
    if (Recorded.isName(word)) word
    else throw new BenchmarkRefused(s"%%jmh: --recorded $word is no name of a record; expected for example ${examples("--recorded")}")

  private[lab] def isIdentifier(word: String): Boolean = word.matches("[a-z][A-Za-z0-9_]*") && !keywords(word)
  private val keywords =
    ("abstract case catch class def do else extends false final finally for forSome if implicit import lazy macro match new null object " +
      "override package private protected return sealed super this throw trait try true type val var while with yield").split(' ').toSet

  private final case class Settings(forks: String, warmups: String, warmup: String, iterations: String, iteration: String)

  /** Ten short iterations say more than five long ones of the same sum: the error is that of a mean of so many. */
  private def settings(profile: Profile): Settings = profile match {
    case Profile.Quick => Settings(forks = "1", warmups = "3", warmup = "300ms", iterations = "10", iteration = "200ms")
    case Profile.Full  => Settings(forks = "3", warmups = "5", warmup = "500ms", iterations = "10", iteration = "500ms")
  }

  private def withoutComments(source: String): String = source.replaceAll("(?s)/\\*.*?\\*/", "").replaceAll("//[^\n]*", "")
}
