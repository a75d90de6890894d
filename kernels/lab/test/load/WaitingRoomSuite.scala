package lab.load

import java.io.IOException

import lab.machine.Settle
import lab.magic.MagicCell
import lab.magic.program.ProgramMagic
import lab.process.{CompiledProgram, Server}

import scala.concurrent.duration._
import scala.util.Using

class WaitingRoomSuite extends munit.FunSuite {
  private def program(virtual: Boolean): CompiledProgram = ProgramMagic.compile(
    MagicCell(
      0,
      Vector("--name", "room"),
      s"object Room { def main(arguments: Array[String]): Unit = lab.load.WaitingRoom.open(lab.load.WaitingRoom.onThreads($virtual)) }"
    )
  )

  for (virtual <- Seq(false, true)) test(s"callers wait until they are let out (${if (virtual) "virtual" else "platform"} threads)") {
    Using.resource(Server.start(program(virtual))) { server =>
      Using.resource(new HeldConnections(server.port)) { held =>
        val before = WaitingRoom.look(server)
        held.open(60, "/")
        assertEquals(Settle(60, quiet = 20.seconds)(WaitingRoom.count(server)), 60)
        val full = WaitingRoom.look(server)
        assertEquals(full.threads - before.threads >= 60, !virtual, full)
        assertEquals((before.waiting, full.waiting, full.refused), (0, 60, ""))
        assert(full.heapKib > 0 && full.outsideKib == 0, full) // outside the heap, the JVM tracks memory only if an option says so
        WaitingRoom.letOut(server)
        assertEquals(held.answered(20.seconds), 60)
      }
    }
  }

  test("two start at the same moment, and both end when another of their name starts") {
    val both = Server.startAll(program(virtual = false))(Nil -> Nil, Nil -> Seq("-Xmx32m"))
    assertEquals(both.map(_.port).distinct.size, 2)
    assertEquals(both.map(WaitingRoom.count(_)), Vector(0, 0))
    Using.resource(Server.start(program(virtual = false)))(_ => assertEquals(both.map(_.isRunning), Vector(false, false)))
  }

  test("if the system gives no more threads, callers outside are rejected immediately, and those inside are answered") {
    val room = ProgramMagic.compile(
      MagicCell(
        0,
        Vector("--name", "smallRoom"),
        """package lab.load
          |
          |object Room {
          |  def main(arguments: Array[String]): Unit = {
          |    val left = new java.util.concurrent.atomic.AtomicInteger(20)
          |    def start(task: Runnable): Unit =
          |      if (left.getAndDecrement() > 0) new Thread(task).start() else throw new OutOfMemoryError("no thread")
          |    lab.load.WaitingRoom.open(lab.load.WaitingRoom.serveBy(start(_)))
          |  }
          |}""".stripMargin
      )
    )
    Using.resource(Server.start(room)) { server =>
      Using.resource(new HeldConnections(server.port)) { held =>
        try held.open(60, "/")
        catch { case _: IOException => () } // some may have connected before the port was closed
        assertEquals(Settle(1, quiet = 20.seconds)(if (WaitingRoom.look(server).refused == "no thread") 1 else 0), 1)
        intercept[IOException](held.open(1, "/"))
        assertEquals(Settle(20, quiet = 20.seconds)(WaitingRoom.count(server)), 20)
        WaitingRoom.letOut(server)
        assertEquals(held.answered(20.seconds), 20)
      }
    }
  }
}
