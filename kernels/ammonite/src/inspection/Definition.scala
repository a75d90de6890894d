package ammonite.course

/** Which definition: its place, and of a method its parameters, by which overloads are told apart.
  *
  * @param place      packages, owners and name, as SemanticDB writes them: packages end in `/`, terms in `.`, types in `#`, so
  *                   `lab/JmhScore#name.`
  * @param parameters of all lists, the name of each and that of its type, without what the type is applied to
  */
final case class DefinitionKey(place: String, parameters: Seq[(String, String)])

/** A definition as its source has it.
  *
  * @param defaults parameter to default argument, as written
  * @param doc      the comment in front of it; of a class parameter, what the comment of the class says of it
  */
final case class Definition(key: DefinitionKey, defaults: Map[String, String], doc: Option[String]) {

  /** 0 for another definition, else the more the likelier: a type may be written in many ways, the name of a parameter in one. */
  def likeness(sought: DefinitionKey): Int =
    if (key.place != sought.place || key.parameters.map(_._1) != sought.parameters.map(_._1)) 0
    else 1 + key.parameters.zip(sought.parameters).count { case (written, meant) => written == meant }
}
