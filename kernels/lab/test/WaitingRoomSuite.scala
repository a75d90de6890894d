package lab

import scala.concurrent.duration._
import scala.util.Using

class WaitingRoomSuite extends munit.FunSuite {
  private def program(virtual: Boolean): CompiledProgram = ProgramMagic.compile(
    MagicCell(
      0,
      Vector("--name", "room"),
      s"object Room { def main(arguments: Array[String]): Unit = lab.WaitingRoom.open(lab.WaitingRoom.onThreads($virtual)) }"
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
        WaitingRoom.letOut(server)
        assertEquals(held.answered(20.seconds), 60)
      }
    }
  }
}
