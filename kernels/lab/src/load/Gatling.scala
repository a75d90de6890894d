package lab.load

import java.nio.file.Files

import lab.installation.Disk
import lab.process.{Child, CompiledProgram, Scratch}
import lab.show.{ProgressLine, Say}

/** Runs Gatling, the load generator, in a separate JVM, with a simulation that a `%%program --with gatling` cell compiled.
  *
  * Gatling records its measurements in a binary log. To pass each answer to the page, the simulation calls [[Answers.tell]].
  */
object Gatling {

  /** Runs `simulation` to its end.
    *
    * @param program    the result of the `%%program` cell
    * @param simulation the class that extends `Simulation`
    * @param properties system properties for it, such as the address of the server
    * @return the requests that it passed to [[Answers.tell]], in order
    * @throws java.lang.IllegalStateException if Gatling fails, or if the simulation passed no request; with Gatling's output
    * @throws java.lang.InterruptedException if the cell is interrupted. Then Gatling has been ended
    */
  def run(program: CompiledProgram, simulation: String, properties: (String, String)*): Answers = {
    val line = new ProgressLine("Gatling")
    val (code, lines, disk) = Scratch.in(CompiledProgram.folder, "run") { folder =>
      val logging = Files.writeString(folder.resolve("logback.xml"), quiet)
      val handed = properties.map { case (name, value) => s"-D$name=$value" }
      val options = jvm ++ Seq(s"-Dlogback.configurationFile=$logging", s"-Djava.util.prefs.userRoot=$folder") ++ handed
      val command = program.service(main, Seq("-s", simulation, "-rf", folder.toString, "-nr"), options)
      val lines = Vector.newBuilder[String]
      var answers = 0
      def progress(): Unit = line.tick(s"$simulation runs, ${line.time}, ${Say.count(answers, "answer")}")
      val code = Child.run(command, folder, ProgressLine.pause)(
        { said =>
          lines += said
          if (Answers.Line.matches(said)) answers += 1
          progress()
        },
        () => progress()
      )
      (code, lines.result(), Disk.full(folder))
    }
    val (answers, said) = lines.partition(Answers.Line.matches(_))
    line.say(s"$simulation ended after ${line.time}, ${Say.count(answers.size, "answer")}")
    if (code != 0 || answers.isEmpty) throw new IllegalStateException((disk ++: Seq(failure(code, answers.size, said))).mkString("\n"))
    Answers.read(answers)
  }

  private def failure(code: Int, answers: Int, said: Vector[String]): String = {
    val happened = s"Gatling ended with ${Child.ended(code)} and ${Say.count(answers, "answer")}; 0 and at least one were expected."
    val remedy = if (code == 0) " Let the simulation call lab.load.Answers.tell after each request." else ""
    s"$happened$remedy It said:\n${said.takeRight(40).mkString("\n")}"
  }

  private val main = "io.gatling.app.Gatling"
  private val jvm = Seq(
    "-Xmx160m",
    "-XX:TieredStopAtLevel=1",
    "--add-opens=java.base/java.lang=ALL-UNNAMED",
    "-Dgatling.data.enableAnalytics=false",
    "-Dgatling.http.warmUpUrl="
  )
  private val quiet =
    """<configuration><appender name="out" class="ch.qos.logback.core.ConsoleAppender"><encoder><pattern>%level %logger{0} %msg%n%ex{5}</pattern></encoder></appender><root level="WARN"><appender-ref ref="out"/></root></configuration>"""
}
