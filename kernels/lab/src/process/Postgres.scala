package lab.process

import java.io.IOException
import java.net.{InetAddress, ServerSocket}
import java.nio.file.{Files, Path}
import java.security.SecureRandom
import java.util.HexFormat
import java.util.concurrent.TimeUnit

import lab.installation.Installation

import scala.annotation.tailrec
import scala.concurrent.duration._
import scala.jdk.CollectionConverters._
import scala.util.{Random, Try, Using}

/** An empty PostgreSQL server for one page, on its own port on this machine's loopback interface. Its data are in a folder that is deleted
  * with it.
  *
  * It ends when it is closed, and with the kernel, however the kernel ends. Only this user knows its password, and nobody is its superuser.
  * The page owns a database, in which it may do what an ordinary role may.
  *
  * @param url    the address for JDBC, with user and password: `jdbc:postgresql://…`. Don't print it, and pass it to another program in the
  *               environment, because every user can read a command line
  * @param isOurs false for a server that `COURSE_PG_URL` names; such a server is used as it is, and closing leaves it alone
  */
final class Postgres private (val url: String, val isOurs: Boolean, server: Option[Server]) extends AutoCloseable {

  /** Returns the last lines of its log, the newest at the end; empty for a server that `COURSE_PG_URL` names. */
  def log: Vector[String] = server.fold(Vector.empty[String])(_.output)

  def close(): Unit = server.foreach(_.close())

  override def toString: String = server.fold(s"PostgreSQL, named by ${Postgres.variable}")(_.toString)
}

object Postgres {

  /** The variable with which the reader names a server, and in which a page's own programs get the address. */
  private[lab] val variable = "COURSE_PG_URL"
  private val name = "PostgreSQL"

  /** Starts a server and returns when it takes connections. A server that still runs is closed first, so that a cell can be run again.
    *
    * The server keeps nothing beyond its end, so it never waits for the disk (`fsync=off`). It holds 16 MB of pages in memory.
    *
    * @param maxConnections how many connections it allows simultaneously (`max_connections`), of which PostgreSQL keeps three for a
    *                       superuser; not for a server that `COURSE_PG_URL` names
    * @throws java.lang.IllegalArgumentException if `maxConnections` is less than 4 or more than 1,000
    * @throws java.lang.IllegalStateException if no server can be found or started here, with the reason and what to do
    * @throws java.lang.InterruptedException if the cell is interrupted meanwhile
    */
  def start(maxConnections: Int = 60): Postgres = start(maxConnections, sys.env.get(variable))

  private[lab] def start(maxConnections: Int, named: Option[String]): Postgres = {
    if (maxConnections < 4 || maxConnections > 1000)
      throw new IllegalArgumentException(s"a server that allows $maxConnections connections: 4 to 1,000 are possible")
    named.map(_.trim).filter(_.nonEmpty) match {
      case Some(url) if isForJdbc(url) => new Postgres(url, isOurs = false, None)
      case Some(_) => // not shown, because it may hold a password
        throw new IllegalStateException(
          s"$variable is no address for JDBC, such as jdbc:postgresql://host/database?user=me&password=secret, with user and password after the '?'. Correct or unset it."
        )
      case None => here(maxConnections)
    }
  }

  /** Returns whether the address is for JDBC, which knows no `me:secret@host`. The driver would take that for host and port, and show the
    * secret as an invalid port.
    */
  private def isForJdbc(url: String): Boolean = url.startsWith("jdbc:postgresql:") && !url.takeWhile(_ != '?').contains('@')

  private def here(maxConnections: Int): Postgres = {
    val installation = Installation.here("a PostgreSQL server")
    val home = installation.postgres.getOrElse(
      throw new IllegalStateException(
        s"set-up found no PostgreSQL for this platform. Name your own server with $variable=jdbc:postgresql://…"
      )
    )
    of(home, Files.createDirectories(installation.cache("postgres").resolve("data")), maxConnections)
  }

  /** Starts a server from these programs.
    *
    * @param home   the folder above `bin`
    * @param folder where the servers' data are, each in its own subfolder, unless the user that a root kernel chooses can't enter it
    */
  private[lab] def of(home: Path, folder: Path, maxConnections: Int): Postgres = {
    sweep(folder)
    val (user, parent) = if (isRoot(folder)) ServerUser.below(folder) else ("", folder)
    val password = newPassword()
    @tailrec def attempt(left: Int): Postgres = {
      val port = freePort()
      val place = Files.createTempDirectory(parent, if (parent == folder) s"$kernel-" else s"course-postgres-$kernel-")
      val command = session ++ Seq("/bin/sh", "-c", script, place.toString, home.toString, user) ++ options(port, maxConnections)
      val server =
        try Right(Server.launch(name, command, ".*ready to accept connections.*", limit, grace, environment = Map(secret -> password)))
        catch {
          // Another program may have taken the free port before PostgreSQL could use it.
          case taken: IllegalStateException if left > 0 && taken.getMessage.contains("could not bind") => Left(taken)
          case failed: Throwable => Scratch.delete(place); throw failed
        }
      server match {
        case Right(server) =>
          new Postgres(s"jdbc:postgresql://127.0.0.1:$port/course?user=course&password=$password", isOurs = true, Some(server))
        case Left(_) => attempt(left - 1)
      }
    }
    attempt(2)
  }

  /** Returns whether this kernel's files belong to root, even in somebody else's clone. */
  private def isRoot(folder: Path): Boolean = Scratch.in(folder, s"$kernel-owner")(Files.getAttribute(_, "unix:uid") == 0)

  private val limit = 60.seconds
  private val grace = 10.seconds
  private val secret = "COURSE_PG_PASSWORD"
  private def kernel = ProcessHandle.current.pid

  /** Makes the database and runs the server, until the server is asked to end or the kernel is gone. The kernel's end is the end of
    * standard input. The shell has its own session, so it stays alive if the kernel is killed together with all that it started. Otherwise
    * PostgreSQL's children, its shared memory and its folder would remain.
    *
    * If the shell gets a user's number, the shell belongs to root, and PostgreSQL runs as that user. If that user can't reach PostgreSQL's
    * programs, the shell copies them to a folder in which only root can change them. The two programs that fill the data folder refuse a
    * user without a name, so they run as `nobody`. The group keeps other processes of `nobody` away from the folder and from their memory.
    *
    * Nobody can log in as PostgreSQL's superuser, which has no password. `pg_hba.conf` admits only the role `course`, to its own database.
    * Many rounds of hashing would make a random password no safer, and each new connection would have to pay for them.
    */
  private val script =
    s"""place=$$0 data=$$0/data home=$$1 user=$$2 make= run=; shift 2
       |cd "$$place" && mkdir -m 700 data || exit 1
       |if [ -n "$$user" ]; then
       |  make="${ServerUser.nobody("$user").mkString(" ")}" run="${ServerUser.prefix("$user").mkString(" ")}"
       |  chmod 710 . && chown ":$$user" . && chown "${ServerUser.nobodysNumber}:$$user" data || exit 1
       |  if ! $$run test -x "$$home/bin/postgres"; then
       |    cp -R "$$home" server && chmod -R u+rwX,go=rX server && home=$$place/server
       |    $$run test -x "$$home/bin/postgres" || { echo "No user but root can run PostgreSQL's programs in $$place. ${ServerUser.remedy}"; exit 1; }
       |  fi
       |fi
       |$$make "$$home/bin/initdb" -D "$$data" -U postgres -A reject -E UTF8 --locale=C --no-sync --no-instructions > /dev/null || exit 1
       |echo "host course course 127.0.0.1/32 scram-sha-256" > data/pg_hba.conf || exit 1
       |$$make "$$home/bin/postgres" --single -D "$$data" -c exit_on_error=on -c fsync=off postgres > /dev/null << end || exit 1
       |set scram_iterations = 1
       |create role course login password '$$$secret'
       |create database course owner course
       |end
       |if [ -n "$$user" ]; then chown -hR "$$user:$$user" data || exit 1; fi
       |unset $secret
       |exec 3<&0
       |$$run "$$home/bin/postgres" -D "$$data" "$$@" < /dev/null 3<&- &
       |server=$$!
       |trap 'kill -INT $$server' TERM INT HUP
       |{ cat > /dev/null; kill -INT $$server; } <&3 2> /dev/null &
       |watch=$$!
       |exec 3<&-
       |while kill -0 $$server 2> /dev/null; do wait $$server; code=$$?; done
       |kill $$watch 2> /dev/null
       |rm -rf "$$place"
       |exit $$code""".stripMargin

  private def options(port: Int, maxConnections: Int): Seq[String] = Seq(
    "listen_addresses" -> "127.0.0.1",
    "port" -> s"$port",
    "max_connections" -> s"$maxConnections",
    "unix_socket_directories" -> "",
    "shared_buffers" -> "16MB",
    "fsync" -> "off"
  ).flatMap { case (key, value) => Seq("-c", s"$key=$value") }

  private def newPassword(): String = {
    val bytes = new Array[Byte](16)
    new SecureRandom().nextBytes(bytes)
    HexFormat.of.formatHex(bytes)
  }

  private def freePort(): Int = Using.resource(new ServerSocket(0, 1, InetAddress.getLoopbackAddress))(_.getLocalPort)

  /** Removes what a crashed machine left: the data of kernels that no longer exist. */
  private def sweep(places: Path): Unit =
    Using.resource(Files.list(places))(_.iterator.asScala.toVector).foreach { data =>
      val owner = data.getFileName.toString.takeWhile(_.isDigit)
      if (owner.nonEmpty && !ProcessHandle.of(owner.toLong).isPresent) Scratch.delete(data)
    }

  /** The user as which PostgreSQL runs if the kernel is root. It is a number that no other process has, from the range that systemd also
    * gives to services while they run. Processes of `nobody` could read the server's data and end it.
    */
  private object ServerUser {
    private val numbers = 61184 to 65519

    val remedy =
      s"Run the course as an ordinary user, move it into a folder that every user may enter, or name your own server with $variable=jdbc:postgresql://…"

    val nobodysNumber = 65534

    def prefix(user: String): Seq[String] = of(user, user)
    def nobody(group: String): Seq[String] = of(s"$nobodysNumber", group)
    private def of(user: String, group: String) =
      Seq("setpriv", s"--reuid=$user", s"--regid=$group", "--clear-groups", "--no-new-privs")

    /** Returns a user, and the folder below which it can reach its data: `folder`, or the one for temporary files. */
    def below(folder: Path): (String, Path) = {
      if (!succeeds(prefix(s"${numbers.head}") :+ "true"))
        throw new IllegalStateException(
          s"PostgreSQL refuses to run as root, and `setpriv` (of util-linux) can't run it as another user here. $remedy"
        )
      val user = s"${unused()}"
      val temporary = Path.of(System.getProperty("java.io.tmpdir"))
      val parent = Seq(folder, temporary).find(place => succeeds(prefix(user) ++ Seq("test", "-x", place.toString)))
      user -> parent.getOrElse(throw new IllegalStateException(s"No user but root can enter $folder or $temporary. $remedy"))
    }

    private def unused(): Int = {
      val processes = Using.resource(Files.list(Path.of("/proc")))(_.iterator.asScala.toVector)
      val used = processes.flatMap(process => Try(Files.getAttribute(process, "unix:uid")).toOption).toSet
      Random.shuffle(numbers.toVector).find(!used(_)).getOrElse(throw new IllegalStateException(s"Processes use all of the users $numbers"))
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
