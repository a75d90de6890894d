package ammonite.course

import scala.collection.concurrent.TrieMap

/** What the sources below `folder` define. A file is parsed when something that may stand in it is asked for, and again when it has
  * changed; its definitions are kept, its text and trees aren't. Thread-safe.
  */
final class LabSources(folder: os.Path) {
  private val known = TrieMap.empty[os.Path, (Long, Vector[Definition])]

  /** The definition of `sought`, if it is one of the lab's.
    *
    * @param read what a source defines: [[SourceReader.definitions]]
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
    // Before the text: a change in between is then seen the next time.
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

  /** Those of the running kernel's course; none where no course is. */
  lazy val here: Option[LabSources] = lab.installation.Installation.sources.map(folder => new LabSources(os.Path(folder)))

  /** The name of the outermost class or object around a place in the lab. */
  private def outermost(place: String): Option[String] = Outermost.findFirstMatchIn(place).map(_.group(1))
  private val Outermost = "^lab/(?:\\w+/)*(\\w+)[.#]".r

  /** Parsing is what takes time, and nearly every file is spared it. The last one is for `package object`, whose name is `package`. */
  private def mayDefine(text: String, name: String): Boolean =
    Seq(s"class $name", s"object $name", s"trait $name", s"$name object").exists(text.contains(_))
}
