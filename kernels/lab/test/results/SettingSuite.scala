package lab.results

import java.nio.file.{Files, Path}

class SettingSuite extends munit.FunSuite {

  private val folder = FunFixture[Path](
    _ => Files.createTempDirectory("settings"),
    folder => folder.toFile.listFiles.foreach(_.delete())
  )

  private val header = "profile,round,cpus,jdk,next_to,page,seconds,memory_mb,error,holds,depends,does_not_hold,open,flipped,at,on"

  private def rows(each: String*): String = (header +: each).mkString("", "\n", "\n")

  folder.test("a setting has the usual verdict of its runs, and the pages' rows are one setting") { folder =>
    val file = Files.writeString(
      folder.resolve("matrix.csv"),
      rows(
        "quick,1,1,25,nothing,01-a,60.0,400,,A1.a,,A2.b,,,2026-11-26T20:00:00Z,a machine",
        "quick,1,1,25,nothing,02-b,60.0,400,,,A3.c,,A4.d,,2026-11-26T20:00:00Z,a machine",
        "quick,2,1,25,nothing,01-a,60.0,400,,,A1.a,A2.b,,,2026-11-26T20:00:00Z,a machine",
        "quick,3,1,25,nothing,01-a,60.0,400,,,A1.a,A2.b,,,2026-11-26T20:00:00Z,a machine",
        "quick,1,8,21,compiler,01-a,60.0,400,Boom,A1.a,,,,,2026-11-26T20:00:00Z,a machine",
        "smoke,1,2,21,compiler,01-a,60.0,400,,A1.a,,,,,2026-11-26T20:00:00Z,a machine"
      )
    )
    assertEquals(
      Setting.matrixIn(file),
      Vector(
        Setting(
          "a machine",
          1,
          25,
          "nothing",
          Map("A1.a" -> "depends", "A2.b" -> "does not hold", "A3.c" -> "depends", "A4.d" -> "not decided here")
        ),
        Setting("a machine", 8, 21, "compiler", Map("A1.a" -> "holds"))
      )
    )
  }

  folder.test("a machine has the last verdict on each statement") { folder =>
    def record(statement: String, verdict: String) =
      s"""{"record":"verdict","statement":"$statement","verdict":"$verdict","machine":{"cpus":8,"jdk":25,"profile":"quick"}}\n"""
    Files.writeString(folder.resolve("1a2b3c4d.jsonl"), record("A1.a", "holds") + record("A2.b", "holds") + record("A1.a", "depends"))
    Files.writeString(folder.resolve("README.md"), "No machine.")
    assertEquals(Setting.machinesIn(folder), Vector(Setting("1a2b3c4d", 8, 25, "", Map("A1.a" -> "depends", "A2.b" -> "holds"))))
  }

  folder.test("without files there is nothing, and a broken file is named") { folder =>
    assertEquals(Setting.matrixIn(folder.resolve("matrix.csv")), Vector.empty[Setting])
    assertEquals(Setting.machinesIn(folder.resolve("machines")), Vector.empty[Setting])
    Files.writeString(folder.resolve("torn.jsonl"), "{\"statement\"")
    val refused = intercept[IllegalStateException](Setting.machinesIn(folder))
    assert(refused.getMessage.contains("torn.jsonl can't be read"), refused.getMessage)
  }
}
