package lab

import java.net.{ConnectException, InetSocketAddress, Socket}
import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
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

  test("a second one takes the place of the first, so that a cell can be run again") {
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

  test("what can't be is named, with the rule and what to do") {
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

  private def folders: Vector[Path] =
    Using
      .resource(Files.list(Installation.here("a PostgreSQL server").cache("postgres").resolve("data")))(_.iterator.asScala.toVector)
      .filter(_.getFileName.toString.startsWith(s"${ProcessHandle.current.pid}-"))
}
