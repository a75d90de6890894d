package ammonite.course

import scala.reflect.internal.Flags
import scala.reflect.internal.util.BatchSourceFile
import scala.tools.nsc.Global
import scala.tools.nsc.doc.ScaladocSyntaxAnalyzer

/** Reads what a source file defines, with the compiler's own parser for Scaladoc, which keeps every comment with its definition. It types
  * nothing and enters no symbol.
  */
final class SourceReader[G <: Global](val global: G) {
  import global._

  private object syntax extends ScaladocSyntaxAnalyzer[global.type](global) {
    val runsAfter = Nil
    val runsRightAfter = None
  }

  /** Returns the definitions that have a place, which excludes those inside methods. */
  def definitions(source: String): Vector[Definition] = {
    val file = new BatchSourceFile("source", source)

    def all(trees: List[Tree], owner: String, doc: Tree => Option[String]): Vector[Definition] =
      trees.toVector.flatMap(tree => in(tree, owner, doc(tree)))

    def in(tree: Tree, owner: String, doc: Option[String]): Vector[Definition] = tree match {
      case PackageDef(name, body)      => all(body, s"$owner${s"$name".replace('.', '/')}/", _ => None)
      case DocDef(comment, definition) => in(definition, owner, Some(Scaladoc.text(comment.raw)))
      case ModuleDef(_, name, of)      => here(s"$owner${name.decoded}.", doc) +: all(of.body, s"$owner${name.decoded}.", _ => None)
      case ClassDef(_, name, _, of)    => here(s"$owner${name.decoded}#", doc) +: all(of.body, s"$owner${name.decoded}#", ofParts(of, doc))
      case TypeDef(_, name, _, _)      => Vector(here(s"$owner${name.decoded}#", doc))
      case ValDef(_, name, _, _)       => Vector(here(s"$owner${name.decoded}.", doc))
      case method: DefDef              => Vector(here(s"$owner${method.name.decoded}.", doc, method.vparamss.flatten))
      case _                           => Vector.empty
    }

    def here(place: String, doc: Option[String], parameters: List[ValDef] = Nil): Definition = Definition(
      DefinitionKey(place, parameters.map(parameter => (SourceReader.plain(parameter.name.decoded), head(parameter.tpt)))),
      parameters.filter(_.rhs.pos.isRange).map(parameter => parameter.name.decoded -> written(parameter.rhs)).toMap,
      doc
    )

    def written(tree: Tree): String = source.substring(tree.pos.start, tree.pos.end).replaceAll("\\s+", " ")

    all(List(new syntax.ScaladocUnitParser(new CompilationUnit(file), Nil).parse()), "", _ => None)
  }

  /** Returns the comment for a part of a class. A class's comment also documents its constructor and its parameters. */
  private def ofParts(of: Template, doc: Option[String])(part: Tree): Option[String] = part match {
    case field: ValDef if field.mods.hasFlag(Flags.PARAMACCESSOR)         => doc.flatMap(Scaladoc.parameter(_, field.name.decoded))
    case constructor if constructor eq treeInfo.firstConstructor(of.body) => doc
    case _                                                                => None
  }

  private def head(written: Tree): String = written match {
    case AppliedTypeTree(of, _)     => head(of)
    case ExistentialTypeTree(of, _) => head(of)
    case named: RefTree             => named.name.decoded
    case _                          => ""
  }
}

object SourceReader {

  /** Returns a parameter's name. Names that the compiler made for context bounds have a number, which depends on what it compiled before.
    */
  def plain(name: String): String = name.takeWhile(_ != '$')
}
