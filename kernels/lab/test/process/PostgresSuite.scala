package lab.process

import java.net.{ConnectException, InetSocketAddress, Socket, URLClassLoader}
import java.nio.file.attribute.PosixFilePermissions
import java.nio.file.{Files, Path}
import java.sql.{Connection, Driver, SQLException}
import java.util.Properties

import lab.installation.Installation

import scala.jdk.CollectionConverters._
import scala.jdk.OptionConverters._
import scala.util.Using

class PostgresSuite extends munit.FunSuite {
  import PostgresSuite._

  test("it takes connections when it has started; when it is closed, its port and its data are gone") {
    val database = Postgres.start(maxConnections = 10)
    val port = portOf(database)
    try {
      connect(port)
      assert(database.isOurs && database.log.exists(_.contains("starting PostgreSQL")), database.log)
      assertEquals(folders.size, 1)
    } finally database.close()
    intercept[ConnectException](connect(port))
    assertEquals(folders, Vector.empty)
  }

  test("a second server replaces the first, so that a cell can be run again") {
    val first = Postgres.start()
    val second = Postgres.start()
    try {
      intercept[ConnectException](connect(portOf(first)))
      connect(portOf(second))
      assertEquals(folders.size, 1)
    } finally second.close()
  }

  test("a server that the reader names is used as it is, and left alone") {
    val database = Postgres.start(60, Some(" jdbc:postgresql://elsewhere/db?user=me "))
    assertEquals((database.url, database.isOurs, database.log), ("jdbc:postgresql://elsewhere/db?user=me", false, Vector.empty))
    assert(database.toString.contains("COURSE_PG_URL"))
    database.close()
  }

  test("only the password lets in, and only the page's role") {
    Using.resource(Postgres.start(maxConnections = 10)) { database =>
      Using.resource(connected(database.url))(_ => ())
      assertEquals(password(database).length, 32)
      val others = Seq(
        database.url.replaceAll("&password=.*", ""),
        database.url.replaceAll("password=.*", "password=wrong"),
        database.url.replace("user=course", "user=postgres"),
        database.url.replace("/course?", "/postgres?")
      )
      for (other <- others) {
        val refused = intercept[SQLException](connected(other).close())
        assert(refused.getSQLState.startsWith("28") || refused.getMessage.contains("password"), s"$other: $refused")
      }
    }
  }

  test("its role owns a database, and may neither read files nor run programs") {
    Using.Manager { use =>
      val page = use(connected(use(Postgres.start(maxConnections = 10)).url))
      def run(sql: String): Boolean = Using.resource(page.createStatement())(_.execute(sql))
      Seq("create table orders (id int)", "insert into orders values (1)", "select * from pg_stat_activity").foreach(run)
      val refused = Seq(
        "select pg_read_file('/etc/hostname')",
        "select pg_ls_dir('/')",
        "select lo_import('/etc/hostname')",
        "copy orders from '/etc/hostname'",
        "copy orders to '/tmp/orders'",
        "copy orders to program 'true'",
        "copy orders from program 'true'",
        "create role other",
        "set role postgres",
        "alter role course superuser",
        "alter system set archive_command = 'true'",
        "create extension file_fdw"
      )
      for (sql <- refused) assertEquals(intercept[SQLException](run(sql)).getSQLState, "42501", sql)
    }.get
  }

  test("its data belong to the server alone, which isn't root; no command line shows the password") {
    assume(Files.isDirectory(Path.of("/proc/self")), "this system has no /proc")
    Using.resource(Postgres.start(maxConnections = 10)) { database =>
      val data = folders.head.resolve("data")
      assertEquals(PosixFilePermissions.toString(Files.getPosixFilePermissions(data)), "rwx------")
      val server = s"${Files.readAllLines(data.resolve("postmaster.pid")).get(0)}"
      assertEquals(owner(Path.of("/proc", server)), owner(data))
      assertEquals(owner(data) == owner(Path.of("/proc/self")), !isRoot)
      assert(!isRoot || (61184 to 65519).contains(owner(data)), owner(data))
      val lines = ProcessHandle.allProcesses.iterator.asScala.flatMap(_.info.commandLine.toScala).toVector
      assert(lines.exists(_.contains(data.toString)) && !lines.exists(_.contains(password(database))))
    }
  }

  test("another user of this machine is asked for the password, and can't enter the folder") {
    assume(isRoot && programs("setpriv", "bash"), "it takes root, setpriv and bash to be another user")
    Using.resource(Postgres.start(maxConnections = 10)) { database =>
      val login = "user\\0course\\0database\\0course\\0\\0"
      val greeting =
        s"exec 3<>/dev/tcp/127.0.0.1/${portOf(database)}; printf '\\0\\0\\0\\x25\\0\\3\\0\\0$login' >&3; head -c 9 <&3 | od -An -tx1"
      // 'R', its length, and 10 ask for a login with SASL. A 0 would mean that the user is logged in.
      assertEquals(asNobody("bash", "-c", greeting).trim.split(" ").toSeq.takeRight(4), Seq("00", "00", "00", "0a"))
      assert(asNobody("ls", s"${folders.head}").contains("denied"))
    }
  }

  test("a root kernel starts it from a folder that only root can enter, and says what to do if it can't") {
    assume(isRoot && programs("setpriv"), "it takes root")
    Scratch.in(Path.of(System.getProperty("java.io.tmpdir")), "rootsOnly") { rootsOnly =>
      val home = rootsOnly.resolve("server")
      val installed = Installation.here("a PostgreSQL server").postgres.get
      assertEquals(new ProcessBuilder("cp", "-Rl", installed.toString, home.toString).start().waitFor(), 0)
      val data = Files.createDirectory(rootsOnly.resolve("data"))
      Using.resource(Postgres.of(home, data, 10))(database => connected(database.url).close())
      assertEquals(temporary("course-postgres-"), Vector.empty)
      val before = System.setProperty("java.io.tmpdir", rootsOnly.toString)
      try {
        val refused = intercept[IllegalStateException](Postgres.of(home, data, 10)).getMessage
        assert(refused.contains(s"$data") && refused.contains("COURSE_PG_URL"), refused)
      } finally { val _ = System.setProperty("java.io.tmpdir", before) }
    }
  }

  test("an invalid value is named, with the rule and what to do") {
    for (address <- Seq("postgresql://me:s3cr3t@host/db", "jdbc:postgresql://me:s3cr3t@host/db")) {
      val other = intercept[IllegalStateException](Postgres.start(60, Some(address))).getMessage
      assert(other.contains("COURSE_PG_URL") && other.contains("jdbc:postgresql://host/"), other)
      assert(!other.contains("s3cr3t"), "a password is shown")
    }
    val few = intercept[IllegalArgumentException](Postgres.start(3)).getMessage
    assert(few.contains("3 connections") && few.contains("4 to 1,000"), few)
  }
}

object PostgresSuite {
  private def portOf(database: Postgres): Int = database.url.replaceAll(".*:(\\d+)/.*", "$1").toInt

  private def connect(port: Int): Unit =
    Using.resource(new Socket())(_.connect(new InetSocketAddress("127.0.0.1", port), 5000))

  private def password(database: Postgres): String = database.url.split("password=").last

  private def connected(url: String): Connection = driver.connect(url, new Properties)

  /** PostgreSQL's JDBC driver, which isn't on the lab's class path. */
  private lazy val driver: Driver = {
    val jars = Installation.here("a PostgreSQL server").system("jdbc").map(_.toUri.toURL)
    val loaded = new URLClassLoader(jars.toArray, getClass.getClassLoader).loadClass("org.postgresql.Driver")
    loaded.asSubclass(classOf[Driver]).getConstructor().newInstance()
  }

  private def owner(file: Path): Int = Files.getAttribute(file, "unix:uid").toString.toInt
  private def isRoot: Boolean = System.getProperty("user.name") == "root"

  private def programs(names: String*): Boolean =
    names.forall(name => System.getenv("PATH").split(':').exists(folder => Files.isExecutable(Path.of(folder, name))))

  /** Returns the output of a command that runs as a user who is neither root nor the server's. */
  private def asNobody(command: String*): String = {
    val other = Seq("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups") ++ command
    val process = new ProcessBuilder(other.asJava).redirectErrorStream(true).start()
    try new String(process.getInputStream.readAllBytes)
    finally { val _ = process.waitFor() }
  }

  private def temporary(prefix: String): Vector[Path] =
    Using
      .resource(Files.list(Path.of(System.getProperty("java.io.tmpdir"))))(_.iterator.asScala.toVector)
      .filter(_.getFileName.toString.startsWith(s"$prefix${ProcessHandle.current.pid}-"))

  private def folders: Vector[Path] =
    Using
      .resource(Files.list(Installation.here("a PostgreSQL server").cache("postgres").resolve("data")))(_.iterator.asScala.toVector)
      .filter(_.getFileName.toString.startsWith(s"${ProcessHandle.current.pid}-"))
}
