package lab

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}

import org.apache.commons.csv.{CSVFormat, CSVRecord}

import scala.jdk.CollectionConverters._
import scala.util.{Try, Using}

/** A figure that an article published.
  *
  * @param claim      the id under which the course tries it
  * @param author     empty where the course doesn't name one
  * @param conditions Scala, JDK, machine and method, as far as the article says
  * @param error      half-width of the interval, in `unit`, where the article gives one
  * @param note       how to read the value: "about", "rounded from …"
  */
final case class PublishedFigure(
    claim: String,
    article: String,
    author: String,
    year: Int,
    conditions: String,
    quantity: String,
    value: Double,
    error: Option[Double],
    unit: String,
    note: String
) {

  /** "4.056 ± 0.163 µs". */
  def shown: String = s"${PublishedFigure.digits(value)}${error.fold("")(e => s" ± ${PublishedFigure.digits(e)}")} $unit"

  /** Where it stands and under which conditions it was taken, in one line. */
  def source: String = s"${if (author.isEmpty) "" else s"$author, "}“$article”, $year ($conditions)"

  override def toString: String = s"$quantity: $shown" + (if (note.isEmpty) "" else s" ($note)")
}

private object PublishedFigure {
  def digits(value: Double): String = java.math.BigDecimal.valueOf(value).stripTrailingZeros.toPlainString
}

/** What the articles published, read from `data/published/figures.csv` below the repository's root (system property `course.home`). The columns are
  * described in `data/README.md`. Safe for any number of threads.
  *
  * {{{
  * Published("A11").map(_.value)
  * Published.table("A11").show()
  * }}}
  */
object Published {

  /** Every figure, in the articles' order.
    *
    * @throws java.lang.IllegalStateException if the file is missing or has a line that can't be read, naming it
    */
  lazy val all: Vector[PublishedFigure] = read(home.resolve("data").resolve("published").resolve("figures.csv"))

  /** The figures of one claim.
    *
    * @throws java.lang.IllegalArgumentException if no figure was published for `claim`, naming those that have some
    */
  def apply(claim: String): Vector[PublishedFigure] = {
    val found = all.filter(_.claim == claim)
    if (found.isEmpty) {
      throw new IllegalArgumentException(
        s"no figure was published for claim '$claim'; there are figures for ${all.map(_.claim).distinct.mkString(", ")}"
      )
    }
    found
  }

  /** The figures of one claim, with the source in the caption. */
  def table(claim: String): Table = {
    val figures = apply(claim)
    Table(
      s"$claim: ${figures.map(_.source).distinct.mkString("; ")}",
      Seq("quantity", "published", "note"),
      figures.map(one => Seq(one.quantity, one.shown, one.note))
    )
  }

  private[lab] val columns =
    Vector("claim", "article", "author", "year", "conditions", "quantity", "value", "error", "unit", "note")

  private[lab] def read(file: Path): Vector[PublishedFigure] = {
    if (!Files.isRegularFile(file))
      throw new IllegalStateException(s"$file is missing; bring it back: git checkout -- data/published")
    val format = CSVFormat.DEFAULT.builder.setHeader().setSkipHeaderRecord(true).build
    Using.resource(format.parse(Files.newBufferedReader(file, UTF_8))) { parser =>
      if (parser.getHeaderNames.asScala.toVector != columns)
        throw new IllegalStateException(
          s"$file has the columns ${parser.getHeaderNames.asScala.mkString(", ")}; expected are ${columns.mkString(", ")}"
        )
      parser.iterator.asScala.map(record => figure(file, record)).toVector
    }
  }

  private def figure(file: Path, record: CSVRecord): PublishedFigure = Try {
    PublishedFigure(
      claim = record.get("claim"),
      article = record.get("article"),
      author = record.get("author"),
      year = record.get("year").toInt,
      conditions = record.get("conditions"),
      quantity = record.get("quantity"),
      value = record.get("value").toDouble,
      error = Option(record.get("error")).filter(_.nonEmpty).map(_.toDouble),
      unit = record.get("unit"),
      note = record.get("note")
    )
  }.fold(
    cause => throw new IllegalStateException(s"$file, figure ${record.getRecordNumber}: ${cause.getMessage} in $record", cause),
    identity
  )

  private def home: Path = Path.of(
    sys.props.getOrElse(
      "course.home",
      throw new IllegalStateException(
        "the system property course.home is not set: it names the repository's root; the course's kernels set it"
      )
    )
  )
}
