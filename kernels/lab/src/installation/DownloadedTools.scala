package lab.installation

import java.nio.file.Path

import lab.show.{ProgressLine, Say}

import scala.collection.concurrent.TrieMap
import scala.util.Properties

/** Compilers and JMH where no course brings them: downloaded when a cell first asks for them, by the notebook's own kernel ([[Downloads]]),
  * which keeps them. Thread-safe.
  *
  * @param artifact which of each there is
  * @param folder   below which is kept what was compiled of cells
  */
private[lab] final class DownloadedTools(artifact: Artifact, folder: Path) extends Tools {
  private val known = TrieMap.empty[Seq[String], Vector[Path]]

  def jars(tool: String): Vector[Path] =
    brought(artifact.tools.getOrElse(tool, throw new IllegalStateException(Tools.ofTheCourse(s"`$tool`"))))

  def scalac(version: String): Option[Scalac] =
    if (DownloadedTools.isInFull(version)) Some(compiler(version))
    else scalacs.find(_.startsWith(s"$version.")).map(compiler)

  /** Any version in full can be had besides; these are what shorter words stand for. */
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

  /** For this JVM.
    *
    * @throws java.lang.IllegalStateException if the lab's JAR doesn't say what to download
    */
  lazy val here: DownloadedTools = {
    val artifact =
      Artifact.here.getOrElse(throw new IllegalStateException(Tools.ofTheCourse("what compiles cells, in this build of the lab,")))
    new DownloadedTools(artifact, cacheFolder(sys.env.get, Path.of(System.getProperty("user.home"))).resolve(artifact.group).resolve("lab"))
  }

  /** The user's folder for caches, as freedesktop.org has it; on macOS its own. */
  private[lab] def cacheFolder(environment: String => Option[String], home: Path): Path = {
    def absolute(name: String): Option[Path] = environment(name).filter(_.nonEmpty).map(Path.of(_)).filter(_.isAbsolute)
    absolute("XDG_CACHE_HOME").getOrElse {
      val own = absolute("HOME").getOrElse(home)
      if (Properties.isMac) own.resolve("Library").resolve("Caches") else own.resolve(".cache")
    }
  }

  private def isInFull(version: String): Boolean = version.matches("2\\.1[23]\\.\\d+")
}
