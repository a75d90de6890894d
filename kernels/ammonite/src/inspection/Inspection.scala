package ammonite.course

import scala.reflect.internal.util.{BatchSourceFile, OffsetPosition}
import scala.tools.nsc.interactive.{Global, Response}

/** Shows what Shift-Tab asks for: the signature of the name at the cursor, and its documentation if it belongs to the course's library. */
object Inspection {

  /** Describes the name at `offset`; `None` if nothing with a type is there. */
  def at(session: Session, code: String, offset: Int): Option[String] =
    if (lab.magic.CellMagic.is(code)) None
    else
      nameAt(code, offset).flatMap { start =>
        session.compilers.init()
        val global = session.compilers.pressy.compiler
        val before = session.importsText + "\nobject Inspected { def main(args: Array[String]) = {\n"
        describe(global, before + code + "\n()\n}}", before.length + start)
      }

  private def describe(global: Global, source: String, position: Int): Option[String] = {
    val file = new BatchSourceFile(ammonite.compiler.Compiler.makeFile(source.getBytes("UTF-8"), "Inspected.sc"), source)
    val at = new OffsetPosition(file, position)
    await[Unit](global.askReload(List(file), _))
    val name = source.drop(position).takeWhile(isPart)
    val tree = await[global.Tree](global.askTypeAt(at, _))
    def ofTree = global.ask { () =>
      val subjects = symbols(global)(tree, name).map(Subject.of(global)(_))
      if (subjects.nonEmpty) Some(Right(subjects)) else Option(tree.tpe).filterNot(_.isError).map(tpe => Left(tpe.toString))
    }
    // A method without its arguments has no type yet, but the members of the value that it is called on are known.
    def ofMember = {
      val members = await[List[global.Member]] {
        if (source(position - 1) == '.') global.askTypeCompletion(at, _) else global.askScopeCompletion(at, _)
      }
      global.ask { () =>
        val meant = members.filter(member => member.accessible && member.sym.name.decoded == name && known(global)(member.sym))
        Option.when(meant.nonEmpty)(Right(meant.map(member => Subject.of(global)(member.sym))))
      }
    }
    ofTree
      .filterNot(_.fold(_.contains("<error>"), _.exists(_.signature.contains("<error>"))))
      .orElse(ofMember)
      .map(_.fold(identity, _.map(_.text(definitions(global))).mkString("\n\n")))
  }

  /** Reads what a source defines, on the compiler's thread, because the parser shares buffers with the typer, which goes on in the
    * background. Inside `ask` neither is interrupted.
    */
  private[course] def definitions(global: Global)(source: String): Vector[Definition] =
    global.ask(() => new SourceReader[global.type](global).definitions(source))

  /** Returns the symbols that a name stands for. They are several if an import brings in a class and its companion, or if the compiler
    * couldn't choose between overloads.
    */
  private def symbols(global: Global)(tree: global.Tree, name: String): Seq[global.Symbol] = {
    val found = tree match {
      case global.Import(from, _) => Seq(global.TermName(name), global.TypeName(name)).map(from.tpe.member(_))
      case _                      => Seq(tree.symbol)
    }
    found.filter(known(global)(_)).flatMap { symbol =>
      if (symbol.isOverloaded) symbol.alternatives.filter(_.isPublic) else List(symbol)
    }
  }

  private def known(global: Global)(symbol: global.Symbol): Boolean =
    symbol != null && symbol != global.NoSymbol && !symbol.isError && symbol.exists

  private def await[A](ask: Response[A] => Unit): A = {
    val response = new Response[A]
    ask(response)
    response.get match {
      case Left(value)  => value
      case Right(error) => throw error
    }
  }

  /** Returns where the name at or just before `offset` starts. Inside an argument list or at a named argument, that is the name of the
    * called method.
    */
  private[course] def nameAt(code: String, offset: Int): Option[Int] = {
    def partAt(index: Int) = code.isDefinedAt(index) && isPart(code(index))
    def startOf(index: Int) = Iterator.iterate(index)(_ - 1).dropWhile(at => partAt(at - 1)).next()
    def called = openParenthesis(code, offset).filter(at => partAt(at - 1)).map(at => startOf(at - 1))
    val start = Seq(offset, offset - 1).find(partAt).map(startOf)
    if (start.forall(isNamedArgument(code, _))) called.orElse(start) else start
  }

  private def isNamedArgument(code: String, start: Int): Boolean =
    code.take(start).trim.lastOption.exists("(,".contains(_)) && code.drop(start).dropWhile(isPart).matches("(?s)\\s*=(?![=>]).*")

  private def isPart(char: Char): Boolean = char.isLetterOrDigit || char == '_' || char == '$'

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
