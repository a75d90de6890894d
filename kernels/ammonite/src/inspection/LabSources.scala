package ammonite.course

import scala.collection.concurrent.TrieMap

/** The definitions in the sources below `folder`. A file is parsed when something that it may define is requested, and again when it has
  * changed. Its definitions are kept, but not its text and trees. Thread-safe.
  */
final class LabSources(folder: os.Path) {
  private val known = TrieMap.empty[os.Path, (Long, Vector[Definition])]

  /** Finds the definition of `sought`, if it is one of the lab's.
    *
    * @param read returns what a source defines: [[SourceReader.definitions]]
    */
  def find(sought: DefinitionKey, read: String => Vector[Definition]): Option[Definition] =
    for {
      name <- LabSources.outermost(sought.place)
      if os.isDir(folder)
      found = os.walk(folder).filter(_.ext == "scala").flatMap(definitions(_, name, read))
      likeliest <- found.maxByOption(_.likeness(sought))
      if likeliest.likeness(sought) > 0
    } yield likeliest

  private def definitions(file: os.Path, name: String, read: String => Vector[Definition]): Vector[Definition] = {
    // Read before the text, so that a change in between is noticed the next time.
    val changed = os.mtime(file)
    val text = os.read(file)
    known.get(file) match {
      case _ if !LabSources.mayDefine(text, name) => Vector.empty
      case Some((`changed`, found))               => found
      case _ =>
        val found = read(text)
        known(file) = (changed, found)
        found
    }
  }
}

object LabSources {

  /** The sources of the running kernel's course; `None` if there is no course. */
  lazy val here: Option[LabSources] = lab.installation.Installation.sources.map(folder => new LabSources(os.Path(folder)))

  /** Returns the name of the outermost class or object around a place in the lab. */
  private def outermost(place: String): Option[String] = Outermost.findFirstMatchIn(place).map(_.group(1))
  private val Outermost = "^lab/(?:\\w+/)*(\\w+)[.#]".r

  /** Returns whether a file may define this name. Only parsing takes time, and this check spares nearly every file. The last pattern is for
    * `package object`, whose name is `package`.
    */
  private def mayDefine(text: String, name: String): Boolean =
    Seq(s"class $name", s"object $name", s"trait $name", s"$name object").exists(text.contains(_))
}
