package lab.machine

import java.nio.file.{Files, Path}

import lab.page.ClaimSuite
import lab.show.Table

class MachineSuite extends munit.FunSuite {

  test("this machine: numbers that agree with the JVM's own") {
    val machine = Machine.here()
    assertEquals(machine.cpus, Runtime.getRuntime.availableProcessors)
    assertEquals(machine.heapBytes, Runtime.getRuntime.maxMemory)
    assertEquals(machine.jdkFeature, Runtime.version.feature)
    assertEquals(machine.scala, scala.util.Properties.versionNumberString)
    assert(machine.memoryBytes > 0)
    assert(Seq("Serial", "Parallel", "G1", "Z", "Shenandoah").contains(machine.collector), machine.collector)
  }

  test("the processor: its name from the system, or its architecture") {
    val cpuinfo = Files.createTempFile("cpuinfo", ".txt")
    def of(text: String): String = {
      Files.writeString(cpuinfo, text)
      Machine.processorOf(cpuinfo, _ => None)
    }
    try {
      val intel = "processor\t: 0\nmodel name\t: Intel(R) Core(TM) i9  CPU\n\nprocessor\t: 1\nmodel name\t: another\n"
      assertEquals(of(intel), "Intel Core i9 CPU")
      assertEquals(of("processor\t: 0\nBogoMIPS\t: 50.00\n"), sys.props("os.arch"), "Linux on ARM has no name")
    } finally Files.delete(cpuinfo)
    val windows = Map("PROCESSOR_IDENTIFIER" -> "AMD64 Family 25 Model 1")
    assertEquals(Machine.processorOf(Path.of("/no/such/file"), windows.get), "AMD64 Family 25 Model 1")
    assertEquals(Machine.processorOf(Path.of("/no/such/file"), _ => None), sys.props("os.arch"))
    assert(ClaimSuite.shown(Machine.here().show()).contains(Machine.here().processor))
  }

  test("the banner names the JDK that a page needs, if this one is older") {
    val ours = Runtime.version.feature
    def banner(needed: Int) = ClaimSuite.shown(Machine.here().show(needed))
    assert(banner(ours + 1).contains(s"they need JDK ${ours + 1}"), banner(ours + 1))
    assert(!banner(ours).contains("they need JDK"), banner(ours))
  }

  test("the formulas, from 1 CPU to 64") {
    val expected = Map(
      1 -> Seq(1, 1, 1, 2, 64, 2, 4, 10, 8),
      2 -> Seq(2, 1, 2, 2, 64, 2, 4, 20, 8),
      4 -> Seq(4, 3, 4, 4, 64, 4, 4, 40, 8),
      8 -> Seq(8, 7, 8, 8, 64, 8, 8, 80, 8),
      64 -> Seq(64, 63, 64, 64, 64, 64, 64, 640, 64)
    )
    for ((cpus, sizes) <- expected) assertEquals(Pools.all(cpus).map(_.threads), sizes.toVector, s"$cpus CPUs")
    intercept[IllegalArgumentException](Pools.all(0))
  }

  test("the profile: quick by default, full on request, anything else rejected with the remedy") {
    assertEquals(
      Seq(None, Some(""), Some("quick"), Some("FULL "), Some("smoke")).map(Profile.parse),
      Seq(Profile.Quick, Profile.Quick, Profile.Quick, Profile.Full, Profile.Smoke)
    )
    assertEquals(Seq(Profile.Quick, Profile.Full, Profile.Smoke).map(_.rounds(12)), Seq(12, 12, 3))
    val refusal = intercept[IllegalArgumentException](Profile.parse(Some("fast"))).getMessage
    assert(refusal.contains("'fast'") && refusal.contains("'quick'") && refusal.contains("'full'"), refusal)
  }

  test("the place: Binder by its variables, a container by its limit") {
    assert(Machine.placeOf(Set("HOME", "BINDER_REPO_URL"), 2L << 30, None).startsWith("Binder"))
    assertEquals(Machine.placeOf(Set("HOME"), 2L << 30, Some(8L << 30)), "a container limited to 2048 MiB")
    assertEquals(Machine.placeOf(Set.empty, 8L << 30, Some(8L << 30)), "no container limit seen")
    assertEquals(Machine.placeOf(Set.empty, 8L << 30, None), "no container limit seen")
    assertEquals(Machine.placeOf(Set.empty, 0, Some(8L << 30)), "no container limit seen")
  }

  test("the kernel says which one it is and why") {
    val properties = Map("course.kernel" -> "ammonite", "course.kernel.version" -> "3.0.8", "course.kernel.why" -> "it is here")
    assertEquals(Machine.kernelOf(properties.get), "ammonite 3.0.8 – it is here")
    assertEquals(Machine.kernelOf(_ => None), "none of the course's")
  }

  test("the collector is known by its beans") {
    assertEquals(Machine.collectorOf(Seq("Copy", "MarkSweepCompact")), "Serial")
    assertEquals(Machine.collectorOf(Seq("G1 Young Generation", "G1 Old Generation", "G1 Concurrent GC")), "G1")
    assertEquals(Machine.collectorOf(Seq("PS MarkSweep", "PS Scavenge")), "Parallel")
    assertEquals(Machine.collectorOf(Seq("Something new")), "Something new")
  }

  test("a table aligns numbers right, escapes its cells, and rejects ragged rows") {
    val table = Table("sizes", Seq("what", "n"), Seq(Seq("a<b", "1"), Seq("c", "10")))
    assertEquals(table.plain, "sizes\n  what   n\n  a<b    1\n  c     10")
    assert(table.html.contains("a&lt;b") && table.html.contains("<caption"))
    val code = Table("of `a$b`", Seq("`x`"), Seq(Seq("y$`z`"))).html
    assert(Seq("<code>a$b</code>", "<code>x</code>", "y$<code>z</code>", "mathjax_ignore").forall(code.contains(_)), code)
    val corner = Table("by row", Seq("", "n"), Seq(Seq("a", "1"))).html
    assert(corner.contains("<tr><td style=\"text-align:left\"></td><th scope=\"col\"") && corner.contains("<th scope=\"row\""), corner)
    intercept[IllegalArgumentException](Table("ragged", Seq("a"), Seq(Seq("1", "2"))))
  }
}
