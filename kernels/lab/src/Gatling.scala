package lab

import java.nio.file.Files

import scala.concurrent.duration._

/** Gatling, the load generator, in a JVM of its own: it runs a simulation that a `%%program --with gatling` cell has compiled.
  *
  * Gatling keeps what it measured in a binary log of its own. So that the page gets at each answer, the simulation tells it by [[Answers.tell]].
  */
object Gatling {

  /** Runs `simulation` to its end.
    *
    * @param program    what the `%%program` cell has made
    * @param simulation the class that extends `Simulation`
    * @param properties system properties for it, such as the address of the server
    * @return what it told by [[Answers.tell]], in order
    * @throws java.lang.IllegalStateException if Gatling fails, or the simulation told nothing; with what Gatling said
    * @throws java.lang.InterruptedException if the cell is interrupted; Gatling is dead then
    */
  def run(program: CompiledProgram, simulation: String, properties: (String, String)*): Answers = {
    // What a killed kernel leaves there goes with what nobody asked for in days.
    val folder = Files.createTempDirectory(Files.createDirectories(CompiledProgram.cache), "run-")
    try {
      val logging = Files.writeString(folder.resolve("logback.xml"), quiet)
      val handed = properties.map { case (name, value) => s"-D$name=$value" }
      val options = jvm ++ Seq(s"-Dlogback.configurationFile=$logging", s"-Djava.util.prefs.userRoot=$folder") ++ handed
      val command = program.service(main, Seq("-s", simulation, "-rf", folder.toString, "-nr"), options)
      val line = new StatusLine("Gatling")
      val said, told = Vector.newBuilder[String]
      var answers = 0
      def tick(): Unit = line.say(s"$simulation runs, ${line.time}, ${Say.count(answers, "answer")}")
      var next = 0L
      val code = Child.run(command, folder, 500.millis)(
        {
          case text @ Answers.Line(_, _, _, _) =>
            told += text
            answers += 1
            if (System.nanoTime - next > 0) {
              next = System.nanoTime + 500.millis.toNanos
              tick()
            }
          case text => said += text
        },
        () => tick()
      )
      line.say(s"$simulation ended after ${line.time}, ${Say.count(answers, "answer")}")
      if (code != 0 || answers == 0) throw new IllegalStateException(failure(code, answers, said.result()))
      Answers.of(told.result())
    } finally ClassCache.delete(folder)
  }

  private def failure(code: Int, answers: Int, said: Vector[String]): String = {
    val happened = s"Gatling ended with exit code $code and ${Say.count(answers, "answer")}; 0 and at least one were expected."
    val remedy = if (code == 0) " Let the simulation call lab.Answers.tell after each request." else ""
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
