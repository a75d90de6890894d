package ammonite.course

import java.util.regex.{Matcher, Pattern}

import scala.tools.nsc.interactive.Global

/** The description of a symbol, in words that outlive the compiler's next run.
  *
  * @param signature    the signature without default arguments
  * @param owner        the owner; empty for what the session itself defined
  * @param declarations each parameter's name, and its form in the signature
  * @param optional     the parameters that have a default argument, which the symbol doesn't hold
  * @param definitions  where its documentation may be: its own definition first, then those that it overrides
  */
final case class Subject(
    signature: String,
    owner: String,
    declarations: Seq[(String, String)],
    optional: Set[String],
    definitions: Seq[DefinitionKey]
) {

  /** Renders signature, owner and documentation. The documentation and the default arguments come from the lab's sources, if they hold
    * them. Any other default argument is a `…`.
    *
    * @param read returns what a source defines: [[SourceReader.definitions]]
    */
  def text(read: String => Vector[Definition]): String = {
    val found = definitions.map(key => LabSources.here.flatMap(_.find(key, read)))
    val defaults = found.headOption.flatten.fold(Map.empty[String, String])(_.defaults)
    val whole = declarations.foldLeft(signature) { case (text, (name, declared)) =>
      // Not at the end of a longer name.
      val there = s"(?<=[( ])${Pattern.quote(declared)}(?=[,)])"
      defaults
        .get(name)
        .orElse(Option.when(optional(name))("…"))
        .fold(text)(default => text.replaceFirst(there, Matcher.quoteReplacement(s"$declared = $default")))
    }
    (Seq(whole) ++ Option.when(owner.nonEmpty)(s"in $owner") ++ found.flatten.flatMap(_.doc).headOption.map("\n" + Scaladoc.shown(_)))
      .mkString("\n")
  }
}

object Subject {

  /** Describes a symbol. Call it where symbols may be read, inside `global.ask`. */
  def of(global: Global)(named: global.Symbol): Subject = {
    import global._

    /** Returns what the lab's name in every cell stands for. */
    def exported(alias: Symbol): Symbol = {
      val meant = alias.info.resultType.dealias
      if (alias.isType) meant.typeSymbol else meant.termSymbol.orElse(meant.typeSymbol.sourceModule)
    }
    val symbol = if (named.owner.fullName == "lab.api") exported(named) else named

    def place(symbol: Symbol): String =
      if (symbol == NoSymbol || symbol.isEffectiveRoot) ""
      else place(symbol.owner) + symbol.name.dropLocal.decoded + (if (symbol.hasPackageFlag) "/" else if (isTerm(symbol)) "." else "#")
    def isTerm(symbol: Symbol) = symbol.isTerm || symbol.isModuleClass
    def head(tpe: Type): String = tpe.typeSymbolDirect.name.decoded
    def keyAt(place: String, method: Symbol): DefinitionKey =
      DefinitionKey(place, method.paramss.flatten.map(parameter => (SourceReader.plain(parameter.name.decoded), head(parameter.tpe))))
    def key(symbol: Symbol): DefinitionKey = keyAt(place(symbol), symbol)

    def own: Seq[DefinitionKey] =
      // A member that the compiler made for a case class is in no source, but it does what the constructor does.
      if (symbol.isCaseApplyOrUnapply) Seq(keyAt(place(symbol.owner.companionClass) + "<init>.", symbol))
      else if (symbol.isModule && symbol.companionClass.isCaseClass) Seq(key(symbol), key(symbol.companionClass))
      else (symbol :: symbol.allOverriddenSymbols).map(key)

    val owner = symbol.owner.fullName
    Subject(
      if (symbol.isMethod) symbol.defString.stripPrefix("case ") else symbol.defString,
      if (owner.startsWith("ammonite.$sess") || owner.startsWith("Inspected")) "" else owner,
      symbol.paramss.flatten.map(parameter => (parameter.name.decoded, parameter.defString)),
      symbol.paramss.flatten.filter(_.hasDefault).map(_.name.decoded).toSet,
      own
    )
  }
}
