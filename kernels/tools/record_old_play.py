"""Records on which threads Play 2.3, the version in page 07's article, runs a handler: `data/recorded/07-play-old.csv`.

    COURSE_RECORD="the machine in words" .venv/bin/python kernels/tools/record_old_play.py --java-home JDK

Fetches Play 2.3.10 and scalac 2.11.12, which no lock lists. Compiles an application with one handler per row, runs it on the course's JDK
11, and calls each row over 30 connections at the same time. `--java-home` is a JDK with `javac`, without which this scalac doesn't find the
JDK's classes. Takes half a minute. data/README.md explains the columns.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import re
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timezone
from pathlib import Path

import old_versions

PLAY = "com.typesafe.play:play_2.11:2.3.10"
SCALAC = "org.scala-lang:scala-compiler:2.11.12"
# Play 2.3 depends on 1.1.2, which Maven Central never had.
FORCED = ["--force-version", "com.typesafe.netty:netty-http-pipelining:1.1.4"]
JDK = "11"
POOL = 8  # threads of the default dispatcher
CONNECTIONS, CALLS = 30, 10
ROWS = {"C1": "Action { sleep }", "C9": "Action { blocking { sleep } }", "C17": "Action { }, a pool of 4 in scope"}

CONFIGURATION = f"""
application.secret = nobody
play.akka.actor.default-dispatcher.fork-join-executor {{ parallelism-min = {POOL}, parallelism-max = {POOL} }}
"""
APPLICATION = """
import java.util.concurrent.{ConcurrentLinkedQueue, Executors}
import java.util.concurrent.atomic.AtomicInteger
import play.api.GlobalSettings
import play.api.mvc.{Action, Handler, RequestHeader}
import play.api.mvc.Results.Ok
import play.core.StaticApplication
import play.core.server.NettyServer
import scala.collection.JavaConverters._
import scala.concurrent.{blocking, ExecutionContext}

object Global extends GlobalSettings { // Play looks for this name
  private val (noted, inside) = (new ConcurrentLinkedQueue[String], new AtomicInteger)
  private val pool = Executors.newFixedThreadPool(4)

  private def here(row: String)(body: => Unit) = {
    noted.add(s"$row,${inside.incrementAndGet()},${Thread.currentThread.getName}")
    try body
    finally inside.decrementAndGet()
    Ok("there")
  }

  override def onRouteRequest(request: RequestHeader): Option[Handler] = {
    implicit val scope = ExecutionContext.fromExecutor(pool)
    Some(request.path match {
      case "/C1"   => Action(here("C1")(Thread.sleep(100)))
      case "/C9"   => Action(blocking(here("C9")(Thread.sleep(100))))
      case "/C17"  => Action(here("C17")(()))
      case "/told" => Action(Ok(noted.asScala.mkString("\\n")))
    })
  }
}

object Old {
  def main(arguments: Array[String]): Unit = {
    val socket = new java.net.ServerSocket(0)
    val port = socket.getLocalPort
    socket.close()
    new NettyServer(new StaticApplication(new java.io.File(".")), Some(port), address = "127.0.0.1")
    println(s"ready on $port")
  }
}
"""


def get(port: int, path: str, times: int = 1) -> str:
    """Calls a path `times` times over one connection, and returns the last answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    for _ in range(times):
        connection.request("GET", path)
        answer = connection.getresponse().read().decode()
    connection.close()
    return answer


def run(java: Path, class_path: str, folder: Path) -> list[list[str]]:
    """Returns for each handler that ran: its row, the number of running handlers, and its thread."""
    words = [java, "-cp", os.pathsep.join([str(folder), class_path]), "Old"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=folder) as server:
        try:
            lines = iter(server.stdout or [])
            port = next((int(line.split()[-1]) for line in lines if line.startswith("ready on ")), None)
            if port is None:
                raise SystemExit(f"Play didn't start (exit code {server.wait()})")
            with ThreadPoolExecutor(CONNECTIONS) as callers:
                for row in ROWS:
                    list(callers.map(lambda _, row=row: get(port, f"/{row}", CALLS), range(CONNECTIONS)))
            return [line.split(",", 2) for line in get(port, "/told").splitlines()]
        finally:
            server.kill()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--java-home", required=True, type=Path)
    asked = parser.parse_args()
    on = old_versions.machine()
    play, java = (
        old_versions.fetch(PLAY, FORCED),
        Path(json.loads((old_versions.ROOT / ".build" / "installation.json").read_text())["jdks"][JDK]) / "bin" / "java",
    )
    with tempfile.TemporaryDirectory(prefix="play-") as name:
        folder = Path(name)
        (folder / "application.conf").write_text(CONFIGURATION)
        (folder / "Old.scala").write_text(APPLICATION)
        scalac = [asked.java_home / "bin" / "java", "-Xss8m", "-cp", old_versions.fetch(SCALAC, FORCED), "scala.tools.nsc.Main"]
        subprocess.run([*scalac, "-nowarn", "-cp", play, "-d", folder, folder / "Old.scala"], check=True)
        told = run(java, play, folder)
    rows = []
    for row, handler in ROWS.items():
        ran = [(int(together), thread) for what, together, thread in told if what == row]
        rows.append(
            {
                "play": PLAY.rpartition(":")[2],
                "jdk": JDK,
                "row": row,
                "handler": handler,
                "handlers": len(ran),
                "dispatcher": sum(bool(re.match(r"play-akka\.actor\.default-dispatcher-\d+$", thread)) for _, thread in ran),
                "together": max(together for together, _ in ran),
                "pool": POOL,
                "on": on,
                "at": datetime.now(timezone.utc).isoformat().replace("+00:00", "Z"),
            }
        )
    old_versions.keep("07-play-old", rows)


if __name__ == "__main__":
    main()
