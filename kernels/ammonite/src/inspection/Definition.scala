package ammonite.course

/** The identity of a definition: its place, and for a method its parameters, which distinguish overloads.
  *
  * @param place      packages, owners and name, as SemanticDB writes them. Packages end in `/`, terms in `.`, types in `#`, as in
  *                   `lab/JmhScore#name.`
  * @param parameters the parameters of all lists, each with its name and its type's name, without type arguments
  */
final case class DefinitionKey(place: String, parameters: Seq[(String, String)])

/** A definition as it appears in its source.
  *
  * @param defaults parameter to default argument, as written
  * @param doc      the comment before it; for a class parameter, what the class's comment says about it
  */
final case class Definition(key: DefinitionKey, defaults: Map[String, String], doc: Option[String]) {

  /** Returns 0 for another definition, and otherwise a number that grows with the likelihood of a match. A type may be written in many
    * ways, a parameter's name in only one.
    */
  def likeness(sought: DefinitionKey): Int =
    if (key.place != sought.place || key.parameters.map(_._1) != sought.parameters.map(_._1)) 0
    else 1 + key.parameters.zip(sought.parameters).count { case (written, meant) => written == meant }
}
