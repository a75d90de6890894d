package lab.results

import java.nio.file.{Files, Path}

import lab.process.Scratch

class RecordedRowsSuite extends munit.FunSuite {

  private val folder = FunFixture[Path](_ => Files.createTempDirectory("rows"), Scratch.delete)

  folder.test("rows come back as they were written, with machine and day") { folder =>
    val file = folder.resolve("99-test.csv")
    RecordedRows.write(file, Seq(Seq("quota" -> "0.5", "cpus" -> "1"), Seq("quota" -> "2.0", "cpus" -> "2")), "a machine, with a comma")
    val read = RecordedRows.read(file)
    assertEquals(read.rows.map(row => (row("quota"), row("cpus"))), Seq("0.5" -> "1", "2.0" -> "2"))
    assert(read.where.matches("recorded on a machine, with a comma, \\d{4}-\\d\\d-\\d\\d"), read.where)
  }

  folder.test("a missing file is named, with what to do") { folder =>
    val file = folder.resolve("99-gone.csv")
    val message = intercept[IllegalStateException](RecordedRows.read(file)).getMessage
    assert(message.contains("99-gone.csv") && message.contains("git checkout"), message)
  }
}
