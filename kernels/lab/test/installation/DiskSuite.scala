package lab.installation

import java.io.{ByteArrayOutputStream, IOException, OutputStream}
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.StandardOpenOption.APPEND
import java.nio.file.{AccessDeniedException, Files, Path}

import com.google.gson.JsonObject

import lab.load.Gatling
import lab.magic.ClassCache
import lab.magic.jmh.{Build, Built, Run}
import lab.magic.kotlin.KotlinCompiler
import lab.process.{CompiledProgram, Jvm, Scratch}
import lab.results.RecordedRows
import lab.show.ProgressLine

import scala.concurrent.duration._

class DiskSuite extends munit.FunSuite {
  override val munitTimeout: Duration = 2.minutes

  private def failure(body: => Any): String = intercept[IOException](body).getMessage
  private def quietly[A](body: => A): A = Console.withOut(OutputStream.nullOutputStream)(body)
  private def namesDisk(message: String, folder: Path): Unit =
    assert(message.contains(s"the disk that holds $folder") && message.contains("is full") && message.contains("Make room"), message)

  test("a record that doesn't fit leaves the file as it was, and the next one is whole") {
    SmallDisk.of(size = 64) { disk =>
      val file = disk.folder.resolve("records.jsonl")
      def keep(n: Int): Unit = JsonLines.append(file) { there =>
        assertEquals(there.size, n)
        val record = new JsonObject
        record.addProperty("name", "×" * 1500)
        record
      }
      keep(0)
      disk.fill(left = 0)
      // The rest of the file's last page still has room for one record.
      val fits = Iterator.from(1).takeWhile(n => scala.util.Try(keep(n)).isSuccess).size + 1
      val before = Files.readAllBytes(file).toVector
      namesDisk(failure(keep(fits)), disk.folder)
      assertEquals(Files.readAllBytes(file).toVector, before)
      disk.makeRoom()
      keep(fits)
      assertEquals(JsonLines.read(file).size, fits + 1)
    }
  }

  test("a replaced file stays as it was if the new one doesn't fit") {
    SmallDisk.of(size = 64) { disk =>
      val file = disk.folder.resolve("rows.csv")
      def write(rows: Int): Unit = RecordedRows.write(file, Seq.tabulate(rows)(n => Seq("quota" -> s"$n")), "here")
      write(3)
      disk.fill()
      namesDisk(failure(write(5000)), disk.folder)
      assertEquals(RecordedRows.read(file).rows.size, 3)
      assertEquals(Files.list(disk.folder).filter(_.toString.endsWith(".part")).count, 0L)
    }
  }

  test("a line that can't be read is reported once, and every other record is there") {
    val file = Files.createTempFile("measured", ".jsonl")
    def read(): (Int, String) = {
      val said = new ByteArrayOutputStream
      val records = Console.withErr(said)(JsonLines.read(file).size)
      (records, said.toString(UTF_8))
    }
    try {
      Files.writeString(file, "{\"a\": 1}\n{\"a\": \"\n{\"a\": 3}\n")
      val (records, said) = read()
      assertEquals(records, 2)
      assert(said.contains(s"$file: 1 line of 3 can't be read and is left out"), said)
      assertEquals(read(), (2, ""))
      Files.writeString(file, "{\"a\"", APPEND)
      assert(read()._2.contains("2 lines of 4"))
    } finally Files.delete(file)
  }

  test("if there is no room for a benchmark, the message blames neither the benchmark nor its source") {
    assume(sys.props.contains("course.home"), "this is no kernel of the course")
    val tools = Installation.tools
    val body = "\nimport org.openjdk.jmh.annotations._\n@State(Scope.Benchmark) class Sums { @Benchmark def one: Int = 1 }"
    def build(cache: Path): Built = quietly {
      Build(Installation.here("a test").ownScalac, tools.jars("jmh"), Vector(Jvm.lab), body, cache, new ProgressLine("test"))
    }
    SmallDisk.of(size = 1024) { disk =>
      val built = build(disk.folder)
      disk.fill()
      val run = Run(built, "2.13", None, "-f 1 -wi 0 -i 1 -r 10ms -foe true".split(' ').toVector)
      namesDisk(intercept[Exception](run(disk.folder)(_ => (), () => ())).getMessage.linesIterator.next(), disk.folder)
    }
    // This is enough for the compiler, but not for what comes after it.
    SmallDisk.of(size = 48) { disk =>
      val message = intercept[Exception](build(disk.folder)).getMessage
      assert(message.contains("the disk that holds") && message.contains("is full"), message)
    }
  }

  test("nor does it blame Kotlin's source, and Gatling also says what is missing") {
    assume(sys.props.contains("course.home"), "this is no kernel of the course")
    val compiler = KotlinCompiler(Vector.empty)
    SmallDisk.of(size = 64) { disk =>
      disk.fill(left = 4) // room for the source
      val message = intercept[Exception](quietly {
        compiler.copy(cache = disk.folder)(new ProgressLine("test"), "Cell.kt", "package cell\nfun f() = 1", Vector(Jvm.lab)) {
          (classes, _) =>
            Seq("-no-stdlib", "-no-reflect", "-d", s"$classes", "Cell.kt")
        }
      }).getMessage
      assert(message.contains("the disk that holds") && message.contains("is full"), message)
      disk.fill()
      val home = sys.props("course.home")
      sys.props("course.home") = s"${disk.folder}"
      try namesDisk(failure(Gatling.run(new CompiledProgram("visitors", Vector.empty, Vector.empty), "Visitors")), disk.folder)
      finally sys.props("course.home") = home
    }
  }

  test("a folder of another user is named, with its owner and the remedy") {
    val file = Files.createTempFile("of-root", ".lock")
    try {
      val message = failure(Disk.explained(file.getParent)(throw new AccessDeniedException(s"$file")))
      val user = System.getProperty("user.name")
      assert(message.contains(s"$file can't be opened: it belongs to $user"), message)
      assert(message.contains(s"sudo chown -R $user '${file.getParent}'"), message)
      assertEquals(failure(Disk.explained(file.getParent)(throw new IOException("other"))), "other")
    } finally Files.delete(file)
  }

  test("the folder of compiled cells belongs to root") {
    assume(System.getProperty("user.name") != "root", "root may open every file")
    val root = Files.createTempDirectory("compiled")
    try {
      Files.createFile(root.resolve(".lock")).toFile.setWritable(false)
      assert(failure(ClassCache(root, Seq("a"))((_, _) => ())).contains("sudo chown"))
    } finally Scratch.delete(root)
  }
}
