package ammonite.course

import scala.tools.nsc.{Global, Settings}

class LabSourcesSuite extends munit.FunSuite {

  private lazy val reader = {
    val settings = new Settings
    settings.usejavacp.value = true
    val global = new Global(settings)
    // The parser asks the current run for its dialect.
    val _ = new global.Run
    new SourceReader[global.type](global)
  }

  private val birds =
    """package lab
      |package birds
      |
      |/** Not this one. */
      |trait Bird {
      |  /** Sings. */
      |  def sing(song: String): Unit
      |  def sing(times: Int): Unit
      |  /** Sings twice. */
      |  def sing(song: String, times: Int = 2): Unit
      |  /** Sings what it is shown. */
      |  def sing(song: Array[Byte]): Unit
      |}
      |
      |/** A crane.
      |  *
      |  * @param wings two,
      |  *              usually
      |  * @param name  its name
      |  */
      |final case class Crane(wings: Int = 2)(val name: String) {
      |  val text = "/** no comment */ def wings = 1"
      |  /** Bent. */
      |  @deprecated("", "") // with something between
      |  @inline final def neck: Int = {
      |    /** Inside. */
      |    def hidden = 1
      |    hidden
      |  }
      |  def this(none: Unit) = this(0)("")
      |}
      |
      |object Crane {
      |  def neck: Int = 2
      |  /** A flock. */
      |  type Flock = Seq[Crane]
      |  object Nest {
      |    /** Eggs. */
      |    val eggs, more = 3
      |  }
      |  /** Neither. */
      |  private val count = 1; val uncounted = 2
      |}
      |""".stripMargin

  private val folder = FunFixture[os.Path](
    _ => {
      val made = os.temp.dir()
      os.write(made / "birds" / "deeper" / "Some.scala", birds, createFolders = true)
      os.write(made / "Other.scala", "package lab\n/** Another one. */\nclass Crane(wings: Int)\n")
      made
    },
    os.remove.all(_)
  )

  private def key(place: String, parameters: (String, String)*): DefinitionKey = DefinitionKey(place, parameters)

  folder.test("each definition has its own documentation, or none") { folder =>
    val sources = new LabSources(folder)
    def doc(place: String, parameters: (String, String)*) = sources.find(key(place, parameters: _*), reader.definitions).flatMap(_.doc)

    assertEquals(doc("lab/birds/Bird#sing.", "song" -> "String"), Some("Sings."))
    assertEquals(doc("lab/birds/Bird#sing.", "times" -> "Int"), None)
    assertEquals(doc("lab/birds/Bird#sing.", "song" -> "String", "times" -> "Int"), Some("Sings twice."))
    assertEquals(doc("lab/birds/Bird#sing.", "song" -> "Array"), Some("Sings what it is shown."))
    assertEquals(doc("lab/birds/Bird#sing."), None)

    assert(doc("lab/birds/Crane#").exists(_.startsWith("A crane.")))
    assert(doc("lab/birds/Crane#<init>.", "wings" -> "Int", "name" -> "String").exists(_.startsWith("A crane.")))
    assertEquals(doc("lab/birds/Crane#<init>.", "none" -> "Unit"), None)
    assertEquals(doc("lab/birds/Crane#wings."), Some("two, usually"))
    assertEquals(doc("lab/birds/Crane#name."), Some("its name"))
    assertEquals(doc("lab/birds/Crane#text."), None)
    assertEquals(doc("lab/birds/Crane#neck."), Some("Bent."))
    assertEquals(doc("lab/birds/Crane#hidden."), None)

    assertEquals(doc("lab/birds/Crane."), None)
    assertEquals(doc("lab/birds/Crane.neck."), None)
    assertEquals(doc("lab/birds/Crane.Flock#"), Some("A flock."))
    assertEquals(doc("lab/birds/Crane.Nest.eggs."), Some("Eggs."))
    assertEquals(doc("lab/birds/Crane.uncounted."), None)
    assertEquals(doc("lab/Crane#"), Some("Another one."))
    assertEquals(doc("lab/Crane#neck."), None)
    assertEquals(doc("scala/Crane#"), None)
  }

  folder.test("default arguments are shown as they are written") { folder =>
    val sources = new LabSources(folder)
    val made = sources.find(key("lab/birds/Crane#<init>.", "wings" -> "Int", "name" -> "String"), reader.definitions)
    assertEquals(made.map(_.defaults), Some(Map("wings" -> "2")))
  }

  folder.test("a file is read once, and again when it has changed") { folder =>
    val sources = new LabSources(folder)
    var reads = 0
    def doc = sources.find(key("lab/Crane#"), source => { reads += 1; reader.definitions(source) }).flatMap(_.doc)
    assertEquals((doc, doc), (Some("Another one."), Some("Another one.")))
    // The other file defines a class of that name as well.
    assertEquals(reads, 2)
    os.write.over(folder / "Other.scala", "package lab\n/** Changed. */\nclass Crane\n")
    os.mtime.set(folder / "Other.scala", System.currentTimeMillis + 10000)
    assertEquals(doc, Some("Changed."))
    assertEquals(reads, 3)
  }

  test("without sources, nothing is found") {
    assertEquals(new LabSources(os.pwd / "no such folder").find(key("lab/Crane#"), reader.definitions), None)
  }
}
