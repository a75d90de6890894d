package ammonite.course

import java.nio.ByteBuffer
import java.nio.channels.{Pipe, SelectableChannel}

/** Wakes a thread that waits in ZeroMQ's poller. Any thread may ring, even one that was interrupted, because an interrupt closes only
  * channels that block.
  */
private[course] final class Doorbell {
  private val pipe = Pipe.open()
  pipe.source.configureBlocking(false)
  pipe.sink.configureBlocking(false) // If the pipe is full, the bell has rung often enough.

  /** The channel that the waiting thread has to poll. */
  val channel: SelectableChannel = pipe.source

  def ring(): Unit = { val _ = pipe.sink.write(ByteBuffer.allocate(1)) }

  /** Resets the bell. The woken thread calls it before it looks for its work. */
  def heard(): Unit = { val _ = pipe.source.read(ByteBuffer.allocate(64 * 1024)) }

  def close(): Unit = {
    pipe.sink.close()
    pipe.source.close()
  }
}
