package ammonite.course

import org.dflib.jjava.jupyter.kernel.KernelConnectionProperties
import org.zeromq.{SocketType, ZMQ, ZMQException}
import zmq.Msg
import zmq.msg.{MsgAllocator, MsgAllocatorHeap}

/** A socket that others write to. It takes whole messages of a bounded size. For one thread. */
private[course] final class Inlet(context: ZMQ.Context, limit: Inlet.Limit) {
  import Inlet._

  val socket: ZMQ.Socket = context.socket(SocketType.ROUTER)
  socket.setMaxMsgSize(limit.bytes.toLong)
  socket.setMsgAllocator(new Allocator(limit.bytes))

  /** Returns the next message with all its frames and no other's; none if none waits. It reads and drops what exceeds the limit. */
  def next(): Option[Taken] = {
    val frames = Seq.newBuilder[Array[Byte]]
    var count = 0
    var bytes = 0L
    def fits = count <= limit.frames && bytes <= limit.bytes
    var more = true
    while (more) {
      val frame = socket.recv(ZMQ.DONTWAIT)
      if (frame != null) {
        count += 1
        bytes += frame.length
        if (fits) frames += frame
      }
      more = socket.hasReceiveMore
    }
    Option.when(count > 0)(Taken(frames.result(), fits))
  }
}

private[course] object Inlet {

  /** A message, and whether these are all its frames. */
  final case class Taken(frames: Seq[Array[Byte]], whole: Boolean)

  /** The most that one message may have, in all its frames. */
  final case class Limit(frames: Int, bytes: Int)

  /** The limit for messages. A cell of a megabyte is a pasted table, and scalac compiles none of ten. Widgets send a few buffers. */
  val ofMessages: Limit = Limit(frames = 1024, bytes = 16 * 1024 * 1024)

  /** The limit for signals: enough for ZeroMQ's own greeting with the longest name that a peer can have, and far more than "ping". */
  val ofSignals: Limit = Limit(frames = 8, bytes = 512)

  /** Binds the socket to a port.
    *
    * @throws ConnectionFile.Problem if the port is taken, or the address isn't one of this machine
    */
  def bind(socket: ZMQ.Socket, properties: KernelConnectionProperties, port: Int): Unit = {
    val address = s"${properties.getTransport}://${properties.getIp}:$port"
    try { val _ = socket.bind(address) }
    catch {
      case failed @ (_: ZMQException | _: IllegalArgumentException | _: zmq.ZError.IOException) =>
        throw new ConnectionFile.Problem(
          s"The kernel can't listen at $address ($failed); it has to be an address of this machine with a free port. " +
            "Restart the kernel: Jupyter then takes other ports.",
          ConnectionFile.portTaken
        )
    }
  }

  /** Allocates frames on the heap, up to a size that the JVM's options bound.
    *
    * JeroMQ treats a length whose first bit is set as a negative number, and so as a small one, and requests what its last 32 bits say: two
    * gigabytes, or less than nothing. An error here would end the thread that serves all sockets, and an exception would be thrown again
    * forever. An empty frame instead of the requested one corrupts only that peer's own stream.
    */
  final class Allocator(maxBytes: Int) extends MsgAllocator {
    private val heap = new MsgAllocatorHeap

    override def allocate(size: Int): Msg =
      if (size < 0 || size > maxBytes) new Msg()
      else
        try heap.allocate(size)
        catch { case _: OutOfMemoryError => new Msg() }
  }
}
