package lab.results

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}

import org.apache.commons.csv.{CSVFormat, CSVRecord}

import lab.installation.Installation
import lab.show.Table

import scala.jdk.CollectionConverters._
import scala.util.{Try, Using}

/** The articles' claims, statements and figures, read from `claims.csv`, `statements.csv` and `figures.csv` in `data/published`.
  * `data/README.md` describes the columns. Any number of threads may use it.
  *
  * {{{
  * Published("A11").map(_.value)
  * Published.table("A11").show()
  * }}}
  */
object Published {

  /** Every figure, in the articles' order.
    *
    * @throws java.lang.IllegalStateException if the file is missing or has a line that can't be read; the message names it
    */
  lazy val all: Vector[PublishedFigure] = read(published("figures.csv"))

  /** Returns the figures of one claim.
    *
    * @throws java.lang.IllegalArgumentException if no figure was published for `claim`; the message names the claims that have some
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

  /** Finds the one figure of a claim whose quantity is `quantity`, or ends in it after a colon: `Published("A11", "global")`.
    *
    * @throws java.lang.IllegalArgumentException if there is none or more than one; the message names what there is
    */
  def apply(claim: String, quantity: String): PublishedFigure = {
    val figures = apply(claim)
    figures.filter(one => one.quantity == quantity || one.quantity.endsWith(s": $quantity")) match {
      case Vector(one) => one
      case found =>
        throw new IllegalArgumentException(
          s"${found.size} figures of $claim are called '$quantity', one was expected; there are: ${figures.map(_.quantity).mkString("; ")}"
        )
    }
  }

  /** Returns how many times the figure `second` the figure `first` is. Both are named as for `apply`, and have the same unit.
    *
    * @throws java.lang.IllegalArgumentException if a figure isn't there, or their units differ
    */
  def ratio(claim: String, first: String, second: String): Double = {
    val (one, other) = (apply(claim, first), apply(claim, second))
    if (one.unit != other.unit)
      throw new IllegalArgumentException(s"$claim: '$first' is in ${one.unit}, '$second' in ${other.unit}; no ratio")
    one.value / other.value
  }

  /** Every claim that the course tries, in the articles' order.
    *
    * @throws java.lang.IllegalStateException if the file is missing or has a line that can't be read; the message names it
    */
  lazy val claims: Vector[PublishedClaim] = records(published("claims.csv"), claimColumns)(claimOf)

  /** Finds the claim with this id.
    *
    * @throws java.lang.IllegalArgumentException if the course has no such claim; the message names those that it has
    */
  def claim(id: String): PublishedClaim = claims.find(_.id == id).getOrElse {
    throw new IllegalArgumentException(
      s"the course has no claim '$id'; there are ${claims.map(_.id).mkString(", ")} (data/published/claims.csv)"
    )
  }

  /** Every statement of these claims, in the articles' order.
    *
    * @throws java.lang.IllegalStateException if the file is missing or has a line that can't be read; the message names it
    */
  lazy val statements: Vector[Statement] = records(published("statements.csv"), statementColumns)(statementOf)

  /** Finds the statement with this id.
    *
    * @throws java.lang.IllegalArgumentException if the course has none; the message names those of the same claim
    */
  def statement(id: String): Statement = statements.find(_.id == id).getOrElse {
    val near = statements.filter(_.claim.id == id.takeWhile(_ != '.'))
    val there = if (near.isEmpty) "the ids are" else s"of this claim there are ${near.map(_.id).mkString(", ")}; all are"
    throw new IllegalArgumentException(s"the course has no statement '$id'; $there in data/published/statements.csv")
  }

  /** Builds a table of the figures of one claim, with the source in the caption. */
  def table(claim: String): Table = {
    val figures = apply(claim)
    Table(
      s"$claim: ${figures.map(_.source).distinct.mkString("; ")}",
      Seq("quantity", "published", "note"),
      figures.map(one => Seq(one.quantity, one.shown, one.note))
    )
  }

  private[results] val columns =
    Vector("claim", "article", "author", "year", "conditions", "quantity", "value", "error", "unit", "note")

  private[results] val claimColumns = Vector("claim", "article", "author", "year", "conditions", "text")

  private[results] val statementColumns =
    Vector("statement", "kind", "weaker", "heading", "paragraph", "figures", "false_where", "by_construction", "text")

  private[results] def read(file: Path): Vector[PublishedFigure] = records(file, columns)(figureOf)

  private def records[T](file: Path, columns: Vector[String])(of: CSVRecord => T): Vector[T] = {
    if (!Files.isRegularFile(file))
      throw new IllegalStateException(s"$file is missing; bring it back: git checkout -- data/published")
    val format = CSVFormat.DEFAULT.builder.setHeader().setSkipHeaderRecord(true).get
    Using.resource(format.parse(Files.newBufferedReader(file, UTF_8))) { parser =>
      if (parser.getHeaderNames.asScala.toVector != columns)
        throw new IllegalStateException(
          s"$file has the columns ${parser.getHeaderNames.asScala.mkString(", ")}; expected are ${columns.mkString(", ")}"
        )
      parser.iterator.asScala.map { record =>
        if (!record.isConsistent)
          throw new IllegalStateException(
            s"$file, record ${record.getRecordNumber} has ${record.size} fields, expected are ${columns.size}: put a text that holds a comma in quotes"
          )
        Try(of(record)).fold(
          cause => throw new IllegalStateException(s"$file, record ${record.getRecordNumber}: ${cause.getMessage} in $record", cause),
          identity
        )
      }.toVector
    }
  }

  private def figureOf(record: CSVRecord): PublishedFigure = PublishedFigure(
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

  private def claimOf(record: CSVRecord): PublishedClaim = PublishedClaim(
    id = record.get("claim"),
    article = record.get("article"),
    author = record.get("author"),
    year = record.get("year").toInt,
    conditions = record.get("conditions"),
    text = record.get("text")
  )

  private def statementOf(record: CSVRecord): Statement = {
    val id = record.get("statement")
    val of = claim(id.takeWhile(_ != '.'))
    val figures = all.filter(_.claim == of.id)
    Statement(
      id = id,
      claim = of,
      kind = Kind.named(record.get("kind")),
      weaker = record.get("weaker"),
      heading = record.get("heading"),
      paragraph = record.get("paragraph"),
      figures = record.get("figures") match {
        case ""     => figures
        case "none" => Vector.empty
        case some   => some.split(" \\| ").toVector.map(apply(of.id, _))
      },
      falseWhere = record.get("false_where"),
      byConstruction = record.get("by_construction"),
      text = record.get("text")
    )
  }

  private def published(name: String): Path =
    Installation.here("what articles published (`Published`, `Claim`)").data.resolve("published").resolve(name)
}
