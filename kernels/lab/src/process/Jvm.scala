package lab.process

import java.io.File
import java.net.URI
import java.nio.file.{Files, Path}
import java.util.jar.JarFile

import lab.installation.Disk

import scala.jdk.CollectionConverters._
import scala.util.hashing.MurmurHash3
import scala.util.{Try, Using}

/** Finds what is needed to start another JVM. */
private[lab] object Jvm {

  /** Returns the `java` of a runtime; without an argument, of the one that runs this. */
  def java(home: Path = Path.of(System.getProperty("java.home"))): String = home.resolve("bin").resolve("java").toString

  def classPath(files: Seq[Path]): String = files.mkString(File.pathSeparator)

  /** Returns the lab, and the Scala library that it runs with. */
  def own: Vector[Path] = Vector(lab, jarOf(classOf[Option[_]]))

  /** Returns the lab's JAR. */
  def lab: Path = jarOf(getClass)

  /** Returns the main class to start, and its first argument, so that `main` runs in a JVM that ends with the kernel, however the kernel
    * ends. The lab and the Scala library must be on its class path, and the kernel must hold the other end of its standard input.
    */
  def guest(main: String): Vector[String] = Vector(Guest.getClass.getName.stripSuffix("$"), main)

  /** Options for programs that work for seconds and then end: they start soonest and take the least memory. */
  val brief: Vector[String] = Vector("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")

  /** Returns options with which a JVM writes the classes that it loaded to an archive in `folder` when it ends, and reads them from there
    * the next time. Writing takes some seconds, once; reading saves Kotlin's compiler 3.5 of 6 s. The options need JDK 19 or later, and a
    * class path of JARs.
    *
    * A JVM ignores an archive that is damaged inside. It neither reads nor replaces an archive of other JARs, or one whose JVM was killed
    * before it wrote the header, which it writes last. Those are deleted here. Returns no options if the disk has less than 256 MiB left,
    * because a JVM that can't write its archive ends with exit code 1.
    */
  def archived(folder: Path, classPath: Seq[Path]): Vector[String] =
    if (Disk.free(folder).exists(_ < archiveAtMost)) Vector.empty
    else {
      val jars = classPath.map(jar => (jar, Files.size(jar), Files.getLastModifiedTime(jar).toMillis))
      val file = folder.resolve(f"classes-${MurmurHash3.orderedHash(jars)}%08x.jsa")
      // Another kernel may delete the file meanwhile.
      def hasHeader = Try(Using.resource(Files.newInputStream(file))(_.readNBytes(4))).toOption.exists(_.exists(_ != 0))
      def isOld(other: Path) = other.toString.endsWith(".jsa") && (other != file || !hasHeader)
      if (Files.isDirectory(folder))
        Using.resource(Files.list(folder))(_.iterator.asScala.filter(isOld).toVector).foreach(Files.deleteIfExists(_))
      Vector("-XX:+AutoCreateSharedArchive", s"-XX:SharedArchiveFile=$file", "-XX:+VerifySharedSpaces", "-Xlog:disable")
    }
  private val archiveAtMost = 256L << 20

  /** An option for no file in the temporary folder. If that folder is full, the JVM says so on its output, between the lines that are read
    * here.
    */
  val fileless: String = "-XX:-UsePerfData"

  /** Options for no window, and for text as this JVM reads it. */
  val plain: Vector[String] =
    Vector(fileless, "-Djava.awt.headless=true") ++ Vector("stdout", "stderr", "file").map(stream => s"-D$stream.encoding=UTF-8")

  /** Returns whether `file`, an entry of a class path, is a folder or a complete JAR. */
  def isReadable(file: Path): Boolean = Files.isDirectory(file) || Try(new JarFile(file.toFile).close()).isSuccess

  /** Returns where a class was loaded from. */
  def jarOf(loaded: Class[_]): Path =
    Option(loaded.getProtectionDomain.getCodeSource).flatMap(source => Option(source.getLocation)).map(_.toURI) match {
      case Some(uri) if uri.getScheme == "file" => Path.of(URI.create(uri.toString))
      case other =>
        throw new IllegalStateException(
          s"can't fork: ${loaded.getName} was loaded from ${other.fold("an unknown place")(_.toString)}, a file was expected; run `kernels/course doctor`"
        )
    }
}
