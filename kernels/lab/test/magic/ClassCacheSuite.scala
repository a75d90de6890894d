package lab.magic

import java.nio.file.attribute.FileTime
import java.nio.file.{Files, Path}
import java.time.{Duration, Instant}

import lab.process.Scratch

class ClassCacheSuite extends munit.FunSuite {

  private val root = FunFixture[Path](_ => Files.createTempDirectory("class-cache"), Scratch.delete)

  private def content(folder: Path): String = Files.readString(folder.resolve("Made.class"))
  private def make(what: String)(scratch: Path, kept: Path): String = {
    assertEquals(kept.getParent, scratch)
    val _ = Files.writeString(kept.resolve("Made.class"), what)
    what
  }

  root.test("the same ingredients are made once, and other ingredients are made again") { root =>
    val (first, made) = ClassCache(root, Seq("a", "b"))(make("first"))
    assertEquals((content(first), made), ("first", Some("first")))
    assertEquals(ClassCache(root, Seq("a", "b"))((_, _) => fail("made twice")), (first, None))
    assertEquals(content(ClassCache(root, Seq("ab", ""))(make("other"))._1), "other")
    assertEquals(content(first), "first")
  }

  root.test("nothing is kept if making it fails, and no scratch folder in any case") { root =>
    intercept[IllegalStateException](ClassCache(root, Seq("a")) { (_, kept) =>
      Files.writeString(kept.resolve("Half.class"), "")
      throw new IllegalStateException
    })
    val (folder, _) = ClassCache(root, Seq("a"))(make("whole"))
    val left = Files.list(root)
    try assertEquals(left.filter(Files.isDirectory(_)).toList, java.util.List.of(folder))
    finally left.close()
    assert(!Files.exists(folder.resolve("Half.class")))
  }

  root.test("if two kernels make the same simultaneously, the second finds the first one's result and leaves it") { root =>
    val (folder, _) = ClassCache(root, Seq("a")) { (scratch, kept) =>
      val (meanwhile, _) = ClassCache(root, Seq("a"))(make("first"))
      assertEquals(content(meanwhile), "first")
      make("second")(scratch, kept)
    }
    assertEquals(content(folder), "first")
  }

  root.test("the latest folders and the recently requested ones stay; leftovers of killed kernels are deleted") { root =>
    def aged(folder: Path, days: Int): Path =
      Files.setLastModifiedTime(folder, FileTime.from(Instant.now.minus(Duration.ofDays(days.toLong))))
    def kept(what: String, days: Int): Path = aged(ClassCache(root, Seq(what))(make(what))._1, days)
    val Seq(recent, old, older, oldest) = Seq("recent" -> 1, "old" -> 9, "older" -> 10, "oldest" -> 11).map((kept _).tupled): @unchecked
    val Seq(torn, running) = Seq("making-1" -> 9, "run-2" -> 0).map { case (name, days) =>
      aged(Files.createDirectory(root.resolve(name)), days)
    }: @unchecked
    assertEquals(ClassCache(root, Seq("oldest"))((_, _) => fail("made twice")), (oldest, None), "asked for again, it counts as new")
    assertEquals(ClassCache.clear(root, most = 2).toSet, Set(old, older, torn))
    assertEquals(ClassCache.clear(root, most = 0), Seq.empty, "what was asked for lately stays, however much it is")
    assert(Seq(recent, oldest, running).forall(Files.isDirectory(_)))
    assertEquals(ClassCache(root, Seq("old"))(make("again"))._2, Some("again"))
  }
}
