package ammonite.course

import java.nio.ByteBuffer
import java.nio.channels.{Pipe, SelectableChannel}

/** Wakes a thread that waits in ZeroMQ's poller. Any thread may ring, also one that was interrupted: that closes only channels that block. */
private[course] final class Doorbell {
  private val pipe = Pipe.open()
  pipe.source.configureBlocking(false)
  pipe.sink.configureBlocking(false) // When it is full, it has rung often enough.

  /** What the waiting thread has to poll. */
  val channel: SelectableChannel = pipe.source

  def ring(): Unit = { val _ = pipe.sink.write(ByteBuffer.allocate(1)) }

  /** To be called by the thread that was woken, before it looks for what it was woken for. */
  def heard(): Unit = { val _ = pipe.source.read(ByteBuffer.allocate(64 * 1024)) }

  def close(): Unit = {
    pipe.sink.close()
    pipe.source.close()
  }
}
