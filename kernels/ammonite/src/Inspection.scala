package ammonite.course

import scala.reflect.internal.util.{BatchSourceFile, OffsetPosition}
import scala.tools.nsc.interactive.{Global, Response}

/** What Shift-Tab shows: the signature of the name at the cursor, and its Scaladoc where the course's own library defines it. */
object Inspection {

  /** `None` where nothing with a type stands at `offset`. */
  def at(session: Session, code: String, offset: Int): Option[String] =
    nameAt(code, offset).flatMap { start =>
      session.compilers.init()
      val global = session.compilers.pressy.compiler
      val before = session.importsText + "\nobject Inspected { def main(args: Array[String]) = {\n"
      describe(global, before + code + "\n()\n}}", before.length + start)
    }

  private def describe(global: Global, source: String, position: Int): Option[String] = {
    val file = new BatchSourceFile(ammonite.compiler.Compiler.makeFile(source.getBytes("UTF-8"), "Inspected.sc"), source)
    await[Unit](global.askReload(List(file), _))
    val tree = await[global.Tree](global.askTypeAt(new OffsetPosition(file, position), _))
    global.ask { () =>
      val symbol = tree.symbol
      if (symbol == null || symbol == global.NoSymbol) Option(tree.tpe).map(_.toString)
      else {
        val signature = if (tree.tpe == null || tree.tpe == global.NoType) symbol.defString else symbol.defStringSeenAs(symbol.tpe)
        val owner = symbol.owner.fullName
        val from = if (owner.startsWith("ammonite.$sess") || owner.startsWith("Inspected")) Nil else List(s"in $owner")
        Some((signature :: from ++ Scaladoc.of(symbol.fullName).map("\n" + _)).mkString("\n")).filterNot(_.contains("<error>"))
      }
    }
  }

  private def await[A](ask: Response[A] => Unit): A = {
    val response = new Response[A]
    ask(response)
    response.get match {
      case Left(value)  => value
      case Right(error) => throw error
    }
  }

  /** Where the name at or just before `offset` starts; inside an argument list, the name of what is called. */
  private[course] def nameAt(code: String, offset: Int): Option[Int] = {
    def isPart(index: Int) = code.isDefinedAt(index) && (code(index).isLetterOrDigit || code(index) == '_' || code(index) == '$')
    def startOf(index: Int) = Iterator.iterate(index)(_ - 1).dropWhile(at => isPart(at - 1)).next()
    if (isPart(offset)) Some(startOf(offset))
    else if (isPart(offset - 1)) Some(startOf(offset - 1))
    else openParenthesis(code, offset).filter(at => isPart(at - 1)).map(at => startOf(at - 1))
  }

  private def openParenthesis(code: String, offset: Int): Option[Int] = {
    val depths = Iterator.range(offset.min(code.length) - 1, -1, -1).scanLeft((0, -1)) { case ((depth, _), at) =>
      val next = code(at) match {
        case ')' => depth + 1
        case '(' => depth - 1
        case _   => depth
      }
      (next, at)
    }
    depths.collectFirst { case (-1, at) => at }
  }
}
