package lab

import java.io.IOException
import java.net.{InetAddress, ServerSocket}
import java.nio.file.{Files, Path}
import java.util.concurrent.TimeUnit

import scala.annotation.tailrec
import scala.concurrent.duration._
import scala.jdk.CollectionConverters._
import scala.util.Using

/** A PostgreSQL server, empty and for one page: on a port of its own on this machine's loopback, its data in a folder that goes with it.
  *
  * It ends when it is closed, and with the kernel, however that ends.
  *
  * @param url  for JDBC, with the user: `jdbc:postgresql://…`
  * @param isOurs false for a server that `COURSE_PG_URL` names: it is used as it is, and closing leaves it alone
  */
final class Postgres private (val url: String, val isOurs: Boolean, server: Option[Server]) extends AutoCloseable {

  /** The last lines of its log, the newest at the end; empty for a server that `COURSE_PG_URL` names. */
  def log: Vector[String] = server.fold(Vector.empty[String])(_.output)

  def close(): Unit = server.foreach(_.close())

  override def toString: String = server.fold(s"PostgreSQL, named by ${Postgres.variable}")(_.toString)
}

object Postgres {
  private val variable = "COURSE_PG_URL"
  private val name = "PostgreSQL"

  /** Starts one and returns when it takes connections. One that still runs is closed first, so that a cell can be run again.
    *
    * It keeps nothing beyond its end, so it never waits for the disk (`fsync=off`), and it holds 16 MB of pages in memory.
    *
    * @param maxConnections how many it allows at once (`max_connections`), of which PostgreSQL keeps three for a superuser; not for a server
    *                       that `COURSE_PG_URL` names
    * @throws java.lang.IllegalArgumentException if it is to allow fewer than 4, or more than 1,000
    * @throws java.lang.IllegalStateException if none can be had or started here, with the reason and what to do
    * @throws java.lang.InterruptedException if the cell is interrupted meanwhile
    */
  def start(maxConnections: Int = 60): Postgres = start(maxConnections, sys.env.get(variable))

  private[lab] def start(maxConnections: Int, named: Option[String]): Postgres = {
    if (maxConnections < 4 || maxConnections > 1000)
      throw new IllegalArgumentException(s"a server that allows $maxConnections connections: 4 to 1,000 are possible")
    named.map(_.trim).filter(_.nonEmpty) match {
      case Some(url) if isForJdbc(url) => new Postgres(url, isOurs = false, None)
      case Some(_) => // it isn't shown: it may hold a password
        throw new IllegalStateException(
          s"$variable is no address for JDBC, such as jdbc:postgresql://host/database?user=me&password=secret, with user and password behind the '?'. Correct or unset it."
        )
      case None => here(maxConnections)
    }
  }

  /** JDBC knows no `me:secret@host`: the driver would take it for host and port, and show the secret as a port that is wrong. */
  private def isForJdbc(url: String): Boolean = url.startsWith("jdbc:postgresql:") && !url.takeWhile(_ != '?').contains('@')

  private def here(maxConnections: Int): Postgres = {
    val installation = Installation.here("a PostgreSQL server")
    val home = installation.postgres.getOrElse(
      throw new IllegalStateException(
        s"set-up found no PostgreSQL for this platform. Name a server of your own by $variable=jdbc:postgresql://…"
      )
    )
    val places = Files.createDirectories(installation.cache("postgres").resolve("data"))
    sweep(places)
    val data = Files.createTempDirectory(places, s"${ProcessHandle.current.pid}-")
    val user = User.of(home, data)
    @tailrec def attempt(left: Int): Postgres = {
      val port = freePort()
      val server =
        try
          Right(
            Server.launch(name, user.command(script, home, data, port, maxConnections), ".*ready to accept connections.*", limit, grace)
          )
        // Between the look for a free port and its use another program may have taken it.
        catch { case taken: IllegalStateException if left > 0 && taken.getMessage.contains("could not bind") => Left(taken) }
      server match {
        case Right(server) => new Postgres(s"jdbc:postgresql://127.0.0.1:$port/postgres?user=course", isOurs = true, Some(server))
        case Left(_)       => attempt(left - 1)
      }
    }
    try attempt(2)
    catch { case failed: Throwable => Scratch.delete(data); throw failed }
  }

  private val limit = 60.seconds
  private val grace = 10.seconds

  /** Makes the database and runs the server, until it is asked to end or the kernel is gone: then its standard input ends. A session of its
    * own keeps this shell alive where the kernel is killed together with all that it started: PostgreSQL's children, its shared memory and its
    * folder would stay behind otherwise.
    */
  private val script =
    """data=$0; bin=$1; shift
      |"$bin/initdb" -D "$data" -U course -A trust -E UTF8 --locale=C --no-sync --no-instructions > /dev/null || exit 1
      |exec 3<&0
      |"$bin/postgres" -D "$data" "$@" < /dev/null 3<&- &
      |server=$!
      |trap 'kill -INT $server' TERM INT HUP
      |{ cat > /dev/null; kill -INT $server; } <&3 2> /dev/null &
      |watch=$!
      |exec 3<&-
      |while kill -0 $server 2> /dev/null; do wait $server; code=$?; done
      |kill $watch 2> /dev/null
      |rm -rf "$data"
      |exit $code""".stripMargin

  private def freePort(): Int = Using.resource(new ServerSocket(0, 1, InetAddress.getLoopbackAddress))(_.getLocalPort)

  /** Takes away what a machine that went down has left: the data of kernels that are no more. */
  private def sweep(places: Path): Unit =
    Using.resource(Files.list(places))(_.iterator.asScala.toVector).foreach { data =>
      val owner = data.getFileName.toString.takeWhile(_.isDigit)
      if (owner.nonEmpty && !ProcessHandle.of(owner.toLong).isPresent) Scratch.delete(data)
    }

  /** As whom it runs: PostgreSQL refuses to run as root. */
  private final class User(prefix: Seq[String]) {
    def command(script: String, home: Path, data: Path, port: Int, maxConnections: Int): Seq[String] = {
      val settings = Seq(
        "listen_addresses" -> "127.0.0.1",
        "port" -> s"$port",
        "max_connections" -> s"$maxConnections",
        "unix_socket_directories" -> "",
        "shared_buffers" -> "16MB",
        "fsync" -> "off"
      )
      val options = settings.flatMap { case (key, value) => Seq("-c", s"$key=$value") }
      session ++ prefix ++ Seq("/bin/sh", "-c", script, data.toString, home.resolve("bin").toString) ++ options
    }
  }

  private object User {
    private val nobody = 65534

    def of(home: Path, data: Path): User =
      if (Files.getAttribute(data, "unix:uid") != 0) new User(Nil)
      else if (succeeds(Seq("unshare", "--user", "true"))) new User(Seq("unshare", "--user"))
      else {
        val other = Seq("setpriv", s"--reuid=$nobody", s"--regid=$nobody", "--clear-groups")
        Files.setAttribute(data, "unix:uid", nobody)
        if (
          !succeeds(
            other ++ Seq(
              "/bin/sh",
              "-c",
              "test -x \"$0\" && test -w \"$1\"",
              home.resolve("bin").resolve("postgres").toString,
              data.toString
            )
          )
        )
          throw new IllegalStateException(
            s"PostgreSQL doesn't run as root, and no other user may read $home. " +
              s"Run the course as an ordinary user, or name a server of your own by $variable=jdbc:postgresql://…"
          )
        new User(other)
      }
  }

  private lazy val session: Seq[String] = if (succeeds(Seq("setsid", "true"))) Seq("setsid") else Nil

  private def succeeds(command: Seq[String]): Boolean =
    try {
      val process = new ProcessBuilder(command.asJava)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .redirectError(ProcessBuilder.Redirect.DISCARD)
        .start()
      process.waitFor(5, TimeUnit.SECONDS) && process.exitValue == 0
    } catch { case _: IOException => false }
}
