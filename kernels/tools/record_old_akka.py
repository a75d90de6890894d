"""Records page 08's streams on its article's version of Akka and on the version before, in `data/recorded/08-old-akka.csv`.

    COURSE_RECORD="the machine in words" .venv/bin/python kernels/tools/record_old_akka.py

Fetches Akka Streams, which no lock lists. Compiles one program with the course's scalac and runs it on the course's JDK 11, which sees four
CPUs, as the article's machine had. Takes two minutes. data/README.md explains the columns.
"""

from __future__ import annotations

import csv
import json
import os
import subprocess
import tempfile
from datetime import datetime, timezone
from pathlib import Path

import old_versions

AKKA = "com.typesafe.akka:akka-stream_2.13"
VERSIONS = "2.5.32", "2.6.6"  # 2.6.6 is from June 2020, like the article
JDK, CPUS = "11", 4

PROGRAM = """
import java.util.concurrent.atomic.AtomicInteger
import akka.actor.ActorSystem
import akka.pattern.after
import akka.stream.ActorMaterializer
import akka.stream.scaladsl.{Sink, Source}
import com.typesafe.config.ConfigFactory
import scala.concurrent.{Await, Future}
import scala.concurrent.duration._

object OldAkka {
  val one = "akka.actor.default-dispatcher { executor = thread-pool-executor, thread-pool-executor.fixed-pool-size = 1 }"

  /** Returns the seconds that a hundred ticks take, and the most naps at the same time. */
  def row(settings: String, naps: Boolean): (Double, Int) = {
    val config = ConfigFactory.parseString(settings + "\\nakka { loglevel = off, stdout-loglevel = off }")
    val system = ActorSystem("old", config.withFallback(ConfigFactory.load()))
    import system.dispatcher
    val (now, most) = (new AtomicInteger, new AtomicInteger)
    def nap(): Unit = {
      most.accumulateAndGet(now.incrementAndGet(), math.max(_, _))
      Thread.sleep(1000)
      now.decrementAndGet()
    }
    val began = System.nanoTime
    val done = Source.tick(Duration.Zero, 10.millis, ()).take(100)
      .mapAsync(100)(_ => if (naps) Future(nap()) else after(1.second, system.scheduler)(Future.unit))
      .runWith(Sink.ignore)(ActorMaterializer()(system))
    Await.ready(done, 1.minute)
    val took = (System.nanoTime - began) / 1e9
    Await.ready(system.terminate(), 20.seconds)
    (took, most.get)
  }

  def main(arguments: Array[String]): Unit = {
    def tell(what: String, round: Int)(found: (Double, Int)) = println(s"$what,$round,${found._1},${found._2}")
    for (round <- 1 to 8) {
      tell("F2", round)(row("", naps = false))
      tell("F2 on one thread", round)(row(one, naps = false))
    }
    tell("F3", 1)(row("", naps = true))
    System.exit(0)
  }
}
"""


def main() -> None:
    on = old_versions.machine()
    installation = json.loads((old_versions.ROOT / ".build" / "installation.json").read_text())
    scalac = os.pathsep.join(next(jars for version, jars in installation["scalac"].items() if version.startswith("2.13")))
    java = Path(installation["jdks"][JDK]) / "bin" / "java"
    rows = []
    for version in VERSIONS:
        akka = old_versions.fetch(f"{AKKA}:{version}")
        with tempfile.TemporaryDirectory(prefix="akka-") as folder:
            source = Path(folder) / "OldAkka.scala"
            source.write_text(PROGRAM)
            subprocess.run([java, "-cp", scalac, "scala.tools.nsc.Main", "-nowarn", "-cp", akka, "-d", folder, source], check=True)
            words = [java, f"-XX:ActiveProcessorCount={CPUS}", "-cp", os.pathsep.join([folder, akka]), "OldAkka"]
            told = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout
        at = datetime.now(timezone.utc).isoformat(timespec="seconds").replace("+00:00", "Z")
        for row, number, seconds, naps in csv.reader(told.splitlines()):
            measured = {"row": row, "round": number, "seconds": round(float(seconds), 3), "naps": naps}
            rows.append({"akka": version, "jdk": JDK, "cpus": CPUS, **measured, "on": on, "at": at})
    old_versions.keep("08-old-akka", rows)


if __name__ == "__main__":
    main()
