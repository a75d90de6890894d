package lab.process

import java.io.{IOException, OutputStream}
import java.nio.file.{Files, Path}
import java.util.concurrent.TimeoutException

import lab.installation.SmallDisk
import lab.magic.CellCompiler
import lab.show.ProgressLine

import scala.concurrent.duration._
import scala.jdk.CollectionConverters._

class ChildSuite extends munit.FunSuite {
  override val munitTimeout: Duration = 2.minutes

  private def shell(script: String, limit: FiniteDuration = 30.seconds): Forked = Fork.run(Seq("/bin/sh", "-c", script), limit)
  private def refused(body: => Any): String = intercept[IllegalStateException](body).getMessage

  test("a fork needs no room in the temp folder") {
    SmallDisk.of(size = 64) { disk =>
      disk.fill()
      val options = Seq(s"-Djava.io.tmpdir=${disk.folder}", "-cp", System.getProperty("java.class.path"))
      val seen = Fork.run(Seq(Jvm.java()) ++ options :+ nameOf(ForkOnAFullDisk), 60.seconds)
      assertEquals(seen.values.get("cpus"), Some(s"${Runtime.getRuntime.availableProcessors}"), seen.transcript)
      assertEquals(seen.err, Vector.empty)
    }
  }

  test("nothing is read from a killed program, and the signal is named") {
    val killed = shell("echo cpus=2; kill -9 $$")
    assertEquals(killed.out, Vector("cpus=2"))
    assert(refused(killed.values).contains("exit code 137 (killed by signal 9"), refused(killed.values))
  }

  test("a line that is missing is named, with what was printed; no line at all is an error too") {
    val values = shell("echo cpus=2").values
    assertEquals((values("cpus"), values.get("global")), ("2", None))
    assert(refused(values("global")).contains("global=") && refused(values("global")).contains("out: cpus=2"), refused(values("global")))
    assert(refused(shell("echo well").values).contains("out: well"))
  }

  test("a program that prints without end is ended before it fills the heap") {
    val message = intercept[IOException](shell("exec yes")).getMessage
    assert(message.contains("more than 8 MiB") && message.contains("print less"), message)
    val tool = intercept[IOException](Child.run(Seq("yes"), Path.of("").toAbsolutePath, 1.second)(_ => (), () => ())).getMessage
    assert(tool.contains("more than 64 MiB"), tool)
    assert(!ProcessHandle.current.children.anyMatch(_.info.command.filter(_.endsWith("yes")).isPresent))
  }

  test("output that a program's own child still holds isn't complete") {
    // If the shell ended before anybody read its output, the JDK would take what there is and close the pipe. So it ends later.
    val folder = Files.createTempDirectory("held")
    val (pid, go) = (folder.resolve("pid"), folder.resolve("go"))
    def areRead: Boolean = Files.exists(pid) && {
      val readers = Thread.getAllStackTraces.asScala.collect {
        case (thread, frames) if thread.getName == s"lines-of-${Files.readString(pid).trim}" => frames
      }
      readers.count(_.exists(_.getMethodName == "readBytes")) == 2
    }
    val onceRead = new Thread(() => {
      while (!areRead) Thread.sleep(20)
      val _ = Files.createFile(go)
    })
    onceRead.setDaemon(true)
    onceRead.start()
    try {
      val script = s"echo $$$$ > $pid.new; mv $pid.new $pid; until [ -e $go ]; do sleep 0.05; done; sleep 8 & echo cpus=2"
      val message = intercept[TimeoutException](shell(script)).getMessage
      assert(message.contains("still held its output") && message.contains("out: cpus=2"), message)
    } finally Seq(pid, go, folder).foreach(Files.deleteIfExists(_))
  }

  test("a server that ends by itself says so when it is closed; one that runs doesn't, and neither does the second close") {
    val short = Server.launch("short", Seq("/bin/sh", "-c", "echo ready; read wait; echo alas; exit 3"), "ready", 20.seconds)
    val pid = "process (\\d+)".r.findFirstMatchIn(short.toString).get.group(1).toLong
    ProcessHandle.of(pid).ifPresent(handle => { handle.destroyForcibly(); handle.onExit.join(); () })
    val message = refused(short.close())
    assert(message.contains("short ended by itself with exit code 137 (killed by signal 9"), message)
    short.close()
    Server.launch("short", Seq("/bin/sh", "-c", "echo ready; exec sleep 100"), "ready", 20.seconds).close()
  }

  test("a compiler that is killed, that has a broken JAR, or no room, doesn't blame the cell") {
    val cache = Files.createTempDirectory("compiled")
    val line = new ProgressLine("test")
    def told(main: Program, jars: Vector[Path], cache: Path): String = {
      val compiler =
        CellCompiler("compiler", nameOf(main), jars ++ own, Nil, cache, (_, _) => Some(new AssertionError("the cell is blamed")))
      intercept[IllegalStateException](Console.withOut(OutputStream.nullOutputStream) {
        compiler(line, "cell.txt", "text", Vector.empty)((_, _) => Nil)
      }).getMessage
    }
    try {
      val killed = told(EndsByForce, Vector.empty, cache)
      assert(killed.contains("exit code 137 (killed by signal 9"), killed)
      val broken = Files.writeString(cache.resolve("broken.jar"), "PK")
      val unread = told(EndsWithOne, Vector(broken), cache)
      assert(unread.contains(s"$broken can't be read") && unread.contains("kernels/course setup"), unread)
    } finally Scratch.delete(cache)
  }

  private def nameOf(program: Program): String = program.getClass.getName.stripSuffix("$")
  private def own: Vector[Path] = System.getProperty("java.class.path").split(java.io.File.pathSeparator).toVector.map(Path.of(_))
}

/** Forks in a JVM whose temporary folder is full. */
private[lab] object ForkOnAFullDisk extends Program {
  def main(arguments: Array[String]): Unit = Fork(lab.forked.PoolReport, jvm = Seq("-XX:ActiveProcessorCount=-1")).values.foreach {
    case (name, value) => println(s"$name=$value")
  }
}

private[lab] object EndsByForce extends Program {
  def main(arguments: Array[String]): Unit = {
    new ProcessBuilder("kill", "-9", s"${ProcessHandle.current.pid}").start().waitFor()
    Thread.sleep(20000)
  }
}

private[lab] object EndsWithOne extends Program {
  def main(arguments: Array[String]): Unit = sys.exit(1)
}
