package lab.load

import java.io.{BufferedInputStream, IOException}
import java.net.{Socket, SocketTimeoutException}
import java.nio.charset.StandardCharsets.{US_ASCII, UTF_8}

import lab.show.Say

import scala.concurrent.duration._

/** Opens one connection to a server on this machine, on which calls go one after the other. It is for experiments in which it matters which
  * connection a call takes, because a client with a pool chooses by itself.
  *
  * {{{
  * Using.resource(HttpConnection(server.port))(connection => connection.get("/hello"))
  * }}}
  *
  * It blocks the calling thread, and only one thread at a time may use it. It supports just what plain answers of HTTP/1.1 need.
  */
final class HttpConnection private (socket: Socket, limit: FiniteDuration) extends AutoCloseable {
  private val (in, out) = (new BufferedInputStream(socket.getInputStream), socket.getOutputStream)

  /** Returns the body of the answer to `GET path`.
    *
    * @throws java.io.IOException if the server closes the connection, takes longer than the limit, or answers with a status other than 2xx
    */
  def get(path: String): String =
    try answer(path)
    catch {
      case late: SocketTimeoutException => throw new IOException(s"GET $path: no answer came for ${Say.time(limit)}", late)
    }

  private def answer(path: String): String = {
    out.write(s"GET $path HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: */*\r\n\r\n".getBytes(US_ASCII))
    out.flush()
    val status = line()
    val headers = Iterator.continually(line()).takeWhile(_.nonEmpty).map(_.toLowerCase).toVector
    val text = headers match {
      case HttpConnection.Length(bytes)                        => new String(exactly(bytes), UTF_8)
      case _ if headers.contains("transfer-encoding: chunked") => chunks()
      case _                                                   => ""
    }
    if (status.split(' ').lift(1).exists(_.startsWith("2"))) text
    else throw new IOException(s"GET $path was answered with '$status' $text".trim)
  }

  def close(): Unit = socket.close()

  private def chunks(): String = {
    val sizes = Iterator.continually(Integer.parseInt(line().takeWhile(_ != ';').trim, 16))
    val parts = sizes
      .takeWhile(_ > 0)
      .map { size =>
        val part = exactly(size); line(); part
      }
      .toVector
    line()
    new String(parts.flatten.toArray, UTF_8)
  }

  private def exactly(bytes: Int): Array[Byte] = {
    val read = in.readNBytes(bytes)
    if (read.length == bytes) read else throw new IOException(s"the answer ended after ${read.length} of $bytes bytes")
  }

  private def line(): String = {
    val text = new StringBuilder
    Iterator.continually(in.read()).takeWhile(_ != '\n').foreach { byte =>
      if (byte < 0) throw new IOException("the server closed the connection")
      text += byte.toChar
    }
    text.toString.stripSuffix("\r")
  }
}

object HttpConnection {

  /** @param limit how long an answer may take
    * @throws java.io.IOException if nobody listens there
    */
  def apply(port: Int, limit: FiniteDuration = 30.seconds): HttpConnection = {
    val socket = new Socket("127.0.0.1", port)
    socket.setTcpNoDelay(true)
    socket.setSoTimeout(limit.toMillis.toInt)
    new HttpConnection(socket, limit)
  }

  private object Length {
    def unapply(headers: Vector[String]): Option[Int] = headers.collectFirst { case s"content-length: $bytes" => bytes.trim.toInt }
  }
}
