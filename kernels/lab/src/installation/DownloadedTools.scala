package lab.installation

import java.nio.file.Path

import lab.show.{ProgressLine, Say}

import scala.collection.concurrent.TrieMap
import scala.util.Properties

/** Provides compilers and JMH outside the course. The notebook's own kernel downloads and keeps them ([[Downloads]]), when a cell first
  * asks for them. It is thread-safe.
  *
  * @param artifact the versions of each tool
  * @param folder   the folder for compiled cells
  */
private[lab] final class DownloadedTools(artifact: Artifact, folder: Path) extends Tools {
  private val known = TrieMap.empty[Seq[String], Vector[Path]]

  def jars(tool: String): Vector[Path] =
    brought(artifact.tools.getOrElse(tool, throw new IllegalStateException(Tools.ofTheCourse(s"`$tool`"))))

  def scalac(version: String): Option[Scalac] =
    if (DownloadedTools.isInFull(version)) Some(compiler(version))
    else scalacs.find(_.startsWith(s"$version.")).map(compiler)

  /** Returns the versions that shorter words mean. Any complete version can be downloaded, too. */
  def scalacs: Seq[String] = (Properties.versionNumberString +: artifact.scala).distinct

  def cache(kind: String): Path = folder.resolve(kind)
  def failure: Option[String] = None

  private def compiler(version: String): Scalac = Scalac(version, brought(Seq(s"org.scala-lang:scala-compiler:$version")))

  private def brought(modules: Seq[String]): Vector[Path] = known.getOrElseUpdate(
    modules, {
      val line = new ProgressLine("Downloads")
      val names = modules.map(_.split(':').drop(1).mkString(" ")).mkString(", ")
      line.say(s"$names: asking for what isn't in coursier's cache yet")
      val jars = Downloads.jars(modules).toVector
      line.say(s"$names: ${Say.count(jars.size, "JAR")}, ${line.time}")
      jars
    }
  )
}

private[lab] object DownloadedTools {

  /** The tools of this JVM.
    *
    * @throws java.lang.IllegalStateException if the lab's JAR doesn't say what to download
    */
  lazy val here: DownloadedTools = {
    val artifact =
      Artifact.here.getOrElse(throw new IllegalStateException(Tools.ofTheCourse("what compiles cells, in this build of the lab,")))
    new DownloadedTools(artifact, cacheFolder(sys.env.get, Path.of(System.getProperty("user.home"))).resolve(artifact.group).resolve("lab"))
  }

  /** Returns the user's cache folder, as freedesktop.org specifies it, or macOS's own. */
  private[lab] def cacheFolder(environment: String => Option[String], home: Path): Path = {
    def absolute(name: String): Option[Path] = environment(name).filter(_.nonEmpty).map(Path.of(_)).filter(_.isAbsolute)
    absolute("XDG_CACHE_HOME").getOrElse {
      val own = absolute("HOME").getOrElse(home)
      if (Properties.isMac) own.resolve("Library").resolve("Caches") else own.resolve(".cache")
    }
  }

  private def isInFull(version: String): Boolean = version.matches("2\\.1[23]\\.\\d+")
}
